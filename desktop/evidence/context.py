"""What an answer is composed with, beside the evidence: the plant, the day, the person, what was tried."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from desktop.domain.ledger import Role
from desktop.domain.machine_note import MachineNote
from desktop.domain.outcome import Trial
from desktop.domain.safety import SafetyRules
from desktop.domain.work_request import WorkRequest
from desktop.evidence.rules import rules_of
from desktop.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ComposeContext:
    """`role` None = nobody is known, treated as an operator; `trials` oldest first; notes and requests of this machine.

    The same context, resolution and evidence give the same answer.
    """

    snapshot: Snapshot
    today: date
    role: Role | None = None
    open_requests: tuple[WorkRequest, ...] = ()
    notes: tuple[MachineNote, ...] = ()
    trials: tuple[Trial, ...] = ()
    sample: bool = False

    @property
    def rules(self) -> SafetyRules:
        return rules_of(self.snapshot)

    @property
    def knows_maintenance(self) -> bool:
        """Whether the person may be shown what exists where nothing fits, instead of being told to keep off."""
        return self.role not in (None, Role.OPERATOR)
