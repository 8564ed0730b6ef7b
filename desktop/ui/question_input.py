"""The line a question is typed in: one line that grows to five, Enter sends, an unfinished Japanese word never does."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QGuiApplication, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from desktop.ui import theme
from desktop.ui.names import named

_MOST_LINES = 5


class QuestionInput(QPlainTextEdit):
    submitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "questionInput")
        self.setPlaceholderText(self.tr("例：ライン3の充填機でE-12が出た"))
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(theme.em(0.8))
        self._composing = False
        self.textChanged.connect(self._grow)

    def finish_composing(self) -> None:
        """Take over the word still being composed; a click elsewhere would lose it."""
        if self._composing:
            QGuiApplication.inputMethod().commit()

    def sizeHint(self) -> QSize:
        return QSize(theme.em(20), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.em(8), self._height())

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and self._composing:
            event.accept()  # handed on, it would put a line break into the unfinished word
        elif enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            event.accept()
            self.submitted.emit()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _grow(self) -> None:
        self.updateGeometry()

    def _height(self) -> int:
        lines = min(max(round(self.document().size().height()), 1), _MOST_LINES)
        margins = 2 * round(self.document().documentMargin()) + 4
        return max(44, theme.em(3), lines * QFontMetrics(self.font()).lineSpacing() + margins)
