"""A question from key press to answer, driven by keys and clicks as a person would."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListWidget, QPushButton

from desktop.domain.outcome import Outcome
from desktop.errors import KnownError
from desktop.workers import commands
from desktop.workers.agent_worker import RunEnded
from tests.fakes.station import MACHINES, NOW
from tests.ui.conftest import Bench

Make = Callable[..., Bench]
QUESTION = "ライン3の充填機でE-12が出た"


def test_the_window_opens_ready_to_be_typed_into(bench: Make) -> None:
    desk = bench()
    assert desk.find("questionInput").hasFocus()
    assert desk.find("equipmentTiles").count() == len(MACHINES)
    assert not desk.seen("sampleBand")
    assert "P07" in desk.find("storageStatus").text()
    assert "未送信 0件" in desk.find("syncStatus").text()


@pytest.mark.smoke
def test_a_question_is_answered_with_machine_safety_and_steps(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")
    assert desk.find("questionInput").toPlainText() == ""
    assert desk.words("answerMachine").startswith("ライン3 充填機 EQ-003")
    assert "NFB-3" in desk.words("answerSafety")
    assert "再発なし 3/4" in desk.words("answerHistory")
    assert "EQ-003" in desk.find("focusChip").accessibleName()
    assert "台帳✓ マニュアル✓ 記録✓" in desk.find("stepsButton").text()
    (asked,) = [call for call in desk.station.calls if isinstance(call, commands.Ask)]
    assert (asked.text, asked.equipment_id) == (QUESTION, "")


def test_seven_steps_then_the_rest_behind_a_button(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")
    fixed = desk.all("outcomeFixed")
    assert [button.isVisibleTo(desk.window) for button in fixed] == [True] * 7 + [False]
    more = next(button for button in desk.all("moreButton") if button.text() == "続き 1")
    more.click()
    assert all(button.isVisibleTo(desk.window) for button in fixed)
    assert "他 6件" in desk.words("answerHistory")


def test_what_became_of_a_step_leads_to_the_next_answer(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")
    third = desk.all("outcomeNotFixed")[2]
    third.click()
    desk.wait(lambda: any("OR-2210 の交換です" in label.text() for label in desk.window.findChildren(QLabel)))
    (told,) = [call for call in desk.station.calls if isinstance(call, commands.TellOutcome)]
    assert told.trial.outcome is Outcome.NOT_FIXED
    assert told.trial.step.startswith("ノズルを水圧0.20MPa以下")
    assert told.trial.ref == "manual:FL-200_r3#5.2"
    assert not third.isEnabled()


def test_several_machines_need_one_tap(bench: Make) -> None:
    desk = bench()
    desk.ask("充填機でE-12")
    desk.wait_for("choiceCard")
    choices = desk.all("choiceButton", QPushButton)
    assert [button.text() for button in choices] == [
        "ライン1 充填機 第1工場 1F 南（EQ-001 FL-200）",
        "ライン3 充填機 第2工場 1F 東（EQ-003 FL-200）",
    ]
    desk.qtbot.mouseClick(choices[1], Qt.MouseButton.LeftButton)
    desk.wait_for("answerSteps")
    asked = [call for call in desk.station.calls if isinstance(call, commands.Ask)]
    assert [call.equipment_id for call in asked] == ["", "EQ-003"]
    assert asked[1].text == "充填機でE-12"
    assert not choices[0].isEnabled()


def test_a_tile_sets_the_machine_of_the_next_question_only(bench: Make) -> None:
    desk = bench()
    tiles: QListWidget = desk.find("equipmentTiles")
    desk.commit("ラベラー", "equipmentPicker")
    desk.qtbot.keyClick(desk.find("equipmentPicker"), Qt.Key.Key_Return)
    desk.wait(lambda: tiles.count() == 1)
    tiles.itemClicked.emit(tiles.item(0))
    assert "EQ-007" in desk.find("focusChip").accessibleName()
    desk.ask("糊が出ない")
    desk.wait_for("answerSteps")
    desk.ask("ほかには")
    desk.wait(lambda: len(desk.all("answerSteps")) == 2)
    asked = [call for call in desk.station.calls if isinstance(call, commands.Ask)]
    assert [call.equipment_id for call in asked] == ["EQ-007", ""]


def test_the_models_text_is_muted_until_checked_and_then_marked(bench: Make) -> None:
    desk = bench(with_model=True)
    desk.station.gate.clear()
    desk.ask(QUESTION)
    text = desk.wait_for("modelText")
    block = text.parentWidget()
    desk.wait(lambda: block.title == "AIのまとめ（確認中）")
    assert block.property("role") == "muted-card"
    assert desk.seen("answerSteps")
    desk.station.gate.set()
    desk.wait(lambda: block.title == "AIのまとめ（確認できない語あり）")
    assert "部品 ZZ-999 も使えます。" in text.toPlainText()
    assert any("ZZ-999" in label.text() for label in block.findChildren(QLabel))
    assert "確認×" in desk.find("stepsButton").text()


def test_the_stop_button_stops_at_once_and_the_next_question_works(bench: Make) -> None:
    desk = bench(with_model=True)
    desk.station.gate.clear()
    desk.ask(QUESTION)
    desk.wait_for("modelText")
    assert not desk.seen("sendButton")
    desk.press("cancelButton")
    assert desk.seen("sendButton")
    assert any("中止しました" in label.text() for label in desk.window.findChildren(QLabel))
    desk.station.gate.set()
    desk.ask(QUESTION)
    desk.wait(lambda: len(desk.all("answerSteps")) == 2)
    assert len([call for call in desk.station.calls if isinstance(call, commands.Ask)]) == 2


def test_what_comes_late_from_a_stopped_run_is_not_shown(bench: Make) -> None:
    desk = bench(with_model=True)
    desk.station.gate.clear()
    desk.ask(QUESTION)
    text = desk.wait_for("modelText")
    desk.press("cancelButton")
    shown = text.toPlainText()
    ended: list[object] = []
    desk.crew.agent.bridge.happened.connect(ended.append)
    desk.station.gate.set()
    desk.wait(lambda: any(isinstance(happening, RunEnded) for happening in ended))
    assert text.toPlainText() == shown
    stopped = [label for label in desk.window.findChildren(QLabel) if "中止しました" in label.text()]
    assert len(stopped) == 1


def test_another_conversation_goes_on_while_one_streams(bench: Make) -> None:
    desk = bench(with_model=True)
    desk.station.gate.clear()
    desk.ask(QUESTION)
    desk.wait_for("modelText")
    desk.press("newConversationButton")
    assert desk.seen("sendButton")
    assert desk.find("focusChip").accessibleName().endswith("未選択")
    desk.commit("書きかけ")
    conversations = desk.find("conversationList")
    desk.station.gate.set()
    desk.wait(lambda: conversations.count() == 1)
    conversations.itemClicked.emit(conversations.item(0))
    assert desk.find("questionInput").toPlainText() == ""
    desk.wait(lambda: "照合" in desk.find("modelText").parentWidget().title
                         or "確認できない" in desk.find("modelText").parentWidget().title)  # fmt: skip


def test_a_half_typed_question_stays_with_its_conversation(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")
    desk.commit("つづき")
    desk.press("newConversationButton")
    assert desk.find("questionInput").toPlainText() == ""
    conversations = desk.find("conversationList")
    desk.wait(lambda: conversations.count() == 1)
    conversations.itemClicked.emit(conversations.item(0))
    assert desk.find("questionInput").toPlainText() == "つづき"


def test_trouble_is_told_and_the_question_can_be_asked_again(bench: Make) -> None:
    desk = bench()
    desk.station.trouble = KnownError("pin_needed")
    desk.ask(QUESTION)
    desk.wait(lambda: any("PIN を入れて" in label.text() for label in desk.window.findChildren(QLabel)))
    desk.station.trouble = None
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")


def test_a_citation_opens_the_page_of_the_manual(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("citationsView")
    desk.find("citationsView").findChildren(QPushButton)[0].click()
    viewer = desk.wait_for("manualViewer")
    desk.wait(lambda: viewer.page == 14)
    desk.press("closeSourceButton")
    assert not desk.seen("manualViewer")


def test_a_record_opens_as_text_with_the_words_marked(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("citationsView")
    desk.find("citationsView").findChildren(QPushButton)[1].click()
    desk.wait_for("manualText")
    assert "Oリング OR-2210 を交換" in desk.find("manualText").toPlainText()
    assert desk.find("manualViewer").page == 0


def test_earlier_conversations_come_back_from_the_journal(bench: Make) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")
    (past,) = next(iter(desk.station.runs.values()))
    desk.station.runs["old"] = [replace(past, question=f"{n}番目の質問", asked_at=NOW) for n in range(1, 15)]
    desk.press("newConversationButton")
    desk.ask(QUESTION)
    conversations = desk.find("conversationList")
    desk.wait(lambda: conversations.count() == 3)
    lines = [conversations.item(row) for row in range(3)]
    conversations.itemClicked.emit(next(line for line in lines if "1番目" in line.text()))
    desk.wait(lambda: len(desk.desk.page.runs) == 10)
    desk.wait(lambda: desk.find("olderButton").isEnabled())
    desk.find("olderButton").click()
    desk.wait(lambda: len(desk.desk.page.runs) == 14)
    assert [run.question for run in desk.desk.page.runs] == [f"{n}番目の質問" for n in range(1, 15)]
    assert "EQ-003" in desk.find("focusChip").accessibleName()


def test_first_start_offers_sample_or_import(bench: Make) -> None:
    desk = bench(has_data=False)
    desk.wait_for("startPage")
    assert not desk.seen("questionInput")
    desk.wait(lambda: desk.find("startSampleButton").hasFocus())
    desk.press("startSampleButton")
    desk.wait_for("questionInput")
    assert desk.seen("sampleBand")


def test_own_data_is_imported_with_a_report(bench: Make) -> None:
    desk = bench(has_data=False)
    desk.wait_for("startPage").import_folder("/plant")
    report = desk.wait_for("importReport")
    assert "受入 57・除外 1" in report.toPlainText()
    assert "31行目：設備IDがありません" in report.toPlainText()
    desk.press("startOpenButton")
    desk.wait_for("questionInput")
    assert not desk.seen("sampleBand")


def test_requests_are_listed_with_their_way(bench: Make) -> None:
    desk = bench()
    desk.press("requestsButton")
    desk.wait_for("requestsPage")
    assert not desk.seen("questionInput")
    desk.press("newConversationButton")
    desk.wait_for("questionInput")


def test_a_question_can_be_kept_from_an_outside_ai(bench: Make) -> None:
    desk = bench(cloud=True)
    assert "社外AIへ送信" in desk.find("providerStatus").text()
    desk.find("keepInsideBox").setChecked(True)
    desk.ask(QUESTION)
    desk.wait_for("answerSteps")
    desk.wait(lambda: not desk.desk.page.running)
    desk.ask(QUESTION)
    desk.wait(lambda: len(desk.all("answerSteps")) == 2)
    asked = [call for call in desk.station.calls if isinstance(call, commands.Ask)]
    assert [call.with_model for call in asked] == [False, True]


def test_without_an_outside_ai_nothing_is_said_of_it(bench: Make) -> None:
    desk = bench()
    assert desk.find("providerStatus").text() == "AI不使用"
    assert not desk.seen("keepInsideBox")


def test_trouble_in_sending_is_on_the_status_bar(bench: Make) -> None:
    desk = bench()
    assert "接続" in desk.find("networkStatus").text()
    desk.station.sync_trouble = KnownError("pin_needed")
    desk.crew.sync.wake()
    desk.wait(lambda: "届きません" in desk.find("networkStatus").text())
    assert "PIN を入れて" in desk.find("networkStatus").toolTip()


def test_own_data_can_follow_the_sample(bench: Make) -> None:
    desk = bench(has_data=False)
    desk.wait_for("startPage")
    assert not desk.seen("startBackButton")
    desk.press("startSampleButton")
    desk.wait(lambda: desk.seen("sampleBand"))
    desk.window.import_wanted.emit()
    assert not desk.seen("startSampleButton")
    desk.press("startBackButton")
    assert desk.seen("questionInput")
    desk.window.import_wanted.emit()
    desk.wait_for("startPage").import_folder("/plant")
    desk.wait_for("startOpenButton")
    desk.press("startOpenButton")
    desk.wait(lambda: not desk.seen("sampleBand"))
    assert desk.seen("questionInput")
