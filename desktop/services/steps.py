"""What happened, as the steps of CONTRACT: the same for `ask --json` and for the trace file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from desktop.agent import events
from desktop.agent.events import Event

Step = Mapping[str, Any]


def steps_of(event: Event) -> Iterator[Step]:
    """Each step with its `kind`; an event that only moves the screen has none."""
    match event:
        case events.FactsGathered():
            yield _facts(event)
            for look_up in event.evidence.steps:
                yield _step("search", 0, look_up.name, {"query": look_up.query}, look_up.count, None, look_up.seconds)
        case events.ChoiceNeeded(resolution):
            yield _step("facts", 0, "resolve", {}, len(resolution.focus.candidates))
        case events.TurnFinished():
            yield {
                **_step("api_call", event.turn, event.model, {}, 0, None, event.seconds),
                "stop_reason": event.stop_reason,
                "input_tokens": event.input_tokens,
                "output_tokens": event.output_tokens,
                "cache_read_tokens": event.cache_read_tokens,
                "model": event.model,
            }
        case events.ToolFinished():
            given = dict(event.input)
            step = _step("tool_call", event.turn, event.name, given, event.count, event.error, event.seconds)
            yield {**step, "head": event.head}
        case events.AnswerComposed() | events.AnswerSentBack() | events.AnswerChecked():
            yield _check(event)
        case events.ApprovalRequested(proposal):
            yield _step("approval", 0, "requested", {"proposal_id": proposal.proposal_id}, 1)
        case events.RunFinished() | events.RunStopped():
            yield _final(event)
        case _:
            pass


def _facts(event: events.FactsGathered) -> Step:
    mentions = event.resolution.mentions
    return _step("facts", 0, "resolve", {"names": [mention.text for mention in mentions]}, len(mentions))


def _check(event: events.AnswerComposed | events.AnswerSentBack | events.AnswerChecked) -> Step:
    match event:
        case events.AnswerComposed(answer):
            return _step("check", 0, "composed", {}, len(answer.warnings))
        case events.AnswerSentBack(checked):
            return _step("check", 0, "sent_back", {}, len(checked.warnings))
        case events.AnswerChecked(checked):
            return _step("check", 0, "model", {}, len(checked.warnings))


def _final(event: events.RunFinished | events.RunStopped) -> Step:
    usage = event.usage
    stopped = isinstance(event, events.RunStopped)
    return {
        **_step("final", usage.turns, "stopped" if stopped else "finished", {}, 0, None, usage.seconds),
        "status": str(event.reason) if isinstance(event, events.RunStopped) else "end_turn",
        "answer": event.text if isinstance(event, events.RunFinished) else event.detail,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
    }


def _step(
    kind: str,
    turn: int,
    name: str,
    given: Mapping[str, Any],
    count: int,
    error: str | None = None,
    seconds: float = 0.0,
) -> dict[str, Any]:
    return {
        "kind": kind,
        "turn": turn,
        "name": name,
        "input": given,
        "count": count,
        "error": error,
        "seconds": round(seconds, 4),
    }
