"""One question put to a model under one condition: what it was given, what it did, what it wrote.

Nothing is proposed or stored: a request that the model drafts is counted, and answered as not registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from desktop import config
from desktop.agent.events import AnswerChecked, AnswerSentBack, RunFinished, RunStopped, StopReason, ToolFinished, Usage
from desktop.agent.limits import Limits
from desktop.agent.loop import Checkpoint
from desktop.agent.models.choose import Chosen, Models
from desktop.agent.run_state import Prompt, RunState
from desktop.agent.tool import Toolset
from desktop.config import Setting, Settings, T
from desktop.domain.answer import CheckedText, Evidence, Resolution
from desktop.errors import KnownError
from desktop.evidence.check import check_text
from desktop.evidence.facts import facts_text
from desktop.evidence.gather import gather
from desktop.evidence.resolve import resolve
from desktop.net import Cancellation
from desktop.services import evaluation_conditions as conditions
from desktop.services.evaluation_conditions import CONDITIONS, Condition, Told
from desktop.services.model_leg import ModelLeg, Written, question_with_facts
from desktop.services.model_work import Basis, calls_for_request, guided, names_of, telling_for
from desktop.services.station import Plant, Services

# Opens the model of the evaluation; the number multiplies what one reply may be long.
OpenModel = Callable[[int], Chosen]

_NOT_REGISTERED = {"status": "rejected_by_user", "reason": "評価のための質問なので、登録しません。"}
_LONGER = (config.ANTHROPIC_MAX_TOKENS, config.OPENAI_MAX_TOKENS)
_OUT_OF_SERVICE = frozenset({
    "model_key_wrong", "model_quota", "model_forbidden", "model_not_found", "model_rate_limit", "model_overloaded",
    "model_server_error",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of it: `text` is the last whole text, `facts` the papers it was given beside what its tools returned.

    `proposals` are the machines of the requests it drafted, `stop` why it ended.
    """

    text: str = ""
    refs: tuple[str, ...] = ()
    facts: Evidence = field(default_factory=Evidence)
    calls: tuple[ToolFinished, ...] = ()
    proposals: tuple[str, ...] = ()
    sent_back: bool = False
    usage: Usage = field(default_factory=Usage)
    stop: str = str(StopReason.END_TURN)


@dataclass(frozen=True, slots=True)
class _Given:
    """What stands behind the question."""

    text: str = ""
    refs: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    facts: Evidence = field(default_factory=Evidence)


@dataclass(frozen=True, slots=True)
class Asking:
    """One question under one condition; the plant and the day may be those of a past trouble."""

    services: Services
    plant: Plant
    basis: Basis
    question: str
    today: date
    condition: Condition
    chosen: Chosen
    limits: Limits

    def ask(self, cancelled: Cancellation) -> Heard:
        """KnownErrors of a provider that can't be used at all; whatever else ends a run is told in `stop`."""
        planned = self._plan(cancelled) if self.condition.told is Told.PLANNED else Heard()
        given = self._given(planned.text)
        heard = self._run(
            conditions.system_prompt(self.condition, guided=self.chosen.guided),
            self._toolset(),
            question_with_facts(self.question, given.text),
            given.people,
            cancelled,
        )
        refs = (*heard.refs, *given.refs, *(item.ref for item in given.facts.items))
        usage = _sum(planned.usage, heard.usage)
        return replace(heard, refs=tuple(dict.fromkeys(refs)), facts=given.facts, usage=usage)

    def prompt_length(self) -> int:
        """Characters of the first prompt, as far as they are known before anything is asked."""
        declared = str(self._toolset().declarations)
        system = conditions.system_prompt(self.condition, guided=self.chosen.guided)
        return len(system) + len(declared) + len(self.question) + len(self._given(self.question).text)

    def _toolset(self) -> Toolset:
        """With the facts the write tool is offered where the product would offer it; else the model decides."""
        knows = self.condition.told is Told.FACTS
        return conditions.toolset(self.condition, self.plant, may_propose=not knows or calls_for_request(self.basis))

    def _plan(self, cancelled: Cancellation) -> Heard:
        return self._run(conditions.planning_prompt(), Toolset([]), self.question, (), cancelled, checked=False)

    def _given(self, plan: str) -> _Given:
        match self.condition.told:
            case Told.NOTHING:
                return _Given()
            case Told.PASSAGES:
                found = conditions.passages(self.question, self.plant, outside=self.chosen.outside)
                return _Given(found.text, found.refs, found.people)
            case Told.FACTS:
                return self._facts(self.basis.resolution, self.basis.evidence)
            case Told.PLANNED:  # the model names, the program looks up
                resolution = resolve(plan, self.plant.snapshot)
                return self._facts(resolution, gather(resolution, self.plant.snapshot, self.plant.search))

    def _facts(self, resolution: Resolution, evidence: Evidence) -> _Given:
        people = tuple(record.worker for record in evidence.records() if record.worker)
        telling = telling_for(self.chosen, evidence, self.plant)
        return _Given(facts_text(resolution, evidence, telling), people=people, facts=evidence)

    def _run(
        self,
        system: str,
        toolset: Toolset,
        question: str,
        people: Sequence[str],
        cancelled: Cancellation,
        *,
        checked: bool = True,
    ) -> Heard:
        assert self.chosen.model is not None
        model = guided(self.chosen.model, self._known()) if self.chosen.guided else self.chosen.model
        check = self._check if self.condition.checked and checked else _unchecked
        names = (*names_of(self.services, self.basis), *people) if self.chosen.outside else ()
        leg = ModelLeg(model, toolset, check, self.limits, names, self.chosen.outside)
        prompt = Prompt(model.provider, model.name, system, toolset.declarations)
        return _Listening().listen(leg, leg.begin("evaluation", "evaluation", prompt, question), cancelled)

    def _known(self) -> Basis:
        """A guided model is led by what the program found only where the condition lets it know."""
        if self.condition.told is Told.FACTS:
            return self.basis
        return Basis(resolve("", self.plant.snapshot), Evidence(), self.basis.answer)

    def _check(self, written: Written) -> CheckedText:
        return check_text(
            written.text, self.basis.resolution, self.basis.evidence, self.plant.snapshot, refs=written.refs,
            today=self.today,
        )  # fmt: skip


@contextmanager
def opened(services: Services, provider: str) -> Iterator[OpenModel]:
    """The provider's model, and beside it one that may write longer replies. KnownErrors of `Models.choose`."""
    longer: list[Models] = []

    def open_model(times: int) -> Chosen:
        models = services.models
        if times > 1:
            if not longer:
                longer.append(Models(_Longer(services.settings, times), services.credentials.get, services.sent))
            models = longer[0]
        chosen = models.choose(provider)
        if chosen.model is None:
            raise KnownError(chosen.why)
        return chosen

    try:
        yield open_model
    finally:
        for models in longer:
            models.close()


def open_all(names: Sequence[str], open_model: OpenModel) -> Mapping[str, Chosen]:
    """Each condition's model, opened before the first question so that a missing key is said at once."""
    return {name: open_model(CONDITIONS[name].more_tokens) for name in names}


class _Longer(Settings):
    """Settings under which a reply may be longer."""

    def __init__(self, settings: Settings, times: int) -> None:
        super().__init__()
        self._settings = settings
        self._times = times

    def get(self, setting: Setting[T]) -> T:
        value: Any = self._settings.get(setting)
        return value * self._times if setting in _LONGER else value  # type: ignore[no-any-return]


@dataclass(slots=True)
class _Listening:
    """Takes a run to its end, over every request that it drafts on the way."""

    heard: Heard = field(default_factory=Heard)

    def listen(self, leg: ModelLeg, state: RunState, cancelled: Cancellation) -> Heard:
        waiting: RunState | None = state
        while waiting is not None:
            begun, waiting = waiting, None
            with closing(leg.run(begun, cancelled)) as steps:
                for step in steps:
                    if isinstance(step, Checkpoint):
                        self.heard = replace(self.heard, refs=step.state.refs)
                        if step.drafts:
                            waiting = self._decline(step)
                    else:
                        self._note(step)
        return self.heard

    def _decline(self, parked: Checkpoint) -> RunState:
        machines = tuple(str(draft.input["equipment_id"]) for draft in parked.drafts)
        self.heard = replace(self.heard, proposals=(*self.heard.proposals, *machines))
        state = parked.state
        for draft in parked.drafts:
            state = state.with_result(draft.call_id, _NOT_REGISTERED)
        return state

    def _note(self, step: object) -> None:
        match step:
            case ToolFinished():
                self.heard = replace(self.heard, calls=(*self.heard.calls, step))
            case AnswerSentBack():
                self.heard = replace(self.heard, sent_back=True)
            case AnswerChecked(checked=checked):
                self.heard = replace(self.heard, text=checked.text)
            case RunFinished(usage=usage):
                self.heard = replace(self.heard, usage=usage)
            case RunStopped(reason=reason, usage=usage, code=code, values=values):
                if reason is StopReason.UNREACHABLE or code in _OUT_OF_SERVICE:
                    detail: dict[str, Any] = dict(values)
                    raise KnownError(code, **detail)
                self.heard = replace(self.heard, usage=usage, stop=str(reason))


def _unchecked(written: Written) -> CheckedText:
    return CheckedText(written.text)


def _sum(one: Usage, other: Usage) -> Usage:
    if not one.turns:
        return other
    cost = None if one.cost is None or other.cost is None else one.cost + other.cost
    return Usage(
        one.turns + other.turns,
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        cost,
        one.seconds + other.seconds,
    )
