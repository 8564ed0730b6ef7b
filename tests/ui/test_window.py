"""A question from key press to answer, driven as a person would."""

from collections.abc import Callable

from tests.ui.conftest import Bench


def test_a_question_is_answered_with_machine_safety_and_steps(bench: Callable[..., Bench]) -> None:
    desk = bench()
    desk.ask("ライン3の充填機でE-12が出た")
    desk.qtbot.waitUntil(lambda: desk.seen("answerSteps"))
    assert desk.seen("answerMachine") and desk.seen("answerSafety") and desk.seen("answerHistory")
    desk.window.grab().save("/tmp/w.png")
