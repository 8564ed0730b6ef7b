"""A history made legal again, whatever an older version or a crash left of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from desktop.agent.messages import (
    Block,
    Message,
    answered_in,
    blocks_of,
    calls_in,
    result_block,
    text_block,
    user_message,
)
from desktop.agent.run_state import NOT_EXECUTED, RunState


def repaired(state: RunState) -> RunState:
    """The state with a history that every provider accepts; a legal one comes back unchanged, byte for byte.

    Legal: it begins with a person, no message is empty, every call but those of the last reply is answered in the
    next message and in the model's order, nothing is answered that wasn't asked, no call id is used twice.
    """
    if is_legal(state.messages):
        return state
    mended = tuple(_mended(state.messages))
    if not mended:
        mended = (user_message(text_block("（この会話の記録は失われました。）")),)
    open_calls = {call.call_id for call in calls_in(mended[-1])}
    done = {call_id: block for call_id, block in state.done.items() if call_id in open_calls}
    return replace(state, messages=mended, done=done, question_at=_last_question(mended))


def is_legal(messages: Sequence[Message]) -> bool:
    seen: set[str] = set()
    expected: list[str] = []
    for at, message in enumerate(messages):
        blocks = blocks_of(message)
        calls = [call.call_id for call in calls_in(message)]
        if not blocks or (at == 0 and message["role"] != "user"):
            return False
        if list(answered_in(message)) != expected or _results(blocks) != len(expected):
            return False
        if len(set(calls)) != len(calls) or seen & set(calls):
            return False
        seen |= set(calls)
        expected = calls
    return bool(messages)


def _results(blocks: Sequence[Block]) -> int:
    return sum(block.get("type") == "tool_result" for block in blocks)


def _mended(messages: Sequence[Message]) -> Iterator[Message]:
    """Each message with answers that fit the calls before it; what can't be mended is left out."""
    begun = False
    expected: list[str] = []
    used: set[str] = set()
    for message in messages:
        if message["role"] != "user":
            if not begun:
                continue
            if expected:
                yield user_message(*_answers({}, expected))
            message, expected = _without_repeats(message, used)
            if blocks_of(message):
                yield message
            continue
        spoken = [block for block in blocks_of(message) if block.get("type") != "tool_result"]
        blocks = [*_answers(answered_in(message), expected), *spoken]
        expected = []
        if blocks:
            begun = True
            yield message if blocks == list(blocks_of(message)) else {**message, "content": blocks}


def _answers(given: Mapping[str, Block], expected: Sequence[str]) -> list[Block]:
    return [given.get(call_id) or result_block(call_id, NOT_EXECUTED, is_error=True) for call_id in expected]


def _without_repeats(message: Message, used: set[str]) -> tuple[Message, list[str]]:
    """The reply without calls whose id was used before, and the ids that now wait for an answer."""
    kept: list[Block] = []
    for block in blocks_of(message):
        if block.get("type") == "tool_use":
            if block["id"] in used:
                continue
            used.add(block["id"])
        kept.append(block)
    waiting = [block["id"] for block in kept if block.get("type") == "tool_use"]
    if len(kept) == len(blocks_of(message)):
        return message, waiting
    return {"role": "assistant", "content": kept}, waiting


def _last_question(messages: Sequence[Message]) -> int:
    """Where the present question begins: the newest user message that says something."""
    spoken = [
        at
        for at, message in enumerate(messages)
        if message["role"] == "user" and any(block.get("type") == "text" for block in blocks_of(message))
    ]
    return spoken[-1] if spoken else 0
