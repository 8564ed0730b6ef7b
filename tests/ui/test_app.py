"""The process around the window: one instance, bugs told, garbage on the UI thread, looks kept, a clean end."""

import gc
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import app as app_module
from desktop.app import App, DraftKeeper, House
from desktop.errors import KnownError
from desktop.open_windows import WindowFiles
from desktop.paths import DataDir
from desktop.ui import theme
from desktop.ui.crash import CrashWatch
from desktop.ui.gc_guard import GcGuard
from desktop.ui.look import Look, LookFile, Scheme
from desktop.ui.single_instance import SingleInstance
from desktop.workers.crew import Crew
from desktop.workers.worker import Failure


@pytest.fixture
def parent(qapp: QApplication) -> Iterator[QObject]:
    made = QObject()
    yield made
    made.deleteLater()


@pytest.fixture
def _automatic_collection() -> Iterator[None]:
    yield
    gc.enable()


def test_a_second_start_raises_the_first(qtbot: QtBot, parent: QObject, tmp_path: Path) -> None:
    first, second, elsewhere = (SingleInstance(root, parent) for root in (tmp_path, tmp_path, tmp_path / "other"))
    raised: list[str] = []
    first.raised.connect(raised.append)
    assert first.claim()
    assert not second.claim()
    assert not second.claim("EQ-003 E-12")
    qtbot.waitUntil(lambda: raised == ["", "EQ-003 E-12"])
    assert elsewhere.claim()
    first.release()
    assert second.claim()
    second.release()
    elsewhere.release()


def test_a_killed_window_blocks_nobody(parent: QObject, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication;"
        "from desktop.ui.single_instance import SingleInstance; application = QCoreApplication([]);"
        "assert SingleInstance(Path(sys.argv[1])).claim(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == -9
    after = SingleInstance(tmp_path, parent)
    assert after.claim()
    after.release()


def test_a_bug_in_a_thread_is_logged_and_told_on_screen(
    qtbot: QtBot, parent: QObject, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watch = CrashWatch(tmp_path / "hozen-navi.log", parent)
    told: list[Failure] = []
    watch.bug_told.connect(told.append)
    thread = threading.Thread(target=lambda: 1 / 0)
    with caplog.at_level(logging.ERROR):
        thread.start()
        thread.join()
    qtbot.waitUntil(lambda: bool(told))
    watch.release()
    assert told == [Failure("internal_error", {"log": str(tmp_path / "hozen-navi.log")})]
    assert "ZeroDivisionError" in caplog.text


def test_a_bug_is_told_also_where_no_log_can_be_written(qtbot: QtBot, parent: QObject, tmp_path: Path) -> None:
    watch = CrashWatch(tmp_path / "no folder" / "hozen-navi.log", parent)
    told: list[Failure] = []
    watch.bug_told.connect(told.append)
    sys.excepthook(ZeroDivisionError, ZeroDivisionError(), None)
    qtbot.waitUntil(lambda: bool(told))
    watch.release()
    assert told[0].code == "internal_error"


@pytest.mark.usefixtures("_automatic_collection")
def test_garbage_is_collected_by_the_guard_and_by_nobody_else(parent: QObject) -> None:
    guard = GcGuard(parent)
    assert not gc.isenabled()
    collected: list[str] = []
    gc.callbacks.append(lambda phase, _info: collected.append(threading.current_thread().name))
    try:
        kept = [[] for _ in range(gc.get_threshold()[0] * 3)]  # type: ignore[var-annotated]
        worker = threading.Thread(target=lambda: [[] for _ in range(5000)])
        worker.start()
        worker.join()
        assert collected == []
        guard.check()
    finally:
        gc.callbacks.pop()
    assert set(collected) == {"MainThread"}
    assert kept


@pytest.mark.usefixtures("_automatic_collection")
def test_nothing_is_collected_while_modules_are_being_loaded(parent: QObject, monkeypatch: pytest.MonkeyPatch) -> None:
    guard = GcGuard(parent)
    collected: list[str] = []
    gc.callbacks.append(lambda phase, _info: collected.append(phase))
    try:
        kept = [[] for _ in range(gc.get_threshold()[0] * 3)]  # type: ignore[var-annotated]
        monkeypatch.setitem(sys.modules, "just_loaded", ModuleType("just_loaded"))
        guard.check()
        assert collected == []
        guard.check()
        assert collected
    finally:
        gc.callbacks.pop()
    assert kept


def test_looks_are_kept_and_nonsense_in_the_file_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "window.ini"
    LookFile(file).keep(Look(Scheme.DARK, 150))
    assert LookFile(file).look() == Look(Scheme.DARK, 150)
    file.write_text("[General]\nscheme=purple\npercent=9000\n", encoding="utf-8")
    assert LookFile(file).look() == Look()


def test_dark_and_large_reach_every_colour_and_letter(qapp: QApplication) -> None:
    try:
        Look(Scheme.DARK, 200).dress(qapp)
        assert theme.tokens() is theme.DARK
        large = theme.em()
        Look(Scheme.LIGHT, 100).dress(qapp)
        assert theme.tokens() is theme.LIGHT
        assert large == pytest.approx(2 * theme.em(), abs=1)
    finally:
        theme.apply(qapp, dark=False)


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dim = sorted((light(one), light(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("shades", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_everything_written_can_be_read(shades: theme.Tokens) -> None:
    pairs = [
        (shades.text, shades.ground), (shades.text, shades.surface), (shades.muted, shades.ground),
        (shades.muted, shades.surface), (shades.on_accent, shades.accent), (shades.accent, shades.accent_soft),
        (shades.ok, shades.ok_soft), (shades.warn, shades.warn_soft), (shades.warn, shades.ground),
        (shades.muted, shades.warn_soft), (shades.danger, shades.warn_soft), (shades.danger, shades.ground),
        (shades.danger, shades.surface), (shades.danger, shades.danger_soft),
        (shades.text, shades.danger_soft), (shades.text, shades.warn_soft),
    ]  # fmt: skip
    assert min(contrast(*pair) for pair in pairs) >= 4.5
    assert contrast(shades.field_line, shades.surface) >= 3


@pytest.mark.usefixtures("_automatic_collection")
def test_the_window_opens_on_nothing_and_closes_clean(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    data = DataDir(tmp_path)
    data.logs.mkdir()
    files = WindowFiles(tmp_path, "test")
    files.hold()
    house = House(data)
    crew = Crew.start(house)
    keeper = DraftKeeper(files)
    made = App(qapp, data, data.logs / "hozen-navi.log", crew, keeper)
    made.show()
    qtbot.waitUntil(lambda: made.window.start_page.isVisible(), timeout=20_000)
    made.come_to_front("")
    made.window.close()
    keeper.close()
    assert crew.close()
    house.close()
    made.close()
    made.deleteLater()
    files.let_go()
    assert (tmp_path / "window.ini").exists()
    theme.apply(qapp, dark=False)


def test_the_services_are_not_loaded_before_a_worker_asks(tmp_path: Path) -> None:
    program = (
        "import sys; from desktop.app import House; from desktop.paths import DataDir; from pathlib import Path;"
        "House(DataDir(Path(sys.argv[1])));"
        "print([name for name in ('duckdb', 'apsw', 'anthropic') if name in sys.modules])"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "[]"


def test_a_qt_that_breaks_this_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module.PySide6, "__version_info__", (6, 12, 0))
    monkeypatch.setattr(app_module.sys, "version_info", (3, 11, 7))
    with pytest.raises(KnownError) as refused:
        app_module.main(None, "")
    assert refused.value.code == "pyside_too_new"


@pytest.mark.skipif(sys.platform == "win32", reason="offscreen only")
def test_main_runs_until_the_window_is_closed(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QTimer;"
        "from desktop import app; original = app.App.show;"
        "app.App.show = lambda self, text: (original(self, text), QTimer.singleShot(300, self.window.close))[0];"
        "print('code', app.main(Path(sys.argv[1]), ''))"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOZEN_NAVI_POLICY": str(tmp_path / "none.toml")}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")],
        capture_output=True, text=True, check=True, env=environment, timeout=100,
    )  # fmt: skip
    assert done.stdout.strip() == "code 0", done.stderr
    assert "Traceback" not in done.stderr
