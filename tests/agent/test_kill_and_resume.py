"""Killed at any event, a run goes on in another process with the same bytes on the wire."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agent import loop
from desktop.agent.events import RunFinished
from desktop.agent.history import is_legal
from desktop.agent.loop import Checkpoint
from desktop.agent.run_state import RunState
from desktop.net import Cancellation
from tests.agent import killed_child
from tests.fakes import chat_server as chat
from tests.fakes import messages_server as api
from tests.fakes.loopback import LoopbackServer, Seen, Step, say_nothing

CLAUDE_FIRST = api.answer(
    api.thinking("考える", "c2ln"), "調べます。", api.tool_use("t1", "search_equipment", query="ライン3")
)
CLAUDE_SECOND = (api.thinking("", "c2lnMg=="), api.tool_use("t2", "search_manual", model="FL-200", keywords="E-12"))
CHAT_FIRST = chat.streamed("調べます。", chat.call("t1", "search_equipment", query="ライン3"))
CHAT_SECOND = chat.call("t2", "search_manual", model="FL-200", keywords="E-12")


def held(provider: str, after: int | None) -> Step:
    """The second reply, silent after so many events; None = before its headers."""
    if after is None:
        return say_nothing
    if provider == "anthropic":
        return api.broken(*CLAUDE_SECOND, end="hold", after=after)
    return chat.streamed("", CHAT_SECOND, end="hold", after=after)


def whole(provider: str) -> list[Step]:
    if provider == "anthropic":
        return [api.answer(*CLAUDE_SECOND), api.answer("清掃。")]
    return [chat.streamed("", CHAT_SECOND), chat.streamed("清掃。")]


def sent_messages(seen: Seen) -> bytes:
    return json.dumps(seen.body["messages"], ensure_ascii=False, separators=(",", ":")).encode()


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.mark.parametrize(
    ("provider", "after"), [("anthropic", None), ("anthropic", 5), ("openai", None), ("openai", 3)]
)
def test_killed_in_the_second_reply(server: LoopbackServer, tmp_path: Path, provider: str, after: int | None) -> None:
    file = tmp_path / "state.json"
    server.script(CLAUDE_FIRST if provider == "anthropic" else CHAT_FIRST, held(provider, after))
    command = [sys.executable, "-m", "tests.agent.killed_child", server.url, str(file), provider]
    with subprocess.Popen(command, env={**os.environ, "PYTHONWARNINGS": "default"}) as child:
        assert server.holding.wait(60)
        child.kill()
    before = server.seen[1]
    server.let_go.set()

    text = file.read_text(encoding="utf-8")
    state = RunState.from_json(text)
    assert state.to_json() == text
    server.script(*whole(provider))
    model = killed_child.opened(server.url, provider)
    steps = list(loop.run(state, model, killed_child.TOOLS, Cancellation()))
    model.close()
    assert isinstance(steps[-1], RunFinished)
    assert server.seen[0].raw == before.raw  # the request that the kill interrupted, byte for byte
    assert sent_messages(server.seen[1]).startswith(sent_messages(before)[:-1])
    assert all(is_legal(step.state.messages) for step in steps if isinstance(step, Checkpoint))
