"""A parked run goes on: after a decision, or where an outage or a crash left it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from uuid6 import uuid7

from desktop.agent.events import AnswerComposed, ApprovalRequested, Event, FactsGathered, RunFinished
from desktop.agent.run_state import RunState
from desktop.domain.work_request import Requester
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.services import conversation
from desktop.services.model_work import Basis, Ended, Work
from desktop.services.run_record import Ending, RunRecord, stored_events
from desktop.services.station import Services
from desktop.store import leases, people, runs
from desktop.store.runs import Run, RunStatus

T = TypeVar("T")
_TERM = timedelta(minutes=10)  # longer than a question's time budget; a killed owner's lease ends by itself


def resume(services: Services, run_id: str, cancelled: Cancellation) -> Iterator[Event]:
    """The run's further events, in the same trace; nothing when it has no model part or a card of it still waits.

    One process at a time: KnownError("run_elsewhere") while another goes on with it.
    """
    if (work := _taken_up(services, run_id)) is not None:
        with _alone(services, run_id):
            yield from work.record.tell(_story(work, cancelled))


def settle(services: Services, run_id: str) -> Iterator[Event]:
    """Ends without a model a run that an outage left: a request that it asked for and never proposed is proposed.

    Raises as `resume`.
    """
    if (work := _taken_up(services, run_id)) is not None:
        with _alone(services, run_id):
            yield from work.record.tell(_offline(work))


def _taken_up(services: Services, run_id: str) -> Work | None:
    with services.journal.reading() as tx:
        run = runs.get(tx, run_id)
        earlier = stored_events(tx, run_id)
        person = people.get(tx, run.asked_by) if run else None
    if run is None or run.status is not RunStatus.PARKED or not _ready(run):
        return None
    plant = services.plant_at(run.snapshot)
    requester = Requester(person.person_id, person.name, run.asked_known_by) if person else Requester()
    facts, composed = _last(earlier, FactsGathered), _last(earlier, AnswerComposed)
    past = conversation.recall(services, run.conversation_id, requester, plant.snapshot)
    basis = Basis(facts.resolution, facts.evidence, composed.answer, past.tried)
    return Work(services, plant, run, requester, RunRecord.resume(services, run), basis)


@contextmanager
def _alone(services: Services, run_id: str) -> Iterator[None]:
    name, owner = f"run:{run_id}", str(uuid7())
    with services.journal.transaction() as tx:
        if not leases.take(tx, name, owner, services.clock(), _TERM):
            raise KnownError("run_elsewhere")
    try:
        yield
    finally:
        with services.journal.transaction() as tx:
            leases.release(tx, name, owner)


def _story(work: Work, cancelled: Cancellation) -> Generator[Event, None, Ending | None]:
    ended = yield from work.go_on(cancelled)
    if ended is Ended.WAITING:
        return None
    return replace(_ending(work), status=RunStatus.PARKED) if ended is Ended.CUT_OFF else _ending(work)


def _offline(work: Work) -> Generator[Event, None, Ending]:
    with work.services.journal.reading() as tx:
        proposed = any(isinstance(event, ApprovalRequested) for event in stored_events(tx, work.run.run_id))
    if not proposed:
        yield from work.proposed_offline()
    yield RunFinished("", RunState.from_json(work.run.state).usage)
    return _ending(work)


def _ending(work: Work) -> Ending:
    machine = work.basis.resolution.focus.equipment
    equipment_id = machine.equipment_id if machine else ""
    return Ending({"status": work.basis.answer.status, "equipment_id": equipment_id, "trial": None})


def _ready(run: Run) -> bool:
    """No call of it waits for a person."""
    return bool(run.state) and not RunState.from_json(run.state).unresolved()


def _last(events: tuple[Event, ...], kind: type[T]) -> T:
    """A parked run was begun with facts and a composed answer, always."""
    return next(event for event in reversed(events) if isinstance(event, kind))
