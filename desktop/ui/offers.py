"""What a person may do when a model's part could not come to its end."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.widgets import FlowLayout, button, label


class CutOffOffer(QWidget):
    """An outage left the question: go on where it stands, or do without a model."""

    go_on_wanted = Signal()
    settle_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        flow = FlowLayout(self)
        go_on = button(self.tr("AIにもう一度聞く"), "goOnButton", "main")
        go_on.clicked.connect(self.go_on_wanted)
        settle = button(self.tr("AIなしで終える"), "settleButton")
        settle.clicked.connect(self.settle_wanted)
        flow.addWidget(go_on)
        flow.addWidget(settle)


class CarryOverOffer(QFrame):
    """The conversation has grown too long; `question` had no room any more ("" = it was answered)."""

    wanted = Signal(str)

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question
        self.setProperty("role", "waiting")
        column = QVBoxLayout(self)
        column.setSpacing(theme.em(0.3))
        column.addWidget(label(self.tr("やりとりが長くなり、AIが一度に読める量に近づきました。"), selectable=True))
        begin = button(self.tr("設備を引き継いで新しい質問へ"), "carryOverButton")
        begin.clicked.connect(self._on_begin)
        column.addWidget(begin)

    @Slot()
    def _on_begin(self) -> None:
        self.wanted.emit(self._question)
