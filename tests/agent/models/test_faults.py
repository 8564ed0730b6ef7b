"""Everything that can go wrong on the wire, by name, for both protocols.

For each fault: the sentence on screen, the history exactly as before and legal, the next question answered.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from desktop.agent import loop
from desktop.agent.events import RunFinished, RunStopped, ToolFinished
from desktop.agent.history import is_legal
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.models.claude import ClaudeOptions, open_claude
from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.net import Cancellation, Route
from tests.fakes import chat_server as chat
from tests.fakes import messages_server as api
from tests.fakes.loopback import (
    SIGN_IN_PAGE,
    LoopbackServer,
    hang_up,
    json_body,
    raw_body,
    say_nothing,
)
from tests.fakes.loopback import Step as Said
from tests.fakes.plant_tools import REQUEST, plant_tools

TOOLS = plant_tools()
DIRECT = Route(proxy="direct")
ONCE = Patience(attempts=1)
SILENCE = 0.15  # seconds without a byte until a read gives up


@dataclass(frozen=True)
class Wire:
    """One protocol: how its model is opened and how its server says an answer."""

    provider: str
    open: Callable[[LoopbackServer, float], Any]
    answer: Callable[[str], Said]

    def prompt(self) -> Prompt:
        return Prompt(self.provider, "m", "まず台帳で設備を確定する。", TOOLS.declarations)


def _claude(server: LoopbackServer, read_timeout: float) -> Any:
    return open_claude("k", ClaudeOptions(server.url, "m", patience=ONCE, read_timeout=read_timeout), DIRECT)


def _chat(server: LoopbackServer, read_timeout: float) -> Any:
    options = ChatOptions(server.url, "m", stream_with_tools=True, patience=ONCE, read_timeout=read_timeout)
    return OpenAICompatible("", options, DIRECT)


CLAUDE = Wire("anthropic", _claude, lambda words: api.answer(words))
CHAT = Wire("openai", _chat, lambda words: chat.streamed(words))

THINKS = api.thinking("考える")
CALLS = (
    api.tool_use("t1", "search_manual", model="FL-200", keywords="E-12"),
    api.tool_use("t2", "create_work_request", **REQUEST),
)
WHOLE = api.events(THINKS, "調べます。", *CALLS)
CHAT_CALLS = (
    chat.call("t1", "search_manual", model="FL-200", keywords="E-12"),
    chat.call("t2", "create_work_request", **REQUEST),
)
CHAT_WHOLE = chat.chunks("調べます。", *CHAT_CALLS)

STATUS = {
    301: "net_captive_portal",
    400: "model_request_refused",
    401: "model_key_wrong",
    402: "model_quota",
    403: "model_forbidden",
    404: "model_not_found",
    407: "net_proxy_login",
    408: "model_server_error",
    409: "model_server_error",
    413: "model_request_too_large",
    418: "model_request_refused",
    422: "model_request_refused",
    429: "model_rate_limit",
    500: "model_server_error",
    502: "model_server_error",
    503: "model_server_error",
    504: "model_server_error",
    529: "model_overloaded",
}


def claude_faults() -> Iterator[tuple[str, Said, str]]:
    for status, code in STATUS.items():
        yield f"status {status}", api.error(status, "some_error"), code
    yield "retry-after huge", api.error(429, "rate_limit_error", retry_after="4294967295"), "model_rate_limit"
    yield (
        "retry-after a date",
        api.error(529, "overloaded_error", retry_after="Wed, 21 Oct 2065 07:28:00 GMT"),
        "model_overloaded",
    )
    yield "retry-after nonsense", api.error(429, "rate_limit_error", retry_after="soon"), "model_rate_limit"
    yield "no money left", api.error(400, "invalid_request_error", "Your credit balance is too low"), "model_quota"
    yield "prompt too long", api.error(400, "invalid_request_error", "prompt is too long: 1 > 0"), "run_context_full"
    yield "proxy's page as an error", raw_body(b"<html>", "text/html", 502), "model_server_error"
    yield "sign-in page", SIGN_IN_PAGE, "net_captive_portal"
    yield (
        "redirect to a sign-in page",
        raw_body(b"", "text/plain", 302, location="http://127.0.0.1:1/login"),
        "net_captive_portal",
    )
    yield "JSON of something else", json_body({"ok": True}), "model_reply_broken"
    yield (
        "whole reply instead of a stream",
        json_body(api.message([api.text("はい")], "end_turn")),
        "model_reply_broken",
    )
    yield "broken JSON", raw_body(b'{"id": ', "application/json"), "model_reply_broken"
    yield "empty body", raw_body(b"", "text/event-stream"), "model_reply_broken"
    yield "page in a stream's clothes", raw_body(b"<html>hello</html>", "text/event-stream"), "model_reply_broken"
    yield "hang up before headers", hang_up, "net_cut"
    yield "silence before headers", say_nothing, "net_stalled"
    for kind, code in (
        ("overloaded_error", "model_overloaded"),
        ("api_error", "model_server_error"),
        ("rate_limit_error", "model_rate_limit"),
    ):
        yield f"{kind} as an event", api.spoiled("はい", after=4, with_=api.error_event(kind)), code
    yield (
        "refusal",
        api.answer("…", stop="refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "x"}),
        "run_refused",
    )
    yield "max_tokens", api.answer("長い", stop="max_tokens"), "run_max_tokens"
    yield "truncated tool input", api.answer(*CALLS, stop="max_tokens"), "run_max_tokens"
    yield "context full", api.answer("…", stop="model_context_window_exceeded"), "run_context_full"
    yield "unknown stop reason", api.answer("はい", stop="brand_new"), "model_stop_unknown"
    yield "empty content", api.answer(), "model_reply_empty"
    yield "only thinking", api.answer(THINKS), "model_reply_empty"
    yield "tool_use without a call", api.answer("はい", stop="tool_use"), "model_reply_broken"
    yield "a call under end_turn", api.answer(*CALLS, stop="end_turn"), "model_reply_broken"
    for after in range(len(WHOLE)):
        name = WHOLE[after - 1][0] if after else "nothing"
        yield (
            f"ends after {after} ({name})",
            api.broken(THINKS, "調べます。", *CALLS, end="stop", after=after),
            "model_reply_*",
        )
        yield f"cut after {after} ({name})", api.broken(THINKS, "調べます。", *CALLS, end="cut", after=after), "net_cut"
        garbage = (
            b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 99, "delta": nonsense}\n\n'
        )
        yield (
            f"garbage after {after} ({name})",
            api.spoiled(THINKS, "調べます。", *CALLS, after=after, with_=garbage),
            "model_reply_broken",
        )
    for after in (0, 3, 8):
        yield f"silence after {after}", api.broken(THINKS, "調べます。", *CALLS, end="hold", after=after), "net_stalled"


def chat_faults() -> Iterator[tuple[str, Said, str]]:
    for status, code in STATUS.items():
        yield f"status {status}", chat.error(status), code
    yield "retry-after huge", chat.error(429, retry_after="4294967295"), "model_rate_limit"
    yield "no money left", chat.error(429, "You exceeded your current quota"), "model_quota"
    yield "prompt too long", chat.error(400, "maximum context length is 4096 tokens"), "run_context_full"
    yield "sign-in page", SIGN_IN_PAGE, "net_captive_portal"
    yield "JSON of something else", json_body({"ok": True}), "model_reply_broken"
    yield "a list", json_body([1]), "model_reply_broken"
    yield "broken JSON", raw_body(b'{"id": ', "application/json"), "model_reply_broken"
    yield "not UTF-8", raw_body(b'{"choices": "\xff\xfe"}', "application/json"), "model_reply_broken"
    yield "empty stream", raw_body(b"", "text/event-stream"), "model_reply_cut"
    yield "page in a stream's clothes", raw_body(b"<html>hello</html>", "text/event-stream"), "model_reply_cut"
    yield "hang up before headers", hang_up, "net_cut"
    yield "silence before headers", say_nothing, "net_stalled"
    yield (
        "error inside a stream",
        chat.spoiled("はい", after=2, with_=b'data: {"error": {"code": 500, "message": "x"}}\n\n'),
        "model_server_error",
    )
    yield (
        "error as text inside a stream",
        chat.spoiled("はい", after=2, with_=b'data: {"error": "oops"}\n\n'),
        "model_server_error",
    )
    yield "content filter", chat.streamed("…", stop="content_filter"), "run_refused"
    yield "length", chat.streamed("長い", stop="length"), "run_max_tokens"
    yield (
        "truncated tool input",
        chat.streamed("", ("t1", "search_manual", '{"model": "FL'), stop="length"),
        "run_max_tokens",
    )
    yield "no stop reason", chat.streamed("はい", stop="none"), "model_reply_cut"
    yield "unknown stop reason", chat.streamed("はい", stop="brand_new"), "model_stop_unknown"
    yield "empty content", chat.streamed(""), "model_reply_empty"
    yield "no choices", json_body({"choices": []}), "model_reply_cut"
    yield "a choice that is text", json_body({"choices": ["はい"]}), "model_reply_broken"
    yield (
        "a call that is text",
        json_body({"choices": [{"message": {"tool_calls": ["x"]}, "finish_reason": "stop"}]}),
        "model_reply_broken",
    )
    yield "tool_calls without a call", chat.streamed("はい", stop="tool_calls"), "model_reply_broken"
    for after in range(len(CHAT_WHOLE) - 1):  # behind the last of these the reply has said why it ends
        yield (
            f"ends after {after}",
            chat.streamed("調べます。", *CHAT_CALLS, end="stop", after=after),
            "model_reply_cut",
        )
        yield f"cut after {after}", chat.streamed("調べます。", *CHAT_CALLS, end="cut", after=after), "net_cut"
        yield (
            f"garbage after {after}",
            chat.spoiled("調べます。", *CHAT_CALLS, after=after, with_=b"data: {nonsense\n\n"),
            "model_reply_broken",
        )
    for after in (0, 2, 5):
        yield f"silence after {after}", chat.streamed("調べます。", *CHAT_CALLS, end="hold", after=after), "net_stalled"


TABLE = [
    pytest.param(wire, said, code, id=f"{wire.provider}: {name}")
    for wire, faults in ((CLAUDE, claude_faults), (CHAT, chat_faults))
    for name, said, code in faults()
]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.fixture(scope="module")
def models(server: LoopbackServer) -> dict[str, Any]:
    patient = {wire.provider: wire.open(server, 60.0) for wire in (CLAUDE, CHAT)}
    return patient | {f"impatient {wire.provider}": wire.open(server, SILENCE) for wire in (CLAUDE, CHAT)}


def drive(state: RunState, model: Any) -> list[Step]:
    return list(loop.run(state, model, TOOLS, Cancellation()))


@pytest.mark.parametrize(("wire", "said", "code"), TABLE)
def test_a_fault_has_a_sentence_leaves_the_history_alone_and_the_next_question_is_answered(
    server: LoopbackServer, models: dict[str, Any], wire: Wire, said: Said, code: str
) -> None:
    model, prompt = models[wire.provider], wire.prompt()
    server.script(wire.answer("こんにちは"))
    first = drive(RunState.start("run-1", "conv-1", prompt, "一つ目"), model)
    before = [step.state for step in first if isinstance(step, Checkpoint)][-1].follow_up("run-2", prompt, "二つ目")

    server.script(said)
    server.holding.clear()
    steps = drive(before, models[f"impatient {wire.provider}"] if code == "net_stalled" else model)
    stop = steps[-1]
    assert isinstance(stop, RunStopped)
    assert stop.code == code or (code.endswith("*") and stop.code.startswith(code[:-1]))
    assert len(stop.detail) > 10
    assert not [step for step in steps if isinstance(step, ToolFinished)]
    after = [before, *(step.state for step in steps if isinstance(step, Checkpoint))][-1]
    assert after.messages == before.messages
    assert is_legal(after.messages)
    if code == "net_stalled":  # the server's side may only now get to the step that we gave up on
        assert server.holding.wait(20)
    server.let_go.set()
    server.let_go.clear()

    server.script(wire.answer("三つ目の答え"))
    steps = drive(after.follow_up("run-3", prompt, "三つ目"), model)
    assert isinstance(steps[-1], RunFinished)
    assert steps[-1].text == "三つ目の答え"


@pytest.mark.parametrize("wire", [CLAUDE, CHAT], ids=lambda wire: wire.provider)
def test_two_writes_and_three_reads_in_one_reply(server: LoopbackServer, models: dict[str, Any], wire: Wire) -> None:
    other = {**REQUEST, "title": "別件"}
    wanted: list[tuple[str, str, dict[str, Any]]] = [
        ("w1", "create_work_request", REQUEST),
        ("r1", "search_equipment", {"query": "ライン3"}),
        ("r2", "search_manual", {"model": "FL-200", "keywords": "E-12"}),
        ("w2", "create_work_request", other),
        ("r3", "search_records", {"equipment_id": "EQ-003", "keywords": "E-12"}),
    ]
    if wire is CLAUDE:
        server.script(api.answer(*(api.tool_use(i, n, **g) for i, n, g in wanted)), api.answer("登録しました。"))
    else:
        calls = [chat.call(i, n, **g) for i, n, g in wanted]
        server.script(chat.streamed("", *calls), chat.streamed("登録しました。"))
    *_, parked = drive(RunState.start("run-1", "conv-1", wire.prompt(), "依頼して"), models[wire.provider])
    assert isinstance(parked, Checkpoint)
    assert [draft.call_id for draft in parked.drafts] == ["w1", "w2"]
    assert sorted(parked.state.done) == ["r1", "r2", "r3"]
    assert len(server.seen) == 1
    decided = parked.state.with_result("w2", {"status": "withdrawn", "reason": ""})
    decided = decided.with_result("w1", {"status": "registered", "number": "WR-0001"})
    assert isinstance(drive(decided, models[wire.provider])[-1], RunFinished)
    sent = server.seen[1].body["messages"]
    order = (
        [block["tool_use_id"] for block in sent[-1]["content"]]
        if wire is CLAUDE
        else [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    )
    assert order == ["w1", "r1", "r2", "w2", "r3"]
