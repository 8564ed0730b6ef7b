"""What the paper doesn't know of a machine: conversions, quirks, agreed deviations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class MachineNote:
    """A 現場メモ: its author and approver, until when it counts (None = open), what of the papers it overrides."""

    note_id: str
    equipment_id: str
    text: str
    author: str
    approver: str = ""
    valid_until: date | None = None
    overrides: str = ""

    @property
    def ref(self) -> str:
        return f"note:{self.note_id}"

    def counts_on(self, day: date) -> bool:
        """Only an approved note counts, up to its last day."""
        return bool(self.approver) and (self.valid_until is None or day <= self.valid_until)
