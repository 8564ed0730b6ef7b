"""Who sits here: chosen from the roster, proved by a PIN where that matters."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.ledger import Person
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.signature import NEW_PIN_WANTED
from desktop.ui.widgets import FlowLayout, button, fit_screen, label, pin_field, rows
from desktop.workers.commands import ChangePin, IdentifyPerson
from desktop.workers.worker import Failure

_ID = Qt.ItemDataRole.UserRole


class PersonDialog(QDialog):
    """`identified` carries an IdentifyPerson, `pin_changed` a ChangePin; `nobody` ends a person's turn."""

    identified = Signal(object)
    pin_changed = Signal(object)
    nobody = Signal()

    def __init__(self, people: Sequence[Person], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "personDialog")
        self.setWindowTitle(self.tr("使う人"))
        column = QVBoxLayout(self)
        self._list = rows("personList")
        for person in people:
            lines = "・".join(person.lines)
            item = QListWidgetItem(f"{person.name}　{person.role.value}　{lines}")
            item.setData(_ID, person.person_id)
            self._list.addItem(item)
        column.addWidget(self._list, 1)
        self._pin = pin_field("personPin")
        column.addWidget(label(self.tr("PIN（空のままなら「未確認」として使います）"), "note"))
        column.addWidget(self._pin)
        self._new_pin = pin_field("personNewPin")
        self._new_pin_words = label(self.tr("新しい PIN（6桁以上、連続した数字は不可）"), "note")
        column.addWidget(self._new_pin_words)
        column.addWidget(self._new_pin)
        self._ask_new_pin(wanted=False)
        self._hint = label("", "danger")
        self._hint.hide()
        self._failure = ErrorNote()
        column.addWidget(self._hint)
        column.addWidget(self._failure)
        buttons = FlowLayout()
        for words, key, role, slot in (
            (self.tr("この人にする"), "personChoose", "main", self._on_choose),
            (self.tr("だれでもない"), "personNobody", "", self._on_nobody),
            (self.tr("やめる"), "personCancel", "", self.reject),
        ):
            press = button(words, key, role)
            press.clicked.connect(slot)
            buttons.addWidget(press)
        column.addLayout(buttons)
        for field in (self._pin, self._new_pin):
            field.returnPressed.connect(self._on_choose)
        self._list.itemActivated.connect(self._on_choose)
        self._list.currentRowChanged.connect(self._on_moved)
        fit_screen(self, 30, 36)

    def refuse(self, failure: Failure) -> None:
        """Not let in; a first PIN has to be changed before it opens anything."""
        self._hint.hide()
        self._failure.tell(failure)
        wanted = failure.code in NEW_PIN_WANTED
        self._ask_new_pin(wanted=wanted)
        (self._new_pin if wanted else self._pin).setFocus()

    def _ask_new_pin(self, *, wanted: bool) -> None:
        """Always empty at first: what stands in a hidden field would be sent unseen."""
        self._new_pin.clear()
        self._new_pin.setVisible(wanted)
        self._new_pin_words.setVisible(wanted)

    @Slot()
    def _on_moved(self) -> None:
        self._pin.clear()
        self._hint.hide()
        self._failure.clear()
        self._ask_new_pin(wanted=False)

    @Slot()
    def _on_choose(self) -> None:
        item = self._list.currentItem()
        if item is None:
            self._hint.setText(self.tr("名簿から選んでください。"))
            self._hint.show()
        elif new := self._new_pin.text():
            self.pin_changed.emit(ChangePin(item.data(_ID), self._pin.text(), new))
        else:
            self.identified.emit(IdentifyPerson(item.data(_ID), self._pin.text()))

    @Slot()
    def _on_nobody(self) -> None:
        self.nobody.emit()
        self.accept()
