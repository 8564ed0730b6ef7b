"""The page of requests: what was registered, and what was sent back or expired and can be submitted again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QObject, Signal, Slot

from desktop.domain.answer import RequestDraft
from desktop.domain.work_request import Proposal, Requester
from desktop.ui.drafts import Drafts, Kind, draft_of, fields_of, key_of
from desktop.ui.main_window import MainWindow
from desktop.ui.resubmit_dialog import ResubmitDialog
from desktop.workers import commands
from desktop.workers.queries import Answered, Queries, Refused
from desktop.workers.station import CameBack, StationState

_LATELY = timedelta(days=14)  # what nobody submits again must not be counted beside the questions for ever


class RequestsDesk(QObject):
    """`resubmitted` carries the Proposal that waits again; `requester` tells who sits here."""

    resubmitted = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        queries: Queries,
        drafts: Drafts,
        requester: Callable[[], Requester],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._queries = queries
        self._drafts = drafts
        self._requester = requester
        self._dialog: ResubmitDialog | None = None
        window.requests_page.resubmit_wanted.connect(self._on_resubmit)
        window.side.requests_wanted.connect(self.open)
        window.side.inbox.returned_wanted.connect(self.open)
        queries.bridge.happened.connect(self._on_answered)

    @Slot()
    def open(self) -> None:
        self._window.show_page(self._window.requests_page)
        self.refresh()

    def refresh(self) -> None:
        self._queries.ask(commands.ListRequests())
        self._queries.ask(commands.ListResubmittable())

    @Slot(object)
    def _on_resubmit(self, came: CameBack) -> None:
        proposal = came.proposal
        draft = RequestDraft(proposal.equipment_id, proposal.title, proposal.detail, proposal.priority.value)
        fields = {**fields_of(draft), **self._drafts.get(_key(came))}
        self._dialog = ResubmitDialog(came, draft_of(proposal.equipment_id, fields), self._window)
        self._dialog.submitted.connect(self._on_submitted)
        self._dialog.edited.connect(self._on_edited)
        self._dialog.discarded.connect(self._on_discarded)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()

    @Slot(object)
    def _on_submitted(self, draft: RequestDraft) -> None:
        if self._dialog is not None:
            proposal_id = self._dialog.came.proposal.proposal_id
            self._queries.ask(commands.Resubmit(proposal_id, draft, self._requester()))

    @Slot(object)
    def _on_edited(self, draft: RequestDraft) -> None:
        if self._dialog is not None:
            self._drafts.put(_key(self._dialog.came), fields_of(draft))

    @Slot()
    def _on_discarded(self) -> None:
        if self._dialog is not None:
            self._drafts.put(_key(self._dialog.came), {})

    @Slot()
    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    @Slot(object)
    def _on_answered(self, happening: Answered | Refused) -> None:
        match happening:
            case Answered(query=commands.ListRequests(), value=lines):
                self._window.requests_page.show_requests(lines)
            case Answered(query=commands.ListResubmittable(), value=found):
                self._show_resubmittable(found)
            case (
                Answered(query=commands.ListPending())
                | Answered(query=commands.OpenStation(), value=StationState(has_data=True))
            ):
                self._queries.ask(commands.ListResubmittable())
            case Answered(query=commands.Resubmit(), value=Proposal() as proposal):
                self._finish(proposal)
            case Refused(query=commands.Resubmit(), failure=failure) if self._dialog is not None:
                self._dialog.refuse(failure)
            case Refused(query=commands.Resubmit(), failure=failure):
                self._window.show_failure(failure)

    def _show_resubmittable(self, found: Sequence[CameBack]) -> None:
        since = datetime.now(UTC) - _LATELY
        self._window.requests_page.show_resubmittable(found)
        self._window.side.inbox.show_returned(sum(came.at >= since for came in found))

    def _finish(self, proposal: Proposal) -> None:
        """It waits again; what was written for it has become its next revision."""
        self._drafts.put(key_of(Kind.RESUBMISSION, proposal.proposal_id, proposal.revision - 1), {})
        if self._dialog is not None:
            self._dialog.accept()
        self.resubmitted.emit(proposal)
        self.refresh()


def _key(came: CameBack) -> str:
    return key_of(Kind.RESUBMISSION, came.proposal.proposal_id, came.proposal.revision)
