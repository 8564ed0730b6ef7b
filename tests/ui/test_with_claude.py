"""The window with Claude on a loopback server: text streams, a proposal parks, a new window approves, the run ends."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring.backends.fail
import pytest
from pytestqt.qtbot import QtBot

from desktop.app import House
from desktop.paths import DataDir
from tests.fakes.keyrings import use_keyring
from tests.fakes.messages_server import MessagesServer, answer, tool_use
from tests.ui.conftest import Hands

REQUEST = {
    "equipment_id": "EQ-003",
    "title": "EQ-003 Oリング交換",
    "detail": "E-12が再発。清掃では直らない。",
    "priority": "中",
}
APPROVER, REQUESTER = ("0302", "693815"), ("0104", "284706")  # PINs printed in the bundled roster


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as server:
        yield server


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-key")
    made = DataDir(tmp_path / "data")
    made.root.mkdir()
    return made


def set_claude(data: DataDir, url: str) -> None:
    data.settings.write_text(f'provider = "anthropic"\n[anthropic]\nbase_url = "{url}"\n', encoding="utf-8")


@pytest.fixture
def open_window(qtbot: QtBot, data: DataDir) -> Iterator[Callable[[], Hands]]:
    """Each call is another start of the program on the same data; the window before is closed."""
    made: list[tuple[Hands, House]] = []

    def close() -> None:
        for hands, house in made:
            hands.close()
            house.close()
        made.clear()

    def start() -> Hands:
        close()
        house = House(data)
        made.append((Hands(qtbot, house), house))
        return made[-1][0]

    with use_keyring(keyring.backends.fail.Keyring()):
        yield start
        close()


def test_from_streamed_text_to_an_approved_request_over_a_restart(
    open_window: Callable[[], Hands], data: DataDir, server: MessagesServer
) -> None:
    set_claude(data, server.url)
    hands = open_window()
    hands.wait_for("startSampleButton")
    hands.press("startSampleButton")
    hands.wait(lambda: hands.seen("questionInput"), 60)
    assert "claude-opus-5-5" in hands.find("providerStatus").text()
    server.script(
        answer(tool_use("t1", "search_manual", model="FL-200", keywords="E-12")),
        answer("EQ-003 の E-12 は充填ノズル詰まりです。"),
        answer(
            tool_use("t2", "search_records", equipment_id="EQ-003", keywords="E-12"),
            tool_use("t3", "create_work_request", **REQUEST),
        ),
    )
    hands.ask("ライン3の充填機でE-12が出た")
    hands.wait(lambda: hands.seen("modelText") and not hands.desk.page.running, 60)
    assert hands.find("modelText").parentWidget().title == "AIのまとめ（照合済み）"
    assert "充填ノズル詰まりです" in hands.find("modelText").toPlainText()

    hands.ask("清掃しても直らない。保全依頼を出して")
    hands.wait(lambda: hands.seen("approvalDialog"), 30)
    assert "AI下書き（claude-opus-5-5）" in hands.words("approvalDialog")
    hands.press("deferButton")
    hands.wait(lambda: not hands.find("questionInput").isEnabled())
    assert "記録✓" in hands.find("stepsButton").text()
    hands.press("newConversationButton")
    assert hands.find("questionInput").isEnabled()

    again = open_window()
    again.wait(lambda: again.find("pendingInbox").count() == 1, 60)
    inbox = again.find("pendingInbox")
    inbox.itemClicked.emit(inbox.item(0))
    dialog = again.wait_for("approvalDialog")
    bar = dialog.findChild(object, "approvalBody").verticalScrollBar()
    bar.setValue(bar.maximum())
    for box, pin, (person, digits) in (
        ("approverId", "approverPin", APPROVER),
        ("requesterId", "requesterPin", REQUESTER),
    ):
        again.find(box).setCurrentIndex(again.find(box).findData(person))
        again.type(digits, pin)
    server.script(answer("WR-0001 として登録しました。"))
    again.press("approveButton")
    again.wait(lambda: not again.seen("approvalDialog"))
    assert "WR-0001（登録済）" in again.words("approvalCard")
    again.wait(lambda: any("登録しました" in text.toPlainText() for text in again.all("modelText")), 30)
    again.wait(lambda: again.find("questionInput").isEnabled())
    assert again.find("pendingInbox").count() == 0


def test_a_provider_that_can_not_be_reached_leaves_the_composed_answer(
    open_window: Callable[[], Hands], data: DataDir
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        set_claude(data, f"http://127.0.0.1:{closed.getsockname()[1]}")
    hands = open_window()
    hands.wait_for("startSampleButton")
    hands.press("startSampleButton")
    hands.wait(lambda: hands.seen("questionInput"), 60)
    hands.ask("ライン3の充填機でE-12が出た")
    hands.wait_for("answerSteps")
    hands.wait(lambda: not hands.desk.page.running, 60)
    assert hands.says("台帳からの回答はこのまま使えます")
    assert hands.find("questionInput").isEnabled()
    hands.press("sentButton")
    hands.wait_for("manualViewer")
    assert "EQ-003" in hands.find("manualText").toPlainText()

    with MessagesServer() as server:  # the next day it can be reached
        set_claude(data, server.url)
        server.script(answer("充填ノズル詰まりです。"))
        again = open_window()
        again.wait(lambda: again.says("途中になった質問が1件あります"), 60)
        again.find("conversationList").itemClicked.emit(again.find("conversationList").item(0))
        again.wait_for("goOnButton").click()
        again.wait(lambda: any("詰まりです" in text.toPlainText() for text in again.all("modelText")), 60)
        again.wait(lambda: not again.find("conversationList").item(0).text().startswith("◐"))
    assert not again.seen("goOnButton")
    assert not again.says("台帳からの回答はこのまま使えます")
