"""Plant files in, domain values and a report out."""
