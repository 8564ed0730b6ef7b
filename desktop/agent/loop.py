"""The loop: a model works through tools until it answers, stops, or needs a person.

    for step in run(state, model, tools, cancelled, limits):
        match step:
            case Checkpoint(state, drafts):   # store first, then go on
            case event:                       # store (but text), then show

The generator ends after RunFinished, RunStopped, or a Checkpoint with drafts: then a person decides, the result
goes in by `state.with_result(call_id, …)`, and `run` is called again, in this process or another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from desktop.agent import messages as wire
from desktop.agent.events import (
    ContextNearlyFull,
    Event,
    RunFinished,
    RunStopped,
    StopReason,
    ToolFinished,
    TurnFinished,
    TurnStarted,
    Usage,
)
from desktop.agent.history import repaired
from desktop.agent.language_model import Interrupted, LanguageModel
from desktop.agent.limits import Limits
from desktop.agent.messages import Reply, ToolCall
from desktop.agent.people import hide_last, reveal, revealed
from desktop.agent.run_state import NOT_EXECUTED, RunState
from desktop.agent.tool import ToolResult, Toolset, wire_result
from desktop.errors import KnownError, sentence
from desktop.net import Cancellation

UNREACHABLE = frozenset({
    "net_offline", "net_name_unknown", "net_refused", "net_no_answer", "net_stalled", "net_cut", "net_proxy",
    "net_proxy_login", "net_certificate", "net_tls_reset", "net_tls_failed", "net_blocked", "net_captive_portal",
    "net_unknown",
})  # fmt: skip

_NEARLY = 0.8  # of the context; a question with its facts and look-ups takes up to a fifth of a small one

_REPEATED = "同じ引数で何度も呼ばれたため、実行しませんでした。すでに返した結果を使ってください。"
_DUPLICATE = "この会話ではすでに同じ依頼を出しています。重ねて出さないでください。"


@dataclass(frozen=True, slots=True)
class Draft:
    """A call that only a person may let through; `input` fits the tool's schema and passed its precheck."""

    call_id: str
    tool: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the run stands. Store it before taking the next step; with `drafts`, in one transaction with their
    proposals, and the run is parked. A parked state run again gives the same drafts under the same call ids.
    """

    state: RunState
    drafts: tuple[Draft, ...] = ()


Step = Event | Checkpoint


def run(
    state: RunState,
    model: LanguageModel,
    tools: Toolset,
    cancelled: Cancellation,
    limits: Limits | None = None,
    *,
    names: Collection[str] = (),
    outside: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Generator[Step, None, None]:
    """Takes the run from wherever `state` stands to its end or to the next person; see the module.

    `names` of people go out as stand-ins (`people.hide_last`); `outside`: the model runs outside the plant, so
    passages that may not leave are withheld.
    """
    return _Loop(model, tools, cancelled, limits or Limits(), names, outside, clock).run(repaired(state))


@dataclass(frozen=True, slots=True)
class _Loop:
    model: LanguageModel
    tools: Toolset
    cancelled: Cancellation
    limits: Limits
    names: Collection[str]
    outside: bool
    clock: Callable[[], float]

    def run(self, state: RunState) -> Generator[Step, None, None]:
        if _finished(state):
            yield _finish(state)
            return
        while True:
            state = yield from self._answer_calls(state)
            if waiting := state.unresolved():
                yield Checkpoint(state, tuple(_draft(state, call) for call in waiting))
                return
            if stop := self._may_not_go_on(state):
                yield _stopped(state, *stop)
                return
            try:
                state, reply = yield from self._turn(state)
            except Interrupted:
                yield _stopped(state, *_CANCELLED)
                return
            except KnownError as error:
                yield _stopped(state, _reason(error), error)
                return
            if problem := _unusable(reply, state.call_ids()):
                state = replace(state, refused=problem[0] is StopReason.REFUSAL)
                yield Checkpoint(state)
                yield _stopped(state, *problem)
                return
            state = state.with_reply(reply.message)
            yield Checkpoint(state)
            if reply.stop not in (wire.TOOL_USE, wire.PAUSE_TURN):
                yield from self._nearly_full(state)
                yield _finish(state)
                return

    def _nearly_full(self, state: RunState) -> Iterator[Event]:
        limit = self.model.context_tokens
        if limit and state.prompt_tokens + self.model.max_tokens > limit * _NEARLY:
            yield ContextNearlyFull(state.prompt_tokens, limit)

    def _may_not_go_on(self, state: RunState) -> tuple[StopReason, KnownError] | None:
        if self.cancelled.is_set():
            return _CANCELLED
        return self.limits.exceeded(state, self.model.context_tokens, self.model.max_tokens)

    def _turn(self, state: RunState) -> Generator[Step, None, tuple[RunState, Reply]]:
        """One model call; the state comes back charged with it, the reply not yet appended."""
        turn, started = state.turns + 1, self.clock()
        yield TurnStarted(turn)
        reply = yield from revealed(self.model.reply(state, self.cancelled), state.people)
        seconds, used = self.clock() - started, reply.usage
        yield TurnFinished(turn, reply.model, reply.stop, used.input, used.output, used.cache_read, seconds)
        return _charged(state, reply, self.model.cost(used), seconds), reply

    def _answer_calls(self, state: RunState) -> Generator[Step, None, RunState]:
        """Answers every open call that needs no person, and sends the round back once all have an answer."""
        for wired in state.unresolved():
            started = self.clock()
            call = replace(wired, input=reveal(wired.input, state.people))
            result = self._result(state, call)
            if result is None:
                continue
            seconds = self.clock() - started
            if isinstance(result, ToolResult):
                yield ToolFinished(
                    state.turns, call.call_id, call.name, call.input or {}, result.count, seconds, result.error,
                    result.head, result.content,
                )  # fmt: skip
                state = self._learnt(state, result)
                native = self.model.native_citations
                block = wire_result(call.call_id, result, native_citations=native, outside=self.outside)
            else:
                block = result
            usage = replace(state.usage, seconds=state.usage.seconds + seconds)
            state = replace(state, done={**state.done, call.call_id: block}, usage=usage)
        if wire.calls_in(state.last) and not state.unresolved():
            state = hide_last(state.with_round_closed(), self.names)
            yield Checkpoint(state)
        return state

    def _learnt(self, state: RunState, result: ToolResult) -> RunState:
        """What may be cited from now on, and whose names must not go outside."""
        refs = tuple(dict.fromkeys((*state.refs, *result.refs)))
        if not self.outside:
            return replace(state, refs=refs)
        return replace(state, refs=refs, names=tuple(dict.fromkeys((*state.names, *filter(None, result.people)))))

    def _result(self, state: RunState, call: ToolCall) -> ToolResult | wire.Block | None:
        """What the call is answered with now; a block = as an equal call was before, None = a person must say."""
        if self.cancelled.is_set():
            return ToolResult(error=NOT_EXECUTED)
        if (refusal := self.tools.refusal(call)) is not None:
            return ToolResult(error=refusal)
        tool = self.tools.find(call.name)
        if tool is not None and tool.requires_approval:
            return _earlier_answer(state, call)
        if len(_same_calls(state.calls_of_question(), call, state.people)) >= self.limits.repeats:
            return ToolResult(error=_REPEATED)
        return self.tools.execute(call)


_CANCELLED = (StopReason.CANCELLED, KnownError("run_cancelled"))


def _finished(state: RunState) -> bool:
    """The last reply was the answer: the program ended between storing and showing it."""
    return state.last["role"] == "assistant" and not wire.calls_in(state.last)


def _finish(state: RunState) -> RunFinished:
    return RunFinished(reveal(wire.cited_text(state.last), state.people), state.usage)


def _draft(state: RunState, call: ToolCall) -> Draft:
    return Draft(call.call_id, call.name, reveal(call.input or {}, state.people))


def _same_calls(calls: Iterable[ToolCall], wanted: ToolCall, people: Mapping[str, str]) -> list[ToolCall]:
    return [call for call in calls if replace(call, input=reveal(call.input, people)).key == wanted.key]


def _earlier_answer(state: RunState, call: ToolCall) -> ToolResult | wire.Block | None:
    """One request per conversation and payload: a repeat gets the answer of the first."""
    every = (other for message in state.messages for other in wire.calls_in(message))
    earlier = _same_calls(every, call, state.people)
    for other in earlier:
        if other.call_id == call.call_id:
            return None
        answer = state.result_of(other.call_id)
        if answer is None:
            return ToolResult(error=_DUPLICATE)
        if not answer.get("is_error"):
            return wire.result_block(call.call_id, reveal(answer["content"], state.people))
    return None


def _unusable(reply: Reply, used_ids: Collection[str]) -> tuple[StopReason, KnownError] | None:
    """Why a reply is neither kept nor acted upon, with its sentence; None = it is whole."""
    if not wire.is_well_formed(reply.message, used_ids):
        return StopReason.ERROR, KnownError("model_reply_cut" if reply.stop is None else "model_reply_broken")
    match reply.stop:
        case None:
            return StopReason.ERROR, KnownError("model_reply_cut")
        case wire.MAX_TOKENS:
            return StopReason.MAX_TOKENS, KnownError("run_max_tokens")
        case wire.CONTEXT_FULL:
            return StopReason.CONTEXT_FULL, KnownError("run_context_full")
        case wire.REFUSAL:
            return StopReason.REFUSAL, KnownError("run_refused", why=reply.explanation or "-")
        case wire.TOOL_USE:
            return None if reply.calls else (StopReason.ERROR, KnownError("model_reply_broken"))
        case wire.END_TURN | wire.STOP_SEQUENCE | wire.PAUSE_TURN if reply.calls:
            return StopReason.ERROR, KnownError("model_reply_broken")
        case wire.END_TURN | wire.STOP_SEQUENCE | wire.PAUSE_TURN:
            return None if reply.text.strip() else (StopReason.ERROR, KnownError("model_reply_empty"))
    return StopReason.ERROR, KnownError("model_stop_unknown", stop=reply.stop)


def _reason(error: KnownError) -> StopReason:
    if error.code == "run_context_full":
        return StopReason.CONTEXT_FULL
    return StopReason.UNREACHABLE if error.code in UNREACHABLE else StopReason.ERROR


def _charged(state: RunState, reply: Reply, cost: float | None, seconds: float) -> RunState:
    usage, used = state.usage, reply.usage
    before = usage.cost if usage.turns else 0.0
    total = None if cost is None or before is None else before + cost
    return replace(
        state,
        turns=state.turns + 1,
        prompt_tokens=used.input + used.output,
        usage=Usage(
            turns=usage.turns + 1,
            input_tokens=usage.input_tokens + used.input,
            output_tokens=usage.output_tokens + used.output,
            cost=total,
            seconds=usage.seconds + seconds,
        ),
    )


def _stopped(state: RunState, reason: StopReason, error: KnownError) -> RunStopped:
    return RunStopped(reason, sentence(error), state.usage, error.code, error.detail)
