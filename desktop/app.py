"""The window's composition root: one process, one window, its look, its workers, and their end."""

from __future__ import annotations

import gc
import logging
import sys
import threading
from pathlib import Path

import PySide6
from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDesktopServices, QIcon
from PySide6.QtWidgets import QApplication

from desktop import __version__, logs, paths
from desktop.errors import KnownError
from desktop.event_log import ENDED, STARTED, EventLog, Severity
from desktop.open_windows import Drafts, WindowFiles
from desktop.paths import DataDir
from desktop.ui.crash import CrashWatch
from desktop.ui.desk import Desk
from desktop.ui.gc_guard import GcGuard
from desktop.ui.language import translate
from desktop.ui.look import Look, LookFile
from desktop.ui.main_window import MainWindow
from desktop.ui.placement import place
from desktop.ui.single_instance import SingleInstance
from desktop.workers.crew import Crew
from desktop.workers.station import Station
from desktop.workers.worker import Worker, failure_of

_log = logging.getLogger(__name__)
_FOREIGN = ("file", "http", "https", "mailto")


class House:
    """The services below, loaded by the first worker that needs them; the window stands and takes keys meanwhile."""

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._station: Station | None = None

    def __call__(self) -> Station:
        with self._lock:
            if self._station is None:
                from desktop.workers.plant_station import PlantStation

                self._station = PlantStation(self._data)
                EventLog().write(STARTED, Severity.INFORMATION, f"保全ナビ {__version__} を開始しました。")
                gc.freeze()  # thousands of module objects that no collection on the UI thread need walk again
            return self._station

    def close(self) -> None:
        if self._station is not None:
            self._station.close()
            EventLog().write(ENDED, Severity.INFORMATION, f"保全ナビ {__version__} を終了しました。")


class DraftKeeper:
    """Writes drafts on a thread of its own: a slow disk must not be felt in typing. `kept` is what the start found."""

    def __init__(self, files: WindowFiles) -> None:
        self._files = files
        self.kept = files.drafts()
        self._latest = self.kept
        self._lock = threading.Lock()
        self._worker: Worker[Drafts] = Worker("drafts", self._write)

    def keep(self, drafts: Drafts) -> None:
        self._latest = drafts
        self._worker.put(drafts)

    def keep_now(self, drafts: Drafts) -> None:
        """Raises KnownError("drafts_not_kept"); what was kept before is there still."""
        self._latest = drafts
        try:
            with self._lock:
                self._files.keep_drafts(drafts)
        except OSError as error:
            folder = str(self._files.folder)
            raise KnownError("drafts_not_kept", folder=folder, reason=error.strerror or str(error)) from error

    def close(self) -> None:
        self._worker.close()

    def _write(self, _drafts: Drafts) -> None:
        try:
            with self._lock:
                self._files.keep_drafts(self._latest)  # not an older one that waited behind `keep_now`
        except OSError:  # they are still in the window; the next change, and closing it, try again
            _log.warning("drafts could not be kept", exc_info=True)


class App(QObject):
    """Everything on the UI thread that lives as long as the window."""

    def __init__(self, application: QApplication, data: DataDir, log: Path, crew: Crew, keeper: DraftKeeper) -> None:
        super().__init__(application)
        self._application = application
        self._keeper = keeper
        self._lost_on_purpose: Drafts | None = None  # the person was told that closing loses these
        self._look_file = LookFile(data.root / "window.ini")
        look = self._look_file.look()
        look.dress(application)
        self._guard = GcGuard(self)
        self.window = _Window(look, self._look_file)
        self._crash = CrashWatch(log, self)
        self._crash.bug_told.connect(self.window.show_failure)
        self._desk = Desk(self.window, crew)
        self._desk.drafts.due.connect(self._on_drafts)
        self.window.look_changed.connect(self._on_look)
        self.window.closing.connect(self._on_closing)
        application.styleHints().colorSchemeChanged.connect(self._on_scheme)
        for scheme in _FOREIGN:
            QDesktopServices.setUrlHandler(scheme, self, "refuse")  # type: ignore[arg-type]  # bytes are refused

    def show(self, prefill: str = "") -> None:
        place(self.window, self._look_file.geometry())
        self.window.show()
        self._desk.start()
        self._desk.restore_drafts(self._keeper.kept)
        self._desk.prefill(prefill)

    def close(self) -> None:
        """The widgets, once the threads have ended and before the application goes."""
        for scheme in _FOREIGN:
            QDesktopServices.unsetUrlHandler(scheme)
        self.window.viewer.release()
        self.window.deleteLater()
        self._crash.release()

    @Slot(str)
    def come_to_front(self, prefill: str) -> None:
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.raise_()
        self.window.activateWindow()
        if prefill:
            self._desk.prefill(prefill)

    @Slot(QUrl)
    def refuse(self, _url: QUrl) -> None:
        """No link of a document ever opens anything outside the window."""

    @Slot()
    def close_when_kept(self) -> None:
        """Another program wants the window closed: never at the price of what a person typed."""
        if self._keep_all():
            QApplication.quit()

    @Slot(object)
    def _on_closing(self, event: QCloseEvent) -> None:
        """Not before everything typed is kept, unless the person was told and closes it once more."""
        drafts = self._desk.drafts.all()
        if self._keep_all() or drafts == self._lost_on_purpose:
            return
        self._lost_on_purpose = drafts
        event.ignore()

    def _keep_all(self) -> bool:
        try:
            self._keeper.keep_now(self._desk.drafts.all())
        except KnownError as error:
            self.window.show_failure(failure_of(error))
            return False
        return True

    @Slot(object)
    def _on_drafts(self, drafts: Drafts) -> None:
        self._keeper.keep(drafts)

    @Slot(object)
    def _on_look(self, look: Look) -> None:
        self._look_file.keep(look)
        look.dress(self._application)

    @Slot()
    def _on_scheme(self) -> None:
        look = self._look_file.look()
        if look.scheme == "system":
            look.dress(self._application)


class _Window(MainWindow):
    closing = Signal(object)  # a QCloseEvent, which may be ignored

    def __init__(self, look: Look, look_file: LookFile) -> None:
        super().__init__(look)
        self._look_file = look_file

    def closeEvent(self, event: QCloseEvent) -> None:
        self._look_file.keep_geometry(self.saveGeometry())
        self.closing.emit(event)
        if event.isAccepted():
            super().closeEvent(event)


def main(data_dir: Path | None, prefill: str) -> int:
    """Open the window with `prefill` in its question line and stay until it is closed.

    0 also when the window that is already open was raised instead, and got the text.

    Raises KnownError: pyside_too_new before anything is touched, start_folder_unwritable.
    """
    _require_fitting_qt()
    data = DataDir(data_dir or paths.default_data_dir())
    log = logs.start(data.logs)
    EventLog().watch_bugs()
    QApplication.setStyle("Fusion")
    application = QApplication(sys.argv[:1])
    application.setApplicationName("HozenNavi")
    application.setDesktopFileName("hozen-navi")
    application.setWindowIcon(QIcon(str(paths.resource("icons/hozen-navi.png"))))
    translators = translate(application)
    first = SingleInstance(data.root, application)
    if not first.claim(prefill):
        return 0
    house = House(data)
    crew = Crew.start(house)
    keeper = DraftKeeper(first.files)
    try:
        app = App(application, data, log, crew, keeper)
        first.raised.connect(app.come_to_front)
        first.close_wanted.connect(app.close_when_kept)
        app.show(prefill)
        code = application.exec()
    finally:  # also where the window did not come to be: no new work, threads ended, data closed
        keeper.close()
        crew.close()
        house.close()
        first.release()
    app.close()
    translators.clear()
    return code


def _require_fitting_qt() -> None:
    if PySide6.__version_info__[:2] >= (6, 12) and sys.version_info < (3, 12):
        raise KnownError("pyside_too_new", python=".".join(map(str, sys.version_info[:2])))
