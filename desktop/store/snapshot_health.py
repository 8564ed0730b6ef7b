"""Counts over a snapshot that say how complete the plant's data is."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.store.snapshot import Snapshot

_RECORDS = """
    SELECT equipment_key, any_value(equipment_id), count(*), count(*) FILTER (cause = '')
    FROM records GROUP BY equipment_key ORDER BY equipment_key"""
_CODED_MODELS = "SELECT DISTINCT unnest(models) FROM sections WHERE len(codes) > 0 AND NOT old_revision"


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """How many records one machine has, and how many of them name no cause; `equipment_id` as the records write it."""

    key: str
    equipment_id: str
    records: int
    without_cause: int


def record_counts(snapshot: Snapshot) -> tuple[RecordCounts, ...]:
    """For every machine that has records, whether the ledger knows it or not."""
    return tuple(RecordCounts(*row) for row in snapshot.rows(_RECORDS))


def coded_models(snapshot: Snapshot) -> frozenset[str]:
    """The models whose current manuals say what at least one error code means."""
    return frozenset(row[0] for row in snapshot.rows(_CODED_MODELS))
