"""Who decides, and that it is really him: the lower part of the approval dialog."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QVBoxLayout, QWidget

from desktop.domain.ledger import Person
from desktop.ui.names import named
from desktop.ui.widgets import label, pin_field, quiet_box
from desktop.workers.station import ApprovalSheet

NEW_PIN_WANTED = frozenset({"pin_change_needed", "pin_too_simple", "pin_unchanged"})
"""Refusals after which a new PIN has to be typed, for the first time or again."""


class Signature(QWidget):
    """The requester proves himself where only his name is known; the approver always, or lets his last PIN count."""

    changed = Signal()

    def __init__(self, sheet: ApprovalSheet) -> None:
        super().__init__()
        self._sheet = sheet
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self._requester = _people("requesterId", self.tr("（依頼者を選ぶ）"), sheet.requesters)
        self._requester_pin = pin_field("requesterPin")
        self._approver = _people("approverId", self.tr("（承認者を選ぶ）"), sheet.approvers)
        self._pin = pin_field("approverPin")
        self._new_pin = pin_field("approverNewPin")
        self._new_pin_words = label(self.tr("承認者の新しい PIN"), "note")
        if sheet.requesters:
            select(self._requester, sheet.proposal.requester.person_id)
            column.addWidget(label(self.tr("依頼者の本人確認がまだです。依頼者が PIN を入れてください。"), "warn"))
            names = (self.tr("依頼者"), self.tr("依頼者の PIN"))
            column.addLayout(pair(names[0], self._requester, names[1], self._requester_pin))
        else:
            for unused in (self._requester, self._requester_pin):
                unused.setParent(self)
                unused.hide()
        select(self._approver, sheet.pin_held_by)
        column.addLayout(pair(self.tr("承認者"), self._approver, self.tr("承認者の PIN"), self._pin))
        column.addWidget(self._new_pin_words)
        column.addWidget(self._new_pin)
        self.ask_new_pin(wanted=False)
        if not sheet.approvers:
            nobody = self.tr("このラインを承認できる人が名簿にいません。保全課長か管理者に連絡してください。")
            column.addWidget(label(nobody, "warn"))
        for box in (self._requester, self._approver):
            box.currentIndexChanged.connect(self.changed)
        for line in (self._requester_pin, self._pin, self._new_pin):
            line.textChanged.connect(self.changed)

    @property
    def approver_id(self) -> str:
        return str(self._approver.currentData())

    @property
    def pins(self) -> tuple[str, str]:
        """The approver's PIN and the new one that replaces it ("" = none)."""
        return self._pin.text(), self._new_pin.text()

    @property
    def requester(self) -> tuple[str, str]:
        """Id and PIN of whoever proves to be the requester; both "" where that is known."""
        if not self._sheet.requesters or not self._requester_pin.text():
            return "", ""
        return str(self._requester.currentData()), self._requester_pin.text()

    def approver_missing(self) -> str:
        """What is still to be given before anything can be decided; "" = nothing."""
        if not self.approver_id:
            return self.tr("承認者を選んでください。")
        if not self._pin.text() and self.approver_id != self._sheet.pin_held_by:
            return self.tr("承認者の PIN を入れてください。")
        return ""

    def requester_missing(self) -> str:
        if self._sheet.requesters and not all(self.requester):
            return self.tr("依頼者の PIN を入れてください。")
        return ""

    def ask_new_pin(self, *, wanted: bool) -> None:
        """An issued PIN signs nothing; it is changed together with the first decision."""
        self._new_pin.setVisible(wanted)
        self._new_pin_words.setVisible(wanted)

    def try_again(self, code: str) -> None:
        """After a refusal: to where something has to be typed anew."""
        self.ask_new_pin(wanted=code in NEW_PIN_WANTED)
        if code in NEW_PIN_WANTED:
            self._new_pin.clear()
            self._new_pin.setFocus()
            return
        (self._requester_pin if code == "requester_pin_refused" else self._pin).clear()
        self.focus_missing()

    def focus_missing(self) -> None:
        if not self.approver_id:
            self._approver.setFocus()
        elif self.approver_missing():
            self._pin.setFocus()
        elif self.requester_missing():
            self._requester_pin.setFocus()


def pair(first: str, wide: QWidget, second: str, narrow: QWidget) -> QGridLayout:
    """Two fields side by side under their words."""
    grid = QGridLayout()
    grid.setColumnStretch(0, 2)
    grid.setColumnStretch(1, 1)
    for at, (words, field) in enumerate(((first, wide), (second, narrow))):
        grid.addWidget(label(words, "note"), 0, at)
        grid.addWidget(field, 1, at)
    return grid


def select(box: QComboBox, person_id: str) -> None:
    box.setCurrentIndex(max(box.findData(person_id), 0))


def _people(key: str, nobody: str, people: tuple[Person, ...]) -> QComboBox:
    box = quiet_box()
    named(box, key)
    box.addItem(nobody, "")
    for person in people:
        known = "・".join(word for word in (person.role.value, person.phone) if word)
        box.addItem(f"{person.name}（{known}）", person.person_id)
    return box
