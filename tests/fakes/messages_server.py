"""The Messages API on the loopback, as JSON and as events, with a fault wherever a test wants one."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.fakes.loopback import LoopbackServer, Step, json_body, stream

Block = Mapping[str, Any]
MODEL = "claude-opus-5-5"
USAGE = {"input_tokens": 100, "output_tokens": 5, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30}


class MessagesServer(LoopbackServer):
    pass


def text(words: str, *citations: Block) -> Block:
    return (
        {"type": "text", "text": words, "citations": list(citations)} if citations else {"type": "text", "text": words}
    )


def tool_use(call_id: str, name: str, /, **given: Any) -> Block:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given, "caller": {"type": "direct"}}


def thinking(summary: str, signature: str = "c2lnbmVk") -> Block:
    return {"type": "thinking", "thinking": summary, "signature": signature}


def cited(ref: str, quote: str) -> Block:
    return {
        "type": "search_result_location",
        "source": ref,
        "title": ref,
        "cited_text": quote,
        "search_result_index": 0,
        "start_block_index": 0,
        "end_block_index": 1,
    }


def message(blocks: Sequence[Block], stop: str | None, **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": None,
        "usage": USAGE,
        **more,
    }


def answer(*blocks: Block | str, stop: str | None = None, **more: Any) -> Step:
    """A whole streamed reply; without `stop` it is tool_use or end_turn, as the blocks say."""
    return stream(map(encoded, events(*blocks, stop=stop, **more)))


def broken(*blocks: Block | str, end: str, after: int, **more: Any) -> Step:
    """A streamed reply that ends after so many events: stop (regularly), cut or hold."""
    return stream(map(encoded, events(*blocks, **more)), end=end, after=after)


def spoiled(*blocks: Block | str, after: int, with_: bytes) -> Step:
    """A streamed reply into which foreign bytes fall after so many events."""
    whole = [encoded(event) for event in events(*blocks)]
    return stream([*whole[:after], with_, *whole[after:]])


def error(status: int, kind: str, said: str = "no", **headers: str) -> Step:
    body = {"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_1"}
    return json_body(body, status, **headers)


def error_event(kind: str, said: str = "no") -> bytes:
    return encoded(("error", {"error": {"type": kind, "message": said}, "request_id": "req_1"}))


def encoded(event: tuple[str, Mapping[str, Any]]) -> bytes:
    name, data = event
    return f"event: {name}\ndata: {json.dumps({'type': name, **data}, ensure_ascii=False)}\n\n".encode()


def events(*parts: Block | str, stop: str | None = None, **more: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """The events of a reply, in the order in which the API sends them."""
    blocks = [text(part) if isinstance(part, str) else part for part in parts]
    stop = stop or ("tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn")
    listed: list[tuple[str, Mapping[str, Any]]] = [("message_start", {"message": message([], None)}), ("ping", {})]
    for index, block in enumerate(blocks):
        listed.append(("content_block_start", {"index": index, "content_block": _opening(block)}))
        listed.extend(("content_block_delta", {"index": index, "delta": delta}) for delta in _deltas(block))
        listed.append(("content_block_stop", {"index": index}))
    delta = {"stop_reason": stop, "stop_sequence": None, "stop_details": more.get("stop_details")}
    listed.append(("message_delta", {"delta": delta, "usage": {"output_tokens": 42}}))
    listed.append(("message_stop", {}))
    return listed


def _opening(block: Block) -> Block:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}
        case "thinking":
            return {**block, "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
    return block  # redacted thinking and types of tomorrow arrive whole


def _deltas(block: Block) -> Iterator[Mapping[str, Any]]:
    match block["type"]:
        case "text":
            yield from ({"type": "text_delta", "text": piece} for piece in _pieces(block["text"]))
            yield from ({"type": "citations_delta", "citation": citation} for citation in block.get("citations", ()))
        case "thinking":
            yield from ({"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"]))
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use":
            given = json.dumps(block["input"], ensure_ascii=False)
            yield from ({"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(given)))


def _pieces(words: str) -> Iterable[str]:
    return (words[at : at + 5] for at in range(0, len(words), 5))
