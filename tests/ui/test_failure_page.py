"""A station whose own data doesn't open: nothing untrue, nothing of the sample, and alive again once it opens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import keyring.backends.fail
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QListWidget
from pytestqt.qtbot import QtBot

from desktop.app import House
from desktop.errors import KnownError, hn
from desktop.paths import DataDir
from desktop.store.journal import newest_schema
from desktop.workers.plant_station import PlantStation
from tests.fakes.desk import open_desk
from tests.fakes.keyrings import use_keyring
from tests.fakes.plant import small_plant
from tests.fakes.station import FakeStation
from tests.ui.conftest import Bench, Hands

apsw = pytest.importorskip("apsw")
Make = Callable[..., Bench]
QUESTION = "ライン3の充填機でE-12が出た"
WHOLE = "設備データと依頼は消えていません。新しく作り直してもいません。"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataDir]:
    """Own machines, people and a request that waits for approval."""
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "policy.toml"))
    made = DataDir(tmp_path / "data")
    with use_keyring(keyring.backends.fail.Keyring()):
        small_plant(made.snapshots).close()
        desk = open_desk(made.root)
        with closing(desk.journal):
            desk.propose()
        yield made


@pytest.fixture
def start(qtbot: QtBot, data: DataDir) -> Iterator[Callable[[], Hands]]:
    made: list[tuple[Hands, House]] = []

    def open_window() -> Hands:
        house = House(data)
        made.append((Hands(qtbot, house), house))
        return made[-1][0]

    yield open_window
    for hands, house in made:
        hands.close()
        house.close()


def corrupt(data: DataDir) -> None:
    whole = data.journal.read_bytes()
    data.journal.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))


def overwritten(data: DataDir) -> None:
    data.journal.write_bytes(b"no journal" * 1000)


def gone(data: DataDir) -> None:
    data.journal.unlink()


def too_new(data: DataDir) -> None:
    with closing(apsw.Connection(str(data.journal))) as journal:
        journal.pragma("user_version", newest_schema() + 1)


def key_gone(data: DataDir) -> None:
    data.journal.with_name("journal.key.json").write_text("{", encoding="utf-8")


def restore_cut_off(data: DataDir) -> None:
    plan = {"names": ["journal.db"], "new": [], "aside": "before-restore", "told": {}}
    (data.root / "restore.json").write_text(json.dumps(plan), encoding="utf-8")


def setting_wrong(data: DataDir) -> None:
    data.settings.write_text('[sync]\ntransport = "pigeon"\n', encoding="utf-8")


def policy_torn(data: DataDir) -> None:
    (data.root.parent / "policy.toml").write_text("[sync", encoding="utf-8")


DAMAGES: list[tuple[Callable[[DataDir], None], str, str]] = [
    (corrupt, "journal_corrupt", "手を付けていません"),
    (overwritten, "journal_key_file_missing", "手を付けていません"),
    (gone, "journal_vanished", "新しく作り直してはいません"),
    (too_new, "journal_too_new", WHOLE),
    (key_gone, "journal_key_file_broken", WHOLE),
    (restore_cut_off, "restore_unfinished", WHOLE),
    (setting_wrong, "setting_wrong_value", WHOLE),
    (policy_torn, "policy_unreadable", WHOLE),
]


def damage_id(value: object) -> str:
    return getattr(value, "__name__", "")


def shows(hands: Hands, words: str) -> bool:
    return any(words in label.text() for label in hands.window.findChildren(QLabel) if label.isVisible())


def rows_of(hands: Hands, name: str) -> list[str]:
    found = hands.find(name, QListWidget)
    return [found.item(at).text() for at in range(found.count())]


@pytest.mark.parametrize(("damage", "code", "safe"), DAMAGES, ids=damage_id)
def test_own_data_that_does_not_open_is_no_first_start(
    start: Callable[[], Hands], data: DataDir, damage: Callable[[DataDir], None], code: str, safe: str
) -> None:
    damage(data)
    hands = start()
    hands.wait_for("failurePage")
    assert safe in hands.find("failureSafe").text()
    assert shows(hands, "班長か保全へ電話")
    assert shows(hands, hn(code))
    assert not shows(hands, "まだ設備のデータがありません")
    for way_on in ("startPage", "startSampleButton", "startImportButton", "questionInput", "equipmentPicker"):
        assert not hands.seen(way_on), way_on
    assert not hands.window.findChild(QAction, "importData").isEnabled()
    assert hands.seen("failureSupportButton")
    assert hands.find("dataAge").text() == "データ：不明"
    for unknown in ("networkStatus", "providerStatus", "syncStatus", "storageStatus"):
        assert not hands.seen(unknown), unknown


def test_what_is_asked_there_ends_in_the_same_failure(start: Callable[[], Hands], data: DataDir) -> None:
    gone(data)
    hands = start()
    hands.ask(QUESTION)  # typed before it is known that nothing opens
    hands.wait_for("failurePage")
    hands.wait(lambda: not hands.desk.page.running)
    texts = "\n".join(label.text() for label in hands.desk.page.findChildren(QLabel))
    assert "HN-103" in texts
    assert "HN-450" not in texts
    for key in (Qt.Key.Key_N, Qt.Key.Key_L, Qt.Key.Key_K):
        hands.qtbot.keyClick(hands.window, key, Qt.KeyboardModifier.ControlModifier)
        assert hands.seen("failurePage"), key
        assert not hands.seen("questionInput"), key
    shown = [note for note in hands.all("errorNote") if note.isVisible()]
    assert len(shown) == 1


def test_once_it_opens_everything_is_alive_without_a_restart(start: Callable[[], Hands], data: DataDir) -> None:
    kept = data.journal.read_bytes()
    gone(data)
    hands = start()
    hands.wait_for("failurePage")
    data.journal.write_bytes(kept)
    hands.press("openAgainButton")
    hands.wait_for("questionInput")
    assert any("EQ-003" in row for row in rows_of(hands, "equipmentTiles"))
    assert len(rows_of(hands, "pendingInbox")) == 1
    assert shows(hands, "承認待ち 1件")
    assert hands.find("dataAge").text() != "データ：不明"
    assert hands.seen("storageStatus")
    assert hands.window.findChild(QAction, "importData").isEnabled()
    hands.press("currentUser")
    hands.wait_for("personDialog")
    assert "中村 大輔" in "\n".join(rows_of(hands, "personList"))
    hands.find("personDialog").close()


def test_a_passing_cause_is_tried_again_by_itself(start: Callable[[], Hands], data: DataDir) -> None:
    restore_cut_off(data)
    hands = start()
    hands.desk.data._again.setInterval(50)
    hands.wait_for("failurePage")
    hands.press("openAgainButton")
    hands.wait(lambda: hands.find("openAgainButton").isEnabled())
    assert "自動で" in hands.find("failureState").text()
    (data.root / "restore.json").unlink()
    hands.wait_for("questionInput")


def test_without_the_snapshot_what_the_journal_knows_can_be_read(start: Callable[[], Hands], data: DataDir) -> None:
    (snapshot,) = data.snapshots.glob("*.duckdb")
    kept = snapshot.read_bytes()
    snapshot.write_bytes(b"no snapshot" * 1000)
    hands = start()
    page = hands.wait_for("failurePage")
    assert "記録は無事" in hands.find("failureSafe").text()
    assert shows(hands, "保全依頼の一覧は見られ")
    assert shows(hands, "承認待ち 1件")
    assert rows_of(hands, "equipmentTiles") == ["不明"]
    assert "HN-481" in hands.find("dataAge").text()
    assert hands.find("syncStatus").text() == "未送信 0件"
    assert hands.seen("networkStatus")
    assert "届きません" not in hands.find("networkStatus").text()
    hands.press("requestsButton")
    hands.wait_for("requestsPage")
    hands.press("newConversationButton")
    assert page.isVisible()
    snapshot.write_bytes(kept)
    hands.press("openAgainButton")
    hands.wait_for("questionInput")
    assert any("EQ-003" in row for row in rows_of(hands, "equipmentTiles"))


@pytest.mark.parametrize("pointer", ["torn", '{"version": "00009-20261130T000000Z"}', None])
def test_an_older_generation_never_answers_in_silence(
    start: Callable[[], Hands], data: DataDir, pointer: str | None
) -> None:
    small_plant(data.snapshots).close()
    if pointer is None:
        (data.snapshots / "current.json").unlink()
    else:
        (data.snapshots / "current.json").write_text(pointer, encoding="utf-8")
    hands = start()
    hands.wait(lambda: shows(hands, "HN-492"))
    assert shows(hands, "情シスに連絡")
    age = hands.find("dataAge")
    assert "HN-492" in age.text()
    assert age.property("role") == "pill-warn"
    hands.ask(QUESTION)
    hands.wait(lambda: not hands.desk.page.running)
    assert not hands.seen("failurePage")


@pytest.mark.parametrize("folder_too", [False, True])
def test_plant_data_that_is_gone_is_no_first_start(
    start: Callable[[], Hands], data: DataDir, *, folder_too: bool
) -> None:
    for file in data.snapshots.iterdir():
        if folder_too or file.suffix == ".duckdb":
            file.unlink()
    hands = start()
    hands.wait_for("failurePage")
    assert shows(hands, "HN-480")
    assert not hands.seen("startSampleButton")


def test_a_journal_that_never_held_anything_is_a_first_start(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any command may have made one before anybody opened the window."""
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    with use_keyring(keyring.backends.fail.Keyring()):
        from desktop import wiring

        data = DataDir(tmp_path / "data")
        with wiring.open_services(data, sample=False):
            pass
        house = House(data)
        hands = Hands(qtbot, house)
        hands.wait_for("startSampleButton")
        hands.close()
        house.close()


def test_nothing_is_counted_before_it_is_known(qtbot: QtBot) -> None:
    """The first seconds, and a bug on the way."""
    from threading import Event

    opened = Event()

    class Slow(FakeStation):
        def open(self, sample: bool | None):  # type: ignore[no-untyped-def]
            opened.wait(10)
            raise RuntimeError

    station = Slow()
    hands = Hands(qtbot, lambda: station)
    assert rows_of(hands, "equipmentTiles") == ["読み込み中…"]
    assert not shows(hands, "0件")
    for name in ("equipmentTiles", "conversationList"):
        found = hands.find(name, QListWidget)
        where = found.visualItemRect(found.item(0)).center()
        hands.qtbot.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert hands.find("dataAge").text() == "読み込み中…"
    assert hands.seen("questionInput")
    opened.set()
    hands.wait_for("failurePage")
    assert not shows(hands, "消えていません")
    assert shows(hands, hn("internal_error"))
    assert not shows(hands, "0件")
    hands.close()


def test_the_sample_is_gone_once_there_are_own_data(data: DataDir) -> None:
    station = PlantStation(data)
    assert not station.open(True).sample
    station.close()
    gone(data)
    with pytest.raises(KnownError, match="journal_vanished"):
        station.open(True)
    assert not data.sample.root.exists()


def test_after_the_first_import_only_the_way_on_is_left(bench: Make) -> None:
    desk = bench(has_data=False)
    desk.wait_for("startPage").import_folder("/plant")
    desk.wait_for("importReport")
    assert shows(desk, "取り込みました")
    assert not shows(desk, "まだ設備のデータがありません")
    for choice in ("startSampleButton", "startImportButton"):
        assert not desk.seen(choice), choice
    assert not shows(desk, "データなし")
    desk.press("startOpenButton")
    desk.wait_for("questionInput")
    desk.window.import_wanted.emit()
    assert desk.seen("startImportButton")


def test_at_the_first_start_there_is_always_a_way_to_the_choice(bench: Make) -> None:
    desk = bench(has_data=False)
    desk.wait_for("startPage")
    for key in (Qt.Key.Key_N, Qt.Key.Key_K):
        desk.qtbot.keyClick(desk.window, key, Qt.KeyboardModifier.ControlModifier)
        assert desk.seen("startSampleButton"), key
    assert not desk.find("focusChip").isEnabled()
    assert not shows(desk, "0件")


def test_a_sample_that_does_not_open_keeps_the_choice(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = bench(has_data=False)
    desk.wait_for("startPage")
    monkeypatch.setattr(desk.station, "open", lambda _sample: _raise(KnownError("journal_disk_full", file="j")))
    desk.press("startSampleButton")
    desk.wait(lambda: shows(desk, "HN-101"))
    assert desk.seen("startImportButton")


def _raise(error: KnownError) -> None:
    raise error
