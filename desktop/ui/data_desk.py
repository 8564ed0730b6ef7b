"""Where the plant's data comes from, the sample or files of one's own, and what stands there when it doesn't open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.ui.main_window import MainWindow
from desktop.workers import commands
from desktop.workers.crew import Crew
from desktop.workers.import_worker import Imported, ImportFailed, ImportProgress
from desktop.workers.station import StationState
from desktop.workers.worker import Failure

_AGAIN_MS = 5_000
# What another program, a restore or a full disk does, and what ends without anybody at this window.
_PASSING = frozenset(
    {
        "journal_busy",
        "journal_disk_full",
        "journal_unwritable",
        "keyring_locked",
        "restore_unfinished",
        "snapshot_in_use",
    }
)


class DataDesk(QObject):
    """`left`: back to the conversation, with the data as it was. `is_open`: there is a journal to read from."""

    left = Signal()

    def __init__(self, window: MainWindow, crew: Crew, parent: QObject) -> None:
        super().__init__(parent)
        self.is_open = False
        self._window = window
        self._page = window.start_page
        self._crew = crew
        self._home: QWidget = window.conversations
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(self.open)
        crew.imports.bridge.happened.connect(self._on_import)
        window.import_wanted.connect(self._on_wanted)
        window.failure_page.again_wanted.connect(self.open)
        self._page.sample_wanted.connect(self._on_sample)
        self._page.import_wanted.connect(self._on_files)
        self._page.opened.connect(self._on_opened)
        self._page.left.connect(self.left)

    @Slot()
    def open(self) -> None:
        """What is there, also again after a failure."""
        self._again.stop()
        self._crew.queries.ask(commands.OpenStation())

    def show_home(self) -> None:
        """Where a new question begins, ready to be typed; as long as none can be asked, what there is instead."""
        self._window.show_page(self._home)
        (self._window.composer.input if self._home is self._window.conversations else self._home).setFocus()

    def show_state(self, state: StationState) -> None:
        window, failure = self._window, state.failure
        self.is_open = state.status is not None
        window.show_sample(sample=state.sample)
        window.show_importable(importable=failure is None or not state.has_data)
        self._page.show_choice(has_data=state.has_data, sample=state.sample)
        if state.status is None:
            self._show_nothing(self.tr("データなし"), "pill")
        elif failure is None:
            window.side.show_equipment(state.equipment)
        else:
            window.side.show_equipment_unknown(self.tr("不明"))
        if self.is_open:
            window.side.inbox.show_proposals(state.pending)
        if failure is not None and state.has_data:
            self._show_failed(failure, reads_on=True)
            return
        self._home = window.conversations if state.has_data else window.start_page
        self.show_home()
        if failure is not None:
            self._page.show_failure(failure)
        elif state.status is not None and state.status.data_trouble is not None:
            window.show_failure(state.status.data_trouble)

    def show_failure(self, query: commands.OpenStation, failure: Failure) -> None:
        """Of the sample beside the choice; own data that doesn't open has a page of its own."""
        if query.sample:
            self._page.show_failure(failure)
            self._window.show_page(self._page)
            return
        self.is_open = False
        self._window.show_sample(sample=False)
        self._window.show_importable(importable=False)
        self._window.show_unsent(None)
        self._show_nothing(self.tr("データ：不明"), "pill-warn")
        self._show_failed(failure, reads_on=False)

    def _show_failed(self, failure: Failure, *, reads_on: bool) -> None:
        page, passing = self._window.failure_page, failure.code in _PASSING
        known = self._home is page and page.reads_on is reads_on
        page.show_failure(failure, reads_on=reads_on, retried=passing)
        self._home = page
        if not known:  # else whoever reads an earlier question meanwhile goes on reading
            self.show_home()
        if passing:
            self._again.start()

    def _show_nothing(self, words: str, role: str) -> None:
        self._window.status.show_unknown(words, role)
        self._window.side.show_unknown(self.tr("不明"))

    @Slot()
    def _on_wanted(self) -> None:
        self._window.show_page(self._page)

    @Slot()
    def _on_sample(self) -> None:
        self._crew.queries.ask(commands.OpenStation(sample=True))

    @Slot(object)
    def _on_files(self, paths: tuple[Path, ...]) -> None:
        self._crew.imports.submit(commands.ImportFiles(paths))

    @Slot()
    def _on_opened(self) -> None:
        self._crew.queries.ask(commands.OpenStation(sample=False))

    @Slot(object)
    def _on_import(self, happening: ImportProgress | Imported | ImportFailed) -> None:
        match happening:
            case ImportProgress(text=text):
                self._page.show_progress(text)
            case Imported(report=report):
                self._page.show_report(report)
                if not self.is_open:
                    self._window.status.show_unknown("")
            case ImportFailed(failure=failure):
                self._page.show_failure(failure)
