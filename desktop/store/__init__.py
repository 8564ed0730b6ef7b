"""The only SQL: the plant's snapshot (DuckDB, read-only) and this workstation's journal (SQLite)."""
