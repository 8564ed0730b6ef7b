"""What a person sees instead of the window when it can't start."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout

from desktop.ui import theme
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.widgets import button, label
from desktop.workers.worker import Failure


class StartFailure(QDialog):
    def __init__(self, failure: Failure) -> None:
        super().__init__()
        named(self, "startFailure")
        self.setWindowTitle(self.tr("保全ナビ"))
        column = QVBoxLayout(self)
        margin = theme.em(1.2)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(theme.em(0.6))
        column.addWidget(label(self.tr("保全ナビを開けませんでした"), "big"))
        note = ErrorNote()
        note.tell(failure)
        column.addWidget(note)
        column.addStretch(1)
        close = button(self.tr("閉じる"), "startFailureClose", "main")
        close.clicked.connect(self.accept)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.setMinimumWidth(theme.em(34))
        self.adjustSize()
