"""Left side: machines of this station, what waits, and earlier questions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.ledger import Equipment, EquipmentStatus
from desktop.ui import messages, theme
from desktop.ui.names import named
from desktop.ui.requests_panel import PendingInbox
from desktop.ui.widgets import button, label, rows
from desktop.workers.station import ConversationLine

_KEPT = Qt.ItemDataRole.UserRole
_TYPING_MS = 250


class SidePanel(QWidget):
    new_conversation = Signal()
    equipment_wanted = Signal(str)
    equipment_chosen = Signal(object)
    conversation_chosen = Signal(str)
    requests_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        margin = theme.em(0.5)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(theme.em(0.35))
        new = button(self.tr("＋ 新しい質問"), "newConversationButton")
        new.clicked.connect(self.new_conversation)
        column.addWidget(new)
        self._picker = QLineEdit()
        self._picker.setPlaceholderText(self.tr("設備をしぼり込む"))
        self._picker.setClearButtonEnabled(True)
        named(self._picker, "equipmentPicker")
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(_TYPING_MS)
        self._typed.timeout.connect(self._on_typed)
        self._picker.textChanged.connect(self._typed.start)
        self._picker.returnPressed.connect(self._on_typed)
        column.addWidget(self._picker)
        self._tiles = rows("equipmentTiles")
        self._tiles.itemClicked.connect(self._on_tile)
        self._tiles.itemActivated.connect(self._on_tile)
        column.addWidget(self._tiles, 3)
        self.inbox = PendingInbox()
        column.addWidget(self.inbox)
        column.addWidget(label(self.tr("これまでの質問"), "strong"))
        self._conversations = rows("conversationList")
        self._conversations.itemClicked.connect(self._on_conversation)
        self._conversations.itemActivated.connect(self._on_conversation)
        column.addWidget(self._conversations, 2)
        requests = button(self.tr("保全依頼の一覧"), "requestsButton")
        requests.clicked.connect(self.requests_wanted)
        column.addWidget(requests)
        self.show_unknown(self.tr("読み込み中…"))

    def focus_picker(self) -> None:
        self._picker.setFocus()
        self._picker.selectAll()

    def show_unknown(self, words: str) -> None:
        """`words` where the lists would be: a list that is empty says that there is nothing."""
        self.show_equipment_unknown(words)
        self._conversations.clear()
        self._conversations.addItem(_placeholder(words))
        self.inbox.show_unknown()

    def show_equipment_unknown(self, words: str) -> None:
        self._tiles.clear()
        self._tiles.addItem(_placeholder(words))

    def show_equipment(self, machines: Sequence[Equipment]) -> None:
        self._tiles.clear()
        for machine in machines:
            item = QListWidgetItem(tile_words(machine))
            item.setData(_KEPT, machine)
            self._tiles.addItem(item)

    def show_conversations(self, conversations: Sequence[ConversationLine], current: str) -> None:
        self._conversations.clear()
        for line in conversations:
            mark = "● " if line.waiting else "◐ " if line.cut_off else ""
            item = QListWidgetItem(f"{mark}{messages.moment(line.updated_at)}　{line.title}")
            item.setData(_KEPT, line.conversation_id)
            self._conversations.addItem(item)
            if line.conversation_id == current:
                self._conversations.setCurrentItem(item)

    @Slot()
    def _on_typed(self) -> None:
        self._typed.stop()
        self.equipment_wanted.emit(self._picker.text().strip())

    @Slot(QListWidgetItem)
    def _on_tile(self, item: QListWidgetItem) -> None:
        if (machine := item.data(_KEPT)) is not None:
            self.equipment_chosen.emit(machine)

    @Slot(QListWidgetItem)
    def _on_conversation(self, item: QListWidgetItem) -> None:
        if (conversation_id := item.data(_KEPT)) is not None:
            self.conversation_chosen.emit(conversation_id)


def _placeholder(words: str) -> QListWidgetItem:
    item = QListWidgetItem(words)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def tile_words(machine: Equipment) -> str:
    """Line and name on the first line, id and model on the second."""
    status = "" if machine.status is EquipmentStatus.RUNNING else f"【{machine.status.value}】"
    return f"{machine.line} {machine.name}{status}\n{machine.equipment_id}　{machine.model}".strip()
