"""What is typed and not sent survives Esc, another page, a kill and a restart, and is given up only when it is sent."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.app import App, DraftKeeper, House
from desktop.domain.answer import RequestDraft
from desktop.domain.work_request import Meaning
from desktop.open_windows import WindowFiles
from desktop.paths import DataDir
from desktop.ui import theme
from desktop.ui.drafts import Drafts
from desktop.workers import commands
from desktop.workers.crew import Crew
from tests.fakes.station import FILLER, PIN
from tests.ui.conftest import Bench

Make = Callable[..., Bench]

_TYPES = """
import sys
from PySide6.QtCore import QTimer
from desktop.ui import desk
begin = desk.Desk.start
def start(self):
    begin(self)
    QTimer.singleShot(0, lambda: self._window.composer.input.insertPlainText("途中まで書いた質問"))
if sys.argv.pop(1) == "type":
    desk.Desk.start = start
from desktop.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def restarted(bench: Make, before: Bench) -> Bench:
    """Another window on what the one before had put down when it was killed."""
    kept = before.desk.drafts.all()
    before.close()
    again = bench(station=before.station)
    again.desk.restore_drafts(json.loads(json.dumps(kept)))
    return again


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    made: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOZEN_NAVI_POLICY": str(tmp_path / "none.toml")}

    def start(what: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-c", _TYPES, what, "open", "--data-dir", str(tmp_path / "data")]
        made.append(subprocess.Popen(program, env=environment, stdout=subprocess.PIPE))
        return made[-1]

    yield start
    for one in made:
        one.kill()
        one.communicate()


def test_a_killed_window_keeps_what_was_typed_also_over_a_second_kill(
    qtbot: QtBot, tmp_path: Path, window: Callable[[str], subprocess.Popen[bytes]]
) -> None:
    def kept() -> list[object]:
        found = [file for file in (tmp_path / "data/windows").glob("*.drafts") if ".new." not in file.name]
        return [list(json.loads(file.read_text(encoding="utf-8")).values()) for file in found]

    typed = [[{"text": "途中まで書いた質問"}]]
    first = window("type")
    qtbot.waitUntil(lambda: kept() == typed, timeout=30_000)
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -9
    second = window("look")
    shown = tmp_path / "data/logs"
    qtbot.waitUntil(lambda: shown.exists() and second.poll() is None, timeout=20_000)
    second.send_signal(signal.SIGKILL)
    second.wait()
    assert kept() == typed


def test_drafts_are_put_down_without_the_window_being_closed(qtbot: QtBot, bench: Make, tmp_path: Path) -> None:
    files = WindowFiles(tmp_path, "mine")
    files.hold()
    keeper = DraftKeeper(files)
    desk = bench()
    desk.desk.drafts.due.connect(keeper.keep)
    desk.commit("ライン3の")
    qtbot.waitUntil(lambda: [dict(one) for one in files.drafts().values()] == [{"text": "ライン3の"}], timeout=10_000)
    desk.find("questionInput").clear()
    qtbot.waitUntil(lambda: files.drafts() == {}, timeout=10_000)
    keeper.close()
    files.let_go()


def test_a_full_disk_leaves_the_drafts_of_before_and_the_window_alone(tmp_path: Path) -> None:
    files = WindowFiles(tmp_path, "mine")
    files.hold()
    files.keep_drafts({"question c1": {"text": "前の"}})
    keeper = DraftKeeper(files)
    files._drafts.with_suffix(".new.drafts").mkdir()
    keeper.keep({"question c1": {"text": "次の"}})
    keeper.close()
    assert files.drafts() == {"question c1": {"text": "前の"}}
    files.let_go()


@pytest.fixture
def unwritable(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[App, Path]]:
    """The real window where nothing can be put down beside the drafts; and what is in the way."""
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    data = DataDir(tmp_path)
    data.logs.mkdir()
    files = WindowFiles(tmp_path, "mine")
    files.hold()
    in_the_way = files._drafts.with_suffix(".new.drafts")
    in_the_way.mkdir()
    house, keeper = House(data), DraftKeeper(files)
    crew = Crew.start(house)
    app = App(qapp, data, data.logs / "hozen-navi.log", crew, keeper)
    app.show()
    qtbot.waitUntil(lambda: app.window.start_page.isVisible(), timeout=20_000)
    app.window.composer.input.insertPlainText("書きかけ")
    yield app, in_the_way
    app.window.composer.input.clear()
    app.window.close()
    keeper.close()
    assert crew.close()
    house.close()
    app.close()
    app.deleteLater()
    files.let_go()
    theme.apply(qapp, dark=False)
    gc.enable()


def test_a_window_that_cannot_keep_its_drafts_does_not_close_unasked(unwritable: tuple[App, Path]) -> None:
    app, in_the_way = unwritable
    app.close_when_kept()
    app.close_when_kept()
    assert app.window.isVisible(), "another program never closes it"
    assert not app.window.close()
    assert app.window.isVisible()
    assert any("HN-853" in label.text() for label in app.window.findChildren(QLabel))
    app.window.composer.input.insertPlainText("の続き")
    assert not app.window.close(), "something more was written since it was said"
    in_the_way.rmdir()
    assert app.window.close()
    (kept,) = in_the_way.parent.glob("*.drafts")
    assert "書きかけの続き" in kept.read_text(encoding="utf-8")


def test_the_person_may_lose_a_draft_knowingly(unwritable: tuple[App, Path]) -> None:
    app, _ = unwritable
    assert not app.window.close()
    assert app.window.close()


@pytest.mark.parametrize("text", ["", "[1]", '{"question c1": 1}', '{"question c1": {"text": 1}}', "\x00"])
def test_a_file_touched_by_others_is_no_draft(qapp: QApplication, tmp_path: Path, text: str) -> None:
    files = WindowFiles(tmp_path, "mine")
    files.hold()
    files._drafts.write_text(text, encoding="utf-8")
    drafts = Drafts(qapp)
    drafts.restore(files.drafts())
    assert [drafts.question(key) for key in drafts.conversations()] in ([], [""])
    drafts.deleteLater()
    files.let_go()


def test_a_question_is_a_draft_until_the_journal_has_it(bench: Make) -> None:
    desk = bench()
    desk.commit("ライン3の充填機でE-12")
    sent_to = desk.desk.page.conversation_id
    desk.qtbot.keyClick(desk.find("questionInput"), Qt.Key.Key_Return)
    assert {"text": "ライン3の充填機でE-12"} in desk.desk.drafts.all().values()
    desk.wait(lambda: not desk.desk.page.running)
    assert desk.desk.drafts.all() == {}
    desk.desk.restore_drafts({f"sent {sent_to}": {"text": "送ったつもりの"}, f"question {sent_to}": {"text": "次の"}})
    assert desk.desk.drafts.question(sent_to) == "送ったつもりの\n次の"


def test_what_is_typed_while_a_machine_is_chosen_stays(bench: Make) -> None:
    desk = bench()
    desk.ask("充填機でE-12")
    desk.wait_for("choiceCard")
    desk.commit("次に聞きたいこと")
    desk.desk.page.machine_chosen.emit("充填機でE-12", FILLER)
    desk.wait(lambda: len(desk.desk.page.runs) == 2)
    assert desk.find("questionInput").toPlainText() == "次に聞きたいこと"


def test_a_half_filled_request_comes_back_in_its_conversation(bench: Make) -> None:
    desk = bench()
    desk.ask("ライン3の充填機でE-12")
    desk.wait_for("draftRequestButton")
    desk.press("draftRequestButton")
    desk.wait_for("requestForm")
    assert not any(key.startswith("request ") for key in desk.desk.drafts.all()), "nothing of a person's in it yet"
    desk.find("draftDetail").setPlainText("写真あり。左から3番目の")
    desk.find("draftPriority").setCurrentText("高")
    desk.wait(lambda: not desk.desk.page.running)
    again = restarted(bench, desk)
    again.wait_for("requestForm")
    assert again.find("draftDetail").toPlainText() == "写真あり。左から3番目の"
    assert again.find("draftPriority").currentText() == "高"
    again.press("draftSubmit")
    again.wait_for("approvalDialog")
    again.press("deferButton")
    (asked,) = [call for call in again.station.calls if isinstance(call, commands.Propose)]
    assert asked.draft.detail == "写真あり。左から3番目の"
    assert again.desk.drafts.all() == {}
    assert not again.seen("requestForm")


def test_a_form_that_is_given_up_stays_away(bench: Make) -> None:
    desk = bench()
    desk.ask("ライン3の充填機でE-12")
    desk.wait_for("draftRequestButton")
    desk.press("draftRequestButton")
    desk.wait_for("requestForm")
    desk.find("draftDetail").setPlainText("やはり要らない")
    desk.press("draftDiscard")
    assert desk.desk.drafts.all() == {}
    assert not desk.seen("requestForm")


def test_a_proposal_that_comes_meanwhile_leaves_a_form_alone(bench: Make) -> None:
    desk = bench()
    desk.ask("ライン3の充填機でE-12")
    desk.wait_for("draftRequestButton")
    desk.press("draftRequestButton")
    desk.find("draftDetail").setPlainText("半分まで")
    desk.wait(lambda: not desk.desk.page.running)
    made = desk.station.propose(
        commands.Propose(RequestDraft("EQ-003", "別の", "別の", "中"), desk.desk.page.conversation_id)
    )
    desk.desk.page.show_proposal(made)
    assert desk.find("draftDetail").toPlainText() == "半分まで"


def open_approval(desk: Bench):  # type: ignore[no-untyped-def]
    desk.ask("ライン3の充填機のOリング交換を依頼して")
    return desk.wait_for("approvalDialog")


def correct(desk: Bench) -> None:
    desk.find("approvalTitle").setText("ノズル3番のOリング交換")
    desk.find("approvalDetail").setPlainText("左から3番目。")
    desk.find("approvalPriority").setCurrentText("高")
    desk.commit("写真を付けて", "rejectReason")
    desk.type("918", "approverPin")


def seen_corrections(desk: Bench) -> tuple[str, ...]:
    title, detail = desk.find("approvalTitle").text(), desk.find("approvalDetail").toPlainText()
    return title, detail, desk.find("approvalPriority").currentText(), desk.find("rejectReason").text()


CORRECTED = ("ノズル3番のOリング交換", "左から3番目。", "高", "写真を付けて")


def ways_out(desk: Bench) -> list[Callable[[], object]]:
    def dialog():  # type: ignore[no-untyped-def]
        return next(one for one in desk.all("approvalDialog") if one.isVisible())

    return [
        lambda: desk.qtbot.keyClick(dialog(), Qt.Key.Key_Escape),
        lambda: desk.press("deferButton"),
        lambda: dialog().close(),
    ]


@pytest.mark.parametrize("way", [0, 1, 2], ids=["Esc", "later", "X"])
def test_a_correction_survives_every_way_out_of_the_dialog(bench: Make, way: int) -> None:
    desk = bench()
    open_approval(desk)
    assert not desk.seen("approvalRestored")
    correct(desk)
    ways_out(desk)[way]()
    desk.wait(lambda: not desk.seen("approvalDialog"))
    desk.press("openApprovalButton")
    desk.wait_for("approvalRestored")
    assert seen_corrections(desk) == CORRECTED
    assert desk.find("approverPin").text() == ""
    drafted = "件名：充填ノズル Oリング交換（優先度 中）"
    (original,) = [one for one in desk.find("approvalRestored").findChildren(QLabel) if drafted in one.text()]
    assert not original.isVisible()
    desk.press("approvalOriginal")
    assert original.isVisible()


def test_a_correction_survives_a_kill_without_any_secret_and_goes_with_the_decision(bench: Make) -> None:
    desk = bench()
    open_approval(desk)
    correct(desk)
    put_down = json.dumps(desk.desk.drafts.all(), ensure_ascii=False)
    assert CORRECTED[1] in put_down
    assert "918" not in put_down
    assert "0301" not in put_down
    again = restarted(bench, desk)
    again.wait(lambda: again.find("pendingInbox").count() == 1)
    inbox = again.find("pendingInbox")
    inbox.itemClicked.emit(inbox.item(0))
    again.wait_for("approvalRestored")
    assert seen_corrections(again) == CORRECTED
    approver = again.find("approverId")
    approver.setCurrentIndex(approver.findData("0301"))
    again.type(PIN, "approverPin")
    again.press("returnButton")
    again.wait(lambda: not again.seen("approvalDialog"))
    assert again.desk.drafts.all() == {}


def test_a_correction_of_what_somebody_else_decided_is_given_up(bench: Make) -> None:
    desk = bench()
    open_approval(desk)
    correct(desk)
    desk.press("deferButton")
    desk.station.decide(commands.Decide("p-1", 1, "a" * 64, Meaning.REJECTED, "0401", PIN, reason="不要"))
    desk.press("openApprovalButton")
    desk.wait(lambda: not any(key.startswith("approval ") for key in desk.desk.drafts.all()))


def test_a_dialog_with_nothing_corrected_leaves_no_draft(bench: Make) -> None:
    desk = bench()
    open_approval(desk)
    drafted = desk.find("approvalTitle").text()
    desk.find("approvalTitle").setText("別の")
    desk.find("approvalTitle").setText(drafted)
    desk.press("deferButton")
    assert not any(key.startswith("approval ") for key in desk.desk.drafts.all())


def test_a_new_question_brings_back_the_one_typed_and_not_sent(bench: Make) -> None:
    desk = bench()
    desk.commit("書きかけ")
    unsent = desk.desk.page
    desk.press("newConversationButton")
    assert desk.find("questionInput").toPlainText() == "書きかけ"
    assert desk.desk.page is unsent
    desk.desk.open_conversation("another")
    desk.press("newConversationButton")
    assert desk.find("questionInput").toPlainText() == "書きかけ"
    desk.qtbot.keyClick(desk.find("questionInput"), Qt.Key.Key_Return)
    desk.wait(lambda: not desk.desk.page.running)
    desk.press("newConversationButton")
    assert desk.desk.page is not unsent
    assert desk.find("questionInput").toPlainText() == ""


def test_a_new_question_is_about_no_machine_yet(bench: Make) -> None:
    desk = bench()
    desk.desk.page.chosen = desk.desk.page.equipment = FILLER
    desk.press("newConversationButton")
    assert desk.desk.page.chosen is None
    assert desk.desk.page.equipment is None


def test_unsent_questions_of_an_earlier_window_are_found_one_after_the_other(bench: Make) -> None:
    desk = bench()
    desk.desk.restore_drafts({"question c1": {"text": "一つ目の"}, "question c2": {"text": "二つ目の"}})
    desk.wait(lambda: not any(page.loading for page in desk.desk._pages.values()))
    assert desk.find("questionInput").toPlainText() == "二つ目の"
    desk.find("questionInput").clear()
    desk.desk.open_conversation("another")
    desk.press("newConversationButton")
    assert desk.find("questionInput").toPlainText() == "一つ目の"
