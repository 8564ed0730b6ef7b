"""The few widgets everything is made of; every label shows plain text."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QLayout,
    QLayoutItem,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.ui import theme
from desktop.ui.names import named

_UNBREAKABLE = re.compile(r"[!-~]{24}(?=[!-~])")


def label(text: str = "", role: str = "", *, wrap: bool = True, selectable: bool = False) -> QLabel:
    """A label that shows any text as it is: with Qt's AutoText a ledger cell could open files."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    made.setProperty("role", role)
    if wrap:
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        made.setSizePolicy(policy)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    made.setText(breakable(text))
    return made


def breakable(text: str) -> str:
    """The text with a place to break in long unspaced words, which would otherwise push the page wider."""
    return _UNBREAKABLE.sub("\\g<0>\u200b", text)


def tip(widget: QWidget, text: str) -> None:
    """A tool tip of plain text; Qt would read markup in it."""
    widget.setToolTip(html.escape(text))


def button(text: str, key: str, role: str = "", detail: str = "") -> QPushButton:
    """A push button that Enter alone never presses from another field."""
    made = QPushButton(unmnemonic(text))
    made.setAutoDefault(False)
    made.setProperty("role", role)
    named(made, key, detail)
    return made


def unmnemonic(text: str) -> str:
    """The text for a button: a lone & would become an underline."""
    return text.replace("&", "&&")


def card(role: str = "card") -> tuple[QFrame, QVBoxLayout]:
    """A frame and its column."""
    frame = QFrame()
    frame.setProperty("role", role)
    column = QVBoxLayout(frame)
    column.setContentsMargins(theme.em(0.8), theme.em(0.6), theme.em(0.8), theme.em(0.6))
    column.setSpacing(theme.em(0.35))
    return frame, column


def rows(key: str) -> QListWidget:
    """A list whose rows are tall enough for a finger."""
    made = QListWidget()
    made.setItemDelegate(_TallRows(made))
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setTextElideMode(Qt.TextElideMode.ElideRight)
    named(made, key)
    return made


def clear(layout: QLayout) -> None:
    """Remove and delete everything a layout holds."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear(inner)


class _TallRows(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        lines = str(index.data()).count("\n") + 1
        size.setHeight(max(44, theme.em(1.35 * lines + 1.2)))
        return size


class _QuietBox(QComboBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling past it must not choose somebody else


def quiet_box() -> QComboBox:
    """A box of choices that a finger can hit and the wheel of a scrolled page can't change."""
    box = _QuietBox()
    box.setMinimumHeight(max(44, theme.em(3)))
    return box


class FlowLayout(QLayout):
    """Left to right, then the next line, as words do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(theme.em(0.4))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place every item within the width; returns the height used."""
        x, y, tallest = rect.x(), rect.y(), 0
        for item in self._items:
            size = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 16_777_215))
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y, tallest = rect.x(), y + tallest + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, tallest = x + size.width() + self.spacing(), max(tallest, size.height())
        return y + tallest - rect.y()
