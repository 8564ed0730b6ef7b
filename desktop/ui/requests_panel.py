"""What waits for approval, and what became of every request."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QListWidgetItem, QVBoxLayout, QWidget

from desktop.domain.work_request import Delivery, Proposal
from desktop.errors import hn
from desktop.ui import messages, theme
from desktop.ui.error_note import ErrorNote
from desktop.ui.names import named
from desktop.ui.widgets import button, label, rows
from desktop.workers.station import CameBack, RequestLine

_KEPT = Qt.ItemDataRole.UserRole


class PendingInbox(QWidget):
    """The proposals nobody has decided; `opened` carries a Proposal. Below them how many came back lately."""

    opened = Signal(object)
    returned_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.em(0.2))
        self._head = label("", "strong")
        self._list = rows("pendingInbox")
        self._list.itemClicked.connect(self._on_opened)
        self._list.itemActivated.connect(self._on_opened)
        column.addWidget(self._head)
        column.addWidget(self._list)
        self._returned = button("", "returnedButton")
        self._returned.clicked.connect(self.returned_wanted)
        self._returned.hide()
        column.addWidget(self._returned)
        self.show_unknown()

    def show_unknown(self) -> None:
        """No number before it is known."""
        self.show_proposals(())
        self._head.setText(self.tr("承認待ち"))

    def show_proposals(self, proposals: Sequence[Proposal]) -> None:
        self._head.setText(self.tr("承認待ち {n}件").format(n=len(proposals)))
        self._list.clear()
        for proposal in proposals:
            item = QListWidgetItem(f"{messages.place_words(proposal)}\n{proposal.title}")
            item.setData(_KEPT, proposal)
            self._list.addItem(item)
        self._list.setVisible(bool(proposals))
        self._list.setFixedHeight(theme.em(4.1) * min(max(len(proposals), 1), 2) + 4)

    def show_returned(self, number: int) -> None:
        self._returned.setText(self.tr("▲ 差戻し・期限切れ {n}件").format(n=number))
        self._returned.setVisible(number > 0)

    @Slot(QListWidgetItem)
    def _on_opened(self, item: QListWidgetItem) -> None:
        self.opened.emit(item.data(_KEPT))


class RequestsPage(QWidget):
    """Every request registered here, newest first, with its way to the plant; why the one picked did not go.

    Below it what was sent back or has expired; `resubmit_wanted` carries one CameBack.
    """

    resubmit_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        named(self, "requestsPage")
        column = QVBoxLayout(self)
        column.addWidget(label(self.tr("保全依頼"), "big"))
        self._empty = label(self.tr("登録された保全依頼はまだありません。"), "muted")
        self._list = rows("requestsTable")
        self._list.setWordWrap(True)
        self._list.setMinimumHeight(theme.em(8))
        self._list.currentItemChanged.connect(self._on_picked)
        self._failure = ErrorNote()
        column.addWidget(self._empty)
        column.addWidget(self._list, 1)
        column.addWidget(self._failure)
        self._returned_head = label("", "strong")
        self._returned = rows("resubmittableList")
        self._again = button(self.tr("再提出"), "resubmitButton")
        self._again.clicked.connect(self._on_again)
        for part in (self._returned_head, self._returned):
            column.addWidget(part)
        column.addWidget(self._again, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch()  # of no weight: it takes what the list leaves when there is none
        self.show_resubmittable(())

    def show_resubmittable(self, found: Sequence[CameBack]) -> None:
        """The one that was picked before, else the newest, is picked, so that one tap opens it."""
        before = self._returned.currentItem()
        picked = before.data(_KEPT).proposal.proposal_id if before is not None else ""
        self._returned_head.setText(self.tr("差戻し・期限切れ {n}件").format(n=len(found)))
        self._returned.clear()
        for came in found:
            where = f"{messages.place_words(came.proposal)}\n{came.proposal.title}"
            item = QListWidgetItem(f"{messages.came_back_words(came)}\n{where}")
            item.setData(_KEPT, came)
            self._returned.addItem(item)
        ids = [came.proposal.proposal_id for came in found]
        self._returned.setCurrentRow(ids.index(picked) if picked in ids else 0)
        self._returned.setFixedHeight(theme.em(5.5) * min(max(len(found), 1), 3) + 4)
        for part in (self._returned_head, self._returned, self._again):
            part.setVisible(bool(found))

    @Slot()
    def _on_again(self) -> None:
        if (item := self._returned.currentItem()) is not None:
            self.resubmit_wanted.emit(item.data(_KEPT))

    def show_requests(self, lines: Sequence[RequestLine]) -> None:
        """The first that needs attention is picked."""
        self._list.clear()
        for line in lines:
            item = QListWidgetItem(_words(line))
            item.setData(_KEPT, line)
            self._list.addItem(item)
        self._list.setCurrentRow(next((at for at, line in enumerate(lines) if line.problem is not None), -1))
        self._empty.setVisible(not lines)
        self._list.setVisible(bool(lines))

    @Slot(QListWidgetItem)
    def _on_picked(self, item: QListWidgetItem | None) -> None:
        problem = item.data(_KEPT).problem if item is not None else None
        if problem is None:
            self._failure.clear()
        else:
            self._failure.tell(problem)


def _words(line: RequestLine) -> str:
    request = line.request
    number = request.number + (f"（{request.plant_number}）" if request.plant_number else "")
    state = messages.delivery_words(request.delivery)
    if request.delivery is Delivery.REFUSED and request.refusal:
        state = f"{state}：{request.refusal}"
    if line.problem is not None:
        state = f"{state}（{hn(line.problem.code)}）"
    first = f"{number}　{state}"
    second = f"{request.equipment_id}　{request.title}　{messages.moment(request.approved_at)}"
    return f"{first}\n{second}"
