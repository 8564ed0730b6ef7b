"""Which life of a journal this is: each restore begins one, so that two PCs restored from one backup are told apart."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
from uuid6 import uuid7

from desktop.store.journal import Tx
from desktop.store.journal_copies import unlock
from desktop.store.journal_key import JournalKey

RESTORED = "restored"
_ROWS = f"SELECT body FROM audit WHERE action = '{RESTORED}' ORDER BY seq"
_JOURNAL_ID = "SELECT journal_id FROM identity"


@dataclass(frozen=True, slots=True)
class Incarnation:
    """`current` is what this life is known by, the journal's own id before its first restore; it goes on for
    `predecessors`, and for nobody else."""

    current: str
    predecessors: Collection[str]


def of(tx: Tx) -> Incarnation:
    """What the trail tells of an open journal."""
    *before, current = _lives(tx)
    return Incarnation(current, frozenset(before) - {current})


def begun(replaces: Collection[str]) -> Mapping[str, Any]:
    """A new life, as the row of a restore tells of it, that goes on for those it replaces."""
    return {"incarnation": str(uuid7()), "replaces": sorted(replaces)}


def left_in(file: Path, key: JournalKey | None) -> set[str]:
    """Every life that a journal or copy knows of, open to nobody and perhaps damaged; empty if it doesn't tell."""
    try:
        with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            unlock(connection, key)
            return set(_lives(Tx(connection)))
    except (apsw.Error, ValueError, KeyError, TypeError):
        return set()


def _lives(tx: Tx) -> Iterator[str]:
    """The journal's id, then each restore's predecessors and itself; a restore of an earlier program began none."""
    for identity in tx.rows(_JOURNAL_ID):
        yield identity["journal_id"]
    for row in tx.rows(_ROWS):
        body = json.loads(row["body"])
        if "incarnation" in body:
            yield from body["replaces"]
            yield body["incarnation"]
