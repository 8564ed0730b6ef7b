"""What happens when something is asked, answered or decided: joins the window and the workers."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Slot

from desktop.agent import events
from desktop.domain.answer import RequestDraft
from desktop.domain.ledger import Equipment
from desktop.domain.outcome import Trial
from desktop.domain.work_request import Proposal
from desktop.ui import messages
from desktop.ui.approvals_desk import ApprovalsDesk
from desktop.ui.conversation_page import ConversationPage
from desktop.ui.data_desk import DataDesk
from desktop.ui.drafts import Drafts
from desktop.ui.error_note import ErrorNote
from desktop.ui.main_window import MainWindow
from desktop.ui.person_desk import PersonDesk
from desktop.ui.requests_desk import RequestsDesk
from desktop.ui.source_desk import SourceDesk
from desktop.ui.support_desk import SupportDesk
from desktop.workers import commands
from desktop.workers.agent_worker import RunEnded, RunEvent
from desktop.workers.crew import Crew
from desktop.workers.queries import Answered, Refused
from desktop.workers.station import Decided, StationState, Status
from desktop.workers.sync_worker import Synced, SyncFailed

# Their dialogs say why they were refused.
_TOLD_ELSEWHERE = (commands.Decide, commands.Resubmit, commands.IdentifyPerson, commands.ChangePin)
_OPEN_PAGES = 10  # conversations kept as widgets; others come back from the journal


class Desk(QObject):
    """Lives in the UI thread; every worker signal ends in one of its slots."""

    def __init__(self, window: MainWindow, crew: Crew) -> None:
        super().__init__(window)
        self._window = window
        self._crew = crew
        self._pages: dict[str, ConversationPage] = {}
        self._data_old = False
        self.drafts = Drafts(self)
        self.people = PersonDesk(window, crew.queries, self)
        self.people.changed.connect(self._on_person)
        self.approvals = ApprovalsDesk(window, crew.queries, self.drafts, self)
        self.approvals.settled.connect(self._on_settled)
        self.requests = RequestsDesk(window, crew.queries, self.drafts, lambda: self.people.requester, self)
        self.requests.resubmitted.connect(self._on_resubmitted)
        self.data = DataDesk(window, crew, self)
        self.data.left.connect(self._on_data_left)
        self.sources = SourceDesk(window, crew.queries, self)
        self.support = SupportDesk(window, crew.bundles, self)
        crew.agent.bridge.happened.connect(self._on_run)
        crew.queries.bridge.happened.connect(self._on_answered)
        crew.sync.bridge.happened.connect(self._on_sync)
        window.composer.input.textChanged.connect(self._on_typed)
        window.composer.sent.connect(self.ask)
        window.composer.cancelled.connect(self.cancel)
        side = window.side
        side.new_conversation.connect(self.new_conversation)
        side.equipment_wanted.connect(self._on_equipment_wanted)
        side.equipment_chosen.connect(self._on_equipment_chosen)
        side.conversation_chosen.connect(self.open_conversation)
        side.inbox.opened.connect(self._on_inbox)
        self._page = self._new_page()
        self._handlers: dict[type, Callable[[Any, Any], None]] = {
            commands.OpenStation: self._show_station,
            commands.FindEquipment: lambda _, machines: side.show_equipment(machines),
            commands.ListConversations: lambda _, lines: side.show_conversations(lines, self._page.conversation_id),
            commands.OpenConversation: self._show_conversation,
            commands.ListPending: self._show_pending,
            commands.ListResubmittable: self._show_came_back,
            commands.Propose: self._show_proposed,
        }

    @property
    def page(self) -> ConversationPage:
        """The conversation in front."""
        return self._page

    def start(self) -> None:
        """The window is up and can be typed into; fetch what belongs in it."""
        self.new_conversation()
        self.data.open()

    def prefill(self, text: str) -> None:
        """Write what a link or a command asks about into the question line: never sent, and nothing typed is lost."""
        typed = self._window.composer.input
        if not self._page.blank:
            self.new_conversation()
        typed.setPlainText("\n".join(filter(None, (typed.toPlainText(), text))))

    def restore_drafts(self, kept: Mapping[str, Mapping[str, str]]) -> None:
        """What an earlier window left, with the conversation it was last typed in in front."""
        self.drafts.restore(kept)
        for conversation_id in self.drafts.conversations():
            self.open_conversation(conversation_id)

    # What the person does.

    @Slot(str)
    def ask(self, text: str) -> None:
        page = self._page
        if page.running or page.waiting is not None:
            return
        chosen, page.chosen = page.chosen, None
        composer = self._window.composer
        machine = chosen.equipment_id if chosen else ""
        asked = commands.Ask(text, page.conversation_id, machine, with_model=not composer.keeps_inside)
        self.drafts.keep_sent(page.conversation_id, text)
        composer.sent_off(text)
        self._run(text, asked)

    @Slot()
    def cancel(self) -> None:
        page = self._page
        if page.running:
            self._crew.agent.cancel(page.generation)
            page.generation = 0
            page.stop_run()
            self.drafts.keep_sent(page.conversation_id, "")
            self._show_state()

    @Slot()
    def _on_typed(self) -> None:
        self.drafts.keep_question(self._page.conversation_id, self._window.composer.input.toPlainText())

    @Slot()
    def new_conversation(self) -> None:
        """A blank one with what was typed there, if there is any: it stands in no list to be found again."""
        blank = [page for page in (self._page, *self._pages.values()) if page.blank and not page.loading]
        page = blank[0] if blank else self._new_page()
        page.equipment = page.chosen = None
        self._show(page)
        self.data.show_home()

    @Slot(str)
    def open_conversation(self, conversation_id: str) -> None:
        page = self._pages.get(conversation_id)
        if page is None:
            page = self._new_page(conversation_id)
            page.loading = True
            self._crew.queries.ask(commands.OpenConversation(conversation_id))
        self._show(page)

    @Slot(object)
    def _on_outcome(self, trial: Trial) -> None:
        page = self._page
        if not page.running and page.waiting is None:
            outcome = messages.outcome_word(trial.outcome)
            question = self.tr("「{step}」→ {outcome}").format(step=trial.step, outcome=outcome)
            self._run(question, commands.TellOutcome(trial, page.conversation_id))

    @Slot(str, object)
    def _on_machine_chosen(self, question: str, machine: Equipment) -> None:
        self._page.chosen = machine
        self.ask(question)

    @Slot(object)
    def _on_request_submitted(self, draft: RequestDraft) -> None:
        self._crew.queries.ask(commands.Propose(draft, self._page.conversation_id, self.people.requester))

    @Slot(str)
    def _on_go_on(self, run_id: str) -> None:
        self._take_up(commands.Continue(run_id, self._page.conversation_id))

    @Slot(str)
    def _on_settle(self, run_id: str) -> None:
        self._take_up(commands.Settle(run_id, self._page.conversation_id))

    @Slot(str)
    def _on_carry_over(self, question: str) -> None:
        """A new conversation about the same machine, with the question that had no room any more."""
        machine, page = self._page.equipment, self._new_page()
        page.equipment = page.chosen = machine
        self.drafts.keep_question(page.conversation_id, question)
        self._show(page)
        self._window.composer.input.setFocus()

    @Slot(str)
    def _on_equipment_wanted(self, text: str) -> None:
        self._crew.queries.ask(commands.FindEquipment(text))

    @Slot(object)
    def _on_equipment_chosen(self, machine: Equipment) -> None:
        self._page.chosen = self._page.equipment = machine
        self._show(self._page)
        self._window.composer.input.setFocus()

    @Slot(object)
    def _on_inbox(self, proposal: Proposal) -> None:
        if proposal.conversation_id:
            self.open_conversation(proposal.conversation_id)
        self.approvals.open(proposal.proposal_id)

    @Slot(object)
    def _on_resubmitted(self, proposal: Proposal) -> None:
        if page := self._pages.get(proposal.conversation_id):
            page.show_proposal(proposal)
        self._on_inbox(proposal)
        self._refresh()

    @Slot()
    def _on_data_left(self) -> None:
        self._show(self._page)

    @Slot()
    def _on_person(self) -> None:
        """Another person: the machine in focus was the other one's."""
        for page in self._pages.values():
            page.equipment = page.chosen = None
        self._show_state()

    # What the workers say.

    @Slot(object)
    def _on_run(self, happening: RunEvent | RunEnded) -> None:
        page = self._pages.get(happening.conversation_id)
        current = page is not None and page.generation == happening.generation
        if current and not (isinstance(happening, RunEnded) and happening.failure):
            self.drafts.keep_sent(happening.conversation_id, "")
        if isinstance(happening, RunEnded):
            if page is not None and current:
                page.end_run(happening.failure)
            self._refresh()
        elif page is not None and current:
            page.handle(happening.event)
            if isinstance(happening.event, events.ApprovalRequested) and page is self._page:
                self.approvals.open(happening.event.proposal.proposal_id)
        if page is self._page:
            self._show_state()

    @Slot(object)
    def _on_answered(self, happening: Answered | Refused) -> None:
        query = happening.query
        if isinstance(happening, Answered):
            if handler := self._handlers.get(type(query)):
                handler(query, happening.value)
        elif isinstance(query, commands.Propose) and (page := self._pages.get(query.conversation_id)):
            page.refuse_form(happening.failure)
        elif isinstance(query, commands.OpenStation):
            self.data.show_failure(query, happening.failure)
        elif self.data.is_open and not isinstance(query, _TOLD_ELSEWHERE):
            self._window.show_failure(happening.failure)

    @Slot(object)
    def _on_sync(self, happening: object) -> None:
        if isinstance(happening, Synced):
            if happening.round.status is not None:
                self._show_status(happening.round.status)
            if happening.round.requests_changed:
                self.requests.refresh()
                self._refresh()
        elif isinstance(happening, SyncFailed):
            self._window.show_unsent(happening.failure)

    @Slot(object)
    def _on_settled(self, decided: Decided) -> None:
        """A decision stands: show it where it was asked for, let the run go on, send what is to be sent."""
        proposal = decided.proposal
        page = self._pages.get(proposal.conversation_id)
        if page is not None:
            page.show_decision(decided.decision, decided.request)
        if decided.run_ready:
            self._continue(commands.Continue(proposal.run_id, proposal.conversation_id))
        self._crew.sync.wake()
        self._refresh()
        self._show_state()

    # Answers to queries.

    def _show_station(self, _query: object, state: StationState) -> None:
        window = self._window
        self.data.show_state(state)
        if state.status is not None:
            self._show_status(state.status)
            window.side.show_conversations(state.conversations, self._page.conversation_id)
        self.people.show_people(state.people)
        for run in state.unfinished:
            self._continue(commands.Continue(run.run_id, run.conversation_id))
        if state.cloud_new:
            window.show_message(self.tr("社外AIを使う設定になりました。これからの質問は工場の外へ送信されます。"))
        elif state.failure is None and (cut_off := sum(line.cut_off for line in state.conversations)):
            words = self.tr("AIにつながらず途中になった質問が{n}件あります。「これまでの質問」の ◐ から続けられます。")
            window.show_message(words.format(n=cut_off))
        self._crew.sync.wake()

    def _show_conversation(self, query: commands.OpenConversation, runs: Any) -> None:
        if page := self._pages.get(query.conversation_id):
            page.restore(runs, self.drafts.requests(query.conversation_id))
            self._crew.queries.ask(commands.ListPending())
            self._show_state()

    def _show_pending(self, _query: object, proposals: Any) -> None:
        self._window.side.inbox.show_proposals(proposals)
        for proposal in proposals:
            page = self._pages.get(proposal.conversation_id)
            if page is not None and page.waiting is None:
                page.show_proposal(proposal)
        self._show_state()

    def _show_came_back(self, _query: object, found: Any) -> None:
        for came in found:
            if page := self._pages.get(came.proposal.conversation_id):
                page.show_came_back(came)
        self._show_state()

    def _show_proposed(self, query: commands.Propose, proposal: Proposal) -> None:
        self.drafts.give_up_request(query.conversation_id, query.draft.equipment_id)
        if page := self._pages.get(query.conversation_id):
            page.show_proposal(proposal)
            if page is self._page:
                self.approvals.open(proposal.proposal_id)
        self._refresh()
        self._show_state()

    # Pages.

    @Slot(str, object)
    def _run(self, question: str, command: commands.Ask | commands.TellOutcome) -> None:
        page = self._page
        page.start_run(question, command, data_old=self._data_old)
        page.generation = self._crew.agent.submit(replace(command, requester=self.people.requester))
        self._show_state()

    def _take_up(self, command: commands.Continue | commands.Settle) -> None:
        if not self._page.running:
            self._continue(command)
            self._show_state()

    def _continue(self, command: commands.Continue | commands.Settle) -> None:
        generation = self._crew.agent.submit(command)
        if page := self._pages.get(command.conversation_id):
            page.generation = generation
            page.go_on(command.run_id)

    def _new_page(self, conversation_id: str = "") -> ConversationPage:
        page = ConversationPage(conversation_id or str(uuid.uuid4()))
        page.citation_chosen.connect(self.sources.show_citation)
        page.outcome_told.connect(self._on_outcome)
        page.machine_chosen.connect(self._on_machine_chosen)
        page.request_submitted.connect(self._on_request_submitted)
        page.form_edited.connect(self.drafts.keep_request)
        page.form_discarded.connect(self.drafts.give_up_request)
        page.approval_opened.connect(self.approvals.open)
        page.sent_wanted.connect(self.sources.show_sent)
        page.again_wanted.connect(self._run)
        page.go_on_wanted.connect(self._on_go_on)
        page.settle_wanted.connect(self._on_settle)
        page.carry_over_wanted.connect(self._on_carry_over)
        self._pages[page.conversation_id] = page
        self._window.conversations.addWidget(page)
        return page

    def _show(self, page: ConversationPage) -> None:
        """Bring a conversation to the front; what was half typed stays with the one it was typed in."""
        typed = self._window.composer.input
        if page is not self._page:
            left, self._page = self._page, page
            typed.setPlainText(self.drafts.question(page.conversation_id))
            self._drop(left)
        self._window.conversations.setCurrentWidget(page)
        self._window.show_page(self._window.conversations)
        self._show_state()

    def _drop(self, left: ConversationPage) -> None:
        """Give back the widgets of an empty page just left, and of the oldest once there are many."""
        rest = [page for page in self._pages.values() if page is not self._page and not page.running]
        idle = [page for page in rest if not self.drafts.question(page.conversation_id)]
        doomed = [left] if left in idle and not left.runs else idle[: max(len(self._pages) - _OPEN_PAGES, 0)]
        for page in doomed:
            del self._pages[page.conversation_id]
            self._window.conversations.removeWidget(page)
            page.deleteLater()

    def _refresh(self) -> None:
        if not self.data.is_open:
            return
        self._crew.queries.ask(commands.ListConversations())
        self._crew.queries.ask(commands.ListPending())

    def _show_status(self, status: Status) -> None:
        self._data_old = status.data_old
        ErrorNote.station = status.station
        self._window.status.show_status(status)
        self._window.show_unsent(status.trouble)
        self._window.composer.show_cloud(cloud=status.cloud)

    def _show_state(self) -> None:
        page = self._page
        self._window.composer.show_state(running=page.running, waiting=page.waiting is not None)
        self._window.show_focus(page.equipment)
        self._window.steps.show_log(page.log)
