"""What happens during a question, as frozen values: the one language between loop, services, workers and window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop.domain.answer import Answer, CheckedText, Evidence, Resolution
from desktop.domain.work_request import Proposal


class StopReason(StrEnum):
    END_TURN = "end_turn"
    TURN_LIMIT = "turn_limit"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"
    ERROR = "error"
    REPEAT_LIMIT = "repeat_limit"
    BUDGET = "budget"
    CONTEXT_FULL = "context_full"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Usage:
    """Totals of a run; `cost` in US dollars, None where no price is known; `seconds` wall time."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FactsGathered:
    """The harness is done: what the question names and what was found for it."""

    resolution: Resolution
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ChoiceNeeded:
    """Several machines fit; a person must choose."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class AnswerComposed:
    """The answer from quotations; it stands whatever a model says later."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class ProviderChosen:
    """Who is asked now; what another one said of this question before is void.

    `outside`: what is sent leaves the plant. `why` is the sentence of why it is not the provider preferred ("" = it
    is), `code` and `values` what that is made from. `run_id` is under what the bodies sent are kept and the run is
    taken up again. `guided`: a small model is led through forms in our order.
    """

    provider: str
    model: str
    run_id: str
    outside: bool = False
    why: str = ""
    guided: bool = False
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnStarted:
    turn: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the model's text; shown muted, never stored by itself."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of the model's own summary of what it is about; progress, never part of the answer, never stored."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The provider can't answer now; it is asked again in `seconds`. `code` names the sentence."""

    code: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """One model call is over: what the trace calls `api_call`; tokens are this turn's alone."""

    turn: int
    model: str
    stop_reason: str | None
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A read tool ran (or failed: `error`); `count` is how many results went back, `head` how they begin.

    `content` is the whole result as JSON, of which a model may have got only a part.
    """

    turn: int
    call_id: str
    name: str
    input: Mapping[str, Any]
    count: int
    seconds: float
    error: str | None = None
    head: str = ""
    content: Any = None


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A proposal is stored and waits for a person; the run is parked."""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class AnswerSentBack:
    """The check found something and the model gets its one chance to mend; what it wrote so far is void."""

    checked: CheckedText


@dataclass(frozen=True, slots=True)
class AnswerChecked:
    """The model's finished text after the check; `sent_back` tells whether it had its one chance to mend."""

    checked: CheckedText
    sent_back: bool = False


@dataclass(frozen=True, slots=True)
class ContextNearlyFull:
    """The conversation has little room left in the model's context; both figures in tokens."""

    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class RunFinished:
    text: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class RunStopped:
    """The model leg ended early; `detail` is a sentence for people, `code` and `values` what it is made from.

    `can_go_on`: nothing is lost, the run can be taken up where it stands, or be settled without a model.
    """

    reason: StopReason
    detail: str = ""
    usage: Usage = field(default_factory=Usage)
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    can_go_on: bool = False


Event = (
    FactsGathered
    | ChoiceNeeded
    | AnswerComposed
    | ProviderChosen
    | TurnStarted
    | TextDelta
    | Thinking
    | Retrying
    | TurnFinished
    | ToolFinished
    | ApprovalRequested
    | AnswerSentBack
    | AnswerChecked
    | ContextNearlyFull
    | RunFinished
    | RunStopped
)
