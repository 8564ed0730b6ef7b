"""Numbered sources: small chips in the lines, and the list of them all under an answer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.answer import Citation
from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.widgets import FlowLayout, tip, unmnemonic


class CitationChip(QPushButton):
    """Opens its source; `chosen` carries the Citation. With `numbers` it stands for several of one source."""

    chosen = Signal(object)

    def __init__(self, citation: Citation, numbers: Sequence[int] = ()) -> None:
        super().__init__()
        self._citation = citation
        source = source_words(citation)
        which = "・".join(map(str, numbers or (citation.n,)))
        named(self, "citationChip", f"{which} {source}")
        self.setProperty("role", "chip" if numbers else "number")
        self.setAutoDefault(False)
        words = f"{which}　{source}" if numbers else which
        self.setText(unmnemonic(self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, theme.em(34))))
        tip(self, source)
        self.clicked.connect(self._on_clicked)

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self._citation)


class CitationsView(QWidget):
    """All sources of one answer, numbered as in its lines, each source once."""

    chosen = Signal(object)

    def __init__(self, citations: tuple[Citation, ...]) -> None:
        super().__init__()
        named(self, "citationsView")
        flow = FlowLayout(self)
        by_source: dict[str, list[Citation]] = {}
        for citation in citations:
            by_source.setdefault(source_words(citation), []).append(citation)
        for same in by_source.values():
            chip = CitationChip(same[0], [citation.n for citation in same])
            chip.chosen.connect(self.chosen)
            flow.addWidget(chip)


def source_words(citation: Citation) -> str:
    """Title with printed page and revision, as one says it."""
    page = citation.page_label or (str(citation.page) if citation.page else "")
    words = citation.title
    if page and f"p.{page}" not in words:
        words += f" p.{page}"
    return words
