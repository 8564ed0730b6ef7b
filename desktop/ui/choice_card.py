"""Several machines fit: one button each, with the least that tells them apart."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout

from desktop.domain.answer import Focus
from desktop.domain.ledger import Equipment, EquipmentStatus
from desktop.ui import theme
from desktop.ui.names import named
from desktop.ui.widgets import button, label


class ChoiceCard(QFrame):
    """Emits the machine that was chosen, once."""

    chosen = Signal(object)

    def __init__(self, focus: Focus) -> None:
        super().__init__()
        named(self, "choiceCard")
        self.setProperty("role", "card")
        column = QVBoxLayout(self)
        column.setSpacing(theme.em(0.4))
        machines = focus.candidates or focus.suggestions
        column.addWidget(label(self._question(focus), "strong"))
        self._buttons: dict[QPushButton, Equipment] = {}
        for machine in machines:
            press = button(choice_words(machine), "choiceButton", "", choice_words(machine))
            press.clicked.connect(self._on_chosen)
            self._buttons[press] = machine
            column.addWidget(press)

    def close_choice(self) -> None:
        for press in self._buttons:
            press.setEnabled(False)

    def _question(self, focus: Focus) -> str:
        if focus.carried_over:
            return self.tr("前回の設備についての質問ですか？")
        if focus.candidates:
            return self.tr("どの設備ですか？")
        return self.tr("台帳に見つかりません。つづりの近い設備：")

    @Slot()
    def _on_chosen(self) -> None:
        machine = self._buttons.get(self.sender())  # type: ignore[call-overload]
        if machine is not None:
            self.close_choice()
            self.chosen.emit(machine)


def choice_words(machine: Equipment) -> str:
    """Line and place first: they are what differs."""
    words = " ".join(word for word in (machine.line, machine.name, machine.location) if word)
    tail = f"{machine.equipment_id} {machine.model}".strip()
    status = "" if machine.status is EquipmentStatus.RUNNING else f"【{machine.status.value}】"
    return f"{words}（{tail}）{status}"
