"""When a run has had enough: turns, repeats, tokens, money, time, room in the context."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from desktop.agent.events import StopReason
from desktop.agent.run_state import RunState
from desktop.errors import KnownError


@dataclass(frozen=True, slots=True)
class Limits:
    """`tokens` of all turns together, `seconds` of work without waiting for people; None or 0 = no limit.

    `cost` in US dollars is what is left for this question; `cost_period` names whose budget is the narrowest
    (質問, 今日, 今月).
    """

    turns: int = 10
    repeats: int = 3
    tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    cost_period: str = "質問"

    def exceeded(
        self, state: RunState, context_tokens: int | None, max_tokens: int
    ) -> tuple[StopReason, KnownError] | None:
        """Why the next turn may not start, with its sentence."""
        usage = state.usage
        used = usage.input_tokens + usage.output_tokens
        if (name := self.repeated(state)) is not None:
            return StopReason.REPEAT_LIMIT, KnownError("run_repeat_limit", name=name, times=self.repeats)
        if state.turns >= self.turns:
            return StopReason.TURN_LIMIT, KnownError("run_turn_limit", turns=self.turns)
        if self.tokens and used >= self.tokens:
            return StopReason.BUDGET, KnownError("run_token_budget", used=used, limit=self.tokens)
        if self.cost is not None and usage.cost is not None and usage.cost >= self.cost:
            return StopReason.BUDGET, KnownError("run_cost_budget", period=self.cost_period, used=f"{usage.cost:.2f}")
        if self.seconds and usage.seconds >= self.seconds:
            return StopReason.BUDGET, KnownError("run_time_budget", seconds=round(usage.seconds))
        if context_tokens and state.prompt_tokens + max_tokens > context_tokens:
            return StopReason.CONTEXT_FULL, KnownError("run_context_full")
        return None

    def repeated(self, state: RunState) -> str | None:
        """The name of a tool that this question has called with the same input too often."""
        counts = Counter(call.key for call in state.calls_of_question())
        return next((key.split(" ", 1)[0] for key, n in counts.items() if n >= self.repeats), None)
