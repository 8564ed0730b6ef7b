"""The rules of the loop, with a model that says what the test wrote down."""

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from desktop.agent import loop
from desktop.agent.events import (
    ContextNearlyFull,
    RunFinished,
    RunStopped,
    StopReason,
    TextDelta,
    ToolFinished,
    TurnFinished,
    TurnStarted,
    Usage,
)
from desktop.agent.limits import Limits
from desktop.agent.loop import Checkpoint, Draft, Step
from desktop.agent.messages import Message, Reply, assistant_message, calls_in, text_of
from desktop.agent.run_state import Prompt, RunState
from desktop.errors import KnownError
from desktop.net import Cancellation
from tests.fakes.plant_tools import REQUEST, plant_tools
from tests.fakes.scripted_model import ScriptedModel, calls, says

TOOLS = plant_tools()
PROMPT = Prompt("scripted", "scripted-1", "まず台帳で設備を確定する。", TOOLS.declarations)


def asked(question: str = "ライン3の充填機でE-12が出た") -> RunState:
    return RunState.start("run-1", "conv-1", PROMPT, question)


def drive(state: RunState, model: ScriptedModel, **more: object) -> list[Step]:
    return list(loop.run(state, model, TOOLS, more.pop("cancelled", Cancellation()), **more))


def last_state(steps: Iterable[Step]) -> RunState:
    return [step.state for step in steps if isinstance(step, Checkpoint)][-1]


def only(steps: Iterable[Step], kind: type) -> list:
    return [step for step in steps if isinstance(step, kind)]


def assert_legal(messages: tuple[Message, ...]) -> None:
    """Every call is answered in the very next message, in order, and nothing is answered that was not asked."""
    for at, message in enumerate(messages):
        wanted = [call.call_id for call in calls_in(message)]
        following = messages[at + 1] if at + 1 < len(messages) else {"content": []}
        given = [b["tool_use_id"] for b in following["content"] if b["type"] == "tool_result"]
        if message["role"] == "assistant" and at + 1 < len(messages):
            assert given == wanted
    assert messages[0]["role"] == "user"


EQUIPMENT = ("t1", "search_equipment", {"query": "ライン3 充填機"})
MANUAL = ("t2", "search_manual", {"model": "FL-200", "keywords": "E-12"})
RECORDS = ("t3", "search_records", {"equipment_id": "EQ-003", "keywords": "E-12"})
CREATE = ("t4", "create_work_request", REQUEST)


def test_three_rounds_with_one_user_message_per_round_in_the_models_order() -> None:
    model = ScriptedModel(calls(EQUIPMENT), calls(RECORDS, MANUAL), says("ノズルを清掃してください。"))
    steps = drive(asked(), model)
    model.assert_complete()
    assert [message["role"] for message in last_state(steps).messages] == ["user", "assistant"] * 3
    results = [b["tool_use_id"] for b in model.asked[2].messages[-1]["content"]]
    assert results == ["t3", "t2"]
    assert_legal(last_state(steps).messages)
    assert [(step.name, step.count) for step in only(steps, ToolFinished)] == [
        ("search_equipment", 1),
        ("search_records", 1),
        ("search_manual", 1),
    ]
    assert only(steps, RunFinished)[0].text == "ノズルを清掃してください。"
    assert last_state(steps).refs == ("ledger:EQ-003", "record:MR-0007", "manual:FL-200#5.2")


def test_what_is_stored_comes_before_what_is_shown_of_it() -> None:
    steps = drive(asked(), ScriptedModel(calls(EQUIPMENT), says("はい")))
    kinds = [type(step).__name__ for step in steps]
    assert kinds == [
        "TurnStarted", "TurnFinished", "Checkpoint", "ToolFinished", "Checkpoint",
        "TurnStarted", "TextDelta", "TurnFinished", "Checkpoint", "RunFinished",
    ]  # fmt: skip


def test_usage_adds_up_and_a_run_knows_its_cost() -> None:
    steps = drive(asked(), ScriptedModel(calls(EQUIPMENT), says("はい"), price=0.25))
    usage = only(steps, RunFinished)[0].usage
    assert (usage.turns, usage.input_tokens, usage.output_tokens, usage.cost) == (2, 200, 20, 0.5)
    unknown = drive(asked(), ScriptedModel(says("はい")))
    assert only(unknown, RunFinished)[0].usage.cost is None


def test_reads_of_a_reply_are_done_at_once_and_the_write_waits_for_a_person() -> None:
    steps = drive(asked(), ScriptedModel(calls(CREATE, MANUAL)))
    parked = steps[-1]
    assert isinstance(parked, Checkpoint)
    assert parked.drafts == (Draft("t4", "create_work_request", REQUEST),)
    assert list(parked.state.done) == ["t2"]
    assert len(parked.state.messages) == 2  # nothing goes back while a call is unanswered


def test_two_writes_are_two_drafts_and_each_decision_is_taken_by_itself() -> None:
    other = {**REQUEST, "title": "別の依頼"}
    parked = drive(asked(), ScriptedModel(calls(CREATE, ("t5", "create_work_request", other))))[-1]
    assert isinstance(parked, Checkpoint)
    assert [draft.call_id for draft in parked.drafts] == ["t4", "t5"]
    half = parked.state.with_result("t5", {"status": "rejected_by_user", "reason": "様子を見る"})
    again = drive(half, ScriptedModel())[-1]
    assert isinstance(again, Checkpoint)
    assert [draft.call_id for draft in again.drafts] == ["t4"]
    whole = again.state.with_result("t4", {"status": "registered", "number": "WR-0001"})
    model = ScriptedModel(says("登録しました。"))
    drive(whole, model)
    sent = model.asked[0].messages[-1]["content"]
    assert [json.loads(block["content"])["status"] for block in sent] == ["registered", "rejected_by_user"]
    assert "様子を見る" in sent[1]["content"]


def test_a_parked_run_goes_on_in_another_process_with_the_same_history() -> None:
    parked = drive(asked(), ScriptedModel(calls(EQUIPMENT), calls(MANUAL, CREATE)))[-1]
    stored = parked.state.to_json()
    taken_up = RunState.from_json(stored)
    assert taken_up.to_json() == stored
    model = ScriptedModel(says("登録しました。"))
    steps = drive(taken_up.with_result("t4", {"status": "registered", "number": "WR-0001"}), model)
    assert json.dumps(model.asked[0].messages[:4]) == json.dumps(parked.state.messages)
    assert only(steps, RunFinished)
    assert_legal(last_state(steps).messages)


def test_a_decision_is_taken_once() -> None:
    parked = drive(asked(), ScriptedModel(calls(CREATE)))[-1]
    decided = parked.state.with_result("t4", {"status": "registered", "number": "WR-0001"})
    with pytest.raises(ValueError, match="t4"):
        decided.with_result("t4", {"status": "rejected_by_user", "reason": ""})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("t9", "search_records", {"equipment_id": "EQ-999", "keywords": ""}), "台帳にありません"),
        (("t9", "search_records", {"equipment_id": "EQ-404", "keywords": ""}), "内部エラー"),
        (("t9", "delete_everything", {}), "道具はありません"),
        (("t9", "search_manual", {"model": "FL-200"}), "keywords"),
        (("t9", "search_manual", {"model": 200, "keywords": ""}), "model"),
        (("t9", "search_manual", {"model": "FL-200", "keywords": "", "page": 1}), "page"),
        (("t9", "search_manual", None), "JSON"),
        (("t9", "create_work_request", {**REQUEST, "equipment_id": "EQ-999"}), "台帳にありません"),
        (("t9", "create_work_request", {**REQUEST, "priority": "至急"}), "priority"),
    ],
)
def test_what_goes_wrong_with_a_call_is_an_error_result_and_the_run_goes_on(
    call: tuple[str, str, dict | None], said: str
) -> None:
    model = ScriptedModel(calls(call), says("わかりました。"))
    steps = drive(asked(), model)
    (block,) = model.asked[1].messages[-1]["content"]
    assert block["is_error"]
    assert said in block["content"]
    assert "/home" not in block["content"]
    assert "Traceback" not in block["content"]
    assert only(steps, ToolFinished)[0].error
    assert only(steps, RunFinished)
    assert not any(step.drafts for step in only(steps, Checkpoint))


def test_nothing_found_is_an_empty_list_and_no_error() -> None:
    model = ScriptedModel(calls(("t1", "search_manual", {"model": "XX-1", "keywords": "E-12"})), says("ありません。"))
    drive(asked(), model)
    (block,) = model.asked[1].messages[-1]["content"]
    assert json.loads(block["content"]) == {"total": 0, "results": []}
    assert "is_error" not in block


def test_ten_turns_and_then_it_stops_with_the_reason() -> None:
    script = [calls((f"t{n}", "search_equipment", {"query": f"ライン{n}"})) for n in range(12)]
    model = ScriptedModel(*script)
    steps = drive(asked(), model)
    stop = only(steps, RunStopped)[0]
    assert (len(model.asked), stop.reason, stop.code) == (10, StopReason.TURN_LIMIT, "run_turn_limit")
    assert "10" in stop.detail
    assert_legal(last_state(steps).messages)


def test_the_same_call_three_times_stops_the_run_and_the_third_is_not_executed() -> None:
    script = [calls((f"t{n}", "search_equipment", {"query": "ライン3"})) for n in range(5)]
    steps = drive(asked(), ScriptedModel(*script))
    stop = only(steps, RunStopped)[0]
    assert (stop.reason, stop.values["name"]) == (StopReason.REPEAT_LIMIT, "search_equipment")
    assert [step.error is None for step in only(steps, ToolFinished)] == [True, True, False]
    assert_legal(last_state(steps).messages)


def test_a_request_repeated_in_a_conversation_gets_the_first_answer_and_no_second_card() -> None:
    parked = drive(asked(), ScriptedModel(calls(CREATE)))[-1]
    decided = parked.state.with_result("t4", {"status": "registered", "number": "WR-0001"})
    model = ScriptedModel(calls(("t5", "create_work_request", dict(reversed(REQUEST.items())))), says("登録済みです。"))
    steps = drive(decided, model)
    assert not any(step.drafts for step in only(steps, Checkpoint))
    assert "WR-0001" in model.asked[1].messages[-1]["content"][0]["content"]


def test_twins_in_one_reply_are_one_card() -> None:
    parked = drive(asked(), ScriptedModel(calls(CREATE, ("t5", "create_work_request", REQUEST))))[-1]
    assert [draft.call_id for draft in parked.drafts] == ["t4"]
    assert parked.state.done["t5"]["is_error"]


@pytest.mark.parametrize(
    ("reply", "reason", "code"),
    [
        (says("途中まで", stop="max_tokens"), StopReason.MAX_TOKENS, "run_max_tokens"),
        (calls(CREATE, stop="max_tokens"), StopReason.MAX_TOKENS, "run_max_tokens"),
        (calls(CREATE, stop=None), StopReason.ERROR, "model_reply_cut"),
        (calls(CREATE, stop="refusal"), StopReason.REFUSAL, "run_refused"),
        (calls(CREATE, stop="end_turn"), StopReason.ERROR, "model_reply_broken"),
        (calls(CREATE, stop="somehow"), StopReason.ERROR, "model_stop_unknown"),
        (says("呼ばない", stop="tool_use"), StopReason.ERROR, "model_reply_broken"),
        (says("", stop="end_turn"), StopReason.ERROR, "model_reply_empty"),
        (Reply(assistant_message([]), "end_turn"), StopReason.ERROR, "model_reply_empty"),
        (says("…", stop="model_context_window_exceeded"), StopReason.CONTEXT_FULL, "run_context_full"),
        (KnownError("model_key_wrong"), StopReason.ERROR, "model_key_wrong"),
        (KnownError("net_offline", host="api"), StopReason.UNREACHABLE, "net_offline"),
        (KnownError("run_context_full"), StopReason.CONTEXT_FULL, "run_context_full"),
    ],
)
def test_a_reply_that_can_not_be_used_leaves_the_history_as_before_and_the_next_question_works(
    reply: Reply | KnownError, reason: StopReason, code: str
) -> None:
    before = drive(asked(), ScriptedModel(calls(EQUIPMENT), says("はい")))
    state = last_state(before).follow_up("run-2", PROMPT, "依頼を出して")
    steps = drive(state, ScriptedModel(reply))
    stop = only(steps, RunStopped)[0]
    assert (stop.reason, stop.code) == (reason, code)
    assert stop.detail
    assert only(steps, ToolFinished) == []
    assert not any(step.drafts for step in only(steps, Checkpoint))
    after = last_state([Checkpoint(state), *steps])
    assert after.messages == state.messages
    model = ScriptedModel(says("次の答え"))
    assert only(drive(after.follow_up("run-3", PROMPT, "次の質問"), model), RunFinished)
    assert_legal(model.asked[0].messages)
    assert text_of(model.asked[0].messages[-1]) == "次の質問"


def test_a_refused_question_is_not_repeated_to_the_model() -> None:
    state = last_state(drive(asked("だめな質問"), ScriptedModel(says("…", stop="refusal"))))
    assert "だめな質問" not in json.dumps(state.follow_up("run-2", PROMPT, "次").messages, ensure_ascii=False)


@pytest.mark.parametrize(
    ("limits", "reason", "code"),
    [
        (Limits(tokens=150), StopReason.BUDGET, "run_token_budget"),
        (Limits(cost=0.4), StopReason.BUDGET, "run_cost_budget"),
        (Limits(seconds=3), StopReason.BUDGET, "run_time_budget"),
    ],
)
def test_a_budget_stops_between_turns(limits: Limits, reason: StopReason, code: str) -> None:
    ticks = iter(range(100))
    script = [calls((f"t{n}", "search_equipment", {"query": f"ライン{n}"})) for n in range(9)]
    steps = drive(asked(), ScriptedModel(*script, price=0.25), limits=limits, clock=lambda: float(next(ticks)))
    stop = only(steps, RunStopped)[0]
    assert (stop.reason, stop.code) == (reason, code)
    assert 1 <= stop.usage.turns <= 3
    assert_legal(last_state(steps).messages)


def test_a_context_that_is_nearly_full_is_said_before_the_provider_refuses() -> None:
    model = ScriptedModel(calls(EQUIPMENT), says("はい"), context_tokens=1100)
    assert only(drive(asked(), model), RunStopped)[0].reason is StopReason.CONTEXT_FULL


@pytest.mark.parametrize(("context", "told"), [(1_300, [ContextNearlyFull(110, 1_300)]), (1_500, []), (None, [])])
def test_little_room_left_is_told_with_the_answer(context: int | None, told: list[ContextNearlyFull]) -> None:
    steps = drive(asked(), ScriptedModel(says("はい"), context_tokens=context))
    assert only(steps, ContextNearlyFull) == told
    assert isinstance(steps[-1], RunFinished)


def test_a_full_conversation_is_told_before_its_next_question_is_sent() -> None:
    model = ScriptedModel(says("はい"), says("二つ目"), context_tokens=1_105)
    state = last_state(drive(asked(), model))
    assert only(drive(state.follow_up("run-2", PROMPT, "次は"), model), RunStopped)[0].code == "run_context_full"
    assert len(model.asked) == 1
    other = replace(PROMPT, system="別の指示")  # only the texts go along, which takes less room
    assert only(drive(state.follow_up("run-2", other, "次は"), model), RunFinished)


def test_what_another_provider_cost_before_counts_on() -> None:
    begun = replace(asked(), usage=Usage(turns=1, input_tokens=5, cost=0.5))
    (done,) = only(drive(begun, ScriptedModel(says("はい"), price=0.25)), RunFinished)
    assert (done.usage.turns, done.usage.input_tokens, done.usage.cost) == (2, 105, 0.75)


def test_stopped_before_the_turn_between_tools_and_in_the_middle_of_text() -> None:
    stop = Cancellation()
    stop.set()
    assert only(drive(asked(), ScriptedModel(), cancelled=stop), RunStopped)[0].reason is StopReason.CANCELLED

    stop = Cancellation()
    run = loop.run(asked(), ScriptedModel(calls(EQUIPMENT, CREATE)), TOOLS, stop)
    steps = []
    for step in run:
        steps.append(step)
        if isinstance(step, ToolFinished):
            stop.set()
    assert steps[-1].reason is StopReason.CANCELLED
    assert_legal(last_state(steps).messages)
    assert not any(step.drafts for step in only(steps, Checkpoint))

    stop = Cancellation()
    for step in loop.run(asked(), ScriptedModel(says("長い答え")), TOOLS, stop):
        if isinstance(step, TextDelta):
            stop.set()
    assert isinstance(step, RunStopped)
    assert step.reason is StopReason.CANCELLED


def test_a_run_that_ended_between_storing_and_showing_shows_its_answer() -> None:
    stored = last_state(drive(asked(), ScriptedModel(says("答え"))))
    assert drive(stored, ScriptedModel()) == [RunFinished("答え", stored.usage)]


def test_a_run_killed_after_the_reply_was_stored_executes_what_is_open() -> None:
    run = loop.run(asked(), ScriptedModel(calls(EQUIPMENT, CREATE)), TOOLS, Cancellation())
    first = next(step for step in run if isinstance(step, Checkpoint))
    run.close()
    parked = drive(RunState.from_json(first.state.to_json()), ScriptedModel())[-1]
    assert [draft.call_id for draft in parked.drafts] == ["t4"]
    assert list(parked.state.done) == ["t1"]


def test_a_paused_turn_is_sent_again_unchanged() -> None:
    model = ScriptedModel(says("調べています。", stop="pause_turn"), says("答え"))
    steps = drive(asked(), model)
    assert only(steps, RunFinished)[0].text == "答え"
    assert model.asked[1].messages[-1]["role"] == "assistant"


def test_the_trace_gets_each_turns_own_figures() -> None:
    steps = drive(asked(), ScriptedModel(calls(EQUIPMENT), says("はい")), clock=iter(range(99)).__next__)
    assert [step.turn for step in only(steps, TurnStarted)] == [1, 2]
    assert [(s.turn, s.stop_reason, s.input_tokens, s.output_tokens) for s in only(steps, TurnFinished)] == [
        (1, "tool_use", 100, 10),
        (2, "end_turn", 100, 10),
    ]
