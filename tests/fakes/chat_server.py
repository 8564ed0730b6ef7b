"""/v1/chat/completions on the loopback, whole and streamed, with the quirks that real servers have."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.loopback import LoopbackServer, Step, json_body, stream

Call = tuple[str | None, str, str]  # id, name, arguments as text
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
DONE = b"data: [DONE]\n\n"


class ChatServer(LoopbackServer):
    pass


def call(call_id: str | None, name: str, /, **given: Any) -> Call:
    return call_id, name, json.dumps(given, ensure_ascii=False)


def whole(text: str = "", *calls: Call, stop: str | None = None, **more: Any) -> Step:
    """One completion that isn't streamed."""
    return json_body(completion(text, *calls, stop=stop, **more))


def completion(text: str = "", *calls: Call, stop: str | None = None, **more: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": text or None, **more}
    if calls:
        said["tool_calls"] = [_function(*one) for one in calls]
    stop = stop or ("tool_calls" if calls else "stop")
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "local",
        "choices": [{"index": 0, "message": said, "finish_reason": stop}],
        "usage": USAGE,
    }


def streamed(text: str = "", *calls: Call, end: str = "whole", after: int | None = None, **more: Any) -> Step:
    """A streamed completion; see `chunks` for what may be odd about it and `loopback.stream` for its end."""
    return stream([*map(encoded, chunks(text, *calls, **more)), DONE], end=end, after=after)


def spoiled(text: str, *calls: Call, after: int, with_: bytes) -> Step:
    listed = [*map(encoded, chunks(text, *calls)), DONE]
    return stream([*listed[:after], with_, *listed[after:]])


def error(status: int, said: str = "no", **headers: str) -> Step:
    return json_body({"error": {"message": said, "type": "error", "code": status}}, status, **headers)


def encoded(chunk: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def chunks(
    text: str = "",
    *calls: Call,
    stop: str | None = None,
    reasoning: str = "",
    index: str = "given",
    split: bool = True,
    usage: bool = True,
) -> list[Mapping[str, Any]]:
    """The chunks in their usual order. `index`: given, missing, or zero for all; `split` False: calls come whole."""
    stop = stop or ("tool_calls" if calls else "stop")
    listed = [_chunk({"role": "assistant", "content": None})]
    if reasoning:
        listed.append(_chunk({"reasoning_content": reasoning}))
    listed += [_chunk({"content": text[at : at + 4]}) for at in range(0, len(text), 4)]
    for number, one in enumerate(calls):
        place = {"given": {"index": number}, "missing": {}, "zero": {"index": 0}}[index]
        listed += [_chunk({"tool_calls": [{**place, **part}]}) for part in _parts(one, split=split)]
    listed.append(_chunk({}, finish_reason=None if stop == "none" else stop))
    if usage:
        listed.append({"id": "c1", "object": "chat.completion.chunk", "model": "local", "choices": [], "usage": USAGE})
    return listed


def _parts(one: Call, *, split: bool) -> Sequence[Mapping[str, Any]]:
    whole_call = _function(*one)
    if not split:
        return [whole_call]
    arguments = one[2]
    opening = {**whole_call, "function": {"name": one[1], "arguments": ""}}
    return [opening, *({"function": {"arguments": arguments[at : at + 6]}} for at in range(0, len(arguments), 6))]


def _function(call_id: str | None, name: str, arguments: str) -> dict[str, Any]:
    function = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return function if call_id is None else {"id": call_id, **function}


def _chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> Mapping[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "local", "choices": [choice]}
