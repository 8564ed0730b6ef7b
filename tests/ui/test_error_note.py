"""Wherever the window shows that something failed stand its number and IT's line, and both can be copied."""

from __future__ import annotations

import html
import platform
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop import __version__, paths
from desktop.agent import events
from desktop.domain.work_request import Meaning
from desktop.errors import KnownError, for_it, sentence
from desktop.ui import language as window_language
from desktop.ui.error_note import ErrorNote
from desktop.ui.manual_viewer import ManualViewer
from desktop.ui.run_card import RunCard
from desktop.ui.start_page import report_words
from desktop.workers import commands
from desktop.workers.station import Reach, Source
from desktop.workers.worker import Failure, failure_of
from tests.fakes.station import PIN, FakeStation, proposal
from tests.ui.conftest import Bench

Make = Callable[..., Bench]
QUESTION = "ライン3の充填機でE-12が出た"
FULL = KnownError("journal_disk_full", file="/data/journal.db")
_FIELD = re.compile(r"{(\w+)}")
_MAY_BE_PASSED_ON = {"left", "limit", "length", "shortest", "role", "line", "equipment"}


def notes(widget: QWidget) -> list[ErrorNote]:
    return [note for note in widget.findChildren(ErrorNote) if note.isVisibleTo(widget)]


def check(note: ErrorNote, error: KnownError) -> None:
    said = {name: note.findChild(QWidget, name).text() for name in ("errorText", "errorForIt")}  # type: ignore[attr-defined]
    assert sentence(error) in said["errorText"]
    assert said["errorForIt"] == for_it(error)


def only_note(desk: Bench) -> ErrorNote:
    desk.wait(lambda: bool(notes(desk.window)))
    (note,) = notes(desk.window)
    return note


def copied(note: ErrorNote, qtbot: QtBot) -> str:
    QApplication.clipboard().clear()
    note.findChild(QWidget, "copyForItButton").click()  # type: ignore[attr-defined]
    return QApplication.clipboard().text()


def test_what_is_copied_is_all_that_it_needs(bench: Make, qtbot: QtBot) -> None:
    desk = bench()
    desk.window.show_failure(failure_of(FULL))
    note = only_note(desk)
    assert "情シスへの連絡用にコピー" in note.findChild(QWidget, "copyForItButton").text()  # type: ignore[attr-defined]
    lines = copied(note, qtbot).splitlines()
    assert re.fullmatch(r"時刻：\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}", lines[0])
    assert lines[1:4] == [f"版：{__version__}", "端末：P07", "番号：HN-101"]
    assert lines[4] == f"内容：{sentence(FULL)}"
    assert f"HN-101 {lines[5].removeprefix('対応：')}" == for_it(FULL)
    assert note.findChild(QWidget, "copyForItButton").text() == "コピーしました"  # type: ignore[attr-defined]


def test_what_is_nothing_for_it_offers_no_text_for_it(qtbot: QtBot) -> None:
    note = ErrorNote()
    qtbot.addWidget(note)
    for error, offered in ((KnownError("pin_too_simple", shortest=6), False), (FULL, True)):
        note.tell(failure_of(error))
        assert note.findChild(QWidget, "copyForItButton").isVisibleTo(note) is offered  # type: ignore[attr-defined]
        assert note.findChild(QWidget, "errorForIt").text() == for_it(error)  # type: ignore[attr-defined]


def test_without_a_station_code_the_copied_text_names_the_computer(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = ErrorNote()
    qtbot.addWidget(note)
    monkeypatch.setattr(ErrorNote, "station", "")
    note.tell(failure_of(FULL))
    assert f"端末：{platform.node()}" in copied(note, qtbot).splitlines()


def people_codes() -> list[tuple[str, str]]:
    tables = tomllib.loads(paths.resource("messages.ja.toml").read_text(encoding="utf-8"))
    return [(code, entry["text"]) for table in ("people", "approval") for code, entry in tables[table].items()]


def test_no_name_is_ever_copied(qtbot: QtBot) -> None:
    note = ErrorNote()
    qtbot.addWidget(note)
    for code, text in people_codes():
        detail = {name: name if name in _MAY_BE_PASSED_ON else "鈴木花" for name in _FIELD.findall(text)}
        note.tell(Failure(code, detail))
        assert "鈴木花" not in copied(note, qtbot), code
    note.tell(Failure("run_refused", {"why": "鈴木花さんの質問"}))
    assert "鈴木花" not in copied(note, qtbot)
    note.tell(Failure("snapshot_unwritable", {"file": str(Path.home() / "data"), "reason": "x"}))
    assert str(Path.home()) not in copied(note, qtbot)


def test_its_words_are_english_where_the_window_is(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    english = QLocale(QLocale.Language.English)
    monkeypatch.setattr(window_language.QLocale, "system", lambda: english)
    note = ErrorNote()
    qtbot.addWidget(note)
    note.tell(failure_of(FULL))
    assert sentence(FULL, "en") in note.findChild(QWidget, "errorText").text()  # type: ignore[attr-defined]
    assert for_it(FULL, "en") in note.findChild(QWidget, "errorForIt").text()  # type: ignore[attr-defined]


def test_a_run_that_breaks_off(bench: Make) -> None:
    desk = bench()
    desk.station.trouble = FULL
    desk.ask(QUESTION)
    note = only_note(desk)
    check(note, FULL)
    assert desk.desk.page.runs[-1].isAncestorOf(note)


def test_a_look_up_that_fails_is_in_the_message_bar_until_closed(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = bench()
    monkeypatch.setattr(desk.station, "requests", lambda: _raise(FULL))
    desk.press("requestsButton")
    check(only_note(desk), FULL)
    desk.press("messageClose")
    assert notes(desk.window) == []
    desk.window.show_message("お知らせ")
    assert notes(desk.window) == []


def test_the_message_bar_is_as_high_as_what_it_says_now(bench: Make) -> None:
    """A short message before must not leave a long failure behind a scroll bar of three lines."""
    desk = bench()
    desk.window.show_message("承認しました")
    desk.qtbot.waitUntil(lambda: desk.find("messageBar").isVisible())
    desk.window.show_failure(failure_of(FULL))
    note = only_note(desk)
    bar = desk.window._message
    desk.wait(lambda: bar.height() >= bar.inside.heightForWidth(bar.width()) > note.height())


def test_a_bug_of_a_slot(bench: Make) -> None:
    desk = bench()
    bug = KnownError("internal_error", log="hozen-navi.log")
    desk.window.show_failure(failure_of(bug))
    check(only_note(desk), bug)


def test_data_that_does_not_open_or_come_in(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = bench(has_data=False)
    page = desk.wait_for("startPage")
    monkeypatch.setattr(desk.station, "import_files", lambda *_given: _raise(FULL))
    page.import_folder("/plant")
    check(only_note(desk), FULL)
    assert desk.find("startImportButton").isEnabled()
    page.show_progress("1 / 1")
    page.import_folder("/plant")
    desk.wait(lambda: bool(notes(desk.window)))
    missing = KnownError("journal_key_missing", name="journal/1")
    monkeypatch.setattr(desk.station, "open", lambda _sample: _raise(missing))
    desk.press("startSampleButton")
    desk.wait(lambda: "HN-107" in desk.find("errorForIt").text() or desk.says("HN-107"))
    check(only_note(desk), missing)


def test_one_bad_file_among_good_ones() -> None:
    damaged = KnownError("file_damaged", file="記録.xlsx")
    good = {"path": "/plant/台帳.csv", "kind": "ledger", "accepted": 57, "rejected": 0, "error": None}
    bad = {"path": "/plant/記録.xlsx", "kind": "record", "accepted": 0, "rejected": 0, "error": damaged.to_json()}
    lines = report_words({"files": [good, bad]}).splitlines()
    assert "受入 57" in lines[0]
    assert lines[1:] == [f"記録.xlsx：取り込めませんでした。{sentence(damaged)}", f"　{for_it(damaged)}"]


def test_a_decision_that_is_refused(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = bench()
    desk.ask("ライン3の充填機のOリング交換を依頼して")
    dialog = desk.wait_for("approvalDialog")
    bar = dialog.findChild(object, "approvalBody").verticalScrollBar()
    bar.setValue(bar.maximum())
    approver = desk.find("approverId")
    approver.setCurrentIndex(approver.findData("0301"))
    desk.type("999999", "approverPin")
    desk.type(PIN, "requesterPin")
    desk.wait(lambda: desk.find("approveButton").isEnabled())
    desk.press("approveButton")
    desk.wait(lambda: bool(notes(dialog)))
    check(notes(dialog)[0], KnownError("pin_wrong", left=4))
    desk.type("1", "approverPin")
    assert notes(dialog) == []


def test_a_person_who_is_not_let_in(bench: Make) -> None:
    desk = bench()
    desk.press("currentUser")
    dialog = desk.wait_for("personDialog")
    desk.press("personChoose")
    assert notes(dialog) == []
    desk.find("personList").setCurrentRow(0)
    desk.type("000000", "personPin")
    desk.press("personChoose")
    desk.wait(lambda: bool(notes(dialog)))
    check(notes(dialog)[0], KnownError("pin_wrong", left=4))
    desk.find("personList").setCurrentRow(1)
    assert notes(dialog) == []


def test_a_draft_that_does_not_become_a_proposal(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = bench()
    desk.ask(QUESTION)
    desk.wait_for("draftRequestButton")
    desk.press("draftRequestButton")
    form = desk.wait_for("requestForm")
    retired = KnownError("machine_retired", equipment="EQ-003")
    monkeypatch.setattr(desk.station, "propose", lambda _command: _raise(retired))
    desk.find("draftSubmit").click()
    desk.wait(lambda: bool(notes(form)))
    check(notes(form)[0], retired)
    assert desk.find("draftSubmit").isEnabled()


def why_unsent(desk: Bench) -> QAction:
    return desk.find("whyUnsent", QAction)  # type: ignore[no-any-return]


def test_what_keeps_requests_here_is_a_press_away(bench: Make) -> None:
    desk = bench()
    assert not why_unsent(desk).isVisible()
    missing = KnownError("sync_folder_missing", reason=r"\\srv\hozen")
    desk.station.now = replace(desk.station.now, reach=Reach.UNREACHED, trouble=failure_of(missing))
    desk.crew.sync.wake()
    desk.wait(lambda: desk.find("networkStatus").text() == "▲ 送信先に届きません（HN-402）")
    assert for_it(missing) in html.unescape(desk.find("networkStatus").toolTip())
    assert notes(desk.window) == []
    assert why_unsent(desk).text() == "送れない理由（HN-402）…"
    why_unsent(desk).trigger()
    check(only_note(desk), missing)
    desk.station.now = replace(desk.station.now, reach=Reach.REACHED, trouble=None)
    desk.crew.sync.wake()
    desk.wait(lambda: not why_unsent(desk).isVisible())
    assert desk.find("networkStatus").text() == "● 接続"


def test_a_request_that_stepped_aside(bench: Make) -> None:
    station = FakeStation()
    station.proposals["p-1"] = proposal()
    station.decide(commands.Decide("p-1", 1, "", Meaning.APPROVED, "0301", PIN, title="Oリング"))
    conflict = KnownError("sync_item_conflict", reason=r"\\srv\hozen\outbox\P07\1.json")
    station.aside["WR-P07-0001"] = failure_of(conflict)
    desk = bench(station=station)
    desk.press("requestsButton")
    table = desk.wait_for("requestsTable")
    desk.wait(lambda: table.count() == 1)
    assert "（HN-405）" in table.item(0).text()
    check(only_note(desk), conflict)
    station.aside.clear()
    desk.press("requestsButton")
    desk.wait(lambda: notes(desk.window) == [])


def test_an_original_that_does_not_open(qtbot: QtBot, tmp_path: Path) -> None:
    broken = tmp_path / "a.pdf"
    broken.write_bytes(b"no pdf")
    viewer = ManualViewer()
    qtbot.addWidget(viewer)
    viewer.show_source(Source("FL-200 5.2", "逆洗", broken, 1, text="逆洗する"))
    check(notes(viewer)[0], KnownError("original_unreadable", title="FL-200 5.2"))
    viewer.show_source(Source("記録", "逆洗", text="逆洗する", gone=True))
    assert notes(viewer) == []


def stopped(error: KnownError, reason: events.StopReason) -> events.RunStopped:
    return events.RunStopped(reason, sentence(error), code=error.code, values=error.detail)


@pytest.mark.parametrize("asked", [True, False], ids=["a model was asked", "none was"])
def test_a_model_that_stops_for_a_reason_of_its_own(qtbot: QtBot, asked: bool) -> None:
    card = RunCard(QUESTION)
    qtbot.addWidget(card)
    if asked:
        card.handle(events.ProviderChosen("anthropic", "claude-opus-5-5", "r1"))
    cut = KnownError("net_name_unknown", host="ai.example")
    card.handle(stopped(cut, events.StopReason.UNREACHABLE))
    check(notes(card)[0], cut)


def test_what_a_person_wanted_is_no_failure(bench: Make, qtbot: QtBot) -> None:
    card = RunCard(QUESTION)
    qtbot.addWidget(card)
    card.handle(stopped(KnownError("run_cancelled"), events.StopReason.CANCELLED))
    assert notes(card) == []
    desk = bench()
    desk.ask("充填機でE-12")
    desk.wait_for("choiceCard")
    assert notes(desk.window) == []


def _raise(error: Exception) -> None:
    raise error
