"""Which records are of one trouble: figures of recurrence are counted over all of them, whatever a question matched."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date

from desktop.domain.history import Remedy, rank, what_worked
from desktop.domain.ledger import MaintenanceRecord
from desktop.domain.text import find_codes, fold_code
from desktop.evidence.papers import owners_of, records_of
from desktop.evidence.words import squeeze
from desktop.store.snapshot import Snapshot

Trouble = tuple[str, str]


def codes_told(record: MaintenanceRecord) -> frozenset[str]:
    """Keys of the record's code; where the log has no column for it, or left it empty, of those its symptom names."""
    if key := fold_code(record.error_code):
        return frozenset((key,))
    return frozenset(code.key for code in find_codes(record.symptom))


def tells_in_words(record: MaintenanceRecord) -> bool:
    """Whether the code stands in the words of the symptom alone."""
    return not record.error_code.strip()


def whole_troubles(
    matched: Iterable[MaintenanceRecord], snapshot: Snapshot
) -> Mapping[Trouble, tuple[MaintenanceRecord, ...]]:
    """For each trouble of the matched records every record of the same machine and trouble, as the snapshot has them.

    A trouble is a code of that machine; of those without any, all that have one of the matched symptoms' words.
    """
    records = tuple(matched)
    symptoms = {(one.equipment_id, squeeze(one.symptom)) for one in records}
    found: dict[Trouble, list[MaintenanceRecord]] = {
        trouble: [] for one in records for trouble in _troubles(one, symptoms, snapshot)
    }
    for machine in dict.fromkeys(one.equipment_id for one in records):
        for record in records_of(snapshot, machine):
            for trouble in _troubles(record, symptoms, snapshot):
                if trouble in found:
                    found[trouble].append(record)
    return {trouble: tuple(whole) for trouble, whole in found.items()}


def remedies_of(matched: Iterable[MaintenanceRecord], snapshot: Snapshot, today: date) -> tuple[Remedy, ...]:
    """The actions of these records, best first, each judged over every record of the same machine and trouble."""
    records = tuple(matched)
    refs = {one.ref for one in records}
    wholes = whole_troubles(records, snapshot).values()
    judged = (remedy for whole in wholes for remedy in what_worked(whole, today))
    return tuple(sorted((one for one in judged if any(record.ref in refs for record in one.records)), key=rank))


def _troubles(
    record: MaintenanceRecord, symptoms: Collection[tuple[str, str]], snapshot: Snapshot
) -> tuple[Trouble, ...]:
    keys = codes_told(record)
    if tells_in_words(record):
        keys = frozenset(key for key in keys if owners_of(snapshot, key))
    if keys:
        return tuple((record.equipment_id, key) for key in sorted(keys))
    return ((record.equipment_id, ""),) if (record.equipment_id, squeeze(record.symptom)) in symptoms else ()
