"""Random event streams, valid and broken, through both adapters: python -m tests.agent.fuzz_streams [n] [seed].

No exception may escape; nothing is executed from a reply that was cut, no request carries an unanswered call.
"""

import json
import logging
import random
import sys
from collections.abc import Mapping
from typing import Any

from desktop.agent import loop
from desktop.agent.events import RunFinished, RunStopped, ToolFinished, TurnFinished
from desktop.agent.history import is_legal
from desktop.agent.loop import Checkpoint
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.net import Cancellation, Route
from tests.fakes import chat_server as chat
from tests.fakes import messages_server as api
from tests.fakes.loopback import LoopbackServer, Step, stream
from tests.fakes.plant_tools import REQUEST, plant_tools

TOOLS = plant_tools()
CALLS = [
    ("search_equipment", {"query": "ライン3"}),
    ("search_manual", {"model": "FL-200", "keywords": "E-12"}),
    ("search_records", {"equipment_id": "EQ-404", "keywords": ""}),
    ("create_work_request", REQUEST),
    ("no_such_tool", {}),
    ("search_manual", {"model": 1}),
]
STOPS = [None, None, None, "tool_use", "end_turn", "max_tokens", "refusal", "pause_turn", "somehow"]
JUNK = [
    b"",
    b": ping\n\n",
    b"data: [DONE]\n\n",
    b"data: {\n\n",
    b"event: error\n\n",
    b"\xff\xfe",
    b"data: 1\n\n",
    b"data: null\n\n",
]


def claude_stream(dice: random.Random, call_number: list[int]) -> list[bytes]:
    blocks: list[Any] = []
    for _ in range(dice.randint(0, 4)):
        call_number[0] += 1
        name, given = dice.choice(CALLS)
        blocks.append(
            dice.choice(
                [
                    api.text(dice.choice(["", "ノズル", "\ud800x", "長い文" * 30])),
                    api.thinking("考"),
                    {"type": "hologram", "x": [1, None]},
                    api.tool_use(f"t{call_number[0]}", name, **given),
                    api.tool_use(f"t{call_number[0]}", name, **given),
                ]
            )
        )
    events = api.events(*blocks, stop=dice.choice(STOPS))
    return damaged(dice, [claude_bytes(event) for event in mangled(dice, events)])


def chat_stream(dice: random.Random, call_number: list[int]) -> list[bytes]:
    calls = []
    for _ in range(dice.randint(0, 3)):
        call_number[0] += 1
        name, given = dice.choice(CALLS)
        arguments = dice.choice([json.dumps(given), json.dumps(given), json.dumps(given)[:-2], "[]", ""])
        calls.append((dice.choice([f"t{call_number[0]}", None]), name, arguments))
    listed = chat.chunks(
        dice.choice(["", "ノズル", "\ud800x"]),
        *calls,
        stop=dice.choice([None, None, None, "stop", "tool_calls", "length", "none", "somehow"]),
        index=dice.choice(["given", "missing", "zero"]),
        split=dice.random() < 0.5,
        usage=dice.random() < 0.5,
    )
    return damaged(dice, [*map(chat_bytes, mangled(dice, listed)), chat.DONE])


def claude_bytes(event: tuple[str, Any]) -> bytes:
    """As the API sends it; half a character travels as an escape."""
    name, data = event
    tree = {"type": name, **data} if isinstance(data, Mapping) else data
    return f"event: {name}\ndata: {json.dumps(tree)}\n\n".encode()


def chat_bytes(chunk: Any) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


def mangled(dice: random.Random, events: list[Any]) -> list[Any]:
    """The events, now and then one lost, doubled, moved, or with a value of another kind inside."""
    listed = list(events)
    if not listed or dice.random() < 0.4:
        return listed
    at = dice.randrange(len(listed))
    match dice.randrange(4):
        case 0:
            del listed[at]
        case 1:
            listed.insert(at, listed[dice.randrange(len(listed))])
        case 2:
            dice.shuffle(listed)
        case _:
            listed[at] = twisted(dice, listed[at])
    return listed


def twisted(dice: random.Random, tree: Any) -> Any:
    if isinstance(tree, tuple):
        return tree[0], twisted(dice, tree[1])
    if isinstance(tree, Mapping) and tree:
        key = dice.choice(list(tree))
        return {**tree, key: twisted(dice, tree[key]) if dice.random() < 0.6 else dice.choice([None, 7, "x", [], {}])}
    return dice.choice([None, 7, "x", [], {}])


def damaged(dice: random.Random, chunks: list[bytes]) -> list[bytes]:
    if dice.random() < 0.3 and chunks:
        chunks.insert(dice.randrange(len(chunks)), dice.choice(JUNK))
    if dice.random() < 0.2 and chunks:
        at = dice.randrange(len(chunks))
        chunks[at] = chunks[at][: dice.randrange(len(chunks[at]) + 1)]
    return [chunk for chunk in chunks if chunk]


def step_of(dice: random.Random, chunks: list[bytes]) -> Step:
    end = dice.choice(["whole", "whole", "whole", "stop", "cut"])
    return stream(chunks, end=end, after=None if end == "whole" else dice.randint(0, len(chunks)))


def check_one(server: LoopbackServer, model: Any, make: Any, dice: random.Random) -> str:
    """One run of several random replies; returns how it ended, raises AssertionError if a rule was broken."""
    number = [0]
    server.script(*(step_of(dice, make(dice, number)) for _ in range(12)))
    state = RunState.start("run", "conv", Prompt(model.provider, "m", "s", TOOLS.declarations), "E-12")
    stop, executed_at = None, 0
    step: Any = None
    for step in loop.run(state, model, TOOLS, Cancellation()):
        match step:
            case TurnFinished():
                stop = step.stop_reason
            case ToolFinished():
                executed_at += 1
                assert stop == "tool_use", f"executed after {stop}"
            case Checkpoint():
                state = step.state
                assert is_legal(state.messages)
                assert RunState.from_json(state.to_json()).to_json() == state.to_json()
    for seen in server.seen:
        assert_every_call_is_answered(seen.body["messages"])
    assert isinstance(step, (RunFinished, RunStopped)) or (isinstance(step, Checkpoint) and step.drafts)
    return step.code or "stopped" if isinstance(step, RunStopped) else type(step).__name__


def assert_every_call_is_answered(messages: list[dict[str, Any]]) -> None:
    waiting: set[str] = set()
    for message in messages:
        content = message["content"] if isinstance(message["content"], list) else []
        if message["role"] == "tool":
            waiting.discard(message["tool_call_id"])
        waiting -= {block["tool_use_id"] for block in content if block.get("type") == "tool_result"}
        if message["role"] == "assistant":
            assert not waiting
            waiting = {block["id"] for block in content if block.get("type") == "tool_use"}
            waiting |= {call["id"] for call in message.get("tool_calls", ())}
    assert not waiting


def run(count: int, seed: int) -> dict[str, int]:
    """`count` random runs, half through each adapter; how often each ended how."""
    ended: dict[str, int] = {}
    with LoopbackServer() as server:
        once = Patience(attempts=1)
        claude = open_claude("k", ClaudeOptions(server.url, "m", patience=once), Route(proxy="direct"))
        options = ChatOptions(server.url, "m", stream_with_tools=True, patience=once)
        local = OpenAICompatible("", options, Route(proxy="direct"))
        for number in range(count):
            dice = random.Random(seed * 1_000_003 + number)
            model, make = ((claude, claude_stream), (local, chat_stream))[number % 2]
            try:
                how = check_one(server, model, make, dice)
            except BaseException:
                print(f"broken by: seed {seed}, run {number}", file=sys.stderr)
                raise
            ended[how] = ended.get(how, 0) + 1
        claude.close()
        local.close()
    return ended


if __name__ == "__main__":
    logging.disable(logging.ERROR)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for how, times in sorted(run(count, int(sys.argv[2]) if len(sys.argv) > 2 else 1).items()):
        print(f"{times:6} {how}")
