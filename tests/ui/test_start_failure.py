"""A window that can't start says so in a dialog, whatever kept it, and the exit code stays the contract's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import __main__ as program
from desktop import cli, start_failure
from desktop.cli import window
from desktop.errors import KnownError, for_it, sentence
from desktop.ui.error_note import ErrorNote
from desktop.ui.start_failure import StartFailure
from desktop.workers.worker import failure_of

# Closes the dialog a moment after it opened and prints what stood in it. stderr is None, as in HozenNavi.exe.
_WATCHED = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel
from desktop.ui import start_failure
from desktop import app
class Watched(start_failure.StartFailure):
    def showEvent(self, event):
        super().showEvent(event)
        self.watch = QTimer(self)
        self.watch.timeout.connect(self.told)
        self.watch.start(50)
    def told(self):
        print("\\n".join(label.text() for label in self.findChildren(QLabel)), flush=True)
        self.accept()
start_failure.StartFailure = Watched
"""
_RUN = """
sys.stderr = None
from desktop.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def run(tmp_path: Path, *arguments: str, broken: str = "", data: Path | None = None) -> tuple[int, str]:
    """Exit code and what the dialog said ("" = there was none)."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "HOZEN_NAVI_POLICY": str(tmp_path / "none.toml"),
        "HOZEN_NAVI_DATA_DIR": str(data or tmp_path / "data"),
        "PYTHONFAULTHANDLER": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED + broken + _RUN, *arguments],
        env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Fatal Python error" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def said(error: KnownError) -> list[str]:
    return [sentence(error), for_it(error)]


@pytest.mark.parametrize("link", ["hozen-navi:run?program=x", "hozen-navi:open?equipment=" + "x" * 65])
def test_a_link_that_is_not_understood(tmp_path: Path, link: str) -> None:
    code, words = run(tmp_path, "open", link)
    assert code == 2
    assert "HN-020 " in words


def test_a_qt_that_breaks_this_python(tmp_path: Path) -> None:
    refused = (
        "def refuse():\n    raise app.KnownError('pyside_too_new', python='3.11')\napp._require_fitting_qt = refuse\n"
    )
    code, words = run(tmp_path, broken=refused)
    assert code == 2
    assert words.splitlines()[1:] == said(KnownError("pyside_too_new", python="3.11"))


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    in_the_way = tmp_path / "data"
    in_the_way.write_text("a file where the folder should be", encoding="utf-8")
    code, words = run(tmp_path, "open", "--equipment", "EQ-003")
    assert code == 4
    assert "HN-852 " in words
    assert str(in_the_way / "windows") in words


def test_a_temporary_folder_that_cannot_be_written(tmp_path: Path) -> None:
    code, words = run(tmp_path, broken="import os\nos.environ['TMPDIR'] = '/nowhere'\n")
    assert code == 4
    assert "/nowhere" in words


def test_a_policy_that_anybody_could_have_written(tmp_path: Path) -> None:
    untrusted = """
from desktop import config
def refuse(named):
    raise config.KnownError('policy_untrusted', file='p.toml')
config.data_dir = refuse
"""
    code, words = run(tmp_path, broken=untrusted)
    assert code == 3
    assert words.splitlines()[1:] == said(KnownError("policy_untrusted", file="p.toml"))


@pytest.mark.parametrize(
    "bug",
    [
        "app.translate = None",
        "app.Crew = None",
        "app.Desk = None",
        "app.place = None",
        "app.App.show = None",
        "app.main = None",
        "from desktop.cli import frame; frame.place = None",
    ],
)
def test_a_bug_on_the_way_is_told_and_logged(tmp_path: Path, bug: str) -> None:
    code, words = run(tmp_path, broken=f"{bug}\n")
    log = tmp_path / "data/logs/hozen-navi.log"
    assert code == 5
    assert words.splitlines()[1:] == said(KnownError("internal_error", log=str(log)))
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_a_bug_also_when_a_link_asked_for_the_window(tmp_path: Path) -> None:
    code, words = run(tmp_path, "open", "hozen-navi:open?equipment=EQ-003", broken="app.Desk = None\n")
    assert code == 5
    assert "HN-006 " in words


def test_no_dialog_for_a_script_or_another_command(tmp_path: Path) -> None:
    assert run(tmp_path, "open", "no link", "--json")[1].startswith("{")
    assert run(tmp_path, "requests", "show", "WR-1") == (1, "")


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], True),
        (["--data-dir", "doctor"], True),
        (["--data-dir=x", "open"], True),
        (["open", "hozen-navi:open"], True),
        (["--unknown"], True),
        (["doctor"], False),
        (["--data-dir", "open", "quit"], False),
    ],
)
def test_which_command_lines_ask_for_the_window(arguments: list[str], wanted: bool) -> None:
    assert window.is_wanted(arguments) is wanted


def test_a_bug_before_any_command_is_told_where_nobody_reads_a_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOZEN_NAVI_DATA_DIR", str(tmp_path))
    told: list[KnownError] = []
    monkeypatch.setattr(program, "_tell", told.append)
    monkeypatch.setattr(cli, "main", None)
    with pytest.raises(TypeError):
        program.main([])
    monkeypatch.setattr(program.sys, "stderr", None)
    assert program.main([]) == 5
    assert [error.code for error in told] == ["internal_error"]


def test_where_qt_itself_does_not_load_windows_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows' own box can't be opened here; that it is asked to, with all there is to say, can."""
    shown: list[str] = []
    monkeypatch.setattr(start_failure, "_in_native_box", shown.append)
    monkeypatch.setitem(sys.modules, "desktop.ui.start_failure", None)
    error = KnownError("policy_untrusted", file="policy.toml")
    start_failure.tell(error)
    assert all(words in shown[0] for words in (*said(error), sentence(error, "en"), for_it(error, "en")))


def test_without_a_screen_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(start_failure.sys, "platform", "linux")
    monkeypatch.setattr(start_failure, "_in_dialog", None)
    monkeypatch.setattr(start_failure, "_in_native_box", None)
    start_failure.tell(KnownError("interrupted"))


def test_the_dialog_needs_no_look_and_can_be_copied(qtbot: QtBot, qapp: QApplication) -> None:
    sheet = qapp.styleSheet()
    qapp.setStyleSheet("")
    try:
        dialog = StartFailure(failure_of(KnownError("policy_untrusted", file="policy.toml")))
        qtbot.addWidget(dialog)
        dialog.open()
        note = dialog.findChild(ErrorNote)
        assert note.isVisible()
        note.findChild(object, "copyForItButton").click()
        assert "番号：HN-036" in qapp.clipboard().text()
        dialog.findChild(object, "startFailureClose").click()
        assert not dialog.isVisible()
    finally:
        qapp.setStyleSheet(sheet)
