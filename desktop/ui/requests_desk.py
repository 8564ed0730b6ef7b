"""The page of requests: what was registered, and what was sent back or expired and can be submitted again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from desktop.domain.work_request import Proposal, Requester
from desktop.ui.main_window import MainWindow
from desktop.workers import commands
from desktop.workers.queries import Answered, Queries, Refused


class RequestsDesk(QObject):
    """`resubmitted` carries the Proposal that waits again; `requester` tells who sits here."""

    resubmitted = Signal(object)

    def __init__(
        self, window: MainWindow, queries: Queries, requester: Callable[[], Requester], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._queries = queries
        self._requester = requester
        window.requests_page.resubmit_wanted.connect(self._on_resubmit)
        queries.bridge.happened.connect(self._on_answered)

    @Slot()
    def open(self) -> None:
        self._window.show_page(self._window.requests_page)
        self.refresh()

    def refresh(self) -> None:
        self._queries.ask(commands.ListRequests())
        self._queries.ask(commands.ListResubmittable())

    @Slot(str)
    def _on_resubmit(self, proposal_id: str) -> None:
        self._queries.ask(commands.Resubmit(proposal_id, self._requester()))

    @Slot(object)
    def _on_answered(self, happening: Answered | Refused) -> None:
        match happening:
            case Answered(query=commands.ListRequests(), value=lines):
                self._window.requests_page.show_requests(lines)
            case Answered(query=commands.ListResubmittable(), value=found):
                self._window.requests_page.show_resubmittable(found)
            case Answered(query=commands.Resubmit(), value=Proposal() as proposal):
                self.resubmitted.emit(proposal)
                self.refresh()
