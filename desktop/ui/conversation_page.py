"""One conversation: its questions one below the other, and what the window must remember of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from desktop.agent.events import ApprovalRequested, Event, RunStopped, StopReason
from desktop.domain.answer import RequestDraft
from desktop.domain.ledger import Equipment
from desktop.domain.work_request import Decision, Proposal, WorkRequest
from desktop.ui import theme
from desktop.ui.run_card import RunCard
from desktop.ui.steps_view import StepLog
from desktop.ui.widgets import button, label
from desktop.workers.station import CameBack, PastRun
from desktop.workers.worker import Failure

_LIVE_RUNS = 30  # 100 pairs made a resize take 373 ms
_RESTORED_RUNS = 10


class ConversationPage(QScrollArea):
    citation_chosen = Signal(object)
    outcome_told = Signal(object)
    machine_chosen = Signal(str, object)
    request_submitted = Signal(object)
    form_edited = Signal(str, object)
    form_discarded = Signal(str, str)
    approval_opened = Signal(str)
    sent_wanted = Signal(str)
    again_wanted = Signal(str, object)  # question and command of a run that failed before it answered
    go_on_wanted = Signal(str)
    settle_wanted = Signal(str)
    carry_over_wanted = Signal(str)

    def __init__(self, conversation_id: str) -> None:
        super().__init__()
        self.conversation_id = conversation_id
        self.generation = 0  # of the run whose events count; 0 = none runs
        self.equipment: Equipment | None = None  # the machine the conversation is about
        self.chosen: Equipment | None = None  # picked by hand for the next question
        self.log = StepLog()
        self.waiting: Proposal | None = None
        self.loading = False  # what the journal has of it is on its way
        self.runs: list[RunCard] = []
        self._filled: RunCard | None = None  # by the run in progress, unless it is the last question's
        self._older: list[PastRun] = []
        self._coming: list[PastRun] = []
        self._filling = QTimer(self)
        self._filling.timeout.connect(self._on_filling)
        self._place: tuple[QWidget, int] | None = None  # what stands at the top, and how much of it is above
        self._untouched = True  # by the person, since it was last put somewhere
        self._following = False
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.timeout.connect(self._follow)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = self._inside = QWidget()
        inside.setProperty("role", "page")
        self._column = QVBoxLayout(inside)
        margin = theme.em(0.7)
        self._column.setContentsMargins(margin, margin, margin, margin)
        self._more = button(self.tr("前のやりとりを表示"), "olderButton", "flat")
        self._more.clicked.connect(self._on_older)
        self._more.hide()
        self._column.addWidget(self._more)
        self._empty = label(self.tr("設備とコード、または症状を書いてください。"), "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._column.addWidget(self._empty)
        self._column.addStretch(1)
        self.setWidget(inside)
        self.verticalScrollBar().rangeChanged.connect(self._follow)
        self.verticalScrollBar().valueChanged.connect(self._on_moved)

    @property
    def blank(self) -> bool:
        """Nothing was asked in it yet."""
        return not (self.runs or self.running or self.waiting)

    @property
    def running(self) -> bool:
        return self.generation != 0

    def start_run(self, question: str, command: object = None, *, data_old: bool = False) -> RunCard:
        for earlier in self.runs:
            earlier.withdraw_again()
        card = self._add(RunCard(question, command), len(self.runs))
        card.mark_data_old(old=data_old)
        self.log = card.log
        self.log.running = True
        self._filled = None
        while len(self.runs) > _LIVE_RUNS:
            gone = self.runs.pop(0)
            gone.hide()
            gone.deleteLater()
        self._stay_at(card)
        return card

    def go_on(self, run_id: str) -> None:
        """The run of an earlier question goes on, in that question's card."""
        self._filled = next((card for card in self.runs if card.run_id == run_id), None)
        if self._filled is not None:
            self.log = self._filled.log
            self.log.running = True

    def handle(self, event: Event) -> None:
        """An event of the run in progress."""
        card = self._filled or (self.runs[-1] if self.runs else self.start_run(""))
        card.handle(event)
        self.equipment = card.equipment or self.equipment
        if isinstance(event, ApprovalRequested):
            self.waiting = event.proposal

    def end_run(self, failure: Failure | None) -> None:
        """The run is over; `failure` says why if it broke off."""
        self.generation = 0
        self.log.running = False
        card = self._filled or (self.runs[-1] if self.runs else None)
        if failure is not None and card is not None:
            card.fail(failure)

    def stop_run(self) -> None:
        """Given up by the person; what still comes of it is dropped."""
        self.end_run(None)
        if self.runs:
            (self._filled or self.runs[-1]).handle(RunStopped(StopReason.CANCELLED))

    def refuse_form(self, failure: Failure) -> None:
        for card in self.runs:
            card.refuse_form(failure)

    def restore(self, runs: Sequence[PastRun], half_filled: Sequence[RequestDraft] = ()) -> None:
        """Show what the journal has: the newest at once, nine before it one by one, the others when asked for.

        Requests an earlier window left half filled are shown under it.
        """
        self.loading = False
        if not runs:
            return
        newest = self._replay(runs[-1], len(self.runs))
        self.log, self.equipment = newest.log, newest.equipment
        self._stay_at(newest)
        for draft in half_filled:
            newest.show_form(draft)
        self._older = list(runs[:-_RESTORED_RUNS])
        self._fill(runs[-_RESTORED_RUNS:-1])

    def show_proposal(self, proposal: Proposal) -> None:
        """A proposal that came without a run of this window: where its form was sent, or under the last question."""
        self.waiting = proposal
        known = [card for card in self.runs if card.has_proposal(proposal.proposal_id)]
        if known:
            known[0].show_proposal(proposal)
            return
        asked_in = [card for card in self.runs if card.sends_form] or self.runs[-1:]
        card = asked_in[0] if asked_in else self._add(RunCard(proposal.title), 0)
        card.show_proposal(proposal)

    def show_decision(self, decision: Decision, request: WorkRequest | None) -> None:
        for card in reversed(self.runs):
            if card.show_decision(decision, request):
                break
        if self.waiting is not None and self.waiting.proposal_id == decision.proposal_id:
            self.waiting = None

    def show_came_back(self, came: CameBack) -> None:
        """A proposal of this conversation waits no more: sent back by somebody elsewhere, or expired."""
        for card in self.runs:
            card.show_came_back(came)
        proposal = came.proposal
        if (waits := self.waiting) and (waits.proposal_id, waits.revision) == (proposal.proposal_id, proposal.revision):
            self.waiting = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._inside and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._settled.start()  # rows may still move after the last change of the range
        return super().eventFilter(watched, event)

    def _add(self, card: RunCard, at: int) -> RunCard:
        card.citation_chosen.connect(self.citation_chosen)
        card.outcome_told.connect(self.outcome_told)
        card.machine_chosen.connect(self.machine_chosen)
        card.request_submitted.connect(self.request_submitted)
        card.brought_up.connect(self._stay_at)
        card.form_edited.connect(self._on_form_edited)
        card.form_discarded.connect(self._on_form_discarded)
        card.approval_opened.connect(self.approval_opened)
        card.sent_wanted.connect(self.sent_wanted)
        card.again_wanted.connect(self._on_again)
        card.go_on_wanted.connect(self.go_on_wanted)
        card.settle_wanted.connect(self.settle_wanted)
        card.carry_over_wanted.connect(self.carry_over_wanted)
        self._empty.hide()
        self._column.insertWidget(at + 2, card)
        self.runs.insert(at, card)
        return card

    def _replay(self, run: PastRun, at: int) -> RunCard:
        card = self._add(RunCard(run.question), at)
        for event in run.events:
            card.handle(event)
        for settlement in run.settled:
            card.show_decision(settlement.decision, settlement.request)
        return card

    @Slot(object)
    def _on_form_edited(self, draft: RequestDraft) -> None:
        self.form_edited.emit(self.conversation_id, draft)

    @Slot(str)
    def _on_form_discarded(self, equipment_id: str) -> None:
        self.form_discarded.emit(self.conversation_id, equipment_id)

    @Slot(str, object)
    def _on_again(self, question: str, command: object) -> None:
        if not self.running and self.waiting is None:
            self.again_wanted.emit(question, command)

    @Slot()
    def _on_older(self) -> None:
        self._place = None
        self._fill(self._older[-_RESTORED_RUNS:])
        self._older = self._older[:-_RESTORED_RUNS]

    def _fill(self, runs: Sequence[PastRun]) -> None:
        self._coming = list(runs)
        self._more.setEnabled(not runs)
        self._filling.start()

    @Slot()
    def _on_filling(self) -> None:
        """One a turn of the event loop: all at once would hold the window up."""
        if self._coming:
            self._replay(self._coming.pop(), 0)
        if not self._coming:
            self._filling.stop()
            self._more.setEnabled(True)
            self._more.setVisible(bool(self._older))

    @Slot(object)
    def _stay_at(self, part: QWidget) -> None:
        """Keep its beginning at the top while the rest grows below it, until the person scrolls."""
        self._place, self._untouched = (part, -theme.em(0.3)), True
        self._follow()

    @Slot()
    def _follow(self) -> None:
        """What the person sees stays where it is, whatever grows above or below it."""
        if self._place is None or not isValid(self._place[0]):
            return
        part, above = self._place
        value = self._top_of(part) + above
        if isinstance(part, RunCard) and self._untouched:
            value = self._with_safety(part, value)
        self._following = True
        self.verticalScrollBar().setValue(value)
        self._following = False

    def _with_safety(self, card: RunCard, value: int) -> int:
        """On a low screen the question gives way, so that how to be safe is seen without scrolling."""
        if (safety := card.safety) is None:
            return value
        top = self._top_of(safety)
        end = top + safety.height() - self.viewport().height()
        return max(value, min(top, end) + theme.em(0.3))

    @Slot(int)
    def _on_moved(self, value: int) -> None:
        """Wheel, keys, scroll bar, touch or Tab: whoever scrolls decides what is seen."""
        if self._following:
            return
        self._untouched = False
        below = (card for card in self.runs if card.geometry().bottom() > value)
        part = self._inside.childAt(self._inside.width() // 2, value) or next(below, None)
        self._place = (part, value - self._top_of(part)) if part else None

    def _top_of(self, part: QWidget) -> int:
        return part.mapTo(self._inside, QPoint(0, 0)).y()
