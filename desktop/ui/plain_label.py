"""A label that shows any text as plain text, breaks it anywhere it must, and gives its lines room to be read."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOptionFrame

_LEADING = 0.32  # of the letter height between two lines; BIZ UDPGothic brings none of its own
_WIDEST = 36  # letters; a longer text asks for lines, not for width
_WIDTHS_KEPT = 6
_Lines = tuple[list[QTextLayout], float]


class PlainLabel(QLabel):
    """With Qt's AutoText a ledger cell could open files, and QLabel can't break an unspaced word."""

    def __init__(self, *, wrap: bool, copyable: bool) -> None:
        super().__init__()
        self._made_for: tuple[str, str, int] = ("", "", 0)
        self._made: dict[int, _Lines] = {}
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if wrap:
            policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        if copyable:
            copy = QAction(self.tr("コピー"), self)
            copy.triggered.connect(self._on_copy)
            self.addAction(copy)
            self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def hasHeightForWidth(self) -> bool:
        return self.wordWrap()

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        _, height = self._lines(width - margins.left() - margins.right())
        return round(height + 0.5) + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        metrics, margins = self.fontMetrics(), self.contentsMargins()
        widest = max(metrics.horizontalAdvance(line) for line in self.text().split("\n")) + 2
        if self.wordWrap():
            widest = min(widest, metrics.height() * _WIDEST)
        width = widest + margins.left() + margins.right()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), self.fontMetrics().height() * 4), hint.height()) if self.wordWrap() else hint

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = QStyleOptionFrame()
        self.initStyleOption(frame)
        self.style().drawControl(QStyle.ControlElement.CE_ShapedFrame, frame, painter, self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        inside = self.contentsRect()
        layouts, height = self._lines(inside.width())
        top = float(inside.top())
        if self.alignment() & Qt.AlignmentFlag.AlignVCenter:
            top += max((inside.height() - height) / 2, 0)
        for layout in layouts:
            layout.draw(painter, QPointF(inside.left(), top))

    def _lines(self, width: int) -> _Lines:
        """The text laid out at this width; a layout asks for the same few widths again and again."""
        made_for = (self.text(), self.font().key(), int(self.alignment().value))
        if made_for != self._made_for:
            self._made_for, self._made = made_for, {}
        if width not in self._made:
            if len(self._made) >= _WIDTHS_KEPT:
                self._made.clear()
            self._made[width] = self._lay_out(width)
        return self._made[width]

    def _lay_out(self, width: int) -> _Lines:
        """One layout a paragraph, placed one below the other, and their height together."""
        option = QTextOption(self.alignment())
        wrapped = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        option.setWrapMode(wrapped if self.wordWrap() else QTextOption.WrapMode.NoWrap)
        leading = self.fontMetrics().height() * _LEADING
        layouts, y = [], leading / 2
        for paragraph in self.text().split("\n"):
            layout = QTextLayout(paragraph, self.font())
            layout.setTextOption(option)
            layout.beginLayout()
            while (line := layout.createLine()).isValid():
                line.setLineWidth(max(width, 1))
                line.setPosition(QPointF(0, y))
                y += line.height() + leading
            layout.endLayout()
            layouts.append(layout)
        return layouts, y - leading / 2

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
