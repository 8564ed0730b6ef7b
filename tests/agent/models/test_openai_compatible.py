"""Servers that speak chat-completions, with the habits of those that are really out there."""

import json
from collections.abc import Iterator

import pytest

from desktop.agent import loop
from desktop.agent.events import Retrying, RunFinished, RunStopped, TextDelta, Thinking, ToolFinished, TurnFinished
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.messages import assistant_message
from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.errors import KnownError
from desktop.net import Cancellation, Route
from tests.fakes.chat_server import Call, ChatServer, call, error, streamed, whole
from tests.fakes.loopback import json_body
from tests.fakes.plant_tools import REQUEST, plant_tools

TOOLS = plant_tools()
PROMPT = Prompt("openai", "local", "まず台帳で設備を確定する。", TOOLS.declarations)
EQUIPMENT = call("c-1", "search_equipment", query="ライン3 充填機")
MANUAL = call("c-2", "search_manual", model="FL-200", keywords="E-12")
RECORDS = call("c-3", "search_records", equipment_id="EQ-003", keywords="E-12")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def local(server: ChatServer, key: str = "", **more: object) -> OpenAICompatible:
    options = {"stream_with_tools": True, "patience": Patience(first=0.0), "read_timeout": 20.0, **more}
    return OpenAICompatible(key, ChatOptions(server.url, "local", **options), Route(proxy="direct"))


def asked(prompt: Prompt = PROMPT) -> RunState:
    return RunState.start("run-1", "conv-1", prompt, "ライン3の充填機でE-12が出た")


def drive(model: OpenAICompatible, state: RunState | None = None) -> list[Step]:
    return list(loop.run(state or asked(), model, TOOLS, Cancellation()))


def last_state(steps: list[Step]) -> RunState:
    return [step.state for step in steps if isinstance(step, Checkpoint)][-1]


def only(steps: list[Step], kind: type) -> list:
    return [step for step in steps if isinstance(step, kind)]


@pytest.mark.parametrize("streams", [True, False])
def test_the_original_conversation_with_one_tool_message_a_call_in_order(server: ChatServer, streams: bool) -> None:
    say = streamed if streams else whole
    server.script(say("", EQUIPMENT), say("調べます。", RECORDS, MANUAL), say("ノズルを清掃。[ref:manual:FL-200#5.2]"))
    steps = drive(local(server, stream_with_tools=streams))
    assert only(steps, RunFinished)[0].text == "ノズルを清掃。[ref:manual:FL-200#5.2]"
    assert [seen.body["stream"] for seen in server.seen] == [streams] * 3
    sent = server.seen[2].body["messages"]
    assert [message["role"] for message in sent] == [
        "system", "user", "assistant", "tool", "assistant", "tool", "tool",
    ]  # fmt: skip
    assert [message["tool_call_id"] for message in sent[5:]] == ["c-3", "c-2"]
    assert json.loads(sent[6]["content"])["results"][0]["ref"] == "manual:FL-200#5.2"
    assert sent[4]["content"] == "調べます。"
    assert [one["id"] for one in sent[4]["tool_calls"]] == ["c-3", "c-2"]
    turn = only(steps, TurnFinished)[0]
    assert (turn.input_tokens, turn.output_tokens, turn.model) == (100, 7, "local")


def test_what_goes_over_the_wire(server: ChatServer) -> None:
    server.script(whole("はい"))
    drive(local(server, key="sk-planted", stream_with_tools=False, parallel=False, temperature=0.0))
    body = server.seen[0].body
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].headers["authorization"] == "Bearer sk-planted"
    assert (body["max_tokens"], body["temperature"], body["parallel_tool_calls"]) == (2048, 0.0, False)
    assert body["tools"][0]["function"].keys() == {"name", "description", "parameters"}
    assert "tool_choice" not in body
    server.script(whole("はい"))
    drive(local(server))
    assert "authorization" not in server.seen[0].headers
    assert not {"temperature", "parallel_tool_calls"} & server.seen[0].body.keys()


BARE: Call = (None, "search_equipment", '{"query": "ライン3"}')


@pytest.mark.parametrize(
    "said",
    [
        streamed("", EQUIPMENT, index="missing"),
        streamed("", EQUIPMENT, MANUAL, index="missing"),
        streamed("", EQUIPMENT, MANUAL, index="missing", split=False),
        streamed("", EQUIPMENT, MANUAL, index="zero", split=False),
        streamed("", EQUIPMENT, MANUAL, split=False),
        streamed("", BARE),
        streamed("", BARE, index="missing", split=False),
        streamed("", EQUIPMENT, stop="stop"),
        streamed("", EQUIPMENT, usage=False),
        whole("", EQUIPMENT, stop="stop"),
        whole("", BARE, BARE),
        json_body({
            "choices": [{
                "message": {
                    "content": [{"type": "text", "text": "調べます"}],
                    "tool_calls": [{"function": {"name": "search_equipment", "arguments": {"query": "ライン3"}}}],
                },
                "finish_reason": "tool_calls",
            }]
        }),
    ],
    ids=[
        "no index", "no index, two", "no index, whole", "every index zero", "whole calls", "no id",
        "no id, no index", "finish_reason stop", "no usage", "whole, finish_reason stop", "twins without id",
        "arguments as object, content as parts",
    ],
)  # fmt: skip
def test_a_call_is_understood_however_a_server_says_it(server: ChatServer, said: object) -> None:
    server.script(said, whole("はい"))
    steps = drive(local(server))
    executed = only(steps, ToolFinished)
    assert executed
    assert all(step.error is None for step in executed)
    assert executed[0].input["query"].startswith("ライン3")
    sent = server.seen[1].body["messages"]
    wanted = [one["id"] for one in sent[2]["tool_calls"]]
    assert [message["tool_call_id"] for message in sent[3:]] == wanted
    assert len(set(wanted)) == len(wanted)
    assert all(isinstance(json.loads(one["function"]["arguments"]), dict) for one in sent[2]["tool_calls"])
    assert only(steps, RunFinished)


@pytest.mark.parametrize("arguments", ['{"query": "ライ', "[1, 2]", "はい", '"text"'])
def test_arguments_that_are_no_object_are_an_error_result(server: ChatServer, arguments: str) -> None:
    server.script(streamed("", ("c-1", "search_equipment", arguments)), whole("はい"))
    steps = drive(local(server))
    assert "JSON" in only(steps, ToolFinished)[0].error
    assert server.seen[1].body["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert only(steps, RunFinished)


def test_a_server_that_numbers_its_calls_afresh_in_every_reply_is_no_trouble(server: ChatServer) -> None:
    first, second = (("call_0", name, arguments) for _, name, arguments in (EQUIPMENT, MANUAL))
    server.script(streamed("", first), streamed("", second), whole("はい"))
    steps = drive(local(server))
    assert only(steps, RunFinished)
    sent = server.seen[2].body["messages"]
    ids = [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    assert ids[0] == "call_0"
    assert len(set(ids)) == 2
    assert [one["id"] for message in sent for one in message.get("tool_calls", ())] == ids


def test_private_thoughts_are_progress_and_are_not_sent_back(server: ChatServer) -> None:
    server.script(streamed("調べます。", EQUIPMENT, reasoning="えーと"), whole("はい", reasoning_content="うーん"))
    steps = drive(local(server))
    assert [step.text for step in only(steps, Thinking)] == ["えーと", "うーん"]
    assert "えーと" not in json.dumps(server.seen[1].body, ensure_ascii=False)
    assert "".join(step.text for step in only(steps, TextDelta)) == "調べます。はい"


def test_a_reply_that_never_says_why_it_ended_is_not_used(server: ChatServer) -> None:
    server.script(streamed("途中", EQUIPMENT, stop="none"))
    steps = drive(local(server))
    assert only(steps, RunStopped)[0].code == "model_reply_cut"
    assert only(steps, ToolFinished) == []


def test_a_refusal_is_shown_as_one(server: ChatServer) -> None:
    server.script(
        json_body({"choices": [{"message": {"content": None, "refusal": "できません"}, "finish_reason": "stop"}]})
    )
    stop = only(drive(local(server)), RunStopped)[0]
    assert (stop.code, stop.values["why"]) == ("run_refused", "できません")


def test_a_busy_server_is_asked_again_and_an_error_inside_a_stream_has_its_name(server: ChatServer) -> None:
    server.script(error(503), whole("はい"))
    steps = drive(local(server))
    assert [step.code for step in only(steps, Retrying)] == ["model_server_error"]
    assert only(steps, RunFinished)
    inside = {"error": {"code": 400, "message": "the request exceeds the available context size", "type": "x"}}
    server.script(json_body(inside))
    assert only(drive(local(server)), RunStopped)[0].code == "run_context_full"


def test_the_history_of_another_kind_of_model_is_understood(server: ChatServer) -> None:
    cited = {"type": "search_result_location", "source": "record:MR-0007", "cited_text": "清掃"}
    state = asked().with_reply(
        assistant_message(
            [
                {"type": "thinking", "thinking": "ひみつ", "signature": "c2ln"},
                {"type": "text", "text": "調べます。", "citations": [cited]},
                {"type": "tool_use", "id": "toolu_1", "name": "search_manual", "input": {"model": "FL-200"}},
            ]
        )
    )
    passage = {
        "type": "search_result", "source": "manual:FL-200#5.2", "title": "5.2 E-12（1/1件）",
        "content": [{"type": "text", "text": "清掃する。"}],
    }  # fmt: skip
    server.script(whole("はい"))
    drive(local(server), state.with_result("toolu_1", [passage]))
    _, _, said, result = server.seen[0].body["messages"]
    assert said["content"] == "調べます。[ref:record:MR-0007]"
    assert json.loads(said["tool_calls"][0]["function"]["arguments"]) == {"model": "FL-200"}
    assert result["content"] == "[ref:manual:FL-200#5.2] 5.2 E-12（1/1件）\n清掃する。"
    assert "ひみつ" not in json.dumps(server.seen[0].body, ensure_ascii=False)


def test_a_parked_run_is_replayed_byte_for_byte(server: ChatServer) -> None:
    server.script(streamed("依頼します。", call("c-9", "create_work_request", **REQUEST), MANUAL))
    parked = last_state(drive(local(server)))
    before = server.seen[0].raw
    text = parked.to_json()
    decided = RunState.from_json(text).with_result("c-9", {"status": "registered", "number": "WR-0001"})
    server.script(whole("登録しました。"), whole("登録しました。"))
    drive(local(server), decided)
    drive(local(server), RunState.from_json(decided.to_json()))
    first, second = server.seen
    assert first.raw == second.raw
    prefix = before[before.index(b'"messages":[') : before.index(b"}],")]
    assert prefix in first.raw


def test_plaintext_beyond_the_loopback_is_refused() -> None:
    with pytest.raises(KnownError) as caught:
        OpenAICompatible("", ChatOptions("http://llm.plant.example:8000", "local"), Route())
    assert caught.value.code == "net_plaintext_refused"


def test_a_question_that_was_never_answered_goes_along_with_the_next(server: ChatServer) -> None:
    """Chat templates of many models refuse two messages of one role in a row."""
    server.script(error(400), whole("三つ目の答え"))
    drive(local(server))
    drive(local(server), asked().follow_up("run-2", PROMPT, "二つ目"))
    roles = [message["role"] for message in server.seen[1].body["messages"]]
    assert roles == ["system", "user"]
    assert server.seen[1].body["messages"][-1]["content"] == "ライン3の充填機でE-12が出た\n\n二つ目"
