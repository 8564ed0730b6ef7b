"""A question that failed before any answer: asked again in one press, never by itself, never lost."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt

from desktop.domain.work_request import Requester
from desktop.errors import KnownError
from desktop.ui.drafts import Kind, key_of
from desktop.workers import commands
from desktop.workers.worker import failure_of
from tests.fakes.station import FILLER
from tests.ui.conftest import Bench

Make = Callable[..., Bench]
QUESTION = "ライン3の充填機でE-12が出た"
TROUBLES = [
    KnownError("journal_disk_full", file=r"C:\data\journal.db"),
    KnownError("journal_busy"),
    KnownError("journal_unwritable", file=r"C:\data\journal.db", reason="attempt to write a readonly database"),
]


def failed(desk: Bench, trouble: Exception) -> None:
    desk.station.trouble = trouble
    desk.ask(QUESTION)
    desk.wait_for("askAgainButton")
    desk.wait(lambda: not desk.desk.page.running)


def asked(desk: Bench) -> list[commands.Ask]:
    return [call for call in desk.station.calls if isinstance(call, commands.Ask)]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.code)
def test_one_press_asks_the_same_question_again_once(bench: Make, trouble: Exception) -> None:
    desk = bench()
    failed(desk, trouble)
    assert len(asked(desk)) == 1
    desk.station.trouble = None
    again = desk.wait_for("askAgainButton")
    desk.qtbot.mouseDClick(again, Qt.MouseButton.LeftButton)
    desk.press("askAgainButton")
    desk.wait_for("answerSafety")
    desk.wait(lambda: not desk.desk.page.running)
    assert [one.text for one in asked(desk)] == [QUESTION, QUESTION]
    assert not any(button.isVisible() for button in desk.all("askAgainButton"))


def test_it_is_asked_as_before_but_by_who_is_there_now(bench: Make) -> None:
    """What was to stay inside stays inside; the machine picked by hand is still meant."""
    desk = bench(cloud=True)
    desk.desk.page.chosen = FILLER
    desk.find("keepInsideBox").setChecked(True)
    failed(desk, TROUBLES[0])
    desk.desk.people.requester = Requester("0201", "田中 誠")
    desk.station.trouble = None
    desk.press("askAgainButton")
    desk.wait_for("answerSafety")
    first, second = asked(desk)
    assert (second.with_model, second.equipment_id) == (False, "EQ-003")
    assert (first.with_model, first.equipment_id) == (False, "EQ-003")
    assert second.requester.person_id == "0201"


def test_what_became_of_a_step_is_told_again(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("outcomeNotFixed")
    desk.wait(lambda: not desk.desk.page.running)
    desk.station.trouble = TROUBLES[0]
    desk.press("outcomeNotFixed")
    desk.wait_for("askAgainButton")
    desk.station.trouble = None
    desk.press("askAgainButton")
    desk.wait(lambda: not desk.desk.page.running and len(desk.desk.page.runs) == 3)
    told = [call.trial for call in desk.station.calls if isinstance(call, commands.TellOutcome)]
    assert len(told) == 2
    assert told[0] == told[1]


def test_another_question_takes_the_offer_away(bench: Make) -> None:
    desk = bench()
    failed(desk, TROUBLES[0])
    desk.station.trouble = None
    desk.ask("ほかには")
    desk.wait(lambda: not desk.desk.page.running)
    assert not desk.seen("askAgainButton")


def test_it_comes_back_in_the_line_after_a_kill(bench: Make) -> None:
    desk = bench()
    failed(desk, TROUBLES[0])
    kept = dict(desk.desk.drafts.all())
    assert kept[key_of(Kind.SENT, desk.desk.page.conversation_id)] == {"text": QUESTION}
    again = bench()
    again.desk.restore_drafts(kept)
    assert again.find("questionInput").toPlainText() == QUESTION
    assert asked(again) == []


def test_what_fails_after_its_answer_is_not_asked_again(bench: Make) -> None:
    desk = bench(with_model=True)
    desk.station.gate.clear()
    desk.ask(QUESTION)
    desk.wait_for("answerSafety")
    card = desk.desk.page.runs[-1]
    desk.desk.page.end_run(None)
    card.fail(failure_of(TROUBLES[0]))
    assert not desk.seen("askAgainButton")
