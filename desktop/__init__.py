"""Hozen Navi: finds, from a plant's own ledger, manuals and records, what to do when a machine stops."""

__version__ = "0.1.0"
RELEASED = "2026-11-30"
"""The day of this version, as the changelog has it."""
