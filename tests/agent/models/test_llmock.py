"""A server that isn't ours, in both protocols: real faults, and its verdict on us as a client."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from desktop.agent import loop
from desktop.agent.events import Retrying, RunFinished, RunStopped, ToolFinished
from desktop.agent.history import is_legal
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.net import Cancellation, Route
from tests.fakes.plant_tools import plant_tools

TOOLS = plant_tools()
DIRECT = Route(proxy="direct")
ONCE = Patience(attempts=1)
BASE = {"anthropic": "/anthropic", "openai": "/v1"}
# In a process of its own: its worker threads would outlive the test.
SERVE = """
import sys
from llmock.testing import LLMockServer
with LLMockServer() as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


class Mock:
    """The running server, its script and its verdict."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._http = httpx2.Client(trust_env=False, base_url=f"{url}/_llmock")

    def script(self, *behaviors: dict[str, Any]) -> None:
        self._http.post("/reset")
        self._http.post("/scenario", json={"behaviors": list(behaviors)}).raise_for_status()

    def verdict(self) -> list[str]:
        """What it blames the client for, by name."""
        return [finding["code"] for finding in self._http.get("/verdict").json()["findings"]]

    def close(self) -> None:
        self._http.close()


@pytest.fixture(scope="module")
def mock() -> Iterator[Mock]:
    with subprocess.Popen([sys.executable, "-c", SERVE], stdin=-1, stdout=-1, text=True, encoding="utf-8") as process:
        assert process.stdout
        running = Mock(process.stdout.readline().strip())
        yield running
        running.close()
        process.communicate("")


@pytest.fixture(params=["anthropic", "openai"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def drive(mock: Mock, provider: str, patience: Patience = ONCE, silence: float = 20.0) -> list[Step]:
    url = mock.url + BASE[provider]
    if provider == "anthropic":
        model: Any = open_claude("k", ClaudeOptions(url, "m", patience=patience, read_timeout=silence), DIRECT)
    else:
        options = ChatOptions(url, "m", stream_with_tools=True, patience=patience, read_timeout=silence)
        model = OpenAICompatible("k", options, DIRECT)
    state = RunState.start("run", "conv", Prompt(provider, "m", "s", TOOLS.declarations), "ライン3の充填機でE-12")
    steps = list(loop.run(state, model, TOOLS, Cancellation()))
    model.close()
    assert all(is_legal(step.state.messages) for step in steps if isinstance(step, Checkpoint))
    return steps


def stop_code(steps: list[Step]) -> str:
    assert isinstance(steps[-1], RunStopped)
    return steps[-1].code


def reply(text: str) -> dict[str, Any]:
    return {"type": "reply", "text": text}


def fault(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "stream_fault", "kind": kind, "after_chunks": 3, **more}


def test_a_tool_is_called_and_the_answer_comes(mock: Mock, provider: str) -> None:
    call = {"name": "search_manual", "arguments": {"model": "FL-200", "keywords": "E-12"}}
    mock.script({"type": "reply", "tool_calls": [call]}, reply("ノズルを清掃してください。"))
    steps = drive(mock, provider)
    assert isinstance(steps[-1], RunFinished)
    assert steps[-1].text == "ノズルを清掃してください。"
    (ran,) = [step for step in steps if isinstance(step, ToolFinished)]
    assert (ran.name, ran.count) == ("search_manual", 1)


def test_a_rate_limit_is_waited_out_as_asked(mock: Mock, provider: str) -> None:
    mock.script({"type": "fail", "status": 429, "retry_after": 1}, reply("はい"))
    steps = drive(mock, provider, Patience())
    assert [step.seconds for step in steps if isinstance(step, Retrying)] == [1.0]
    assert isinstance(steps[-1], RunFinished)
    assert mock.verdict() == []


@pytest.mark.parametrize(("status", "code"), [(401, "model_key_wrong"), (404, "model_not_found")])
def test_what_will_not_get_better_is_not_asked_again(mock: Mock, provider: str, status: int, code: str) -> None:
    mock.script({"type": "fail", "status": status})
    assert stop_code(drive(mock, provider, Patience(first=0.0))) == code
    assert mock.verdict() == []


@pytest.mark.parametrize(
    ("kind", "code"),
    [("truncate", "model_reply_cut"), ("disconnect", "net_cut"), ("malformed", "model_reply_broken")],
)
def test_a_broken_stream_is_never_taken_for_an_answer(mock: Mock, provider: str, kind: str, code: str) -> None:
    mock.script(reply("ノズルを 外して 清掃して ください"), fault(kind))
    assert stop_code(drive(mock, provider)) == code


def test_a_stalled_stream_is_given_up(mock: Mock, provider: str) -> None:
    mock.script(reply("ノズルを 外して 清掃して ください"), fault("stall", stall_seconds=20))
    assert stop_code(drive(mock, provider, silence=0.3)) == "net_stalled"
    assert "no_read_timeout" not in mock.verdict()


@pytest.mark.parametrize("kind", ["malformed_arguments", "unknown_tool"])
def test_a_broken_call_is_an_error_result_or_a_broken_reply(mock: Mock, provider: str, kind: str) -> None:
    mock.script({"type": "tool_fault", "kind": kind})
    steps = drive(mock, provider)
    ran = [step for step in steps if isinstance(step, ToolFinished)]
    if ran:
        assert ran[0].error
    else:
        assert stop_code(steps) == "model_reply_broken"
