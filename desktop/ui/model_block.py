"""The model's text: muted until it was checked, then with every word it could not vouch for marked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.agent.events import ProviderChosen, Retrying
from desktop.domain.answer import CheckedText, WarningKind
from desktop.domain.cited_text import numbered, without_markers
from desktop.ui import messages, theme
from desktop.ui.citation_view import CitationsView
from desktop.ui.error_note import ErrorNote
from desktop.ui.markdown_view import MarkdownView
from desktop.ui.names import named
from desktop.ui.widgets import button, clear, label
from desktop.workers.worker import Failure

_THOUGHT_SHOWN = 90  # characters; the newest of them tell enough of what is going on


class ModelBlock(QFrame):
    """Replaces nothing of the composed answer above it."""

    citation_chosen = Signal(object)
    sent_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted-card")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.em(0.8), theme.em(0.5), theme.em(0.8), theme.em(0.5))
        self._title = label("", "muted")
        self._who = label("", "note", selectable=True)
        self._who.hide()
        self._thought = label("", "note")
        self._thought.hide()
        self._text = MarkdownView()
        named(self._text, "modelText")
        self._text.setProperty("muted", True)
        self._text.citation_clicked.connect(self._on_citation)
        self._findings = QVBoxLayout()
        self._sent = button(self.tr("送信した内容"), "sentButton", "flat")
        self._sent.clicked.connect(self._on_sent)
        self._sent.hide()
        for part in (self._title, self._who, self._thought, self._text):
            column.addWidget(part)
        column.addLayout(self._findings)
        column.addWidget(self._sent, 0, Qt.AlignmentFlag.AlignLeft)
        self._checked: CheckedText | None = None
        self._run_id = ""
        self._thinking = ""
        self._held = ""  # the end of the text, while it may still become a marker
        self._begin(self.tr("AIのまとめ（確認中）"))

    @property
    def title(self) -> str:
        return self._title.text()

    def ask(self, chosen: ProviderChosen) -> None:
        """This one is asked now; what another said before is void."""
        self._begin(self.tr("AIのまとめ（問い合わせ中）"))
        self._who.setText(messages.provider_words(chosen))
        self._who.show()
        self._run_id = chosen.run_id
        self._sent.show()

    def feed(self, text: str) -> None:
        self._title.setText(self.tr("AIのまとめ（確認中）"))
        self._thought.hide()
        shown, self._held = without_markers(self._held + text)
        self._text.feed(shown)

    def think(self, text: str) -> None:
        """A piece of what the model says it is about; only its end is shown, and only until the text comes."""
        self._thinking = " ".join((self._thinking + text).split())[-_THOUGHT_SHOWN:]
        self._title.setText(self.tr("AIのまとめ（考え中）"))
        self._thought.setText(f"…{self._thinking}")
        self._thought.show()

    def wait(self, retrying: Retrying) -> None:
        """The provider can't answer now and is asked again."""
        self._title.setText(messages.retry_words(retrying.code, retrying.seconds))

    def start_again(self) -> None:
        """The text went back to the model once; what comes now replaces it."""
        self._begin(self.tr("AIのまとめ（書き直し中）"))

    def show_checked(self, checked: CheckedText) -> None:
        """Sources under their numbers, doubted words marked, each with its warning."""
        self._thought.hide()
        self._held = ""
        self._checked = shown = numbered(checked, _link)
        self._text.show_text(shown.text, shown.marked, shown.forbidden)
        bans = [warning.name for warning in checked.warnings if warning.kind is WarningKind.SAFETY]
        if checked.clean:
            self._show_verdict(self.tr("AIのまとめ（照合済み）"), "ok")
        elif bans:
            self._show_verdict(self.tr("AIのまとめ（安全規則が禁じる内容あり）"), "danger")
        else:
            self._show_verdict(self.tr("AIのまとめ（確認できない語あり）"), "warn")
        theme.set_role(self, "card" if checked.clean else "muted-card")
        for ban in bans:
            words = self.tr("安全規則が禁じる内容です（{ban}）。この文には従わないでください。").format(ban=ban)
            self._findings.addWidget(label(f"⚠ {words}", "danger", selectable=True))
        for warning in checked.warnings:
            if warning.kind is not WarningKind.SAFETY:
                self._findings.addWidget(label(f"⚠ {warning.text}", "warn", selectable=True))
        if checked.citations:
            sources = CitationsView(checked.citations)
            sources.chosen.connect(self.citation_chosen)
            self._findings.addWidget(sources)

    def _show_verdict(self, words: str, role: str) -> None:
        self._title.setText(words)
        theme.set_role(self._title, role)

    def stop(self, words: str, failure: Failure | None = None) -> None:
        """The text ends here and says why; unless it was checked before, it is unchecked."""
        self._thought.hide()
        if self._checked is None:
            self._text.flush()
            said = self._text.toPlainText()
            self._title.setText(self.tr("AIのまとめ（途中・未確認）") if said else self.tr("AIのまとめ（なし）"))
        self._findings.addWidget(end_note(words, failure))

    def _begin(self, title: str) -> None:
        self._checked, self._thinking, self._held = None, "", ""
        self._thought.hide()
        self._text.start_again()
        clear(self._findings)
        theme.set_role(self, "muted-card")
        theme.set_role(self._title, "muted")
        self._title.setText(title)

    @Slot(int)
    def _on_citation(self, number: int) -> None:
        for citation in self._checked.citations if self._checked else ():
            if citation.n == number:
                self.citation_chosen.emit(citation)

    @Slot()
    def _on_sent(self) -> None:
        self.sent_wanted.emit(self._run_id)


def end_note(words: str, failure: Failure | None) -> QWidget:
    """Why a text ended early, with its number for IT unless that is what the person wanted."""
    if failure is None:
        return label(words, "warn", selectable=True)
    note = ErrorNote("warn")
    note.tell(failure, words)
    return note


def _link(number: int) -> str:
    return f"[［{number}］](cite:{number})"
