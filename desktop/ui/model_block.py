"""The model's text: muted until it was checked, then with every word it could not vouch for marked."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout

from desktop.domain.answer import CheckedText
from desktop.ui import theme
from desktop.ui.citation_view import CitationsView
from desktop.ui.markdown_view import MarkdownView
from desktop.ui.names import named
from desktop.ui.widgets import label


class ModelBlock(QFrame):
    """Replaces nothing of the composed answer above it."""

    citation_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted-card")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(theme.em(0.8), theme.em(0.5), theme.em(0.8), theme.em(0.5))
        self._title = label(self.tr("AIのまとめ（確認中）"), "muted")
        self._text = MarkdownView()
        named(self._text, "modelText")
        self._text.setProperty("muted", True)
        self._text.citation_clicked.connect(self._on_citation)
        self._column.addWidget(self._title)
        self._column.addWidget(self._text)
        self._checked: CheckedText | None = None

    @property
    def title(self) -> str:
        return self._title.text()

    def feed(self, text: str) -> None:
        self._title.setText(self.tr("AIのまとめ（確認中）"))
        self._text.feed(text)

    def wait(self, seconds: float) -> None:
        """The provider can't answer now and is asked again."""
        self._title.setText(self.tr("AIのまとめ（混雑・{s}秒後に再試行）").format(s=round(seconds)))

    def start_again(self) -> None:
        """The text went back to the model once; what comes now replaces it."""
        self._title.setText(self.tr("AIのまとめ（書き直し中）"))
        self._text.start_again()

    def show_checked(self, checked: CheckedText) -> None:
        self._checked = checked
        self._text.show_text(checked.text, checked.marked)
        if checked.clean:
            self._title.setText(self.tr("AIのまとめ（照合済み）"))
            theme.set_role(self, "card")
            theme.set_role(self._title, "ok")
        else:
            self._title.setText(self.tr("AIのまとめ（確認できない語あり）"))
            theme.set_role(self._title, "warn")
        for warning in checked.warnings:
            self._column.addWidget(label(f"⚠ {warning.text}", "warn", selectable=True))
        if checked.citations:
            sources = CitationsView(checked.citations)
            sources.chosen.connect(self.citation_chosen)
            self._column.addWidget(sources)

    def stop(self, words: str) -> None:
        """The text ends here, unchecked, and says why."""
        self._text.flush()
        self._title.setText(self.tr("AIのまとめ（途中・未確認）"))
        self._column.addWidget(label(words, "warn"))

    @Slot(int)
    def _on_citation(self, number: int) -> None:
        for citation in self._checked.citations if self._checked else ():
            if citation.n == number:
                self.citation_chosen.emit(citation)
