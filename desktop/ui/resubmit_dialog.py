"""A request that came back, to be corrected before it goes to an approver again."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from desktop.domain.answer import RequestDraft
from desktop.ui import messages, theme
from desktop.ui.names import named
from desktop.ui.request_form import RequestForm
from desktop.ui.widgets import button, fit_screen, label, scrolled
from desktop.workers.station import CameBack
from desktop.workers.worker import Failure


class ResubmitDialog(QDialog):
    """`submitted` and `edited` carry a RequestDraft, `draft` is its text at first. Esc and あとで change nothing."""

    submitted = Signal(object)
    edited = Signal(object)
    discarded = Signal()

    def __init__(self, came: CameBack, draft: RequestDraft, parent: QWidget) -> None:
        super().__init__(parent)
        named(self, "resubmitDialog")
        self.setWindowTitle(self.tr("保全依頼の再提出"))
        self.came = came
        outer = QVBoxLayout(self)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setSpacing(theme.em(0.4))
        column.addWidget(label(messages.place_words(came.proposal), "big"))
        reason = label(messages.came_back_words(came), "warn", selectable=True)
        named(reason, "resubmitReason", reason.text())
        column.addWidget(reason)
        self._form = RequestForm(draft)
        self._form.submitted.connect(self.submitted)
        self._form.edited.connect(self.edited)
        self._form.discarded.connect(self._on_discarded)
        column.addWidget(self._form)
        column.addStretch(1)
        outer.addWidget(scrolled(body), 1)
        later = button(self.tr("あとで"), "resubmitLater")
        later.clicked.connect(self.reject)
        outer.addWidget(later, 0, Qt.AlignmentFlag.AlignLeft)
        fit_screen(self, 46, 40)

    def refuse(self, failure: Failure) -> None:
        self._form.refuse(failure)

    @Slot(str)
    def _on_discarded(self, _equipment_id: str) -> None:
        self.discarded.emit()
        self.reject()
