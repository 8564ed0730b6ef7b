"""The model's part of a question, stored step by step, and taken up again after a decision or a crash."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from desktop import paths, tools
from desktop.agent.events import ApprovalRequested, Event, RunStopped, StopReason
from desktop.agent.guided import Guided, Known
from desktop.agent.language_model import LanguageModel
from desktop.agent.loop import Checkpoint
from desktop.agent.loop import Draft as CalledFor
from desktop.agent.models.choose import Chosen, limits_of
from desktop.agent.models.openai_compatible import OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.domain.answer import Answer, AnswerStatus, Band, CheckedText, Evidence, Gap, Resolution
from desktop.domain.approval import Draft, Proposed
from desktop.domain.ledger import ManualSection, OpenOrder
from desktop.domain.work_request import Priority, Requester
from desktop.errors import KnownError, sentence
from desktop.evidence.check import check_text
from desktop.evidence.facts import BRIEF, WHOLE, Telling, facts_text
from desktop.evidence.intent import tried_words
from desktop.net import Cancellation
from desktop.services.kept_evidence import kept_evidence
from desktop.services.model_leg import ModelLeg, Written, question_with_facts
from desktop.services.run_record import RunRecord
from desktop.services.station import Plant, Services
from desktop.store import people, requests, runs
from desktop.store.runs import Run, RunStatus

_ALREADY_WAITING = {"status": "already_pending", "reason": "この会話の同じ依頼案が、すでに承認を待っています。"}
_SYSTEM = "prompts/system.ja.md"
_GUIDED = "prompts/guided_answer.ja.md"


@dataclass(frozen=True, slots=True)
class Basis:
    """What the harness found before any model was asked."""

    resolution: Resolution
    evidence: Evidence
    answer: Answer


@dataclass(frozen=True, slots=True)
class Work:
    """One run's model work; its generators return True when the run is parked and stays open."""

    services: Services
    plant: Plant
    run: Run
    requester: Requester
    record: RunRecord
    basis: Basis

    def begin(self, earlier: str, cancelled: Cancellation) -> Generator[Event, None, bool]:
        """A new question, in the conversation whose last state is `earlier` ("" = none)."""
        try:
            leg, chosen = self._leg(may_propose=calls_for_request(self.basis))
        except KnownError as error:
            yield _out_of_reach(error)
            return False
        prompt = Prompt(
            leg.model.provider,
            leg.model.name,
            paths.resource(_GUIDED if chosen.guided else _SYSTEM).read_text(encoding="utf-8"),
            leg.tools.declarations,
        )
        telling = telling_for(chosen, self.basis.evidence, self.plant)
        facts = facts_text(self.basis.resolution, self.basis.evidence, telling)
        asked = question_with_facts(self.run.question, facts)
        previous = RunState.from_json(earlier) if earlier else None
        state = leg.begin(self.run.run_id, self.run.conversation_id, prompt, asked, previous)
        self._save(state)
        return (yield from self._drive(leg, state, chosen, cancelled))

    def go_on(self, cancelled: Cancellation) -> Generator[Event, None, bool]:
        """The run as it was put away, every open call answered by now; an outage leaves it parked for another time."""
        state = RunState.from_json(self.run.state)
        try:
            leg, chosen = self._leg(may_propose=True)
        except KnownError as error:
            yield _out_of_reach(error)
            return True
        parked = False
        for event in self._drive(leg, state, chosen, cancelled):
            parked = isinstance(event, ApprovalRequested) or (
                isinstance(event, RunStopped) and event.reason is StopReason.UNREACHABLE
            )
            yield event
        if parked:
            self._park()
        return parked

    def _leg(self, *, may_propose: bool) -> tuple[ModelLeg, Chosen]:
        """KnownErrors of `Models.choose`, and where `auto` found nothing within reach, why."""
        chosen = self.services.models.choose(self.run.provider)
        if chosen.model is None:
            raise KnownError(chosen.why)
        toolset = tools.build(self.plant.snapshot, self.plant.search, may_propose=may_propose)
        names = names_of(self.services, self.basis) if chosen.outside else ()
        limits = limits_of(self.services.settings, *spent(self.services))
        model = guided(chosen.model, self.basis) if chosen.guided else chosen.model
        return ModelLeg(model, toolset, self._check, limits, names, chosen.outside), chosen

    def _check(self, written: Written) -> CheckedText:
        evidence = replace(
            self.basis.evidence, open_orders=(*self.basis.evidence.open_orders, *self._registered_here())
        )
        today = self.services.clock().astimezone().date()
        return check_text(
            written.text, self.basis.resolution, evidence, self.plant.snapshot, refs=written.refs, today=today
        )

    def _registered_here(self) -> tuple[OpenOrder, ...]:
        """Requests of ours on this machine, this run's own among them: their numbers may be told."""
        machine = self.basis.resolution.focus.equipment
        if machine is None:
            return ()
        with self.services.journal.reading() as tx:
            ours = requests.of_equipment(tx, machine.equipment_id)
        return tuple(OpenOrder(one.number, one.equipment_id, one.title) for one in ours)

    def _drive(
        self, leg: ModelLeg, state: RunState, chosen: Chosen, cancelled: Cancellation
    ) -> Generator[Event, None, bool]:
        waiting: RunState | None = state
        while waiting is not None:
            begun, waiting = waiting, None
            with closing(leg.run(begun, cancelled)) as steps:
                for step in steps:
                    match step:
                        case Checkpoint(state=state, drafts=()):
                            self._save(state)
                        case Checkpoint(state=state, drafts=drafts):
                            answered = yield from self._propose(state, drafts, leg.model.name)
                            if answered.unresolved():
                                return True
                            waiting = answered
                        case RunStopped(reason=StopReason.UNREACHABLE):
                            self.services.models.note(chosen.provider, step)
                            yield step
                        case event:
                            yield event
        return False

    def _propose(
        self, state: RunState, drafts: Sequence[CalledFor], model_name: str
    ) -> Generator[Event, None, RunState]:
        """Proposals, their evidence and the parked state in one transaction, then the cards.

        What this conversation has asked for before gets that answer instead of a second card.
        """
        wanted = [self._draft(draft, model_name) for draft in drafts]
        proposed = self.services.approvals.propose(wanted, run_state=state.to_json())
        cards = [one.proposal for draft, one in zip(drafts, proposed, strict=True) if self._is_card_of(draft, one)]
        repeats = {
            draft.call_id: one.answer or _ALREADY_WAITING
            for draft, one in zip(drafts, proposed, strict=True)
            if not self._is_card_of(draft, one)
        }
        if repeats:
            state = self._answer(repeats)
        for card in cards:
            yield ApprovalRequested(card)
        return state

    def _is_card_of(self, draft: CalledFor, one: Proposed) -> bool:
        mine = (one.proposal.run_id, one.proposal.tool_use_id) == (self.run.run_id, draft.call_id)
        return mine and one.answer is None

    def _answer(self, results: Mapping[str, Mapping[str, Any]]) -> RunState:
        """Entered into the state as it is stored now: a person may have decided on another card meanwhile."""
        with self.services.journal.transaction() as tx:
            kept = runs.get(tx, self.run.run_id)
            assert kept is not None
            state = RunState.from_json(kept.state)
            for call_id, result in results.items():
                state = state.with_result(call_id, result)
            runs.save_state(tx, self.run.run_id, state.to_json(), RunStatus.PARKED)
        return state

    def _draft(self, called: CalledFor, model_name: str) -> Draft:
        return Draft(
            equipment_id=called.input["equipment_id"],
            title=called.input["title"],
            detail=called.input["detail"],
            priority=Priority(called.input["priority"]),
            requester=self.requester,
            drafted_by=model_name,
            snapshot=self.run.snapshot,
            evidence=kept_evidence(self.basis.answer, self.plant.snapshot),
            conversation_id=self.run.conversation_id,
            run_id=self.run.run_id,
            tool_use_id=called.call_id,
        )

    def _park(self) -> None:
        with self.services.journal.transaction() as tx:
            kept = runs.get(tx, self.run.run_id)
            assert kept is not None
            runs.save_state(tx, self.run.run_id, kept.state, RunStatus.PARKED)

    def _save(self, state: RunState) -> None:
        with self.services.journal.transaction() as tx:
            runs.save_state(tx, self.run.run_id, state.to_json())


def _out_of_reach(error: KnownError) -> RunStopped:
    return RunStopped(StopReason.UNREACHABLE, sentence(error), code=error.code, values=error.detail)


def calls_for_request(basis: Basis) -> bool:
    """A request was asked for, or the papers have no remedy, or what was done did not help."""
    asked_for = basis.answer.status is AnswerStatus.AWAITING_APPROVAL
    return asked_for or Gap.REMEDY in basis.evidence.gaps or bool(tried_words(basis.resolution.question))


def spent(services: Services) -> tuple[float, float]:
    """US dollars of today and of this month, by this PC's clock."""
    today = services.clock().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    with services.journal.reading() as tx:
        return runs.spent(tx, today), runs.spent(tx, today.replace(day=1))


def names_of(services: Services, basis: Basis) -> tuple[str, ...]:
    """Everyone who may be mentioned: roster, workers of the evidence, the machine's owner."""
    with services.journal.reading() as tx:
        roster = [person.name for person in people.everyone(tx)]
    workers = [record.worker for record in basis.evidence.records()]
    machine = basis.resolution.focus.equipment
    owner = [machine.owner] if machine else []
    return tuple(filter(None, dict.fromkeys((*roster, *workers, *owner))))


def telling_for(chosen: Chosen, evidence: Evidence, plant: Plant) -> Telling:
    """Little for a small model, and nothing outside that the plant keeps to itself."""
    telling = BRIEF if chosen.guided else WHOLE
    if not chosen.outside:
        return telling
    sections = [item.source for item in evidence.items if isinstance(item.source, ManualSection)]
    withheld = frozenset(one.ref for one in sections if not tools.may_leave(plant.snapshot, one))
    return replace(telling, withheld=withheld)


def guided(model: LanguageModel, basis: Basis) -> LanguageModel:
    """A small model led through the forms of this question."""
    machine = basis.resolution.focus.equipment
    machines = ((machine.equipment_id, machine.model),) if machine else ()
    refs = tuple(item.ref for item in basis.evidence.items)
    assert isinstance(model, OpenAICompatible)
    asked_for = basis.answer.status is AnswerStatus.AWAITING_APPROVAL
    return Guided(model, Known(machines, refs, basis.evidence.band is Band.HIGH, asked_for))
