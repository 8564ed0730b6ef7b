"""Everyone whom a snapshot names as worker of a record or owner of a machine."""

from __future__ import annotations

from desktop.store.snapshot import Snapshot

_PEOPLE = "SELECT DISTINCT worker FROM records UNION SELECT DISTINCT owner FROM equipment"


def people(snapshot: Snapshot) -> frozenset[str]:
    """As written; a cell may name several."""
    return frozenset(row[0] for row in snapshot.rows(_PEOPLE) if row[0])
