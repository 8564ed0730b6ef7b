"""A proposal in its conversation: what waits, and later what was decided."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.domain.work_request import Decision, Meaning, Proposal, WorkRequest
from desktop.ui import messages, theme
from desktop.ui.names import named
from desktop.ui.widgets import button, label
from desktop.workers.station import CameBack


class ApprovalCard(QFrame):
    opened = Signal(str)

    def __init__(self, proposal: Proposal) -> None:
        super().__init__()
        named(self, "approvalCard", proposal.title)
        self.proposal = proposal
        column = QVBoxLayout(self)
        column.setSpacing(theme.em(0.3))
        self._head = label("", "strong")
        column.addWidget(self._head)
        column.addWidget(label(messages.place_words(proposal), "big"))
        priority = self.tr("優先度 {p}").format(p=proposal.priority.value)
        column.addWidget(label(f"{proposal.title}（{priority}）"))
        column.addWidget(label(self._origin(), "note"))
        self._open = button(self.tr("内容を確認して承認"), "openApprovalButton", "main", proposal.title)
        self._open.clicked.connect(self._on_open)
        column.addWidget(self._open)
        self._wait()

    def show_again(self, proposal: Proposal) -> None:
        """It was sent back or expired, and waits again as the next revision; an earlier one changes nothing."""
        if proposal.revision > self.proposal.revision:
            self.proposal = proposal
            self._wait()

    def show_decision(self, decision: Decision, request: WorkRequest | None) -> None:
        if decision.revision < self.proposal.revision:
            return
        approved = decision.meaning is Meaning.APPROVED
        theme.set_role(self, "done" if approved else "card")
        self._head.setText(messages.decision_words(decision, request))
        self._open.hide()

    def show_came_back(self, came: CameBack) -> None:
        """It was sent back, or has expired without anybody's decision."""
        if came.proposal.revision == self.proposal.revision:
            theme.set_role(self, "card")
            self._head.setText(messages.came_back_words(came))
            self._open.hide()

    def _wait(self) -> None:
        theme.set_role(self, "waiting")
        self._head.setText(self.tr("保全依頼：承認待ち"))
        self._open.show()

    def _origin(self) -> str:
        requester = messages.requester_words(self.proposal.requester)
        return self.tr("依頼者 {who}・{drafter}").format(
            who=requester, drafter=messages.drafter_words(self.proposal.drafted_by)
        )

    @Slot()
    def _on_open(self) -> None:
        self.opened.emit(self.proposal.proposal_id)
