"""What a conversation carries from one question to the next: its machine, what was tried, the model's history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from desktop.domain.answer import Focus
from desktop.domain.outcome import Outcome, Trial
from desktop.domain.work_request import Requester
from desktop.evidence.focus import points_back
from desktop.services.station import Services
from desktop.store import runs
from desktop.store.runs import Run
from desktop.store.snapshot import Snapshot

FOCUS_IDLE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Past:
    """What came before in this conversation.

    `focus` is still meant, `lapsed` was meant before a pause, a change of person or a restart: it is offered, never
    taken. `trials` belong to the machine last meant, oldest first. `state` is the loop's JSON ("" = none).
    """

    focus: Focus | None = None
    lapsed: Focus | None = None
    trials: tuple[Trial, ...] = ()
    question: str = ""
    state: str = ""

    @property
    def tried(self) -> tuple[str, ...]:
        """Each step told of, with what became of it."""
        return tuple(f"{trial.step}：{trial.outcome}" for trial in self.trials)


def recall(services: Services, conversation_id: str, asker: Requester, snapshot: Snapshot) -> Past:
    """The conversation as it stands now; an unknown one has no past."""
    with services.journal.reading() as tx:
        earlier = runs.of_conversation(tx, conversation_id)
    settled = [run for run in earlier if run.result and run.result.get("equipment_id")]
    if not settled:
        return Past(state=_latest_state(earlier))
    last = settled[-1]
    equipment_id = _machine_of(last)
    machine = snapshot.equipment(equipment_id)
    focus = Focus(machine, carried_over=True) if machine else None
    live = _alive(earlier[-1], asker, services.session_started, services.clock())
    return Past(
        focus=focus if live else None,
        lapsed=None if live else focus,
        trials=tuple(trial for run in settled if _machine_of(run) == equipment_id for trial in _trials(run)),
        question=_asked(settled),
        state=_latest_state(earlier),
    )


def _asked(settled: Sequence[Run]) -> str:
    """The question that what follows is about: neither what became of a step nor words that lean on one before."""
    own = [run.question for run in settled if not _trials(run) and not points_back(run.question)]
    return own[-1] if own else settled[-1].question


def _alive(last: Run, asker: Requester, session_started: datetime, now: datetime) -> bool:
    since = last.finished_at or last.started_at
    return now - since <= FOCUS_IDLE and last.asked_by == asker.person_id and last.started_at >= session_started


def _machine_of(run: Run) -> str:
    return str(run.result["equipment_id"]) if run.result else ""


def _trials(run: Run) -> tuple[Trial, ...]:
    told = run.result.get("trial") if run.result else None
    return (Trial(told["step"], Outcome(told["outcome"]), told["ref"]),) if told else ()


def _latest_state(earlier: tuple[Run, ...]) -> str:
    return next((run.state for run in reversed(earlier) if run.state), "")
