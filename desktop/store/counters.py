"""Numbers that are never given twice."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import apsw

from desktop.store.journal import Tx
from desktop.store.journal_copies import unlock
from desktop.store.journal_key import JournalKey

_FLOOR = "floor"
_NEXT = f"""
INSERT INTO counters (name, value) VALUES (?, 1 + COALESCE((SELECT value FROM counters WHERE name = '{_FLOOR}'), 0))
ON CONFLICT (name) DO UPDATE SET value = value + 1
RETURNING value
"""
_ALL = f"SELECT name, value FROM counters WHERE name <> '{_FLOOR}' ORDER BY name"
_RAISE = "UPDATE counters SET value = MAX(value, ?)"
_SET_FLOOR = f"INSERT INTO counters (name, value) VALUES ('{_FLOOR}', ?) ON CONFLICT (name) DO NOTHING"
_LEAST_GAP = 1_000
_GAP_OF_A_DAY = 100
_ROUND = 1_000
_STEP, _STEPS = 100, 90


def following(tx: Tx, name: str) -> int:
    """The next number of this name, from 1; given back only if the whole transaction is undone."""
    row = tx.row(_NEXT, (name,))
    assert row is not None
    return int(row["value"])


def all_of(tx: Tx) -> Mapping[str, int]:
    """The last number given, by name."""
    return {row["name"]: row["value"] for row in tx.rows(_ALL)}


def left_in(file: Path, key: JournalKey | None) -> Mapping[str, int]:
    """`all_of` a journal or copy that nobody has open and that may be damaged or gone; empty if it doesn't tell."""
    try:
        with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            unlock(connection, key)
            return all_of(Tx(connection))
    except apsw.Error:
        return {}


def last_possible(highest: int, unseen: timedelta, drawn: float) -> int:
    """A round number above all that can have been given, when `highest` is the last one seen and `unseen` its age.

    `drawn` from [0, 1) adds up to 8,900, so that two restores of one backup hardly ever go on alike.
    """
    days = max(0, -(-unseen // timedelta(days=1)))
    above = -(-(highest + _LEAST_GAP + days * _GAP_OF_A_DAY) // _ROUND) * _ROUND
    return above + int(drawn * _STEPS) * _STEP


def go_on_after(tx: Tx, last: int) -> None:
    """No number up to `last` is given any more, under any name, those not yet begun included."""
    tx.run(_SET_FLOOR, (last,))
    tx.run(_RAISE, (last,))
