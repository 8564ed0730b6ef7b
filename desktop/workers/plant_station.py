"""The window's station over the real services of this workstation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from desktop import config, wiring
from desktop.agent.events import ApprovalRequested, Event
from desktop.domain.approval import Draft, Edits, Verdict
from desktop.domain.ledger import Equipment
from desktop.domain.work_request import (
    PROOF_OF_PERSON,
    KnownBy,
    Priority,
    Proposal,
    ProposalState,
    Requester,
)
from desktop.errors import KnownError, sentence
from desktop.event_log import EventLog
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services import cloud_consent, plant_data, retention, support_bundle
from desktop.services.ask import Question, ask
from desktop.services.health import HealthRecord
from desktop.services.proposal_check import doubts
from desktop.services.resume import resume, settle
from desktop.services.run_record import RunRecord
from desktop.services.sent_record import sent_text
from desktop.services.station import Services
from desktop.store import data_swap, journal_copies, journal_mark, people, proposals, runs, sent
from desktop.store.snapshot_files import current_version, was_here
from desktop.workers import commands, journal_reads, sources
from desktop.workers.station import (
    ApprovalSheet,
    CameBack,
    ConversationLine,
    Decided,
    PastRun,
    RequestLine,
    Source,
    StationState,
    Status,
    SyncRound,
)
from desktop.workers.status import plant_trouble, reach_of, status_of
from desktop.workers.worker import failure_of

_EQUIPMENT_SHOWN = 50
_NEXT_ROUND = 60.0  # seconds; receipts may come at any time
_SOONEST = 1.0
_OPENING = 60.0


class PlantStation:
    """Own data once there is any, else the sample that was chosen, else nothing yet."""

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._opened: Services | None = None
        self._settled = threading.Event()  # set once it is known what there is to open
        self._refusal: Exception | None = None  # what kept the data from opening, the last time it was tried
        self._pin_held: tuple[str, float] = ("", 0.0)
        self._health = HealthRecord(data, EventLog())
        self._tidied: tuple[bool, date] | None = None  # whose data (the sample's?), and when

    @property
    def _services(self) -> Services:
        """A question typed while the window still opens waits here, on its worker."""
        self._settled.wait(_OPENING)
        if self._opened is None:
            raise self._refusal or KnownError("no_plant_data")
        return self._opened

    def open(self, sample: bool | None) -> StationState:
        """Raises what wiring.build raises; what was open before stays open then."""
        try:
            return self._open(sample)
        except Exception as error:
            self._refusal = error
            raise
        finally:
            self._settled.set()

    def _open(self, sample: bool | None) -> StationState:
        data_swap.refuse_unfinished(self._data.root)  # between two names there may seem to be no data at all
        if self._has_own_data():
            sample = False  # the sample is gone once there are own data, whoever asks for it
        elif sample is None:
            return self._open_sample()
        opened = wiring.build(self._data, sample=sample, one_session=True)
        if self._opened is not None:
            self._opened.close()
        self._opened = opened
        opened.approvals.expire()
        self._refusal = plant_trouble(opened)
        self._settled.set()
        return self._state(opened, self._refusal)

    def _has_own_data(self) -> bool:
        """Also where the plant data is gone and only a journal with people or questions in it tells of it."""
        if was_here(self._data.snapshots):
            return True
        if not journal_mark.was_here(self._data.journal):
            return False
        with wiring.open_services(self._data, sample=False) as opened, opened.journal.reading() as tx:
            return bool(people.everyone(tx) or runs.conversations(tx, limit=1))

    def _open_sample(self) -> StationState:
        """Where it was chosen before; without own data a sample that doesn't open keeps nobody from a new start."""
        if current_version(self._data.sample.snapshots) is None:
            return StationState(has_data=False, sample=False, status=None)
        try:
            return self._open(sample=True)
        except KnownError as error:
            return StationState(has_data=False, sample=False, status=None, failure=failure_of(error))

    def _state(self, opened: Services, trouble: KnownError | None) -> StationState:
        status = self.status()
        return StationState(
            has_data=True,
            sample=opened.sample,
            status=status,
            failure=failure_of(trouble) if trouble else None,
            equipment=() if trouble else tuple(self.find_equipment("")),
            people=opened.roster.everyone(),
            conversations=tuple(self.conversations()),
            pending=tuple(self.pending()),
            unfinished=() if trouble else journal_reads.unfinished(opened),
            cloud_new=trouble is None and status.cloud and cloud_consent.is_new(opened),
        )

    def run(self, command: commands.RunCommand, cancelled: Cancellation) -> Iterator[Event]:
        services = self._services
        if self._refusal is not None:
            raise self._refusal
        match command:
            case commands.Ask():
                question = Question(
                    command.text,
                    command.conversation_id,
                    command.equipment_id,
                    requester=command.requester,
                    provider="" if command.with_model else "offline",
                )
                return ask(services, question, cancelled)
            case commands.TellOutcome(trial=trial):
                words = f"「{trial.step}」→ {trial.outcome.value}"
                question = Question(words, command.conversation_id, requester=command.requester, trial=trial)
                return ask(services, question, cancelled)
            case commands.Continue(run_id=run_id):
                return resume(services, run_id, cancelled)
            case commands.Settle(run_id=run_id):
                return settle(services, run_id)

    def find_equipment(self, text: str) -> Sequence[Equipment]:
        plant, lines = self._services.plant(), self._services.station_lines
        if text:
            return [hit.equipment for hit in plant.search.equipment(text, limit=_EQUIPMENT_SHOWN).hits]
        machines = plant.snapshot.all_equipment()
        here = [machine for machine in machines if machine.line in lines] if lines else list(machines)
        return here[:_EQUIPMENT_SHOWN]

    def conversations(self) -> Sequence[ConversationLine]:
        return journal_reads.conversations(self._services)

    def conversation(self, conversation_id: str) -> Sequence[PastRun]:
        return journal_reads.conversation(self._services, conversation_id)

    def pending(self) -> Sequence[Proposal]:
        return self._services.approvals.pending()

    def requests(self) -> Sequence[RequestLine]:
        return journal_reads.requests_listed(self._services)

    def resubmittable(self) -> Sequence[CameBack]:
        return journal_reads.came_back(self._services, self._services.approvals.resubmittable())

    def resubmit(self, command: commands.Resubmit) -> Proposal:
        """By whoever sits here; without anybody by who asked before, who then has to prove himself."""
        services, requester = self._services, command.requester
        if requester.known_by is KnownBy.NONE:
            earlier = services.approvals.proposal(command.proposal_id).requester
            requester = replace(earlier, known_by=KnownBy.CHOSEN) if earlier.person_id else earlier
        draft = command.draft
        edits = Edits(draft.title, draft.detail, Priority(draft.priority))
        proposal = services.approvals.resubmit(command.proposal_id, edits, requester)
        self._keep_in_conversation(proposal)
        return proposal

    def source(self, command: commands.OpenSource) -> Source:
        return sources.source_of(command.citation, self._services)

    def sent(self, run_id: str) -> str:
        with self._services.journal.reading() as tx:
            return sent_text(sent.of_run(tx, run_id))

    def identify(self, command: commands.IdentifyPerson) -> Requester:
        roster = self._services.roster
        if command.pin:
            person = roster.sign_in(command.person_id, command.pin)
            return Requester(person.person_id, person.name, KnownBy.PIN)
        for person in roster.everyone():
            if person.person_id == command.person_id:
                return Requester(person.person_id, person.name, KnownBy.CHOSEN)
        raise KnownError("person_unknown", person=command.person_id)

    def change_pin(self, command: commands.ChangePin) -> None:
        self._services.roster.change_pin(command.person_id, command.old_pin, command.new_pin)

    def propose(self, command: commands.Propose) -> Proposal:
        services = self._services
        with services.journal.reading() as tx:
            earlier = runs.of_conversation(tx, command.conversation_id)
        draft = Draft(
            equipment_id=command.draft.equipment_id,
            title=command.draft.title,
            detail=command.draft.detail,
            priority=Priority(command.draft.priority),
            requester=command.requester,
            snapshot=services.plant().snapshot.version,
            evidence=journal_reads.evidence_shown(services, command.conversation_id),
            tried=journal_reads.tried(services, command),
            conversation_id=command.conversation_id,
            run_id=earlier[-1].run_id if earlier else "",
        )
        (proposed,) = services.approvals.propose([draft])
        if proposed.new:
            self._keep_in_conversation(proposed.proposal)
        return proposed.proposal

    def _keep_in_conversation(self, proposal: Proposal) -> None:
        """Under its last question, so that it is there when the conversation is opened again."""
        with self._services.journal.reading() as tx:
            earlier = runs.of_conversation(tx, proposal.conversation_id)
        if earlier:
            RunRecord.resume(self._services, earlier[-1]).keep(ApprovalRequested(proposal))

    def approval_sheet(self, proposal_id: str) -> ApprovalSheet:
        services = self._services
        proposal = services.approvals.proposal(proposal_id)
        with services.journal.reading() as tx:
            found = proposals.decision(tx, proposal_id, proposal.revision)
        if found is None and proposal.state is not ProposalState.PENDING:
            raise KnownError("proposal_expired" if proposal.state is ProposalState.EXPIRED else "proposal_closed")
        asker = proposal.requester
        everyone = services.roster.everyone()
        approvers = tuple(
            person
            for person in services.roster.approvers(proposal.equipment.get("line", ""))
            if person.person_id != asker.person_id
        )
        return ApprovalSheet(
            proposal=proposal,
            approvers=approvers,
            requesters=() if asker.known_by in PROOF_OF_PERSON else everyone,
            duplicates=journal_reads.duplicates(services, proposal),
            doubts=doubts(services, proposal),
            pin_held_by=self._pin_holder(),
            decided=found[0] if found else None,
            before=journal_reads.before(services, proposal),
        )

    def end_session(self) -> None:
        held, _ = self._pin_held
        if held and self._opened is not None:
            self._opened.approvals.end_session(held)
        self._pin_held = ("", 0.0)

    def decide(self, command: commands.Decide) -> Decided:
        services, pin = self._services, command.pin
        if command.new_pin:
            services.roster.change_pin(command.approver_id, command.pin, command.new_pin)
            pin = command.new_pin
        self._vouch(command)
        verdict = Verdict(
            proposal_id=command.proposal_id,
            revision=command.revision,
            shown_sha256=command.payload_sha256,
            meaning=command.meaning,
            reason=command.reason,
            edits=Edits(command.title, command.detail, command.priority),
        )
        receipt = services.approvals.decide(verdict, command.approver_id, pin)
        if pin:
            self._pin_held = (command.approver_id, time.monotonic())
        return Decided(
            decision=receipt.decision,
            first=receipt.first,
            proposal=services.approvals.proposal(command.proposal_id),
            request=receipt.request,
            run_ready=receipt.first and receipt.run_ready,
        )

    def sync(self) -> SyncRound:
        if self._opened is None:
            return SyncRound(None, next_in=3600.0)
        services = self._opened
        report = services.synchronizer.run_once()
        expired = services.approvals.expire()
        due = services.synchronizer.status().next_at
        wait = (due - datetime.now(UTC)).total_seconds() if due else _NEXT_ROUND
        return SyncRound(
            status_of(services, reach_of(services, report)),
            next_in=min(max(wait, _SOONEST), _NEXT_ROUND),
            requests_changed=bool(report.sent or report.answered or expired),
        )

    def status(self) -> Status:
        return status_of(self._services)

    def import_files(
        self, command: commands.ImportFiles, progress: Callable[[str], None], cancelled: threading.Event
    ) -> dict[str, Any]:
        def tell(what: str, share: float) -> None:
            progress(f"{what}　{share:.0%}")

        how = plant_data.Import(self._data, progress=tell, cancelled=cancelled.is_set)
        return plant_data.import_paths(how, command.paths)

    def save_bundle(self, file: Path) -> Mapping[str, Any]:
        """Of the PC, whatever of its data opens."""
        return support_bundle.save(self._data, file, datetime.now(UTC))

    def tend(self) -> None:
        """Raises what the journal raises; the window's first look at its data comes first."""
        self._settled.wait(_OPENING)
        self._health.look()
        if (opened := self._opened) is not None:
            now = opened.clock()
            if self._tidied != (opened.sample, now.date()):
                retention.keep_within_limits(opened)
                if journal_copies.due(opened.journal.file, now):  # a window that stays open for weeks needs one too
                    opened.journal.copy(now)
                self._tidied = opened.sample, now.date()

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def _vouch(self, command: commands.Decide) -> None:
        """The requester proves himself first; that stands even if the approver's PIN is wrong afterwards."""
        if not command.requester_pin:
            return
        try:
            self._services.approvals.vouch(command.proposal_id, command.requester_id, command.requester_pin)
        except KnownError as error:
            if error.code.startswith("pin_"):
                raise KnownError("requester_pin_refused", reason=sentence(error)) from error
            if error.code != "requester_is_proved":
                raise

    def _pin_holder(self) -> str:
        held, at = self._pin_held
        seconds = self._services.settings.get(config.APPROVAL_SESSION_SECONDS)
        return held if held and time.monotonic() - at < seconds else ""
