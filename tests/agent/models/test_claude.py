"""Claude over the real SDK against a server that speaks the Messages API on the loopback."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from desktop.agent import loop
from desktop.agent.events import Retrying, RunFinished, RunStopped, StopReason, TextDelta, Thinking, TurnFinished
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.messages import quotes_in
from desktop.agent.models.claude import Claude, ClaudeOptions, open_claude
from desktop.agent.models.failure import Patience
from desktop.agent.models.prices import read_prices
from desktop.agent.run_state import Prompt, RunState
from desktop.errors import KnownError
from desktop.net import Cancellation, Route
from tests.fakes import messages_server as api
from tests.fakes.loopback import Seen, say_nothing
from tests.fakes.messages_server import MessagesServer, answer, broken, error, text, thinking, tool_use
from tests.fakes.plant_tools import REQUEST, plant_tools

TOOLS = plant_tools()
PROMPT = Prompt("anthropic", api.MODEL, "まず台帳で設備を確定する。", TOOLS.declarations)
AT_ONCE = Patience(first=0.0)


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as running:
        yield running


def claude(server: MessagesServer, **more: object) -> Claude:
    options = {"patience": AT_ONCE, "read_timeout": 20.0, **more}
    return open_claude("sk-ant-planted-key", ClaudeOptions(server.url, api.MODEL, **options), Route(proxy="direct"))


def asked(question: str = "ライン3の充填機でE-12が出た") -> RunState:
    return RunState.start("run-1", "conv-1", PROMPT, question)


def drive(state: RunState, model: Claude, cancelled: Cancellation | None = None) -> list[Step]:
    return list(loop.run(state, model, TOOLS, cancelled or Cancellation()))


def last_state(steps: list[Step]) -> RunState:
    return [step.state for step in steps if isinstance(step, Checkpoint)][-1]


def only(steps: list[Step], kind: type) -> list:
    return [step for step in steps if isinstance(step, kind)]


def history_bytes(seen: Seen) -> bytes:
    """The messages of a request as they went over the wire, without the closing bracket."""
    start = seen.raw.index(b'"messages":[')
    sent = json.dumps(seen.body["messages"], ensure_ascii=False, separators=(",", ":")).encode()
    assert seen.raw[start + len(b'"messages":') :].startswith(sent)
    return sent[:-1]


def test_the_original_conversation_in_three_rounds(server: MessagesServer) -> None:
    server.script(
        answer(thinking("設備を確かめる"), tool_use("t1", "search_equipment", query="ライン3 充填機")),
        answer(
            thinking("", "c2lnMg=="),
            tool_use("t2", "search_manual", model="FL-200", keywords="E-12"),
            tool_use("t3", "search_records", equipment_id="EQ-003", keywords="E-12"),
        ),
        answer(text("ノズルを外して清掃してください。", api.cited("manual:FL-200#5.2", "ノズルを外して清掃する。"))),
    )
    steps = drive(asked(), claude(server))
    assert server.done
    finished = only(steps, RunFinished)[0]
    assert finished.text == "ノズルを外して清掃してください。[ref:manual:FL-200#5.2]"
    assert "".join(step.text for step in only(steps, TextDelta)) == finished.text
    assert "".join(step.text for step in only(steps, Thinking)) == "設備を確かめる"
    assert [quote.text for quote in quotes_in(last_state(steps).last)] == ["ノズルを外して清掃する。"]
    bodies = [seen.body for seen in server.seen]
    assert [len(body["messages"]) for body in bodies] == [1, 3, 5]
    round_two = bodies[2]["messages"][4]["content"]
    assert [block["tool_use_id"] for block in round_two] == ["t2", "t3"]
    assert round_two[0]["content"][0]["type"] == "search_result"
    assert [line["text"] for line in round_two[0]["content"][0]["content"]] == [
        "E-12 はノズル詰まり。",
        "ノズルを外して清掃する。",
    ]


def test_what_goes_over_the_wire(server: MessagesServer) -> None:
    server.script(answer("はい"))
    drive(asked(), claude(server, effort="low", max_tokens=4000))
    seen = server.seen[0]
    body = seen.body
    assert (body["model"], body["max_tokens"], body["stream"]) == (api.MODEL, 4000, True)
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "low"}
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral"} == body["cache_control"]
    assert all(tool["strict"] and not tool["input_schema"]["additionalProperties"] for tool in body["tools"])
    assert "tool_choice" not in body
    assert seen.headers["authorization"] == "Bearer sk-ant-planted-key"


def test_a_gateway_that_knows_only_the_basics_gets_only_these(server: MessagesServer) -> None:
    server.script(answer(tool_use("t1", "search_manual", model="FL-200", keywords="E-12")), answer("はい"))
    drive(asked(), claude(server, basic=True))
    body = server.seen[1].body
    assert not {"thinking", "cache_control", "output_config"} & body.keys()
    assert all("strict" not in tool for tool in body["tools"])
    assert json.loads(body["messages"][2]["content"][0]["content"])["total"] == 1


def test_a_reply_is_replayed_byte_for_byte_even_by_another_process(server: MessagesServer) -> None:
    odd = {"type": "hologram", "planes": [1, {"深さ": 2.5}], "note": None}
    redacted = {"type": "redacted_thinking", "data": "AAAA"}
    said = [
        thinking("考え中", "c2ln"),
        redacted,
        odd,
        text("調べます。"),
        tool_use("t1", "search_equipment", query="ライン3"),
    ]
    server.script(answer(*said), answer("はい"))
    steps = drive(asked(), claude(server))
    sent = server.seen[1].body["messages"]
    assert sent[1]["content"] == said
    before = history_bytes(server.seen[1])
    stored = last_state(steps).to_json()
    assert RunState.from_json(stored).to_json() == stored
    server.script(answer("つづき"))
    drive(RunState.from_json(stored).follow_up("run-2", PROMPT, "次は？"), claude(server))
    assert server.seen[0].raw.count(before) == 1  # the same bytes, then the new question


def test_a_run_resumed_after_new_labels_and_a_new_prompt_resends_the_old_ones(server: MessagesServer) -> None:
    server.script(answer(tool_use("t1", "create_work_request", **REQUEST)))
    parked = last_state(drive(asked(), claude(server)))
    first = server.seen[0].body
    decided = RunState.from_json(parked.to_json()).with_result("t1", {"status": "registered", "number": "WR-0001"})
    server.script(answer("登録しました。"))
    other = open_claude("k", ClaudeOptions(server.url, "claude-of-tomorrow"), Route(proxy="direct"))
    list(loop.run(decided, other, TOOLS, Cancellation()))
    resumed = server.seen[0].body
    assert {key: resumed[key] for key in ("model", "system", "tools")} == {
        key: first[key] for key in ("model", "system", "tools")
    }


def test_usage_counts_the_whole_prompt_and_the_cost_what_the_cache_saved(server: MessagesServer) -> None:
    server.script(answer("はい"))
    prices = read_prices([f"{api.MODEL} 4 20"])
    steps = drive(asked(), claude(server, prices=prices))
    turn = only(steps, TurnFinished)[0]
    assert (turn.input_tokens, turn.output_tokens, turn.cache_read_tokens, turn.model) == (150, 42, 30, api.MODEL)
    assert only(steps, RunFinished)[0].usage.cost == pytest.approx((100 * 4 + 20 * 5 + 30 * 0.4 + 42 * 20) / 1e6)


def test_a_provider_that_is_busy_is_asked_again_and_nothing_is_shown_twice(server: MessagesServer) -> None:
    server.script(
        error(529, "overloaded_error"),
        error(429, "rate_limit_error", retry_after="0"),
        answer("はい"),
    )
    steps = drive(asked(), claude(server))
    assert [step.code for step in only(steps, Retrying)] == ["model_overloaded", "model_rate_limit"]
    assert [step.text for step in only(steps, TextDelta)] == ["はい"]


def test_after_text_was_shown_a_broken_stream_is_not_asked_for_again(server: MessagesServer) -> None:
    server.script(broken("ノズルを外して清掃してください。", end="cut", after=5), answer("二度目"))
    steps = drive(asked(), claude(server))
    assert only(steps, RunStopped)[0].code == "net_cut"
    assert len(server.seen) == 1


def test_a_huge_retry_after_is_not_waited_for(server: MessagesServer) -> None:
    server.script(error(429, "rate_limit_error", retry_after="4294967"))
    stop = only(drive(asked(), claude(server)), RunStopped)[0]
    assert (stop.code, stop.values["seconds"]) == ("model_rate_limit", "4294967")


@pytest.mark.parametrize("where", ["before headers", "in the middle of text", "while backing off"])
def test_stopping_works_while_the_server_is_silent(server: MessagesServer, where: str) -> None:
    stop = Cancellation()
    match where:
        case "before headers":
            server.script(say_nothing)
        case "in the middle of text":
            server.script(broken("ノズルを外して", end="hold", after=5))
        case _:
            server.script(error(529, "overloaded_error"))
    patience = Patience(first=600.0, cap=600.0) if where == "while backing off" else AT_ONCE
    steps: list[Step] = []
    backing_off = threading.Event()

    def work() -> None:
        for step in loop.run(asked(), claude(server, patience=patience), TOOLS, stop):
            steps.append(step)
            if isinstance(step, Retrying):
                backing_off.set()

    worker = threading.Thread(target=work)
    worker.start()
    assert (backing_off if where == "while backing off" else server.holding).wait(20)
    stop.set()
    worker.join(10)
    assert not worker.is_alive()
    assert only(steps, RunStopped)[0].reason is StopReason.CANCELLED
    assert not server.let_go.is_set()  # the server still holds its end


def test_who_refuses_is_followed_by_the_model_that_policy_names_if_any(server: MessagesServer) -> None:
    refusal = answer(stop="refusal", stop_details={"type": "refusal", "category": None, "explanation": "だめ"})
    server.script(refusal, answer("代わりに答えます。"))
    steps = drive(asked(), claude(server, fallback_model="claude-haiku-5-5"))
    assert [seen.body["model"] for seen in server.seen] == [api.MODEL, "claude-haiku-5-5"]
    assert only(steps, RunFinished)[0].text == "代わりに答えます。"
    server.script(refusal)
    stop = only(drive(asked(), claude(server)), RunStopped)[0]
    assert (stop.reason, stop.values["why"]) == (StopReason.REFUSAL, "だめ")
    server.script(answer("途中まで", stop="refusal"), answer("二度目"))
    assert only(drive(asked(), claude(server, fallback_model="claude-haiku-5-5")), RunStopped)
    assert len(server.seen) == 1  # something was shown: not twice


def test_the_connection_test_names_the_model_or_the_cause(server: MessagesServer) -> None:
    server.script(
        api.json_body(
            {"id": api.MODEL, "type": "model", "display_name": "Claude", "created_at": "2026-09-01T00:00:00Z"}
        ),
        error(401, "authentication_error"),
    )
    model = claude(server)
    assert model.test()["id"] == api.MODEL
    assert server.seen[0].path == f"/v1/models/{api.MODEL}"
    with pytest.raises(KnownError) as caught:
        model.test()
    assert caught.value.code == "model_key_wrong"


def test_a_missing_key_and_a_plain_address_are_refused_before_anything_is_sent() -> None:
    for key, url, code in (
        ("  ", "https://api.anthropic.com", "model_key_missing"),
        ("sk-ant-\n1", "https://api.anthropic.com", "model_key_wrong"),
        ("キー", "https://api.anthropic.com", "model_key_wrong"),
        ("k", "http://gateway.example", "net_plaintext_refused"),
        ("k", "api.anthropic.com", "net_bad_url"),
    ):
        with pytest.raises(KnownError) as caught:
            open_claude(key, ClaudeOptions(url, api.MODEL), Route())
        assert caught.value.code == code


def test_the_environment_can_neither_redirect_nor_decorate_requests(
    server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-other")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-planted: yes")
    server.script(answer("はい"))
    drive(asked(), claude(server))
    assert server.seen[0].headers["authorization"] == "Bearer sk-ant-planted-key"
    assert "x-planted" not in server.seen[0].headers


def test_the_sdk_is_loaded_when_claude_is_opened_and_not_before() -> None:
    program = "import sys, desktop.agent.models.claude, desktop.services.model_leg; print('anthropic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
