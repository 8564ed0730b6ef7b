"""The lines of an answer: text with its sources, and for a step what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from desktop.domain.answer import AnswerLine, Citation
from desktop.domain.outcome import Outcome, Trial
from desktop.ui import messages, theme
from desktop.ui.citation_view import CitationChip
from desktop.ui.widgets import button, label

_NARROW = 34  # em; below it the buttons go under the text
_OUTCOMES = ((Outcome.FIXED, "outcomeFixed"), (Outcome.NOT_FIXED, "outcomeNotFixed"), (Outcome.UNABLE, "outcomeUnable"))


class LineRow(QWidget):
    """One line with the chips of its sources at the end."""

    citation_chosen = Signal(object)

    def __init__(self, line: AnswerLine, citations: Sequence[Citation], *, role: str = "") -> None:
        super().__init__()
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.em(0.5))
        words = QHBoxLayout()
        words.setSpacing(theme.em(0.5))
        if line.label:
            number = label(line.label, "strong", wrap=False)
            number.setMinimumWidth(theme.em(1.4))
            words.addWidget(number, 0, Qt.AlignmentFlag.AlignTop if role else Qt.AlignmentFlag.AlignVCenter)
        words.addWidget(label(line.text, role, selectable=True), 1)
        self._row.addLayout(words, 1)
        self._tail = QHBoxLayout()
        self._tail.setSpacing(theme.em(0.3))
        for citation in citations:
            chip = CitationChip(citation)
            chip.chosen.connect(self.citation_chosen)
            self._tail.addWidget(chip)
        self._row.addLayout(self._tail)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn(narrow=event.size().width() < theme.em(_NARROW))

    def _turn(self, *, narrow: bool) -> None:
        """A line with a chip or two stays one line at any width."""


class LockoutRow(QWidget):
    """Step 0: the points of the lock-out in one line, each in full behind the button."""

    def __init__(self, lockout: Sequence[str]) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.em(0.5))
        number = label("0", "strong", wrap=False)
        number.setMinimumWidth(theme.em(1.4))
        points = [line.partition("：")[0] for line in lockout]
        self._short, self._whole = " → ".join(points), "\n".join(lockout)
        self._words = label(self._short, "strong", selectable=True)
        self._more = button(self.tr("全文 {n}項目").format(n=len(lockout)), "moreButton", "outcome", self._short)
        self._more.clicked.connect(self._on_more)
        self._more.setVisible(self._short.split(" → ") != self._whole.split("\n"))
        row.addWidget(number)
        row.addWidget(self._words, 1)
        row.addWidget(self._more)

    @Slot()
    def _on_more(self) -> None:
        self._more.hide()
        self._words.setText(self._whole)


class StepRow(LineRow):
    """A step of the manual that someone may have tried."""

    outcome_told = Signal(object)

    def __init__(self, line: AnswerLine, citations: Sequence[Citation]) -> None:
        super().__init__(line, [_of_this(line, citation) for citation in citations])
        self._line = line
        self._ref = citations[0].ref if citations else ""
        self._buttons: dict[QPushButton, Outcome] = {}
        for outcome, key in _OUTCOMES:
            press = button(messages.outcome_word(outcome), key, "outcome", f"{line.label} {line.text}")
            press.setCheckable(True)
            press.clicked.connect(self._on_pressed)
            self._buttons[press] = outcome
            self._tail.addWidget(press)

    def _turn(self, *, narrow: bool) -> None:
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._row.direction() is not direction:
            self._row.setDirection(direction)
            self._tail.setAlignment(Qt.AlignmentFlag.AlignLeft if narrow else Qt.AlignmentFlag.AlignRight)

    @Slot()
    def _on_pressed(self) -> None:
        pressed = self.sender()
        for press, outcome in self._buttons.items():
            press.setChecked(press is pressed)
            press.setEnabled(False)
            if press is pressed:
                self.outcome_told.emit(Trial(self._line.text, outcome, self._ref))


def _of_this(line: AnswerLine, citation: Citation) -> Citation:
    """All steps share the quotation of their section; the chip of one opens at its own words of it."""
    return replace(citation, quote=line.text) if line.text in citation.quote else citation


class Folded(QWidget):
    """Rows that wait behind a button."""

    def __init__(self, rows: Sequence[QWidget], words: str) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self._more = button(words, "moreButton", "flat", words)
        self._more.clicked.connect(self._on_more)
        column.addWidget(self._more)
        self._rows = tuple(rows)
        for row in rows:
            row.hide()
            column.addWidget(row)

    @Slot()
    def _on_more(self) -> None:
        self._more.hide()
        for row in self._rows:
            row.show()
