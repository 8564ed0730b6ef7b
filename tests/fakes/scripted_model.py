"""A language model that says what the test wrote down, and remembers what it was asked."""

from collections.abc import Generator
from typing import Any

from desktop.agent.events import TextDelta
from desktop.agent.language_model import Interrupted, Progress
from desktop.agent.messages import Reply, TokenUsage, assistant_message, text_block
from desktop.agent.run_state import RunState
from desktop.errors import KnownError
from desktop.net import Cancellation

USED = TokenUsage(input=100, output=10)


class ScriptedModel:
    """Takes its next reply, or raises its next error, each time it is asked."""

    provider = "scripted"
    name = "scripted-1"
    max_tokens = 1000

    def __init__(
        self,
        *script: Reply | KnownError,
        native_citations: bool = False,
        context_tokens: int | None = None,
        price: float | None = None,
    ) -> None:
        self._script = list(script)
        self.asked: list[RunState] = []
        self.native_citations = native_citations
        self.context_tokens = context_tokens
        self._price = price

    def reply(self, state: RunState, cancelled: Cancellation) -> Generator[Progress, None, Reply]:
        self.asked.append(state)
        said = self._script.pop(0)
        if isinstance(said, KnownError):
            raise said
        if said.text:
            yield TextDelta(said.text)
        if cancelled.is_set():
            raise Interrupted
        return said

    def cost(self, usage: TokenUsage) -> float | None:
        return self._price

    def assert_complete(self) -> None:
        assert self._script == []


def says(text: str, stop: str | None = "end_turn") -> Reply:
    return Reply(assistant_message([text_block(text)]), stop, USED, "scripted-1")


def calls(*wanted: tuple[str, str, dict[str, Any] | None], text: str = "", stop: str | None = "tool_use") -> Reply:
    """A reply that asks for tools: (call id, name, input)."""
    spoken = [text_block(text)] if text else []
    blocks = [{"type": "tool_use", "id": call_id, "name": name, "input": given} for call_id, name, given in wanted]
    return Reply(assistant_message([*spoken, *blocks]), stop, USED, "scripted-1")
