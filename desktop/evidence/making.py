"""What the parts of an answer share while it is being made."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.domain.answer import Evidence, Resolution
from desktop.domain.ledger import Equipment
from desktop.evidence.citing import Citing
from desktop.evidence.context import ComposeContext
from desktop.evidence.intent import Intent
from desktop.evidence.ranking import Wanted


@dataclass(frozen=True, slots=True)
class Making:
    """One answer about one machine: what is asked, what was found, and the sources numbered so far."""

    machine: Equipment
    resolution: Resolution
    intent: Intent
    asked: Wanted
    evidence: Evidence
    citing: Citing
    context: ComposeContext

    @property
    def question(self) -> str:
        return self.resolution.question
