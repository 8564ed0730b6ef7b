"""Where the plant's data comes from: the sample, or files of one's own, at the first start and later."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.ui.main_window import MainWindow
from desktop.workers import commands
from desktop.workers.crew import Crew
from desktop.workers.import_worker import Imported, ImportFailed, ImportProgress
from desktop.workers.station import StationState
from desktop.workers.worker import Failure


class DataDesk(QObject):
    """`left`: back to the conversation, with the data as it was."""

    left = Signal()

    def __init__(self, window: MainWindow, crew: Crew, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._page = window.start_page
        self._crew = crew
        crew.imports.bridge.happened.connect(self._on_import)
        window.import_wanted.connect(self._on_wanted)
        self._page.sample_wanted.connect(self._on_sample)
        self._page.import_wanted.connect(self._on_files)
        self._page.opened.connect(self._on_opened)
        self._page.left.connect(self.left)

    def show_choice(self, state: StationState) -> None:
        self._page.show_choice(has_data=state.has_data, sample=state.sample)

    def show_failure(self, failure: Failure) -> None:
        """The data could not be opened; what can be done about it starts on the same page."""
        self._page.show_failure(failure)
        self._window.show_page(self._page)

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
            case ImportFailed(failure=failure):
                self._page.show_failure(failure)
