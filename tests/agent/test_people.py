"""Names leave under stand-ins and come back letter by letter."""

import json
from collections.abc import Generator

import pytest

from desktop.agent import loop
from desktop.agent.events import RunFinished, TextDelta, Thinking
from desktop.agent.language_model import Progress
from desktop.agent.loop import Checkpoint
from desktop.agent.messages import Reply, assistant_message, text_of
from desktop.agent.people import hide_last, reveal, revealed
from desktop.agent.run_state import Prompt, RunState
from desktop.agent.tool import WITHHELD, Passage, Tool, ToolResult, Toolset
from desktop.net import Cancellation
from tests.fakes.plant_tools import REQUEST, WORD, plant_tools, schema
from tests.fakes.scripted_model import ScriptedModel, calls, says

TOOLS = plant_tools()
PROMPT = Prompt("scripted", "scripted-1", "s", TOOLS.declarations)
NAMES = ("佐藤 一郎", "佐藤", "鈴木　花子", "林")


def asked(question: str) -> RunState:
    return hide_last(RunState.start("run-1", "conv-1", PROMPT, question), NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "佐藤 一郎が清掃。佐藤一郎・佐藤、鈴木花子も確認。",
        "鈴木さんが林立する配管を点検",
        "担当Aという欄がある。記入は佐藤。",
        "誰の名前もない文",
    ],
)
def test_what_is_hidden_comes_back_letter_by_letter(text: str) -> None:
    state = asked(text)
    sent = text_of(state.last)
    for name in ("佐藤", "鈴木", "花子", "一郎"):
        assert name not in sent
    assert reveal(sent, state.people) == text


def test_the_same_person_keeps_the_stand_in_over_the_whole_conversation() -> None:
    first = asked("佐藤が清掃")
    second = hide_last(first.follow_up("run-2", PROMPT, "佐藤はいつ清掃した？"), NAMES)
    assert text_of(first.last) == "担当Aが清掃"
    assert text_of(second.last) == "担当Aはいつ清掃した？"


def test_a_code_right_behind_a_stand_in_is_no_part_of_it() -> None:
    assert reveal("担当AE-12を確認", {"担当A": "佐藤"}) == "佐藤E-12を確認"
    assert reveal("担当ZZ", {"担当A": "佐藤"}) == "担当ZZ"


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_stand_in_in_pieces_is_shown_whole(size: int) -> None:
    said = "担当Aが担当BとE-12を確認した。担当"

    def pieces() -> Generator[Progress, None, Reply]:
        yield Thinking("担当Aに聞く")
        for at in range(0, len(said), size):
            yield TextDelta(said[at : at + size])
        return Reply(assistant_message([]), "end_turn")

    shown = list(revealed(pieces(), {"担当A": "佐藤", "担当B": "鈴木"}))
    assert shown[0] == Thinking("佐藤に聞く")
    assert "".join(piece.text for piece in shown[1:]) == "佐藤が鈴木とE-12を確認した。担当"


def test_no_name_is_sent_and_every_name_is_shown() -> None:
    model = ScriptedModel(
        calls(("t1", "search_records", {"equipment_id": "EQ-003", "keywords": "担当A"})),
        says("担当Aの清掃で直りました。"),
    )
    run = loop.run(asked("佐藤はどう直した？"), model, TOOLS, Cancellation(), names=NAMES, outside=True)
    steps = list(run)
    assert "佐藤" not in "".join(json.dumps(state.messages, ensure_ascii=False) for state in model.asked)
    assert "担当A" in json.dumps(model.asked[1].messages[-1], ensure_ascii=False)
    assert steps[-1] == RunFinished("佐藤の清掃で直りました。", steps[-1].usage)
    assert "佐藤の清掃で直りました。" in [step.text for step in steps if isinstance(step, TextDelta)]


def test_a_draft_and_the_decision_about_it_carry_real_names_here_and_stand_ins_outside() -> None:
    request = {**REQUEST, "detail": "担当Aが清掃したが再発"}
    state = asked("佐藤が清掃しても直らない。依頼して")
    drafting = ScriptedModel(calls(("t1", "create_work_request", request)))
    *_, parked = loop.run(state, drafting, TOOLS, Cancellation(), names=NAMES)
    assert isinstance(parked, Checkpoint)
    assert parked.drafts[0].input["detail"] == "佐藤が清掃したが再発"
    decided = parked.state.with_result("t1", {"status": "rejected_by_user", "reason": "鈴木に確認中"})
    again = ("t2", "create_work_request", request)
    model = ScriptedModel(calls(again), says("見送られました。"))
    steps = list(loop.run(decided, model, TOOLS, Cancellation(), names=NAMES))
    sent = json.dumps([state.messages for state in model.asked], ensure_ascii=False)
    assert "鈴木" not in sent
    assert not any(step.drafts for step in steps if isinstance(step, Checkpoint))
    last_people = [step.state.people for step in steps if isinstance(step, Checkpoint)][-1]
    assert sorted(last_people.values()) == ["佐藤", "鈴木"]


def test_a_manual_that_may_not_leave_is_shown_here_and_withheld_there() -> None:
    hits = [
        {"ref": "manual:A#1", "heading": "社外秘", "body": "秘密の手順"},
        {"ref": "manual:B#1", "body": "公開の手順"},
    ]
    passages = (
        Passage("manual:A#1", "社外秘", ("秘密の手順",), may_leave=False),
        Passage("manual:B#1", "B", ("公開の手順",)),
    )
    result = ToolResult({"total": 2, "results": hits}, 2, 2, passages)
    tools = Toolset([Tool("search_manual", "", schema(model=WORD), lambda _given: result)])
    for native in (True, False):
        for outside in (True, False):
            model = ScriptedModel(calls(("t1", "search_manual", {"model": "A"})), says("はい"), native_citations=native)
            steps = list(loop.run(asked("手順は？"), model, tools, Cancellation(), outside=outside))
            sent = json.dumps(model.asked[1].messages, ensure_ascii=False)
            assert ("秘密" in sent, "社外秘" in sent, WITHHELD in sent) == (not outside, not outside, outside)
            assert "公開の手順" in sent
            assert any("秘密の手順" in str(getattr(step, "content", "")) for step in steps)
