"""What goes to a language model and comes back, in one form for every provider."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# A block or message is the JSON object of the Messages API, kept verbatim: thinking, signatures and types of
# tomorrow pass through untouched. It is the neutral form because it can say everything the other protocol can.
Block = Mapping[str, Any]
Message = Mapping[str, Any]

END_TURN = "end_turn"
TOOL_USE = "tool_use"
MAX_TOKENS = "max_tokens"
REFUSAL = "refusal"
STOP_SEQUENCE = "stop_sequence"
PAUSE_TURN = "pause_turn"
CONTEXT_FULL = "model_context_window_exceeded"

# A chat-completions reply as received, beside the blocks made of it; replayed to such a server, to no other.
RECEIVED = "received"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model asks for a tool; `input` None = its arguments were no JSON object."""

    call_id: str
    name: str
    input: Mapping[str, Any] | None

    @property
    def key(self) -> str:
        """Equal for two calls that ask for the same thing."""
        return f"{self.name} {json.dumps(self.input, ensure_ascii=False, sort_keys=True)}"


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one reply; `input` counts the whole prompt, what the cache gave and took included."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that the model cited natively from the source `ref`."""

    ref: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One finished reply, its `message` verbatim.

    `stop` is the provider's word in the Messages API's terms, None when the reply never ended; `explanation` says
    why a refusal was one.
    """

    message: Message
    stop: str | None
    usage: TokenUsage = field(default_factory=TokenUsage)
    model: str = ""
    explanation: str = ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return calls_in(self.message)

    @property
    def text(self) -> str:
        return cited_text(self.message)


def user_message(*blocks: Block) -> Message:
    return {"role": "user", "content": list(blocks)}


def assistant_message(blocks: Iterable[Block]) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def result_block(call_id: str, content: str | Sequence[Block], *, is_error: bool = False) -> Block:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return {**block, "is_error": True} if is_error else block


def blocks_of(message: Message) -> Sequence[Block]:
    """The message's blocks; content that is plain text counts as one text block."""
    content = message.get("content") or ()
    return (text_block(content),) if isinstance(content, str) else content


def calls_in(message: Message) -> tuple[ToolCall, ...]:
    """The tool calls of an assistant message, in the model's order; of any other message none."""
    if message.get("role") != "assistant":
        return ()
    return tuple(
        ToolCall(block["id"], block["name"], block["input"] if isinstance(block.get("input"), Mapping) else None)
        for block in blocks_of(message)
        if block.get("type") == "tool_use"
    )


def answered_in(message: Message) -> Mapping[str, Block]:
    """The tool results of a user message by the call they answer."""
    return {b["tool_use_id"]: b for b in blocks_of(message) if b.get("type") == "tool_result"}


def text_of(message: Message) -> str:
    return "".join(block["text"] for block in blocks_of(message) if block.get("type") == "text")


def cited_text(message: Message) -> str:
    """The message's text, every natively cited passage followed by the `[ref:…]` markers of its sources."""
    return "".join(block["text"] + markers_of(block) for block in blocks_of(message) if block.get("type") == "text")


def markers_of(block: Block) -> str:
    """The markers of a text block's native citations, each source once."""
    return "".join(dict.fromkeys(marker(quote.ref) for quote in _quotes_of(block)))


def quotes_in(message: Message) -> tuple[Quote, ...]:
    """Every native citation of the message, in reading order."""
    return tuple(quote for block in blocks_of(message) for quote in _quotes_of(block))


def search_results_in(message: Message) -> Iterable[Quote]:
    """Every citable source of the message's tool results, with its whole text as the model got it."""
    for block in blocks_of(message):
        if block.get("type") == "tool_result" and not isinstance(block.get("content"), str):
            for part in block.get("content") or ():
                if part.get("type") == "search_result":
                    yield Quote(part["source"], "\n".join(line["text"] for line in part["content"]))


def marker(ref: str) -> str:
    """How a source is cited inside text."""
    return f"[ref:{ref}]"


def _quotes_of(block: Block) -> Iterable[Quote]:
    for citation in block.get("citations") or ():
        if citation.get("type") == "search_result_location":
            yield Quote(str(citation.get("source", "")), str(citation.get("cited_text", "")))


def is_well_formed(message: Message, used_ids: Collection[str]) -> bool:
    """Whether a reply can be kept: every block has a type and what its type needs, every call an id of its own."""
    ids = set(used_ids)
    for block in blocks_of(message):
        match block:
            case {"type": "tool_use", "id": str(call_id), "name": str()} if call_id and call_id not in ids:
                ids.add(call_id)
            case {"type": "text", "text": str()}:
                pass
            case {"type": str(kind)} if kind not in ("text", "tool_use"):
                pass
            case _:
                return False
    return True


def clean(value: Any) -> Any:
    """The value with lone surrogates replaced: half a character can neither be stored nor sent as UTF-8."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8") if _has_lone_surrogate(value) else value
        case Mapping():
            return {clean(key): clean(item) for key, item in value.items()}
        case list() | tuple():
            return [clean(item) for item in value]
    return value


def _has_lone_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
