"""The model's part of a question, stored step by step, and taken up again after a decision or a crash."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from desktop import paths, tools
from desktop.agent.events import ApprovalRequested, Event, ProviderChosen, RunStopped, StopReason, Usage
from desktop.agent.guided import Guided, Known
from desktop.agent.language_model import LanguageModel
from desktop.agent.loop import Checkpoint
from desktop.agent.loop import Draft as CalledFor
from desktop.agent.models.choose import AUTO, OFFLINE, Chosen, limits_of
from desktop.agent.models.openai_compatible import OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.domain.answer import Answer, AnswerStatus, Band, CheckedText, Evidence, Gap, Resolution
from desktop.domain.approval import Draft, Proposed
from desktop.domain.cited_text import continued
from desktop.domain.ledger import ManualSection, OpenOrder
from desktop.domain.work_request import Priority, Requester
from desktop.errors import KnownError, sentence
from desktop.evidence.check import check_text
from desktop.evidence.facts import BRIEF, WHOLE, Telling, facts_text
from desktop.evidence.intent import tried_words
from desktop.net import Cancellation
from desktop.services import asked_request, cloud_consent
from desktop.services.kept_evidence import kept_evidence
from desktop.services.model_leg import ModelLeg, Written, question_with_facts
from desktop.services.run_record import RunRecord
from desktop.services.station import Plant, Services
from desktop.store import people, requests, runs
from desktop.store.runs import Run, RunStatus

_ALREADY_WAITING = {"status": "already_pending", "reason": "この会話の同じ依頼案が、すでに承認を待っています。"}
_WRITE = "create_work_request"
_SYSTEM = "prompts/system.ja.md"
_GUIDED = "prompts/guided_answer.ja.md"


@dataclass(frozen=True, slots=True)
class Basis:
    """What the harness found before any model was asked; `tried` are the steps told of so far."""

    resolution: Resolution
    evidence: Evidence
    answer: Answer
    tried: tuple[str, ...] = ()


class Ended(StrEnum):
    """How a run's model work ended; one cut off by an outage can be taken up again."""

    TOLD = "told"
    WAITING = "waiting for a person"
    CUT_OFF = "cut off"


@dataclass(frozen=True, slots=True)
class _Left:
    """Where the loop was left; `stop` is held back when the provider got out of reach."""

    ended: Ended
    stop: RunStopped | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """One run's model work; `run` as the journal has it, so that one taken up again stays parked until its end."""

    services: Services
    plant: Plant
    run: Run
    requester: Requester
    record: RunRecord
    basis: Basis

    def begin(self, earlier: str, cancelled: Cancellation) -> Generator[Event, None, Ended]:
        """A new question, in the conversation whose last state is `earlier` ("" = none).

        With `auto` a provider that got out of reach is followed by the next; without any, what the question asks for
        is done offline.
        """
        previous = RunState.from_json(earlier) if earlier else None
        used = Usage()
        while True:
            try:
                leg, chosen = self._leg(self.run.provider, may_propose=calls_for_request(self.basis))
            except KnownError as error:
                return (yield from self._do_without(_out_of_reach(error)))
            yield self._announced(leg, chosen)
            state = replace(self._asked(leg, chosen, previous), usage=used)
            self._save(state)
            left = yield from self._drive(leg, state, chosen, cancelled)
            if left.stop is None:
                return left.ended
            if self.run.provider != AUTO or self.services.models.choose(AUTO).provider == OFFLINE:
                return (yield from self._cut_off(left.stop))
            used = left.stop.usage

    def go_on(self, cancelled: Cancellation) -> Generator[Event, None, Ended]:
        """The run as it was put away, every open call answered by now; an outage leaves it for another time."""
        state = RunState.from_json(self.run.state)
        try:
            leg, chosen = self._leg(self._provider_of(state), may_propose=True)
        except KnownError as error:
            yield replace(_out_of_reach(error), can_go_on=True)
            return Ended.CUT_OFF
        yield self._announced(leg, chosen)
        if leg.model.provider != state.prompt.provider:
            dropped = replace(state, refused=True)  # the question is asked anew, of a model that knows nothing of it
            state = replace(self._asked(leg, chosen, dropped), usage=state.usage)
            self._save(state)
        left = yield from self._drive(leg, state, chosen, cancelled)
        if left.stop is not None:
            yield replace(left.stop, can_go_on=True)
        return left.ended

    def proposed_offline(self) -> Iterator[Event]:
        """The request that the question asked for, if any, drafted from the composed answer."""
        answer, tried = self.basis.answer, self.basis.tried
        if asked_request.is_asked_for(answer):
            yield ApprovalRequested(
                asked_request.propose(self.services, self.plant, self.run, self.requester, answer, tried)
            )

    def _provider_of(self, state: RunState) -> str:
        """With `auto` whoever can be reached, but what was proposed is told to the model that proposed it."""
        proposed = any(call.name == _WRITE for call in state.calls_of_question())
        return state.prompt.provider if self.run.provider == AUTO and proposed else self.run.provider

    def _cut_off(self, stop: RunStopped) -> Generator[Event, None, Ended]:
        """`auto` does without a model what it would do offline; a provider set by name is waited for."""
        if self.run.provider == AUTO and asked_request.is_asked_for(self.basis.answer):
            return (yield from self._do_without(stop))
        yield replace(stop, can_go_on=True)
        return Ended.CUT_OFF

    def _do_without(self, stop: RunStopped) -> Generator[Event, None, Ended]:
        yield from self.proposed_offline()
        yield stop
        return Ended.TOLD

    def _announced(self, leg: ModelLeg, chosen: Chosen) -> ProviderChosen:
        why = sentence(chosen.reason) if chosen.why else ""
        return ProviderChosen(
            chosen.provider,
            leg.model.name,
            self.run.run_id,
            chosen.outside,
            why,
            guided=chosen.guided,
            code=chosen.why,
            values=chosen.values,
        )

    def _asked(self, leg: ModelLeg, chosen: Chosen, previous: RunState | None) -> RunState:
        """The question with its facts, as it is put to this model."""
        prompt = Prompt(
            leg.model.provider,
            leg.model.name,
            paths.resource(_GUIDED if chosen.guided else _SYSTEM).read_text(encoding="utf-8"),
            leg.tools.declarations,
        )
        telling = telling_for(chosen, self.basis.evidence, self.plant)
        facts = facts_text(self.basis.resolution, self.basis.evidence, telling)
        asked = question_with_facts(self.run.question, facts)
        return leg.begin(self.run.run_id, self.run.conversation_id, prompt, asked, previous)

    def _leg(self, provider: str, *, may_propose: bool) -> tuple[ModelLeg, Chosen]:
        """KnownErrors of `Models.choose`, and where `auto` found nothing within reach, why."""
        chosen = self.services.models.choose(provider)
        if chosen.model is None:
            raise chosen.reason
        if chosen.outside:
            cloud_consent.note(self.services, chosen)
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
        checked = check_text(
            written.text, self.basis.resolution, evidence, self.plant.snapshot, refs=written.refs, today=today
        )
        return continued(checked, self.basis.answer.citations)

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
    ) -> Generator[Event, None, _Left]:
        waiting: RunState | None = state
        while waiting is not None:
            begun, waiting = waiting, None
            with self.services.sent.of_question(self.run.run_id), closing(leg.run(begun, cancelled)) as steps:
                for step in steps:
                    match step:
                        case Checkpoint(state=state, drafts=()):
                            self._save(state)
                        case Checkpoint(state=state, drafts=drafts):
                            answered = yield from self._propose(state, drafts, leg.model.name)
                            if answered.unresolved():
                                return _Left(Ended.WAITING)
                            waiting = answered
                        case RunStopped(reason=StopReason.UNREACHABLE):
                            self.services.models.note(chosen.provider, step)
                            return _Left(Ended.CUT_OFF, step)
                        case event:
                            yield event
        return _Left(Ended.TOLD)

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
            tried=self.basis.tried,
        )

    def _save(self, state: RunState) -> None:
        with self.services.journal.transaction() as tx:
            runs.save_state(tx, self.run.run_id, state.to_json(), self.run.status)


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
