"""One question and all that came of it, filled by the events of its run, live or from the journal."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.agent import events
from desktop.agent.events import Event
from desktop.domain.answer import RequestDraft
from desktop.domain.ledger import Equipment
from desktop.domain.work_request import Decision, Proposal, WorkRequest
from desktop.ui import messages, theme
from desktop.ui.answer_view import AnswerView
from desktop.ui.approval_card import ApprovalCard
from desktop.ui.choice_card import ChoiceCard
from desktop.ui.error_note import ErrorNote
from desktop.ui.model_block import ModelBlock, end_note
from desktop.ui.offers import CarryOverOffer, CutOffOffer
from desktop.ui.request_form import RequestForm
from desktop.ui.steps_view import StepLog
from desktop.ui.widgets import button, label
from desktop.workers.station import CameBack
from desktop.workers.worker import Failure


class RunCard(QWidget):
    citation_chosen = Signal(object)
    outcome_told = Signal(object)
    machine_chosen = Signal(str, object)
    request_submitted = Signal(object)
    brought_up = Signal(object)  # a part of it that the person has just asked for
    form_edited = Signal(object)
    form_discarded = Signal(str)
    approval_opened = Signal(str)
    sent_wanted = Signal(str)
    again_wanted = Signal(str, object)
    go_on_wanted = Signal(str)
    settle_wanted = Signal(str)
    carry_over_wanted = Signal(str)

    def __init__(self, question: str, command: object = None) -> None:
        super().__init__()
        self.question = question
        self._command = command  # what asks it again, None = it can't be
        self._answered = False
        self._answer: AnswerView | None = None
        self._again = button(self.tr("もう一度聞く"), "askAgainButton", "main")
        self._again.clicked.connect(self._on_again)
        self._again.hide()
        self.log = StepLog()
        self.equipment: Equipment | None = None
        self.run_id = ""  # known once a model is asked
        self._old_data = False
        self._model: ModelBlock | None = None
        self._form: RequestForm | None = None
        self._offer: CutOffOffer | None = None
        self._carry_over: CarryOverOffer | None = None
        self._approvals: dict[str, ApprovalCard] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, theme.em(0.6))
        self._column.setSpacing(theme.em(0.5))
        self._column.addWidget(label(question, "question", selectable=True))

    def mark_data_old(self, *, old: bool) -> None:
        """The plant data is past the age that the policy allows; answers from now on say so."""
        self._old_data = old

    def handle(self, event: Event) -> None:
        self.log.add(event)
        if self._offer is not None:
            self._offer.hide()
        match event:
            case events.FactsGathered(resolution=resolution):
                self.equipment = resolution.focus.equipment
            case events.ChoiceNeeded(resolution=resolution):
                self._answered = True
                choice = ChoiceCard(resolution.focus)
                choice.chosen.connect(self._on_machine)
                self._column.addWidget(choice)
            case events.AnswerComposed(answer=answer):
                self._answered = True
                self.equipment = answer.equipment or self.equipment
                self._answer = view = AnswerView(answer, old=self._old_data)
                view.citation_chosen.connect(self.citation_chosen)
                view.outcome_told.connect(self.outcome_told)
                view.request_wanted.connect(self._on_request_wanted)
                self._column.addWidget(view)
            case events.ApprovalRequested(proposal=proposal):
                self.show_proposal(proposal)
            case _:
                self._handle_model(event)

    def fail(self, failure: Failure) -> None:
        """The run broke off; what was shown before stays, and a question without an answer can be asked again."""
        note = ErrorNote("warn")
        note.tell(failure)
        self._column.addWidget(note)
        self._column.addWidget(self._again, 0, Qt.AlignmentFlag.AlignLeft)
        self._again.setVisible(self._command is not None and not self._answered)
        if self._offer is not None:
            self._offer.show()

    def withdraw_again(self) -> None:
        """Another question came since."""
        self._again.hide()

    def show_form(self, draft: RequestDraft) -> None:
        if self._form is None:
            self._form = RequestForm(draft)
            self._form.submitted.connect(self.request_submitted)
            self._form.edited.connect(self.form_edited)
            self._form.discarded.connect(self._on_form_discarded)
            self._column.addWidget(self._form)
        self._form.show()

    def refuse_form(self, failure: Failure) -> None:
        """The drafted request did not become a proposal."""
        if self._form is not None:
            self._form.refuse(failure)

    def show_proposal(self, proposal: Proposal) -> None:
        """Its card, once; a further revision waits in the same one. A form that was sent has done its work then."""
        if sent := self.sends_form:
            self._remove_form()
        if (known := self._approvals.get(proposal.proposal_id)) is not None:
            known.show_again(proposal)
        else:
            card = ApprovalCard(proposal)
            card.opened.connect(self.approval_opened)
            self._approvals[proposal.proposal_id] = card
            self._column.addWidget(card)
            if sent:
                self.brought_up.emit(card)

    @property
    def safety(self) -> QWidget | None:
        """The safety part of its answer."""
        return self._answer.findChild(QWidget, "answerSafety") if self._answer else None

    @property
    def sends_form(self) -> bool:
        """A form of its own waits to become a proposal."""
        return self._form is not None and not self._form.isEnabled()

    def _remove_form(self) -> None:
        if self._form is not None:
            self._form.hide()
            self._form.deleteLater()
            self._form = None

    def has_proposal(self, proposal_id: str) -> bool:
        return proposal_id in self._approvals

    def show_came_back(self, came: CameBack) -> None:
        if (card := self._approvals.get(came.proposal.proposal_id)) is not None:
            card.show_came_back(came)

    def show_decision(self, decision: Decision, request: WorkRequest | None) -> bool:
        """False when the proposal is not of this run."""
        card = self._approvals.get(decision.proposal_id)
        if card is None:
            return False
        card.show_decision(decision, request)
        return True

    def _handle_model(self, event: Event) -> None:
        match event:
            case events.ProviderChosen():
                self.run_id = event.run_id
                self._block().ask(event)
            case events.TextDelta(text=text):
                self._block().feed(text)
            case events.Thinking(text=text):
                self._block().think(text)
            case events.Retrying():
                self._block().wait(event)
            case events.ContextNearlyFull():
                self._offer_carry_over(stopped=False)
            case events.AnswerSentBack():
                self._block().start_again()
            case events.AnswerChecked(checked=checked):
                self._block().show_checked(checked)
            case events.RunStopped():
                self._stop(event)

    def _stop(self, event: events.RunStopped) -> None:
        words = messages.stop_words(event.reason, event.detail)
        cancelled = event.reason is events.StopReason.CANCELLED
        failure = Failure(event.code, event.values) if event.code and not cancelled else None
        if self._model is not None:
            self._model.stop(words, failure)
        else:
            self._column.addWidget(end_note(words, failure))
        if event.can_go_on:
            self._offer_to_go_on()
        if event.reason is events.StopReason.CONTEXT_FULL:
            self._offer_carry_over(stopped=True)

    def _offer_to_go_on(self) -> None:
        if self._offer is None:
            self._offer = CutOffOffer()
            self._offer.go_on_wanted.connect(self._on_go_on)
            self._offer.settle_wanted.connect(self._on_settle)
        self._column.addWidget(self._offer)
        self._offer.show()

    def _offer_carry_over(self, *, stopped: bool) -> None:
        if self._carry_over is not None:
            self._carry_over.hide()
            self._carry_over.deleteLater()
        self._carry_over = CarryOverOffer(self.question if stopped else "")
        self._carry_over.wanted.connect(self.carry_over_wanted)
        self._column.addWidget(self._carry_over)

    def _block(self) -> ModelBlock:
        if self._model is None:
            self._model = ModelBlock()
            self._model.citation_chosen.connect(self.citation_chosen)
            self._model.sent_wanted.connect(self.sent_wanted)
            self._column.addWidget(self._model)
        return self._model

    @Slot(object)
    def _on_request_wanted(self, draft: RequestDraft) -> None:
        self.show_form(draft)
        if self._form is not None:
            self._form.setFocus()
            self.brought_up.emit(self._form)

    @Slot(str)
    def _on_form_discarded(self, equipment_id: str) -> None:
        self._remove_form()
        self.form_discarded.emit(equipment_id)

    @Slot()
    def _on_again(self) -> None:
        self.again_wanted.emit(self.question, self._command)

    @Slot()
    def _on_go_on(self) -> None:
        self.go_on_wanted.emit(self.run_id)

    @Slot()
    def _on_settle(self) -> None:
        self.settle_wanted.emit(self.run_id)

    @Slot(object)
    def _on_machine(self, machine: Equipment) -> None:
        self.machine_chosen.emit(self.question, machine)
