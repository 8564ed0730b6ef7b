"""The decision: shown whole, signed by a person, never by Enter, told to whoever comes second."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.domain.work_request import Meaning
from desktop.workers import commands
from tests.fakes.station import ISSUED_PIN, PIN
from tests.ui.conftest import Bench

Make = Callable[..., Bench]
REQUEST = "ライン3の充填機のOリング交換を依頼して"


def open_dialog(desk: Bench):  # type: ignore[no-untyped-def]
    desk.ask(REQUEST)
    return desk.wait_for("approvalDialog")


def sign(desk: Bench, pin: str = PIN) -> None:
    approver = desk.find("approverId")
    approver.setCurrentIndex(approver.findData("0301"))
    desk.qtbot.keyClicks(desk.find("approverPin"), pin)
    if desk.seen("requesterPin"):
        desk.qtbot.keyClicks(desk.find("requesterPin"), PIN)


def decisions(desk: Bench) -> list[commands.Decide]:
    return [call for call in desk.station.calls if isinstance(call, commands.Decide)]


def read_to_the_end(dialog) -> None:  # type: ignore[no-untyped-def]
    bar = dialog.findChild(object, "approvalBody").verticalScrollBar()
    bar.setValue(bar.maximum())


def test_everything_to_decide_on_is_in_the_dialog(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    words = "\n".join(label.text() for label in dialog.findChildren(QLabel))
    assert desk.find("approvalEquipment").text().startswith("ライン3 充填機 EQ-003 FL-200")
    for part in ("停止中", "鈴木 花（名簿から選択・未確認）", "AI下書き（claude-opus-5-5）", "逆洗 → 直らない"):
        assert part in words
    assert "WO-26-0318" in words
    assert "確認できません：ZZ-999" in words
    evidence = "\n".join(label.text() for label in desk.find("approvalEvidence").findChildren(QLabel))
    assert "p.5-3（改訂3）" in evidence
    assert "設定値の80%を下回りました" in evidence
    assert desk.find("approvalTitle").text() == "充填ノズル Oリング交換"
    assert desk.find("approvalPriority").currentText() == "中"
    assert "OR-2210" in desk.find("approvalDetail").toPlainText()


@pytest.mark.smoke
def test_approval_ends_in_a_number_that_waits_to_be_sent(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    sign(desk)
    read_to_the_end(dialog)
    desk.wait(lambda: desk.find("approveButton").isEnabled())
    syncs = desk.station.syncs
    desk.press("approveButton")
    desk.wait(lambda: not desk.seen("approvalDialog"))
    (decided,) = decisions(desk)
    assert (decided.meaning, decided.approver_id, decided.pin) == (Meaning.APPROVED, "0301", PIN)
    assert (decided.requester_id, decided.requester_pin) == ("0102", PIN)
    assert decided.payload_sha256 == "a" * 64
    assert "WR-P07-0001（送信待ち）" in desk.words("approvalCard")
    desk.wait(lambda: desk.station.syncs > syncs)
    desk.wait(lambda: any(isinstance(call, commands.Continue) for call in desk.station.calls))
    desk.wait(lambda: desk.find("questionInput").isEnabled())
    desk.wait(lambda: desk.find("pendingInbox").count() == 0)
    desk.press("requestsButton")
    desk.wait(lambda: desk.find("requestsTable").count() == 1)
    assert "WR-P07-0001" in desk.find("requestsTable").item(0).text()


def test_enter_never_approves_and_escape_is_later(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    read_to_the_end(dialog)
    sign(desk)
    assert not any(button.isDefault() or button.autoDefault() for button in dialog.findChildren(QPushButton))
    for name in ("approverPin", "approvalTitle", "rejectReason"):
        desk.qtbot.keyClick(desk.find(name), Qt.Key.Key_Return)
        desk.qtbot.keyClick(desk.find(name), Qt.Key.Key_Enter)
    assert desk.seen("approvalDialog")
    desk.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not desk.seen("approvalDialog")
    assert decisions(desk) == []
    desk.wait(lambda: desk.find("pendingInbox").count() == 1)


def test_only_this_conversation_is_locked(bench: Make) -> None:
    desk = bench()
    open_dialog(desk)
    desk.press("deferButton")
    assert not desk.find("questionInput").isEnabled()
    assert "承認待ち" in desk.words("approvalCard")
    desk.press("newConversationButton")
    assert desk.find("questionInput").isEnabled()
    desk.ask("ライン3の充填機でE-12")
    desk.wait(lambda: len(desk.all("answerSteps")) == 2)


def test_a_long_proposal_must_be_read_to_its_end(bench: Make) -> None:
    desk = bench()
    desk.window.resize(1366, 420)
    dialog = open_dialog(desk)
    sign(desk)
    dialog.findChild(object, "approvalBody").verticalScrollBar().setValue(0)
    hints = [label.text() for label in dialog.findChildren(QLabel)]
    assert "最後まで読むと承認できます。" in hints
    assert not desk.find("approveButton").isEnabled()
    read_to_the_end(dialog)
    assert desk.find("approveButton").isEnabled()


def test_the_reason_stands_beside_a_disabled_button(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    read_to_the_end(dialog)

    def hint() -> str:
        return "\n".join(label.text() for label in dialog.findChildren(QLabel) if label.property("role") == "warn")

    assert "承認者を選んでください。" in hint()
    desk.find("approverId").setCurrentIndex(1)
    assert "承認者の PIN を入れてください。" in hint()
    desk.qtbot.keyClicks(desk.find("approverPin"), PIN)
    assert "依頼者の PIN を入れてください。" in hint()
    desk.qtbot.keyClicks(desk.find("requesterPin"), PIN)
    assert desk.find("approveButton").isEnabled()


def test_a_wrong_pin_keeps_the_dialog_and_empties_the_field(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    read_to_the_end(dialog)
    sign(desk, "111111")
    desk.press("approveButton")
    desk.wait(lambda: any("PIN が違います" in label.text() for label in dialog.findChildren(QLabel)))
    assert desk.find("approverPin").text() == ""
    assert not desk.find("approveButton").isEnabled()
    assert desk.station.decisions == {}


def test_an_issued_pin_is_changed_at_the_first_decision(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    read_to_the_end(dialog)
    sign(desk, ISSUED_PIN)
    assert not desk.seen("approverNewPin")
    desk.press("approveButton")
    desk.wait_for("approverNewPin")
    desk.qtbot.keyClicks(desk.find("approverNewPin"), "482915")
    desk.press("approveButton")
    desk.wait(lambda: not desk.seen("approvalDialog"))
    assert decisions(desk)[-1].new_pin == "482915"


def test_turning_down_needs_a_reason_and_tells_it(bench: Make) -> None:
    desk = bench()
    open_dialog(desk)
    sign(desk)
    desk.press("rejectButton")
    assert decisions(desk) == []
    assert desk.find("rejectReason").hasFocus()
    desk.commit("部品がまだ来ない", "rejectReason")
    desk.press("rejectButton")
    desk.wait(lambda: not desk.seen("approvalDialog"))
    assert (decisions(desk)[0].meaning, decisions(desk)[0].reason) == (Meaning.REJECTED, "部品がまだ来ない")
    assert "「登録しない」としました：部品がまだ来ない" in desk.words("approvalCard")


def test_sending_back_carries_its_own_meaning(bench: Make) -> None:
    desk = bench()
    open_dialog(desk)
    sign(desk)
    desk.commit("件名を具体的に", "rejectReason")
    desk.press("returnButton")
    desk.wait(lambda: bool(decisions(desk)))
    assert decisions(desk)[0].meaning is Meaning.RETURNED


def test_edits_go_with_the_decision(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    read_to_the_end(dialog)
    sign(desk)
    desk.find("approvalTitle").clear()
    desk.commit("充填ノズル3番 Oリング交換", "approvalTitle")
    desk.find("approvalPriority").setCurrentText("高")
    desk.press("approveButton")
    desk.wait(lambda: bool(decisions(desk)))
    assert (decisions(desk)[0].title, decisions(desk)[0].priority.value) == ("充填ノズル3番 Oリング交換", "高")


def test_whoever_decides_second_sees_the_first_decision(bench: Make) -> None:
    desk = bench()
    dialog = open_dialog(desk)
    read_to_the_end(dialog)
    elsewhere = commands.Decide("p-1", 1, "a" * 64, Meaning.APPROVED, "0401", PIN, title="先の件名")
    desk.station.decide(elsewhere)
    sign(desk)
    desk.press("approveButton")
    desk.wait(lambda: not desk.seen("approvalDialog"))
    assert "すでに決まっていました" in desk.find("messageBar").text()
    assert "中村 徹さん" in desk.words("approvalCard")


def test_a_pending_proposal_is_back_after_a_restart(bench: Make) -> None:
    desk = bench()
    open_dialog(desk)
    desk.press("deferButton")
    desk.wait(lambda: bool(desk.station.runs))
    desk.close()
    again = bench(station=desk.station)
    inbox = again.find("pendingInbox")
    assert inbox.count() == 1
    assert again.find("questionInput").isEnabled()
    inbox.itemClicked.emit(inbox.item(0))
    again.wait_for("approvalDialog")
    again.press("deferButton")
    again.wait_for("approvalCard")
    again.wait(lambda: not again.find("questionInput").isEnabled())
    assert len(again.all("approvalCard")) == 1


def test_a_request_written_by_hand_goes_the_same_way(bench: Make) -> None:
    desk = bench()
    desk.ask("ライン3の充填機でE-12")
    desk.wait_for("draftRequestButton")
    desk.press("draftRequestButton")
    form = desk.wait_for("requestForm")
    assert desk.find("draftTitle").text() == "充填ノズル Oリング交換"
    desk.find("draftTitle").clear()
    desk.press("draftSubmit")
    assert any("件名と内容" in label.text() for label in form.findChildren(QLabel))
    desk.commit("ノズル交換", "draftTitle")
    desk.press("draftSubmit")
    desk.wait_for("approvalDialog")
    desk.press("deferButton")
    assert "ノズル交換" in desk.words("approvalCard")
    assert not desk.find("questionInput").isEnabled()
