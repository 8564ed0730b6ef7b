"""Who sits here: chosen in two taps, proved by PIN, forgotten when idle."""

from collections.abc import Callable

from PySide6.QtCore import Qt

from desktop.domain.work_request import KnownBy
from desktop.workers import commands
from tests.fakes.station import ISSUED_PIN, PIN
from tests.ui.conftest import Bench

Make = Callable[..., Bench]


def choose(desk: Bench, row: int, pin: str = "") -> None:
    desk.press("currentUser")
    desk.wait_for("personDialog")
    desk.find("personList").setCurrentRow(row)
    desk.qtbot.keyClicks(desk.find("personPin"), pin)
    desk.press("personChoose")


def test_a_person_without_pin_is_only_chosen(bench: Make) -> None:
    desk = bench()
    choose(desk, 0)
    desk.wait(lambda: not desk.seen("personDialog"))
    assert desk.find("currentUser").text() == "鈴木 花（名簿から選択・未確認）"
    desk.ask("ライン3の充填機でE-12")
    desk.wait_for("answerSteps")
    (asked,) = [call for call in desk.station.calls if isinstance(call, commands.Ask)]
    assert (asked.requester.person_id, asked.requester.known_by) == ("0102", KnownBy.CHOSEN)


def test_a_pin_proves_him_and_a_wrong_one_keeps_the_dialog(bench: Make) -> None:
    desk = bench()
    choose(desk, 0, "000000")
    desk.wait(lambda: "PIN が違います" in "".join(label.text() for label in labels(desk)))
    assert desk.seen("personDialog")
    desk.find("personPin").clear()
    desk.qtbot.keyClicks(desk.find("personPin"), PIN)
    desk.press("personChoose")
    desk.wait(lambda: not desk.seen("personDialog"))
    assert desk.find("currentUser").text() == "鈴木 花（PINで確認）"


def test_a_new_pin_that_is_too_simple_is_asked_for_again_and_never_sent_unseen(bench: Make) -> None:
    desk = bench()
    choose(desk, 0, ISSUED_PIN)
    desk.wait_for("personNewPin")
    desk.qtbot.keyClicks(desk.find("personNewPin"), "123456")
    desk.press("personChoose")
    desk.wait(lambda: desk.find("personNewPin").text() == "")
    assert desk.seen("personNewPin")
    assert desk.find("personNewPin").hasFocus()
    desk.qtbot.keyClicks(desk.find("personNewPin"), "482915")
    desk.qtbot.keyClick(desk.find("personNewPin"), Qt.Key.Key_Return)
    desk.wait(
        lambda: [call for call in desk.station.calls if isinstance(call, commands.ChangePin)][-1].new_pin == "482915"
    )
    changes = [call for call in desk.station.calls if isinstance(call, commands.ChangePin)]
    assert [(change.old_pin, change.new_pin) for change in changes] == [(ISSUED_PIN, "123456"), (ISSUED_PIN, "482915")]


def test_enter_in_the_pin_field_lets_him_in(bench: Make) -> None:
    desk = bench()
    desk.press("currentUser")
    desk.wait_for("personDialog")
    desk.find("personList").setCurrentRow(0)
    desk.qtbot.keyClicks(desk.find("personPin"), PIN)
    desk.qtbot.keyClick(desk.find("personPin"), Qt.Key.Key_Return)
    desk.wait(lambda: not desk.seen("personDialog"))
    assert desk.find("currentUser").text() == "鈴木 花（PINで確認）"


def labels(desk: Bench):  # type: ignore[no-untyped-def]
    from PySide6.QtWidgets import QLabel

    return desk.find("personDialog").findChildren(QLabel)


def test_ten_idle_minutes_make_it_nobody_and_end_the_session(bench: Make) -> None:
    desk = bench()
    choose(desk, 0, PIN)
    desk.wait(lambda: not desk.seen("personDialog"))
    desk.ask("ライン3の充填機でE-12")
    desk.wait_for("answerSteps")
    desk.commit("書きかけ")
    idle = desk.desk.people._idle
    assert idle.isActive()
    idle.timeout.emit()
    assert desk.find("currentUser").text() == "使う人を選ぶ"
    assert desk.find("focusChip").accessibleName().endswith("未選択")
    assert desk.find("questionInput").toPlainText() == "書きかけ"
    desk.wait(lambda: desk.station.threads.get("end_session") == "queries")


def test_nobody_can_be_chosen(bench: Make) -> None:
    desk = bench()
    choose(desk, 0)
    desk.wait(lambda: not desk.seen("personDialog"))
    desk.press("currentUser")
    desk.wait_for("personDialog")
    desk.press("personNobody")
    assert desk.find("currentUser").text() == "使う人を選ぶ"
