"""What a reply costs, from the price table of the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from desktop.agent.messages import TokenUsage
from desktop.errors import KnownError

_MILLION = 1_000_000
_CACHE_READ = 0.1  # of the input price; writing for five minutes costs a quarter more than plain input
_CACHE_WRITE = 1.25


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens for prompts of more than `above` tokens."""

    above: int
    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Prices:
    by_model: Mapping[str, tuple[Price, ...]] = field(default_factory=dict)

    def cost(self, model: str, usage: TokenUsage) -> float | None:
        """US dollars for one reply; None for a model that the table doesn't have."""
        tiers = [price for price in self.by_model.get(model, ()) if usage.input > price.above or price.above == 0]
        if not tiers:
            return None
        price = max(tiers, key=lambda tier: tier.above)
        plain = usage.input - usage.cache_read - usage.cache_write
        weighed = plain + usage.cache_read * _CACHE_READ + usage.cache_write * _CACHE_WRITE
        return (weighed * price.input + usage.output * price.output) / _MILLION


def read_prices(lines: Iterable[str]) -> Prices:
    """Lines like "claude-opus-5-5 4 20", or with a threshold "claude-haiku-5-5 0.5 2.5 above 100000".

    Raises KnownError("price_unreadable") naming the line.
    """
    table: dict[str, list[Price]] = {}
    for line in lines:
        words = line.split()
        try:
            model, into, out = words[0], float(words[1]), float(words[2])
            above = int(words[4]) if words[3:4] == ["above"] else 0
        except (IndexError, ValueError) as error:
            raise KnownError("price_unreadable", line=line) from error
        table.setdefault(model, []).append(Price(above, into, out))
    return Prices({model: tuple(prices) for model, prices in table.items()})
