"""A request drafted by a person, prefilled from the answer, on its way to approval."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QVBoxLayout

from desktop.domain.answer import RequestDraft
from desktop.domain.work_request import TITLE_LIMIT, Priority
from desktop.ui import theme
from desktop.ui.approval_parts import TallText
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.widgets import FlowLayout, button, label, quiet_box
from desktop.workers.worker import Failure


class RequestForm(QFrame):
    """`submitted` carries a RequestDraft; the form then waits, disabled, for the proposal to come back.

    `edited` carries one too, after every change; `discarded` the machine's id.
    """

    submitted = Signal(object)
    edited = Signal(object)
    discarded = Signal(str)

    def __init__(self, draft: RequestDraft) -> None:
        super().__init__()
        named(self, "requestForm")
        self.setProperty("role", "card")
        self._equipment_id = draft.equipment_id
        column = QVBoxLayout(self)
        column.setSpacing(theme.em(0.3))
        column.addWidget(label(self.tr("保全依頼の下書き：{id}").format(id=draft.equipment_id), "strong"))
        self._title = QLineEdit(draft.title[:TITLE_LIMIT])
        self._title.setMaxLength(TITLE_LIMIT)
        named(self._title, "draftTitle")
        self.setFocusProxy(self._title)
        self._priority = priority_box("draftPriority", draft.priority)
        self._detail = TallText(draft.detail)
        named(self._detail, "draftDetail")
        for words, field in (
            (self.tr("件名（{n}字まで）").format(n=TITLE_LIMIT), self._title),
            (self.tr("優先度"), self._priority),
            (self.tr("内容"), self._detail),
        ):
            column.addWidget(label(words, "note"))
            column.addWidget(field)
        self._problem = label("", "warn")
        self._problem.hide()
        self._failure = ErrorNote("warn")
        column.addWidget(self._problem)
        column.addWidget(self._failure)
        self._submit = button(self.tr("承認へ回す"), "draftSubmit", "main")
        self._submit.clicked.connect(self._on_submit)
        discard = button(self.tr("下書きを消す"), "draftDiscard", "flat")
        discard.clicked.connect(self._on_discard)
        row = FlowLayout()
        row.addWidget(self._submit)
        row.addWidget(discard)
        column.addLayout(row)
        for signal in (self._title.textChanged, self._detail.textChanged, self._priority.currentTextChanged):
            signal.connect(self._on_edited)

    def refuse(self, failure: Failure) -> None:
        """It did not become a proposal; the form stays for another try."""
        self._failure.tell(failure)
        self.setEnabled(True)

    @Slot()
    def _on_edited(self) -> None:
        self.edited.emit(self._draft())

    @Slot()
    def _on_discard(self) -> None:
        self.discarded.emit(self._equipment_id)

    @Slot()
    def _on_submit(self) -> None:
        title, detail = self._title.text().strip(), self._detail.toPlainText().strip()
        self._failure.clear()
        missing = not title or not detail
        self._problem.setText(self.tr("件名と内容を書いてください。") if missing else "")
        self._problem.setVisible(missing)
        if missing:
            return
        self.setEnabled(False)
        self.submitted.emit(replace(self._draft(), title=title, detail=detail))

    def _draft(self) -> RequestDraft:
        title, detail = self._title.text(), self._detail.toPlainText()
        return RequestDraft(self._equipment_id, title, detail, self._priority.currentText())


def priority_box(key: str, chosen: str) -> QComboBox:
    """高, 中 or 低."""
    box = quiet_box()
    named(box, key)
    box.addItems([priority.value for priority in Priority])
    box.setCurrentText(chosen)
    return box
