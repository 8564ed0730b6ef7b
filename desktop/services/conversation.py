"""What a conversation carries from one question to the next: its machine, what was tried, the model's history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from desktop.domain.answer import Focus
from desktop.domain.ledger import Equipment
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
    taken. `trials` belong to the machine last meant, oldest first; what a question's words told of stands among them.
    `question` is what it is all about; while `offered` machines wait for a choice, the question that waits with them.
    `advised` is the action last put first. `state` is the loop's JSON ("" = none).
    """

    focus: Focus | None = None
    lapsed: Focus | None = None
    trials: tuple[Trial, ...] = ()
    question: str = ""
    state: str = ""
    offered: tuple[Equipment, ...] = ()
    advised: str = ""

    @property
    def tried(self) -> tuple[str, ...]:
        """Each step told of, with what became of it."""
        return told(*self.trials)


def told(*trials: Trial) -> tuple[str, ...]:
    return tuple(f"{trial.step}：{trial.outcome}" for trial in trials)


def recall(services: Services, conversation_id: str, asker: Requester, snapshot: Snapshot) -> Past:
    """The conversation as it stands now; an unknown one has no past."""
    with services.journal.reading() as tx:
        earlier = runs.of_conversation(tx, conversation_id)
    settled = [run for run in earlier if run.result and run.result.get("equipment_id")]
    offered = _offered(services, earlier, asker, snapshot)
    if not settled:
        return Past(question=_about(earlier[-1]) if offered else "", state=_latest_state(earlier), offered=offered)
    last = settled[-1]
    equipment_id = _machine_of(last)
    machine = snapshot.equipment(equipment_id)
    focus = Focus(machine, carried_over=True) if machine else None
    live = _alive(earlier[-1], asker, services.session_started, services.clock())
    return Past(
        focus=focus if live else None,
        lapsed=None if live else focus,
        trials=tuple(trial for run in settled if _machine_of(run) == equipment_id for trial in _trials(run)),
        question=_about(earlier[-1]) if offered else _asked(settled),
        state=_latest_state(earlier),
        offered=offered,
        advised=str(last.result.get("advised", "")) if last.result else "",
    )


def _offered(services: Services, earlier: Sequence[Run], asker: Requester, snapshot: Snapshot) -> tuple[Equipment, ...]:
    """The machines that the last question left to choose from, in the order shown."""
    last = earlier[-1] if earlier else None
    if last is None or not last.result or not _alive(last, asker, services.session_started, services.clock()):
        return ()
    machines = (snapshot.equipment(str(one)) for one in last.result.get("offered", ()))
    return tuple(one for one in machines if one)


def _about(run: Run) -> str:
    """The question that a run answered, though its own words may have been only a choice or a follow-up."""
    return str(run.result.get("about") or run.question) if run.result else run.question


def _asked(settled: Sequence[Run]) -> str:
    """The question that what follows is about: neither what became of a step nor words that lean on one before."""
    own = [
        _about(run) for run in settled if not _told_as_step(run) and (_goes_on(run) or not points_back(run.question))
    ]
    return own[-1] if own else settled[-1].question


def _goes_on(run: Run) -> bool:
    return bool(run.result and run.result.get("about"))


def _alive(last: Run, asker: Requester, session_started: datetime, now: datetime) -> bool:
    since = last.finished_at or last.started_at
    return now - since <= FOCUS_IDLE and last.asked_by == asker.person_id and last.started_at >= session_started


def _machine_of(run: Run) -> str:
    return str(run.result["equipment_id"]) if run.result else ""


def _trials(run: Run) -> tuple[Trial, ...]:
    in_words = run.result.get("tried", ()) if run.result else ()
    return (*_told_as_step(run), *(Trial(str(words), Outcome.NOT_FIXED) for words in in_words))


def _told_as_step(run: Run) -> tuple[Trial, ...]:
    told = run.result.get("trial") if run.result else None
    return (Trial(told["step"], Outcome(told["outcome"]), told["ref"]),) if told else ()


def _latest_state(earlier: tuple[Run, ...]) -> str:
    return next((run.state for run in reversed(earlier) if run.state), "")
