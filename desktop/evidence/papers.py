"""What one snapshot's papers say, kept from question to question: it never changes, and asking it again costs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.store.snapshot import CodeOwners, Snapshot

_MOST_MANUALS = 24
_MOST_SECTIONS = 256
_MOST_CODES = 1_024
_MOST_MACHINES = 8

T = TypeVar("T")


class _Kept:
    """The last answers of each snapshot, at most `most` of one; used from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._answers: WeakKeyDictionary[Snapshot, OrderedDict[Hashable, Any]] = WeakKeyDictionary()

    def get(self, snapshot: Snapshot, key: Hashable, ask: Callable[[], T]) -> T:
        with self._lock:
            answers = self._answers.setdefault(snapshot, OrderedDict())
            if key in answers:
                answers.move_to_end(key)
                known: T = answers[key]
                return known
        found = ask()
        with self._lock:
            answers[key] = found
            while len(answers) > self._most:
                answers.popitem(last=False)
        return found

    def peek(self, snapshot: Snapshot, key: Hashable) -> Any:
        with self._lock:
            return self._answers.setdefault(snapshot, OrderedDict()).get(key)


_manuals, _sections, _codes = _Kept(_MOST_MANUALS), _Kept(_MOST_SECTIONS), _Kept(_MOST_CODES)
_records = _Kept(_MOST_MACHINES)


def sections_of(snapshot: Snapshot, manual_id: str) -> tuple[ManualSection, ...]:
    """A manual's sections in reading order."""
    return _manuals.get(snapshot, manual_id, lambda: snapshot.sections(manual_id))


def section_of(snapshot: Snapshot, ref: str) -> ManualSection | None:
    """The section as the snapshot has it."""
    manual: tuple[ManualSection, ...] = _manuals.peek(snapshot, ref.removeprefix("manual:").rpartition("#")[0]) or ()
    read = next((one for one in manual if one.ref == ref), None)
    return read or _sections.get(snapshot, ref, lambda: snapshot.section(ref))


def owners_of(snapshot: Snapshot, key: str) -> CodeOwners:
    """Whose the code with this key is."""
    return _codes.get(snapshot, key, lambda: snapshot.code_owners(key))


def records_of(snapshot: Snapshot, equipment_id: str) -> tuple[MaintenanceRecord, ...]:
    """All that was done to one machine, newest first."""
    return _records.get(snapshot, equipment_id, lambda: snapshot.records_of(equipment_id))
