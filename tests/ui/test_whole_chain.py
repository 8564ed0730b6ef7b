"""The whole chain with nothing faked: import, question, answer, request, approval, queue, folder, restart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import keyring.backends.fail
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop import paths
from desktop.app import House
from desktop.credentials import Credentials
from desktop.domain.work_request import Meaning
from desktop.paths import DataDir
from desktop.services.people import Roster
from desktop.store.journal import open_journal
from desktop.workers import commands
from tests.fakes.keyrings import use_keyring
from tests.ui.conftest import Hands

QUESTION = "ライン３の充填機でＥ－１２が出た"
SUPERVISOR, OPERATOR, LEADER = "0401", "0104", "0302"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataDir]:
    """A station P07 that sends into a folder."""
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "no-policy.toml"))
    made = DataDir(tmp_path / "保全データ")
    made.root.mkdir()
    (tmp_path / "送信").mkdir()
    folder = (tmp_path / "送信").as_posix()
    made.settings.write_text(
        f'[sync]\ntransport = "folder"\nfolder = "{folder}"\n[station]\ncode = "P07"\nlines = ["ライン3"]\n',
        encoding="utf-8",
    )
    with use_keyring(keyring.backends.fail.Keyring()):
        yield made


@pytest.fixture
def start(qtbot: QtBot, data: DataDir) -> Iterator[object]:
    made: list[tuple[Hands, House]] = []

    def open_window() -> Hands:
        house = House(data)
        made.append((Hands(qtbot, house), house))
        return made[-1][0]

    def end() -> None:
        hands, house = made.pop()
        hands.close()
        house.close()

    open_window.end = end  # type: ignore[attr-defined]
    yield open_window
    while made:
        end()


def issue_pins(data: DataDir) -> dict[str, str]:
    """As IT does with the elevated commands; every PIN must be changed at first use."""
    credentials = Credentials(environ={})
    with closing(open_journal(data, credentials)) as journal:
        roster = Roster(journal, credentials, is_elevated=lambda: True)
        roster.bootstrap(SUPERVISOR, "", "905173")
        return {SUPERVISOR: "905173", **{one: roster.reset_pin(one) for one in (OPERATOR, LEADER)}}


def sign_in(hands: Hands, person_id: str, pin: str, new_pin: str) -> None:
    hands.press("currentUser")
    hands.wait_for("personDialog")
    people = hands.find("personList")
    row = next(n for n in range(people.count()) if people.item(n).data(0x100) == person_id)
    people.setCurrentRow(row)
    hands.type(pin, "personPin")
    hands.press("personChoose")
    hands.wait_for("personNewPin")
    hands.type(new_pin, "personNewPin")
    hands.press("personChoose")
    hands.wait(lambda: not hands.seen("personDialog"))


def test_from_files_to_a_request_in_the_folder_and_everything_again_after_a_restart(
    start, data: DataDir, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    hands: Hands = start()
    hands.wait_for("startPage").import_folder(str(paths.sample_plant()))
    hands.wait(lambda: hands.seen("startOpenButton"), 90)
    pins = issue_pins(data)
    hands.press("startOpenButton")
    hands.wait(lambda: hands.seen("questionInput"), 30)
    assert not hands.seen("sampleBand")
    sign_in(hands, OPERATOR, pins[OPERATOR], "284706")
    assert "PINで確認" in hands.find("currentUser").text()

    hands.ask(QUESTION)
    hands.wait_for("answerSteps")
    assert "EQ-003" in hands.words("answerMachine")
    assert "主幹NFB-3" in hands.words("answerSafety")
    assert "90秒で逆洗" in hands.words("answerSteps")
    hands.find("citationsView").findChildren(QPushButton)[0].click()
    viewer = hands.wait_for("manualViewer")
    hands.wait(lambda: viewer.page == 14)
    hands.press("closeSourceButton")

    hands.wait(lambda: not hands.desk.page.running)
    hands.ask("ライン3の充填機のE-12について保全依頼を出して")
    dialog = hands.wait_for("approvalDialog")
    bar = dialog.findChild(object, "approvalBody").verticalScrollBar()
    bar.setValue(bar.maximum())
    approver = hands.find("approverId")
    approver.setCurrentIndex(approver.findData(LEADER))
    hands.type(pins[LEADER], "approverPin")
    assert not hands.seen("requesterPin")
    hands.press("approveButton")
    hands.wait_for("approverNewPin")
    hands.type("693815", "approverNewPin")
    hands.press("approveButton")
    hands.wait(lambda: not hands.seen("approvalDialog"))
    hands.wait(lambda: "WR-P07-0001" in hands.words("approvalCard"))

    outbox = tmp_path / "送信" / "outbox" / "P07"
    hands.wait(lambda: outbox.is_dir() and len(list(outbox.glob("*.json"))) == 1)
    (file,) = outbox.glob("*.json")
    sent = json.loads(file.read_bytes())
    assert (sent["number"], sent["equipment"]["id"], sent["station"]) == ("WR-P07-0001", "EQ-003", "P07")
    assert sent["requester"] == {"id": OPERATOR, "known_by": "pin"}
    hands.wait(lambda: "未送信 0件" in hands.find("syncStatus").text())
    start.end()

    again: Hands = start()
    conversations = again.find("conversationList")
    again.wait(lambda: conversations.count() == 1 and bool(conversations.item(0).data(Qt.ItemDataRole.UserRole)), 30)
    conversations.itemClicked.emit(conversations.item(0))
    again.wait(lambda: len(again.desk.page.runs) == 2)
    assert "WR-P07-0001" in again.words("approvalCard")
    assert again.says("90秒で逆洗")
    again.press("requestsButton")
    again.wait(lambda: again.find("requestsTable").count() == 1)
    assert "提出済" in again.find("requestsTable").item(0).text()

    second = commands.Decide(sent["uid"], 1, "unseen", Meaning.REJECTED, SUPERVISOR, "905173", "518204", reason="x")
    again.crew.queries.ask(second)
    again.wait(lambda: "すでに決まっていました" in again.find("messageBar").text())
    assert "WR-P07-0001" in again.find("messageBar").text()
