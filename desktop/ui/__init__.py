"""Widgets; they see workers, domain values and loop events only."""
