"""Opens the approval dialog on a proposal and carries a person's decision to the workers and back."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal, Slot

from desktop.domain.work_request import Decision
from desktop.ui import messages
from desktop.ui.approval_dialog import ApprovalDialog
from desktop.ui.drafts import Drafts, Kind, key_of
from desktop.ui.main_window import MainWindow
from desktop.workers import commands
from desktop.workers.queries import Answered, Queries, Refused
from desktop.workers.station import ApprovalSheet, Decided


class ApprovalsDesk(QObject):
    """At most one dialog at a time; `settled` carries a Decided, whoever made the decision."""

    settled = Signal(object)

    def __init__(self, window: MainWindow, queries: Queries, drafts: Drafts, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._queries = queries
        self._drafts = drafts
        self._dialog: ApprovalDialog | None = None
        queries.bridge.happened.connect(self._on_answered)

    @Slot(str)
    def open(self, proposal_id: str) -> None:
        if self._dialog is None:
            self._queries.ask(commands.PrepareApproval(proposal_id))

    @Slot(object)
    def _on_answered(self, happening: Answered | Refused) -> None:
        match happening:
            case Answered(query=commands.PrepareApproval(), value=ApprovalSheet() as sheet):
                self._show(sheet)
            case Answered(query=commands.Decide(), value=Decided() as decided):
                self._finish(decided)
            case Refused(query=commands.Decide(), failure=failure) if self._dialog is not None:
                self._dialog.refuse(failure)

    def _show(self, sheet: ApprovalSheet) -> None:
        if sheet.decided is not None:
            self._window.show_message(messages.decision_words(sheet.decided, None))
            self._give_up(sheet.decided)
            self.settled.emit(Decided(sheet.decided, first=False, proposal=sheet.proposal))
            return
        if self._dialog is not None:
            return
        key = key_of(Kind.APPROVAL, sheet.proposal.proposal_id, sheet.proposal.revision)
        self._dialog = ApprovalDialog(sheet, self._drafts.get(key), self._window)
        self._dialog.edited.connect(self._on_edited)
        self._dialog.decided.connect(self._on_decided)
        self._dialog.finished.connect(self._on_closed)
        self._dialog.open()

    def _finish(self, decided: Decided) -> None:
        """Somebody else may have been faster; then his decision is what there is to see."""
        words = messages.decision_words(decided.decision, decided.request)
        if not decided.first:
            words = self.tr("すでに決まっていました。{words}").format(words=words)
        self._window.show_message(words)
        self._give_up(decided.decision)
        if self._dialog is not None:
            self._dialog.accept()
        self.settled.emit(decided)

    def _give_up(self, decision: Decision) -> None:
        self._drafts.put(key_of(Kind.APPROVAL, decision.proposal_id, decision.revision), {})

    @Slot(object)
    def _on_edited(self, written: Mapping[str, str]) -> None:
        if self._dialog is not None:
            proposal = self._dialog.sheet.proposal
            self._drafts.put(key_of(Kind.APPROVAL, proposal.proposal_id, proposal.revision), written)

    @Slot(object)
    def _on_decided(self, decide: commands.Decide) -> None:
        self._queries.ask(decide)

    @Slot()
    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
        self._window.composer.input.setFocus()
