"""Guided mode: the order is ours, and the loop's rules hold as ever."""

import json
from collections.abc import Iterator

import jsonschema
import pytest

from desktop.agent import loop
from desktop.agent.events import RunFinished, RunStopped, TextDelta, ToolFinished
from desktop.agent.guided import Guided, Known
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.models.failure import Patience
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.agent.tool import Toolset
from desktop.net import Cancellation, Route
from tests.fakes.chat_server import ChatServer, whole
from tests.fakes.plant_tools import REQUEST, plant_tools

EVERY = plant_tools()
READS = Toolset(EVERY.find(name) for name in ("search_equipment", "search_manual", "search_records"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def guided(server: ChatServer, known: Known | None = None) -> Guided:
    options = ChatOptions(server.url, "small", patience=Patience(first=0.0), read_timeout=20.0)
    return Guided(OpenAICompatible("", options, Route(proxy="direct")), known or Known())


def asked(tools: Toolset) -> RunState:
    return RunState.start(
        "run-1", "conv-1", Prompt("openai", "small", "保全ナビ", tools.declarations), "E-12の直し方は？"
    )


def form(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


def drive(model: Guided, tools: Toolset, state: RunState | None = None) -> list[Step]:
    return list(loop.run(state or asked(tools), model, tools, Cancellation()))


def only(steps: list[Step], kind: type) -> list:
    return [step for step in steps if isinstance(step, kind)]


def schemas(server: ChatServer) -> list[dict]:
    return [seen.body["response_format"]["json_schema"]["schema"] for seen in server.seen]


def test_machine_manual_records_answer_in_our_order_each_under_its_own_form(server: ChatServer) -> None:
    server.script(
        whole(form(query="ライン3 充填機")),
        whole(form(model="FL-200", keywords="E-12")),
        whole(form(equipment_id="EQ-003", keywords="E-12")),
        whole(form(text="ノズルを清掃する。", refs=["manual:FL-200#5.2", "manual:FL-200#5.2"])),
    )
    steps = drive(guided(server), READS)
    assert server.done
    assert [step.name for step in only(steps, ToolFinished)] == ["search_equipment", "search_manual", "search_records"]
    assert only(steps, RunFinished)[0].text == "ノズルを清掃する。[ref:manual:FL-200#5.2]"
    assert [step.text for step in only(steps, TextDelta)] == ["ノズルを清掃する。[ref:manual:FL-200#5.2]"]
    machine, manual, records, answer = schemas(server)
    assert list(machine["properties"]) == ["query"]
    assert manual["properties"]["model"] == {"enum": ["FL-200"]}
    assert records["properties"]["equipment_id"] == {"enum": ["EQ-003"]}
    assert answer["properties"]["refs"]["items"] == {"enum": ["ledger:EQ-003", "manual:FL-200#5.2", "record:MR-0007"]}
    assert all("tools" not in seen.body and seen.body["stream"] is False for seen in server.seen)
    roles = [message["role"] for message in server.seen[3].body["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "assistant", "user"]


def test_what_the_harness_has_settled_is_not_asked_again(server: ChatServer) -> None:
    server.script(whole(form(text="清掃する。[ref:manual:FL-200#5.2]", refs=["manual:FL-200#5.2"])))
    steps = drive(guided(server, Known((("EQ-003", "FL-200"),), ("manual:FL-200#5.2",), enough=True)), READS)
    assert only(steps, RunFinished)[0].text == "清掃する。[ref:manual:FL-200#5.2]"
    assert len(server.seen) == 1
    assert schemas(server)[0]["properties"]["refs"]["items"] == {"enum": ["manual:FL-200#5.2"]}


def test_a_request_that_nobody_asked_for_is_not_offered(server: ChatServer) -> None:
    server.script(whole(form(text="清掃する。", refs=[])))
    steps = drive(guided(server, Known((("EQ-003", "FL-200"),), enough=True)), EVERY)
    assert only(steps, RunFinished)


def test_no_machine_found_goes_straight_to_the_answer(server: ChatServer) -> None:
    server.script(whole(form(query="ライン9")), whole(form(text="見つかりません。", refs=[])))
    steps = drive(guided(server), READS)
    assert only(steps, RunFinished)[0].text == "見つかりません。"
    assert schemas(server)[1]["properties"]["refs"] == {"type": "array", "maxItems": 0}


def test_a_request_is_filled_once_waits_for_a_person_and_is_then_reported(server: ChatServer) -> None:
    known = Known((("EQ-003", "FL-200"),), enough=True, wants_request=True)
    server.script(whole(form(**REQUEST)))
    parked = drive(guided(server, known), EVERY)[-1]
    assert isinstance(parked, Checkpoint)
    assert parked.drafts[0].input == REQUEST
    assert schemas(server)[0]["properties"]["equipment_id"] == {"enum": ["EQ-003"]}
    decided = RunState.from_json(parked.state.to_json()).with_result(
        parked.drafts[0].call_id, {"status": "registered", "number": "WR-0001"}
    )
    server.script(whole(form(text="WR-0001 で登録しました。", refs=[])))
    steps = drive(guided(server, known), EVERY, decided)
    assert only(steps, RunFinished)
    assert "WR-0001" in server.seen[0].body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (whole("ノズルを清掃してください。"), "model_reply_broken"),
        (whole(form(answer="清掃")), "model_reply_broken"),
        (whole("[]"), "model_reply_broken"),
        (whole(form(text="清掃", refs=["manual:INVENTED#1"])), "model_reply_broken"),
        (whole('{"text": "長い', stop="length"), "run_max_tokens"),
    ],
)
def test_a_form_that_was_not_filled_is_not_used(server: ChatServer, said: object, code: str) -> None:
    server.script(said)
    known = Known((("EQ-003", "FL-200"),), ("manual:FL-200#5.2",), enough=True)
    stop = only(drive(guided(server, known), READS), RunStopped)[0]
    assert stop.code == code


def test_every_form_is_a_schema_that_a_grammar_can_hold(server: ChatServer) -> None:
    server.script(whole(form(query="ライン3")), whole(form(model="FL-200", keywords="E-12")))
    drive(guided(server), EVERY)
    for schema in schemas(server):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"])
