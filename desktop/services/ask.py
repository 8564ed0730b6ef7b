"""The story of a question: who is meant, what is written, the answer, and, if asked for, a proposal."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field, replace

from uuid6 import uuid7

from desktop import config
from desktop.agent.events import (
    AnswerComposed,
    ApprovalRequested,
    ChoiceNeeded,
    Event,
    FactsGathered,
    RunFinished,
)
from desktop.domain.answer import Answer, AnswerStatus, Evidence, Resolution
from desktop.domain.outcome import Outcome, Trial
from desktop.domain.work_request import Requester
from desktop.evidence.choosing import chosen
from desktop.evidence.compose import ComposeContext, compose
from desktop.evidence.compose_moves import advised_in
from desktop.evidence.gather import gather
from desktop.evidence.intent import in_spite_of_it, tried_words
from desktop.evidence.resolve import resolve
from desktop.net import Cancellation
from desktop.services import asked_request, conversation
from desktop.services.conversation import Past, told
from desktop.services.run_record import Ending, RunRecord
from desktop.services.station import Plant, Services
from desktop.store import people, requests
from desktop.store.runs import Run, RunStatus


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `equipment_id` was picked on screen, `provider` "" = as set, `trial` = what became of a step."""

    text: str
    conversation_id: str
    equipment_id: str = ""
    requester: Requester = field(default_factory=Requester)
    provider: str = ""
    trial: Trial | None = None


def ask(services: Services, question: Question, cancelled: Cancellation) -> Iterator[Event]:
    """Every event of the question, each stored before it is given out.

    Ends after the composed answer, or after the model's part, or when a proposal waits for a person. Raises
    KnownError("no_plant_data") before anything is recorded.
    """
    plant = services.plant()
    requester = _named(services, question.requester)
    past = conversation.recall(services, question.conversation_id, requester, plant.snapshot)
    run = Run(
        run_id=str(uuid7()),
        conversation_id=question.conversation_id,
        question=question.text,
        asked_by=requester.person_id,
        provider=question.provider or services.settings.get(config.PROVIDER),
        snapshot=plant.snapshot.version,
        trace_file="",
        started_at=services.clock(),
        asked_known_by=requester.known_by,
    )
    record = RunRecord.start(services, run)
    story = _Story(services, plant, replace(question, requester=requester), past, run, record, cancelled)
    yield from record.tell(story.events())


@dataclass(frozen=True, slots=True)
class _Story:
    services: Services
    plant: Plant
    question: Question
    past: Past
    run: Run
    record: RunRecord
    cancelled: Cancellation

    def events(self) -> Generator[Event, None, Ending | None]:
        """The events; returns what the run is remembered by, None while it waits for a person."""
        resolution = self._resolve()
        focus = resolution.focus
        if focus.equipment is None and focus.candidates:
            yield ChoiceNeeded(resolution)
            yield RunFinished("")
            return self._outcome(AnswerStatus.NEEDS_CHOICE, resolution)
        evidence = gather(resolution, self.plant.snapshot, self.plant.search)
        yield FactsGathered(resolution, evidence)
        answer = asked_request.pointing_to_the_same(
            self.services, self.run.conversation_id, self._compose(resolution, evidence)
        )
        yield AnswerComposed(answer)
        offline = self.run.provider == "offline" or answer.status is AnswerStatus.REFUSED or self.question.trial
        requester, tried = self.question.requester, told(*self.past.trials, *self._told_now())
        if offline:
            if asked_request.is_asked_for(answer):
                yield ApprovalRequested(
                    asked_request.propose(self.services, self.plant, self.run, requester, answer, tried)
                )
            yield RunFinished("")
            return self._outcome(answer.status, resolution, advised_in(answer))
        from desktop.services.model_work import Basis, Ended, Work  # an offline question never loads the network

        basis = Basis(resolution, evidence, answer, tried)
        work = Work(self.services, self.plant, self.run, requester, self.record, basis)
        ended = yield from work.begin(self.past.state, self.cancelled)
        if ended is Ended.WAITING:
            return None
        outcome = self._outcome(answer.status, resolution, advised_in(answer))
        return replace(outcome, status=RunStatus.PARKED) if ended is Ended.CUT_OFF else outcome

    def _resolve(self) -> Resolution:
        question, past = self.question, self.past
        text, preset = question.text, question.equipment_id or None
        if past.offered and not preset and (machine := chosen(text, past.offered, self.plant.snapshot)):
            text, preset = past.question, machine.equipment_id
        if question.trial is not None and past.focus is not None and past.focus.equipment is not None:
            preset = past.focus.equipment.equipment_id
        with self.services.journal.reading() as tx:
            numbers = {request.number: request.equipment_id for request in requests.work_requests(tx)}
        return resolve(
            past.question if question.trial is not None else text,
            self.plant.snapshot,
            previous=past.focus,
            lapsed=past.lapsed,
            preset=preset,
            station_lines=self.services.station_lines,
            requests=numbers,
            earlier="" if past.offered else past.question,
        )

    def _compose(self, resolution: Resolution, evidence: Evidence) -> Answer:
        machine = resolution.focus.equipment
        before = self.past.focus or self.past.lapsed
        same = machine is not None and before is not None and before.equipment == machine
        trials = (*(self.past.trials if same else ()), *self._told_now())
        with self.services.journal.reading() as tx:
            asker = people.get(tx, self.question.requester.person_id)
            registered = requests.of_equipment(tx, machine.equipment_id) if machine else ()
        context = ComposeContext(
            snapshot=self.plant.snapshot,
            today=self.services.clock().astimezone().date(),
            role=asker.role if asker else None,
            open_requests=registered,
            trials=trials,
            sample=self.services.sample,
        )
        return compose(resolution, evidence, context)

    def _told_now(self) -> tuple[Trial, ...]:
        """What became of a step, told with a button or, of the action advised last, in words."""
        if self.question.trial:
            return (self.question.trial,)
        if self.past.advised and in_spite_of_it(self.question.text) and not tried_words(self.question.text):
            return (Trial(self.past.advised, Outcome.NOT_FIXED),)
        return ()

    def _outcome(self, status: AnswerStatus, resolution: Resolution, advised: str = "") -> Ending:
        """`tried` and `advised` are for what follows in the conversation; `about` is the question that was answered."""
        focus, trial = resolution.focus, self.question.trial
        in_words = [one.step for one in self._told_now() if one is not trial]
        return Ending(
            {
                "status": status,
                "equipment_id": focus.equipment.equipment_id if focus.equipment else "",
                "trial": asdict(trial) if trial else None,
                "tried": [*in_words, *tried_words(self.question.text)] if trial is None else [],
                "about": resolution.asked if resolution.asked != self.question.text else "",
                "advised": advised,
                "offered": [one.equipment_id for one in focus.candidates] if focus.equipment is None else [],
            }
        )


def _named(services: Services, requester: Requester) -> Requester:
    """With the roster's name, where the person is known by id alone."""
    if not requester.person_id or requester.name:
        return requester
    with services.journal.reading() as tx:
        person = people.get(tx, requester.person_id)
    return replace(requester, name=person.name) if person else Requester()
