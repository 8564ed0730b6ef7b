"""The model's part of a question: checked, sent back once, marked if it did not mend."""

from collections.abc import Callable

from desktop.agent.events import AnswerChecked, RunFinished, RunStopped
from desktop.agent.limits import Limits
from desktop.agent.loop import Checkpoint, Step
from desktop.agent.messages import Reply, text_of
from desktop.agent.run_state import Prompt, RunState
from desktop.domain.answer import AnswerWarning, CheckedText, WarningKind
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.services.model_leg import ModelLeg, Written, question_with_facts
from tests.fakes.plant_tools import REQUEST, plant_tools
from tests.fakes.scripted_model import ScriptedModel, calls, says

TOOLS = plant_tools()
WRONG = AnswerWarning(WarningKind.WRONG_OWNER, "EQ-001 はライン1の設備です。", "EQ-001")


def check(written: Written) -> CheckedText:
    at = written.text.find("EQ-001")
    return CheckedText(written.text, ((at, at + 6),), (WRONG,)) if at >= 0 else CheckedText(written.text)


def drive(
    *script: Reply | KnownError,
    state: RunState | None = None,
    limits: Limits | None = None,
    checking: Callable[[Written], CheckedText] = check,
) -> tuple[list[Step], ScriptedModel]:
    model = ScriptedModel(*script)
    leg = ModelLeg(model, TOOLS, checking, limits or Limits())
    begun = RunState.start("run-1", "conv-1", Prompt("scripted", "scripted-1", "s", TOOLS.declarations), "E-12が出た")
    return list(leg.run(state or begun, Cancellation())), model


def kinds(steps: list[Step]) -> list[str]:
    return [type(step).__name__ for step in steps if type(step).__name__.startswith(("Answer", "Run"))]


def test_a_clean_text_is_checked_and_then_finished() -> None:
    steps, _ = drive(says("EQ-003 のノズルを清掃。"))
    assert kinds(steps) == ["AnswerChecked", "RunFinished"]
    assert steps[-2] == AnswerChecked(CheckedText("EQ-003 のノズルを清掃。"))


def test_a_finding_goes_back_once_as_facts_and_the_mended_text_stands() -> None:
    steps, model = drive(says("EQ-001 を清掃。"), says("EQ-003 を清掃。"))
    assert kinds(steps) == ["AnswerSentBack", "AnswerChecked", "RunFinished"]
    assert steps[-2] == AnswerChecked(CheckedText("EQ-003 を清掃。"), sent_back=True)
    told = text_of(model.asked[1].messages[-1])
    assert "EQ-001" in told
    assert "ライン1の設備" in told


def test_what_is_still_wrong_the_second_time_is_marked_and_shown() -> None:
    steps, model = drive(says("EQ-001 を清掃。"), says("やはり EQ-001 です。"))
    model.assert_complete()
    (checked,) = [step for step in steps if isinstance(step, AnswerChecked)]
    assert checked.checked.marked == ((4, 10),)
    assert checked.sent_back


def test_a_second_try_that_never_ends_leaves_the_first_marked() -> None:
    steps, _ = drive(says("EQ-001 を清掃。"), KnownError("net_cut", host="api"))
    assert kinds(steps) == ["AnswerSentBack", "AnswerChecked", "RunStopped"]
    assert steps[-2].checked.text == "EQ-001 を清掃。"


def test_nothing_is_sent_back_when_no_turn_is_left() -> None:
    steps, _ = drive(says("EQ-001 を清掃。"), limits=Limits(turns=1))
    assert kinds(steps) == ["AnswerChecked", "RunFinished"]


def test_the_second_try_counts_into_the_same_turns() -> None:
    search = [calls((f"t{n}", "search_equipment", {"query": f"ライン{n}"})) for n in range(3)]
    steps, model = drive(says("EQ-001"), *search, limits=Limits(turns=4))
    assert len(model.asked) == 4
    assert isinstance(steps[-1], RunStopped)


def test_the_check_gets_what_the_tools_returned() -> None:
    seen: list[Written] = []

    def remembering(written: Written) -> CheckedText:
        seen.append(written)
        return CheckedText(written.text)

    look_up = calls(("t1", "search_manual", {"model": "FL-200", "keywords": "E-12"}))
    drive(look_up, says("清掃。"), checking=remembering)
    assert seen == [Written("清掃。", ("manual:FL-200#5.2",))]


def test_a_parked_run_goes_on_with_its_one_chance_still_unused_or_used() -> None:
    steps, _ = drive(calls(("t1", "create_work_request", REQUEST)))
    parked = steps[-1]
    assert isinstance(parked, Checkpoint)
    decided = RunState.from_json(parked.state.to_json()).with_result("t1", {"status": "registered", "number": "WR-1"})
    steps, _ = drive(says("EQ-001"), says("登録しました。"), state=decided)
    assert kinds(steps) == ["AnswerSentBack", "AnswerChecked", "RunFinished"]
    used = RunState.from_json([step for step in steps if isinstance(step, Checkpoint)][-1].state.to_json())
    assert used.sent_back


def test_a_run_killed_before_the_check_is_checked_when_taken_up() -> None:
    steps, _ = drive(says("EQ-003 を清掃。"))
    stored = next(step.state for step in steps if isinstance(step, Checkpoint))
    steps, _ = drive(state=RunState.from_json(stored.to_json()))
    assert kinds(steps) == ["AnswerChecked", "RunFinished"]
    assert isinstance(steps[-1], RunFinished)


def test_facts_follow_the_question() -> None:
    assert question_with_facts("E-12", "【調べた事実】") == "E-12\n\n【調べた事実】"
    assert question_with_facts("E-12", "") == "E-12"
