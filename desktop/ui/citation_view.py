"""Numbered sources: small chips in the lines, and the list of them all under an answer."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.answer import Citation
from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.widgets import FlowLayout, tip, unmnemonic


class CitationChip(QPushButton):
    """Opens its source; `chosen` carries the Citation."""

    chosen = Signal(object)

    def __init__(self, citation: Citation, *, whole: bool = False) -> None:
        super().__init__()
        self._citation = citation
        self._words = f"{citation.n}  {source_words(citation)}" if whole else str(citation.n)
        named(self, "citationChip", f"{citation.n} {source_words(citation)}")
        self.setProperty("role", "chip" if whole else "number")
        self.setAutoDefault(False)
        self.setText(unmnemonic(self._words))
        tip(self, source_words(citation))
        if whole:
            self._elide(theme.em(34))
        self.clicked.connect(self._on_clicked)

    def _elide(self, width: int) -> None:
        metrics = QFontMetrics(self.font())
        self.setText(unmnemonic(metrics.elidedText(self._words, Qt.TextElideMode.ElideMiddle, width)))

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self._citation)


class CitationsView(QWidget):
    """All sources of one answer, numbered as in its lines."""

    chosen = Signal(object)

    def __init__(self, citations: tuple[Citation, ...]) -> None:
        super().__init__()
        named(self, "citationsView")
        flow = FlowLayout(self)
        for citation in citations:
            chip = CitationChip(citation, whole=True)
            chip.chosen.connect(self.chosen)
            flow.addWidget(chip)


def source_words(citation: Citation) -> str:
    """Title with printed page and revision, as one says it."""
    page = citation.page_label or (str(citation.page) if citation.page else "")
    words = citation.title
    if page and f"p.{page}" not in words:
        words += f" p.{page}"
    return words
