"""What an evaluation will cost, before it starts: a guess from lengths and the price table, on the high side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.agent.messages import TokenUsage
from desktop.services.evaluation_conditions import Attached, Condition, Told
from desktop.services.evaluation_model import Asking

_OUTPUT = 600  # tokens of one reply, thinking included
_RESULTS = 3_000  # tokens that one round of tool results adds


@dataclass(frozen=True, slots=True)
class Estimate:
    """For `answers` answers; `cost` in US dollars, None where the price table doesn't have the model."""

    answers: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    def sentence(self, left: float | None) -> str:
        """For people; `left` is what the budgets of day and month still allow, None = no such budget."""
        tokens = f"入力 約{self.input_tokens:,}・出力 約{self.output_tokens:,} トークン"
        cost = "費用は不明（料金表 model.prices にないモデル）" if self.cost is None else f"約 {self.cost:.2f} ドル"
        text = f"見積り：回答 {self.answers} 件、{tokens}、{cost}。"
        if left is not None and self.cost is not None and self.cost > left:
            text += f"予算の残りは {left:.2f} ドルなので、途中で止まります（--resume があれば続けられます）。"
        return text


def estimate(asked: Sequence[Asking]) -> Estimate:
    """Of the answers still to be asked for."""
    into, out, cost = 0, 0, 0.0
    unknown = False
    for one in asked:
        turns = _turns(one.condition)
        usage = TokenUsage(one.prompt_length() * turns + _RESULTS * (turns - 1), _OUTPUT * turns)
        into, out = into + usage.input, out + usage.output
        assert one.chosen.model is not None
        price = one.chosen.model.cost(usage)
        unknown = unknown or price is None
        cost += price or 0.0
    return Estimate(len(asked), into, out, None if unknown else cost)


def _turns(condition: Condition) -> int:
    """One for the answer, two for its look-ups, one for planning, and now and then one to mend."""
    look_ups = 0 if condition.attached is Attached.NONE else 1 if condition.told is Told.FACTS else 2
    return 1 + look_ups + (condition.told is Told.PLANNED) + condition.checked
