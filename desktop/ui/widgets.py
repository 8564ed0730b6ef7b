"""The few widgets everything is made of; every label shows plain text."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QLabel,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.plain_label import PlainLabel


def label(text: str = "", role: str = "", *, wrap: bool = True, selectable: bool = False) -> QLabel:
    """A label of plain text; `selectable` offers 「コピー」."""
    made = PlainLabel(wrap=wrap, copyable=selectable)
    made.setProperty("role", role)
    made.setText(text)
    return made


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


class ElidedButton(QPushButton):
    """Cuts its words at the end when the place is narrow; the whole is its accessible name's business."""

    def __init__(self, key: str, role: str = "") -> None:
        super().__init__()
        self._words = ""
        self.setAutoDefault(False)
        self.setProperty("role", role)
        named(self, key)

    def set_words(self, words: str) -> None:
        self._words = words
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.em(8), super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._words) + theme.em(2.4), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.width() - theme.em(2.2)
        self.setText(unmnemonic(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room)))


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


def scrolled(inside: QWidget) -> QScrollArea:
    """Scrolls up and down only, so that a small screen cuts nothing off and the window stays within it."""
    inside.setProperty("role", "page")
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area


class Shrinking(QScrollArea):
    """A frame as high as what it holds, and scrolled where there is less room; it never makes a window grow."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self.inside = _Modest()
        self.inside.setProperty("role", role)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setWidget(self.inside)
        self._wanted = QSize()
        self.inside.laid_out.connect(self._on_laid_out)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.inside.heightForWidth(width)

    def sizeHint(self) -> QSize:
        """Of what it holds now: a scroll area's own keeps that of the first text."""
        return QSize(self.inside.sizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.em(8), theme.em(4))

    @Slot()
    def _on_laid_out(self) -> None:
        if (wanted := self.sizeHint()) != self._wanted:  # else the two would lay each other out for ever
            self._wanted = wanted
            self.updateGeometry()


class _Modest(QFrame):
    """Asks for the height that its width needs; its labels' own smallest heights are those of narrower ones."""

    laid_out = Signal()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.laid_out.emit()
        return done

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.em(8), theme.em(2))


def fit_screen(dialog: QDialog, width: int, height: int) -> None:
    """As many em wide and high as wanted, as far as the window behind it, or the screen, has room."""
    behind = dialog.parentWidget()
    room = behind.size() if behind is not None else QGuiApplication.primaryScreen().availableSize()
    margin = theme.em(2)
    dialog.resize(min(theme.em(width), room.width() - margin), min(theme.em(height), room.height() - margin))


def clear(layout: QLayout) -> None:
    """Remove and delete everything a layout holds."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear(inner)


class _TallRows(QStyledItemDelegate):
    """First line as it is, further lines smaller and muted."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        lines = str(index.data()).count("\n") + 1
        return QSize(super().sizeHint(option, index).width(), max(44, theme.em(1.4 * lines + 1.0)))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        option.text = ""
        option.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        shades = theme.tokens()
        first, *others = str(index.data()).split("\n")
        line_height = theme.em(1.4)
        box = option.rect.adjusted(theme.em(0.5), 0, -theme.em(0.5), 0)
        y = box.top() + (box.height() - line_height * (1 + len(others))) // 2
        painter.save()
        for at, line in enumerate((first, *others)):
            painter.setFont(option.font if not at else _smaller(option.font))
            painter.setPen(QColor(shades.on_accent if chosen else shades.muted if at else shades.text))
            words = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, box.width())
            where = QRect(box.left(), y + at * line_height, box.width(), line_height)
            painter.drawText(where, int(Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()


def _smaller(font: QFont) -> QFont:
    small = QFont(font)
    small.setPixelSize(theme.em(0.92))
    return small


class _QuietBox(QComboBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling past it must not choose somebody else


def quiet_box() -> QComboBox:
    """A box of choices that a finger can hit and the wheel of a scrolled page can't change."""
    box = _QuietBox()
    box.setMinimumHeight(max(44, theme.em(3)))
    return box


def pin_field(key: str) -> QLineEdit:
    """Shows no digits; no input method stands between a numeric pad and it."""
    field = QLineEdit()
    field.setEchoMode(QLineEdit.EchoMode.Password)
    field.setInputMethodHints(Qt.InputMethodHint.ImhDigitsOnly)
    named(field, key)
    return field


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
