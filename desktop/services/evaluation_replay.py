"""Past troubles replayed as questions, each over the plant's data as it was before that day."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import date, timedelta

from desktop.domain.ledger import Equipment, EquipmentStatus, MaintenanceRecord, OpenOrder
from desktop.domain.text import fold_code
from desktop.errors import KnownError
from desktop.services.evaluation_questions import Expectation, Question
from desktop.services.station import Plant
from desktop.store.search import Found, RecordHit, Search
from desktop.store.snapshot import CodeOwners, Snapshot

_ALL = 1_000_000


def from_records(snapshot: Snapshot, wanted: int) -> tuple[Question, ...]:
    """The newest `wanted` troubles with a day, an action, and a code or symptom, of machines that are in the ledger.

    KnownError("evaluation_nothing_to_ask") where there is none.
    """
    newest = heapq.nlargest(wanted, _replayable(snapshot), key=lambda one: (one[1].date, one[1].record_id))
    if not newest:
        raise KnownError("evaluation_nothing_to_ask", reason="日付・処置のある保全記録がありません")
    return tuple(_question(machine, record, snapshot) for machine, record in newest)


def eve_of(plant: Plant, record: MaintenanceRecord) -> Plant:
    """The plant as it was known before the record's day: without it, and without what came later or has no date.

    The plant's own word lists, manuals and stock stay as they are today; words learned from the log and orders open
    today are left out, because later troubles made them.
    """
    assert record.date is not None
    earlier = _Earlier(plant.snapshot, record.date)
    return Plant(earlier, _EarlierSearch(earlier, record.date))


class _Earlier(Snapshot):
    """A snapshot before a day; it shares the whole one's file and is closed with it."""

    def __init__(self, whole: Snapshot, day: date) -> None:
        vars(self).update(vars(whole))
        self.day = day
        self.data_as_of = day - timedelta(days=1)

    def record(self, record_id: str) -> MaintenanceRecord | None:
        found = super().record(record_id)
        return found if found is not None and _is_before(found, self.day) else None

    def records_of(self, equipment_id: str) -> tuple[MaintenanceRecord, ...]:
        return tuple(one for one in super().records_of(equipment_id) if _is_before(one, self.day))

    def code_owners(self, key: str) -> CodeOwners:
        whole = super().code_owners(key)
        having = tuple(one for one in whole.equipment_ids if self._had(one, key))
        return CodeOwners(whole.models, having)

    def open_orders(self, equipment_id: str) -> tuple[OpenOrder, ...]:  # noqa: ARG002  none is known to have been open
        return ()

    def learned_terms(self) -> dict[str, tuple[str, ...]]:
        return {}

    def _had(self, equipment_id: str, key: str) -> bool:
        return any(fold_code(one.error_code) == key for one in self.records_of(equipment_id))


class _EarlierSearch(Search):
    """Search that shows records from before a day only; how words weigh is still reckoned over all rows."""

    def __init__(self, snapshot: Snapshot, day: date) -> None:
        super().__init__(snapshot)
        self._day = day

    def records(self, equipment_id: str, keywords: str, limit: int = 5) -> Found[RecordHit]:
        """As ever the best in support, shown newest first."""
        hits = self._before(super().records(equipment_id, keywords, _ALL))
        best = sorted(hits, key=lambda hit: -round(hit.score, 1))[:limit]
        shown = sorted(best, key=lambda hit: (hit.record.date, hit.record.record_id), reverse=True)
        return Found(tuple(shown), len(hits))

    def records_anywhere(self, keywords: str, limit: int = 5) -> Found[RecordHit]:
        hits = self._before(super().records_anywhere(keywords, _ALL))
        return Found(tuple(hits[:limit]), len(hits))

    def _before(self, found: Found[RecordHit]) -> list[RecordHit]:
        return [hit for hit in found.hits if _is_before(hit.record, self._day)]


def _is_before(record: MaintenanceRecord, day: date) -> bool:
    return record.date is not None and record.date < day


def _replayable(snapshot: Snapshot) -> Iterator[tuple[Equipment, MaintenanceRecord]]:
    for machine in snapshot.all_equipment():
        if machine.status is EquipmentStatus.RETIRED:
            continue
        for record in snapshot.records_of(machine.equipment_id):
            if record.date and record.action.strip() and (record.error_code or record.symptom):
                yield machine, record


def _question(machine: Equipment, record: MaintenanceRecord, snapshot: Snapshot) -> Question:
    """As a technician would have asked: machine (by line and name where that is one), code, symptom."""
    alike = [one for one in snapshot.all_equipment() if (one.line, one.name) == (machine.line, machine.name)]
    named = f"{machine.line}の{machine.name}" if machine.line and len(alike) == 1 else machine.equipment_id
    trouble = f"で{record.error_code}が出た" if record.error_code else "の調子が悪い"
    symptom = f"。{record.symptom}" if record.symptom else ""
    return Question(
        question_id=record.record_id,
        text=f"{named}{trouble}{symptom}",
        expect=Expectation(equipment=(machine.equipment_id,)),
        replays=record,
    )
