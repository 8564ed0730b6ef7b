"""A failure as every screen shows it: what happened, below it its number and line for IT, and both to copy."""

from __future__ import annotations

import platform
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop import __version__
from desktop.errors import anonymous, concerns_it, for_it, hn, sentence
from desktop.ui import theme
from desktop.ui.language import language
from desktop.ui.names import named
from desktop.ui.widgets import button, label
from desktop.workers.worker import Failure


class ErrorNote(QWidget):
    """Hidden until there is a failure to tell. `role` is how urgent the sentence looks."""

    station: ClassVar[str] = ""  # the code of this workstation, once it is known; the computer's name serves without

    def __init__(self, role: str = "danger") -> None:
        super().__init__()
        named(self, "errorNote")
        self._report = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, theme.em(0.4))
        column.setSpacing(theme.em(0.2))
        self._words = label("", role, selectable=True)
        named(self._words, "errorText")
        self._for_it = label("", "note", selectable=True)
        named(self._for_it, "errorForIt")
        self._copy = button("", "copyForItButton", "chip")
        self._copy.clicked.connect(self._on_copy)
        column.addWidget(self._words)
        column.addWidget(self._for_it)
        column.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def tell(self, failure: Failure, words: str = "") -> None:
        """Show it; `words` say it instead of its own sentence."""
        error, speech = failure.error, language()
        self._words.setText(words or sentence(error, speech))
        self._for_it.setText(for_it(error, speech))
        self._copy.setText(self.tr("情シスへの連絡用にコピー"))
        self._copy.setVisible(concerns_it(failure.code))
        self._report = self._written(failure, datetime.now().astimezone())
        self.show()

    def clear(self) -> None:
        """There is nothing to tell any more."""
        self._words.setText("")
        self._for_it.setText("")
        self.hide()

    def _written(self, failure: Failure, at: datetime) -> str:
        """What goes to IT: no person's name, not even in a folder's, and nothing of the question."""
        nameless, speech = anonymous(failure.error), language()
        words = self.tr("時刻：{at}\n版：{version}\n端末：{station}\n番号：{hn}\n内容：{words}\n対応：{line}").format(
            at=f"{at:%Y-%m-%d %H:%M:%S %z}",
            version=__version__,
            station=ErrorNote.station or platform.node() or "-",
            hn=hn(failure.code),
            words=sentence(nameless, speech),
            line=for_it(nameless, speech).partition(" ")[2],
        )
        return words.replace(str(Path.home()), "~")

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report)
        self._copy.setText(self.tr("コピーしました"))
