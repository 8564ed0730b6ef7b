"""Where the window stands and how large it is, at its first start and at every other."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.ui import theme

_SMALL = QSize(1366, 768)  # a screen that has no more room than this in either direction is filled
_SHARE = 0.8
_USABLE = (40, 30)  # em; a smaller window shows neither list nor answer


def place(window: QWidget, kept: QByteArray) -> None:
    """As `kept` by saveGeometry, drawn back onto a screen where it must be; else to fit the screen."""
    if kept.isEmpty() or not window.restoreGeometry(kept):
        _fit(window)
    elif not window.isMaximized() and not window.isFullScreen():
        _draw_back(window)


def _fit(window: QWidget) -> None:
    room = QGuiApplication.primaryScreen().availableGeometry()
    window.setGeometry(_within(room, QSize(round(room.width() * _SHARE), round(room.height() * _SHARE)), room.center()))
    if room.width() <= _SMALL.width() or room.height() <= _SMALL.height():
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)


def _draw_back(window: QWidget) -> None:
    stood = window.geometry()
    screen = QGuiApplication.screenAt(stood.center()) or QGuiApplication.primaryScreen()
    room = screen.availableGeometry()
    usable = QSize(*map(theme.em, _USABLE))
    if not room.contains(stood) or stood.size().expandedTo(usable) != stood.size():
        window.setGeometry(_within(room, stood.size().expandedTo(usable), stood.center()))


def _within(room: QRect, size: QSize, centre: QPoint) -> QRect:
    """As large as `size` as far as there is room, as near to `centre` as can be, its title bar within reach."""
    room = room.adjusted(0, theme.em(2.5), 0, 0)
    wanted = QRect(QPoint(), size.boundedTo(room.size()))
    wanted.moveCenter(centre)
    wanted.moveLeft(min(max(wanted.left(), room.left()), room.right() + 1 - wanted.width()))
    wanted.moveTop(min(max(wanted.top(), room.top()), room.bottom() + 1 - wanted.height()))
    return wanted
