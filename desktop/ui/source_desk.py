"""Fetches what the viewer shows: the source behind a citation, or what left this PC for a question."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from desktop.domain.answer import Citation
from desktop.ui.main_window import MainWindow
from desktop.workers import commands
from desktop.workers.queries import Answered, Queries, Refused
from desktop.workers.station import Source


class SourceDesk(QObject):
    def __init__(self, window: MainWindow, queries: Queries, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._queries = queries
        queries.bridge.happened.connect(self._on_answered)

    @Slot(object)
    def show_citation(self, citation: Citation) -> None:
        self._queries.ask(commands.OpenSource(citation))

    @Slot(str)
    def show_sent(self, run_id: str) -> None:
        """送信した内容, body by body."""
        self._queries.ask(commands.OpenSent(run_id))

    @Slot(object)
    def _on_answered(self, happening: Answered | Refused) -> None:
        match happening:
            case Answered(query=commands.OpenSource(), value=Source() as source):
                self._show(source)
            case Answered(query=commands.OpenSent(), value=str(text)):
                nothing = self.tr("この質問は、まだ何も送信していません。")
                self._show(Source(self.tr("送信した内容"), "", text=text or nothing))

    def _show(self, source: Source) -> None:
        self._window.viewer.show_source(source)
        self._window.open_source()
