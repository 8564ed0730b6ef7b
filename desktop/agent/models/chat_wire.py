"""Between our messages and those of /v1/chat/completions, tolerant of what servers get wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from desktop.agent import messages as wire
from desktop.agent.events import TextDelta, Thinking
from desktop.agent.language_model import Progress
from desktop.agent.messages import Block, Message, Reply, TokenUsage, assistant_message, blocks_of, clean, text_of
from desktop.agent.models.failure import Failure, by_status
from desktop.agent.run_state import RunState

_STOPS = {
    "stop": wire.END_TURN,
    "eos": wire.END_TURN,
    "length": wire.MAX_TOKENS,
    "tool_calls": wire.TOOL_USE,
    "function_call": wire.TOOL_USE,
    "content_filter": wire.REFUSAL,
}


class BrokenReply(Exception):
    """The server answered something that is no chat completion."""


def chat_tools(tools: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The declarations as functions; `strict` stays out, servers disagree about it and we validate ourselves."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["input_schema"],
            },
        }
        for tool in tools
    ]


def chat_messages(state: RunState) -> list[Mapping[str, Any]]:
    """The history as such a server takes it: system first, one `tool` message a result, replies as received."""
    sent: list[Mapping[str, Any]] = [{"role": "system", "content": state.prompt.system}]
    for message in state.messages:
        if message["role"] == "assistant":
            sent.append(message.get(wire.RECEIVED) or _assistant(message))
        else:
            sent.extend(_tool_messages(message))
            if text := text_of(message):
                _say(sent, text)
    return sent


def _say(sent: list[Mapping[str, Any]], text: str) -> None:
    """A person's words; behind a question that was never answered they go along with it, as roles must alternate."""
    if sent[-1]["role"] == "user":
        text = f"{sent.pop()['content']}\n\n{text}"
    sent.append({"role": "user", "content": text})


def _assistant(message: Message) -> Mapping[str, Any]:
    """A reply that another kind of model gave."""
    calls = [
        {
            "id": call.call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.input or {}, ensure_ascii=False)},
        }
        for call in wire.calls_in(message)
    ]
    said = {"role": "assistant", "content": wire.cited_text(message)}
    return {**said, "tool_calls": calls} if calls else said


def _tool_messages(message: Message) -> Iterator[Mapping[str, Any]]:
    for block in blocks_of(message):
        if block.get("type") == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": result_text(block)}


def result_text(block: Block) -> str:
    """A tool result as text; citable passages keep their marker."""
    content: str | Sequence[Block] = block["content"]
    if isinstance(content, str):
        return content
    return "\n\n".join(_passage(part) for part in content)


def _passage(block: Block) -> str:
    if block.get("type") != "search_result":
        return str(block.get("text", ""))
    lines = "\n".join(line["text"] for line in block["content"])
    return f"{wire.marker(block['source'])} {block['title']}\n{lines}"


@dataclass(slots=True)
class _Call:
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    given: Mapping[str, Any] | None = None


@dataclass(slots=True)
class ChatReply:
    """A reply gathered from its chunks, or from one whole completion; `used_ids` are the conversation's call ids."""

    used_ids: frozenset[str] = frozenset()
    text: str = ""
    _calls: list[_Call] = field(default_factory=list)
    _by_index: dict[Any, _Call] = field(default_factory=dict)
    _stop: str | None = None
    _usage: TokenUsage = field(default_factory=TokenUsage)
    _model: str = ""
    _refusal: str = ""

    def take(self, tree: Any) -> Iterator[Progress]:
        """One chunk in; what it adds for the screen out. Raises BrokenReply, or Failure for an error in its place."""
        if not isinstance(tree, Mapping):
            raise BrokenReply
        if tree.get("error"):
            raise _reported(tree["error"])
        if not isinstance(tree.get("choices"), list) and not tree.get("usage"):
            raise BrokenReply
        self._model = str(tree.get("model") or self._model)
        self._usage = _usage(tree.get("usage")) or self._usage
        for choice in _listed(tree.get("choices")):
            if not isinstance(choice, Mapping):
                raise BrokenReply
            self._stop = choice.get("finish_reason") or self._stop
            part = choice.get("delta") or choice.get("message") or {}
            if not isinstance(part, Mapping):
                raise BrokenReply
            yield from self._take_part(part)

    def _take_part(self, part: Mapping[str, Any]) -> Iterator[Progress]:
        if thought := clean(_words(part.get("reasoning_content") or part.get("reasoning"))):
            yield Thinking(thought)
        if piece := clean(_words(part.get("content"))):
            self.text += piece
            yield TextDelta(piece)
        self._refusal += clean(_words(part.get("refusal")))
        for call in _listed(part.get("tool_calls")):
            if not isinstance(call, Mapping):
                raise BrokenReply
            self._take_call(call)

    def _take_call(self, part: Mapping[str, Any]) -> None:
        """Calls come whole or in pieces; without an index, a new id or a new name begins the next one."""
        function = part.get("function") or {}
        if not isinstance(function, Mapping):
            raise BrokenReply
        call = self._slot(part.get("index"), _words(part.get("id")), _words(function.get("name")))
        call.call_id = call.call_id or _words(part.get("id"))
        call.name = call.name or _words(function.get("name"))
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):
            call.given = arguments
        else:
            call.arguments += clean(_words(arguments))

    def _slot(self, index: Any, call_id: str, name: str) -> _Call:
        if isinstance(index, int):
            if index not in self._by_index:
                self._by_index[index] = self._begin()
            found = self._by_index[index]
            if not (call_id and found.call_id and call_id != found.call_id):
                return found
        elif not self._calls or name or (call_id and call_id != self._calls[-1].call_id):
            return self._begin()
        else:
            return self._calls[-1]
        self._by_index[index] = self._begin()  # some servers give every call the index 0
        return self._by_index[index]

    def _begin(self) -> _Call:
        self._calls.append(_Call())
        return self._calls[-1]

    def finish(self) -> Reply:
        """The whole reply. A server that says `stop` beside whole calls means tool_calls; no word at all is a cut."""
        calls = list(_finished_calls(self._calls, self.used_ids))
        stop = None if self._stop is None else _STOPS.get(str(self._stop), str(self._stop))
        if calls and stop == wire.END_TURN:
            stop = wire.TOOL_USE
        if self._refusal and not self.text:
            stop = wire.REFUSAL
        blocks: list[Block] = [wire.text_block(self.text)] if self.text else []
        blocks += [{"type": "tool_use", "id": c["id"], "name": c["name"], "input": c["input"]} for c in calls]
        message = {**assistant_message(blocks), wire.RECEIVED: self._received(calls)}
        return Reply(message, stop, self._usage, self._model, self._refusal)

    def _received(self, calls: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
        """What is replayed: as it came, with ids where the server gave none, and without its private thoughts."""
        sent = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in calls
        ]
        said = {"role": "assistant", "content": self.text}
        return {**said, "tool_calls": sent} if sent else said


def _finished_calls(calls: Sequence[_Call], used_ids: frozenset[str]) -> Iterator[Mapping[str, Any]]:
    """Each call with an id of its own, some servers begin at call_0 in every reply; `input` None = not an object."""
    taken = set(used_ids)
    for call in calls:
        call_id = call.call_id if call.call_id and call.call_id not in taken else f"call_{uuid4().hex}"
        taken.add(call_id)
        given = call.given if call.given is not None else _parsed(call.arguments)
        # Servers that parse the arguments of a replayed call choke on broken ones for the rest of the conversation.
        arguments = call.arguments if call.given is None and given else json.dumps(given or {}, ensure_ascii=False)
        yield {"id": call_id, "name": call.name, "input": clean(given), "arguments": arguments}


def _parsed(arguments: str) -> Mapping[str, Any] | None:
    try:
        tree = json.loads(arguments or "{}")
    except ValueError:
        return None
    return tree if isinstance(tree, Mapping) else None


def _words(value: Any) -> str:
    """Text, also where a server sends it as a list of parts."""
    if isinstance(value, list):
        return "".join(_words(part.get("text")) for part in value if isinstance(part, Mapping))
    return value if isinstance(value, str) else ""


def _listed(value: Any) -> Sequence[Any]:
    if value is None or isinstance(value, list):
        return value or ()
    raise BrokenReply


def _reported(error: Any) -> Failure:
    """What a server says inside a stream, when its status was already sent."""
    if not isinstance(error, Mapping):
        return by_status(500, "", str(error), None, "")
    code = error.get("code")
    return by_status(
        code if isinstance(code, int) else 500, str(error.get("type")), str(error.get("message")), None, ""
    )


def _usage(tree: Any) -> TokenUsage | None:
    if not isinstance(tree, Mapping):
        return None
    details = tree.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
    return TokenUsage(_count(tree.get("prompt_tokens")), _count(tree.get("completion_tokens")), _count(cached))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
