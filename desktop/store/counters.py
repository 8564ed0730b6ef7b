"""Numbers that are never given twice."""

from __future__ import annotations

from desktop.store.journal import Tx

_NEXT = """
INSERT INTO counters (name, value) VALUES (?, 1)
ON CONFLICT (name) DO UPDATE SET value = value + 1
RETURNING value
"""


def following(tx: Tx, name: str) -> int:
    """The next number of this name, from 1; given back only if the whole transaction is undone."""
    row = tx.row(_NEXT, (name,))
    assert row is not None
    return int(row["value"])
