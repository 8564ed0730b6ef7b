"""The decision on a proposal: everything it rests on in one scrolled page, signed by a person, never by Enter."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.work_request import TITLE_LIMIT, Meaning, Priority
from desktop.ui import messages, theme
from desktop.ui.approval_parts import RestoredNote, TallText, evidence_block
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.request_form import priority_box
from desktop.ui.signature import Signature, pair
from desktop.ui.widgets import FlowLayout, button, fit_screen, label
from desktop.workers.commands import Decide
from desktop.workers.station import ApprovalSheet
from desktop.workers.worker import Failure


class ApprovalDialog(QDialog):
    """`decided` carries a Decide; the dialog then waits for `finish` or `refuse`. Esc and あとで change nothing.

    `edited` carries what the person wrote, whole, after every change ({} = as it was drafted; never a PIN or who
    approves); `kept` is that of an earlier time.
    """

    decided = Signal(object)
    edited = Signal(object)

    def __init__(self, sheet: ApprovalSheet, kept: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "approvalDialog")
        self.setWindowTitle(self.tr("保全依頼の承認"))
        self.sheet = sheet
        self._seen_whole = False
        self._busy = False
        self._settled = QTimer(self)  # a child: a single shot would outlive a dialog closed at once
        self._settled.setSingleShot(True)
        self._settled.timeout.connect(self._look)
        outer = QVBoxLayout(self)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        named(self._scroll, "approvalBody")
        self._scroll.setWidget(self._body())
        self._scroll.verticalScrollBar().valueChanged.connect(self._look)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._look)
        outer.addWidget(self._scroll, 1)
        self._hint = label("", "warn")
        self._failure = ErrorNote()
        outer.addWidget(self._hint)
        outer.addWidget(self._failure)
        outer.addLayout(self._buttons())
        fit_screen(self, 46, 52)
        self._drafted = self._written()
        if kept:
            self._put_back(kept)
        for signal in (self._title.textChanged, self._detail.textChanged, self._reason.textChanged):
            signal.connect(self._on_edited)
        self._priority.currentTextChanged.connect(self._on_edited)
        self._review()

    def refuse(self, failure: Failure) -> None:
        """The decision was not taken; the dialog stays for another try."""
        self._busy = False
        self._signature.try_again(failure.code)
        self._review()
        self._hint.hide()
        self._failure.tell(failure)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._scroll.setFocus()  # the first thing to do is to read
        self._settled.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._settled.start()

    # What is shown.

    def _body(self) -> QWidget:
        proposal = self.sheet.proposal
        body = QWidget()
        body.setProperty("role", "page")
        column = QVBoxLayout(body)
        column.setSpacing(theme.em(0.4))
        machine = label(messages.place_words(proposal), "huge")
        named(machine, "approvalEquipment", messages.place_words(proposal))
        column.addWidget(machine)
        if proposal.sample:
            column.addWidget(label(self.tr("見本（架空）の依頼です。どこにも送られません。"), "warn"))
        if self.sheet.before is not None:
            before = label(
                self.tr("再提出の依頼です。前回：{what}").format(what=messages.came_back_words(self.sheet.before)),
                "warn",
            )
            named(before, "approvalBefore", before.text())
            column.addWidget(before)
        for words, role in self._facts():
            column.addWidget(label(words, role))
        self._restored = RestoredNote()
        column.addWidget(self._restored)
        self._title = QLineEdit(proposal.title)
        self._title.setMaxLength(TITLE_LIMIT)
        named(self._title, "approvalTitle")
        self._priority = priority_box("approvalPriority", proposal.priority.value)
        self._detail = TallText(proposal.detail)
        named(self._detail, "approvalDetail")
        column.addLayout(pair(self.tr("件名"), self._title, self.tr("優先度"), self._priority))
        column.addWidget(label(self.tr("内容"), "note"))
        column.addWidget(self._detail)
        column.addWidget(label(self.tr("根拠（依頼案を作った時点のもの）"), "note"))
        column.addWidget(evidence_block(proposal.evidence))
        self._add_signature(column)
        column.addStretch(1)
        return body

    def _facts(self) -> list[tuple[str, str]]:
        """Who asks and how he is known, who drafted, since when it stands, what was tried, what is open already."""
        proposal = self.sheet.proposal
        facts = []
        if proposal.stopped_since is not None:
            since = messages.moment(proposal.stopped_since)
            facts.append((self.tr("停止中：{at}から").format(at=since), "danger"))
        who = messages.requester_words(proposal.requester)
        drafter = messages.drafter_words(proposal.drafted_by)
        facts.append((self.tr("依頼者：{who}　{drafter}").format(who=who, drafter=drafter), ""))
        for step in proposal.tried:
            facts.append((self.tr("試したこと：{step}").format(step=step), ""))
        for words in self.sheet.duplicates:
            facts.append((self.tr("▲ 重複の可能性：{what}").format(what=words), "warn"))
        for words in self.sheet.doubts:
            facts.append((self.tr("▲ 確認できません：{what}").format(what=words), "warn"))
        return facts

    def _add_signature(self, column: QVBoxLayout) -> None:
        self._signature = Signature(self.sheet)
        column.addWidget(self._signature)
        self._reason = QLineEdit()
        named(self._reason, "rejectReason")
        column.addWidget(label(self.tr("理由（差戻し・登録しないとき）"), "note"))
        column.addWidget(self._reason)
        self._signature.changed.connect(self._review)
        for line in (self._title, self._reason):
            line.textChanged.connect(self._review)
        self._detail.textChanged.connect(self._review)

    def _buttons(self) -> FlowLayout:
        row = FlowLayout()
        self._approve = button(self.tr("承認して登録"), "approveButton", "main")
        self._return = button(self.tr("差戻し"), "returnButton")
        self._reject = button(self.tr("登録しない"), "rejectButton")
        self._defer = button(self.tr("あとで"), "deferButton")
        self._approve.clicked.connect(self._on_approve)
        self._return.clicked.connect(self._on_return)
        self._reject.clicked.connect(self._on_reject)
        self._defer.clicked.connect(self.reject)
        for press in (self._approve, self._return, self._reject, self._defer):
            press.setDefault(False)
            row.addWidget(press)
        return row

    # What the person wrote.

    def _written(self) -> Mapping[str, str]:
        return {
            "title": self._title.text(),
            "detail": self._detail.toPlainText(),
            "priority": self._priority.currentText(),
            "reason": self._reason.text(),
        }

    def _put_back(self, kept: Mapping[str, str]) -> None:
        wanted = {**self._drafted, **kept}
        self._title.setText(wanted["title"])
        self._detail.write(wanted["detail"])
        self._priority.setCurrentText(wanted["priority"])
        self._reason.setText(wanted["reason"])
        self._restored.tell(self.sheet.proposal)

    @Slot()
    def _on_edited(self) -> None:
        written = self._written()
        self.edited.emit({} if written == self._drafted else written)

    # What may be pressed.

    @Slot()
    def _look(self) -> None:
        """All of it counts as read when it fits or its end was reached."""
        bar = self._scroll.verticalScrollBar()
        if not self._seen_whole and self.isVisible() and bar.value() >= bar.maximum() - theme.em(0.5):
            self._seen_whole = True
            self._review()

    @Slot()
    def _review(self) -> None:
        missing = self._missing()
        self._approve.setEnabled(not missing and not self._busy)
        for press in (self._return, self._reject):
            press.setEnabled(not self._busy)
        self._failure.clear()
        self._hint.setText(self.tr("記録しています…") if self._busy else missing)
        self._hint.setVisible(bool(self._hint.text()))

    def _missing(self) -> str:
        """Why it can't be approved yet; "" = it can."""
        if not self._seen_whole:
            return self.tr("最後まで読むと承認できます。")
        if not self._title.text().strip() or not self._detail.toPlainText().strip():
            return self.tr("件名と内容が空です。")
        return self._signature.approver_missing() or self._signature.requester_missing()

    @Slot()
    def _on_approve(self) -> None:
        self._decide(Meaning.APPROVED)

    @Slot()
    def _on_return(self) -> None:
        self._turn_down(Meaning.RETURNED)

    @Slot()
    def _on_reject(self) -> None:
        self._turn_down(Meaning.REJECTED)

    def _turn_down(self, meaning: Meaning) -> None:
        """Needs a reason, since the requester and the model will read it, and the same signature."""
        if not self._reason.text().strip():
            self._hint.setText(self.tr("理由を書いてください。"))
            self._reason.setFocus()
        elif missing := self._signature.approver_missing():
            self._hint.setText(missing)
            self._signature.focus_missing()
        else:
            self._decide(meaning)

    def _decide(self, meaning: Meaning) -> None:
        self._busy = True
        self._review()
        proposal = self.sheet.proposal
        pin, new_pin = self._signature.pins
        requester_id, requester_pin = self._signature.requester
        self.decided.emit(
            Decide(
                proposal_id=proposal.proposal_id,
                revision=proposal.revision,
                payload_sha256=proposal.payload_sha256,
                meaning=meaning,
                approver_id=self._signature.approver_id,
                pin=pin,
                new_pin=new_pin,
                requester_id=requester_id,
                requester_pin=requester_pin,
                reason=self._reason.text().strip(),
                title=self._title.text().strip(),
                detail=self._detail.toPlainText().strip(),
                priority=Priority(self._priority.currentText()),
            )
        )
