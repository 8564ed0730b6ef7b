"""What the loop needs of a language model, whoever makes it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from desktop.agent.events import Retrying, TextDelta, Thinking
from desktop.agent.messages import Reply, TokenUsage
from desktop.agent.run_state import RunState
from desktop.net import Cancellation

Progress = TextDelta | Thinking | Retrying


class Interrupted(Exception):
    """A person stopped the run while the model was being waited for."""


class LanguageModel(Protocol):
    """One provider's model; asks exactly what the state holds and changes nothing in it.

    `native_citations`: tool results may go as search_result blocks and answers cite them by themselves.
    `context_tokens` None = unknown.
    """

    @property
    def provider(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def native_citations(self) -> bool: ...

    @property
    def context_tokens(self) -> int | None: ...

    @property
    def max_tokens(self) -> int: ...

    def reply(self, state: RunState, cancelled: Cancellation) -> Generator[Progress, None, Reply]:
        """The next reply, text as it comes; raises Interrupted, or KnownError with a sentence for people."""
        ...

    def cost(self, usage: TokenUsage) -> float | None:
        """US dollars for one reply; None where no price is known."""
        ...
