"""Where a question is written and sent, or the running one stopped."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QVBoxLayout

from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.question_input import QuestionInput
from desktop.ui.widgets import button, label


class Composer(QFrame):
    sent = Signal(str)
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        margin = theme.em(0.5)
        column.setContentsMargins(margin, 0, margin, margin)
        self._notice = label("", "warn")
        self._notice.hide()
        column.addWidget(self._notice)
        self._stay = QCheckBox(self.tr("社外AIへ送信します。この質問は送らない"))
        named(self._stay, "keepInsideBox")
        self._stay.hide()
        column.addWidget(self._stay)
        row = QHBoxLayout()
        self.input = QuestionInput()
        self.input.submitted.connect(self._on_send)
        self._send = button(self.tr("送信"), "sendButton", "main")
        self._send.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click must not take the unfinished word away first
        self._send.clicked.connect(self._on_send)
        self._cancel = button(self.tr("中止"), "cancelButton")
        self._cancel.clicked.connect(self.cancelled)
        row.addWidget(self.input, 1)
        row.addWidget(self._send, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self._cancel, 0, Qt.AlignmentFlag.AlignBottom)
        column.addLayout(row)
        self.show_state(running=False, waiting=False)

    def show_state(self, *, running: bool, waiting: bool) -> None:
        """`waiting`: this conversation rests until its proposal is decided."""
        self.input.setEnabled(not waiting)
        self._send.setEnabled(not waiting)
        self._send.setVisible(not running)
        self._cancel.setVisible(running)
        self._notice.setVisible(waiting)
        self._notice.setText(self.tr("この質問は承認待ちです。ほかの質問は「＋ 新しい質問」からできます。"))

    @property
    def keeps_inside(self) -> bool:
        """The person wants this question to stay on this PC; counts for one question."""
        return self._stay.isChecked()

    def show_cloud(self, *, cloud: bool) -> None:
        """Questions go to a provider outside the plant, and that is said beside each."""
        self._stay.setVisible(cloud)

    def sent_off(self, text: str) -> None:
        """This question is on its way; another one typed meanwhile stays."""
        if self.input.toPlainText().strip() == text:
            self.input.clear()
        self._stay.setChecked(False)

    @Slot()
    def _on_send(self) -> None:
        self.input.finish_composing()
        if text := self.input.toPlainText().strip():
            self.sent.emit(text)
