"""Proposals wait, people decide, and one approval becomes one request."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from uuid6 import uuid7

from desktop.domain.approval import Draft, Edits, Proposed, Receipt, Verdict, cleaned, drafted, edited
from desktop.domain.canonical import clean_text, sha256
from desktop.domain.ledger import Equipment, EquipmentStatus, Person
from desktop.domain.request_body import KIND, request_body
from desktop.domain.work_request import (
    PROOF_OF_PERSON,
    Decision,
    KnownBy,
    Meaning,
    OutboxItem,
    Proposal,
    ProposalState,
    Requester,
)
from desktop.errors import KnownError
from desktop.services.people import Roster
from desktop.store import audit, outbox, people, proposals, requests, runs
from desktop.store.journal import Journal, Tx

_STATE = {
    Meaning.APPROVED: ProposalState.APPROVED,
    Meaning.RETURNED: ProposalState.RETURNED,
    Meaning.REJECTED: ProposalState.REJECTED,
    Meaning.WITHDRAWN: ProposalState.WITHDRAWN,
}
_TOOL_STATUS = {
    ProposalState.APPROVED: "registered",
    ProposalState.RETURNED: "returned_for_change",
    ProposalState.REJECTED: "rejected_by_user",
    ProposalState.WITHDRAWN: "withdrawn",
    ProposalState.EXPIRED: "expired",
}
_MAY_BE_RESUBMITTED = frozenset({ProposalState.RETURNED, ProposalState.EXPIRED})

_log = logging.getLogger(__name__)

AddResult = Callable[[str, str, Mapping[str, Any]], str]
"""(the run's state JSON, the call's id, the call's result) -> the state JSON with that result."""


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """From the settings: seconds one PIN holds, days until expiry, and the station code ("" = no sync target)."""

    session_seconds: int = 60
    expires_days: int = 14
    station: str = ""


class Approvals:
    """The gate between a draft and a registered request, for one journal.

    `find_equipment` looks a machine up in the current ledger; `add_result` is the loop's way of entering a result.
    """

    def __init__(
        self,
        journal: Journal,
        roster: Roster,
        rules: ApprovalRules,
        find_equipment: Callable[[str], Equipment | None],
        add_result: AddResult,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._journal = journal
        self._roster = roster
        self._rules = rules
        self._find_equipment = find_equipment
        self._add_result = add_result
        self._clock = clock
        self._monotonic = monotonic
        self._proved_at: dict[str, float] = {}

    # --- proposing

    def propose(self, drafts: Sequence[Draft], run_state: str = "") -> tuple[Proposed, ...]:
        """Stores every draft with its evidence, and the parked run's state, before anything is shown.

        A call that came again after a crash, and the same machine and wording in one conversation, give what is there.
        Raises KnownError: machine_gone, machine_retired, title_missing, title_too_long.
        """
        with self._journal.transaction() as tx:
            made = tuple(self._propose_one(tx, draft) for draft in drafts)
            if run_state:
                runs.save_state(tx, drafts[0].run_id, run_state, runs.RunStatus.PARKED)
        return made

    def resubmit(self, proposal_id: str, edits: Edits, requester: Requester) -> Proposal:
        """A returned or expired proposal again, as the next revision under the same id.

        Raises KnownError: proposal_unknown, resubmit_not_possible, title_missing, title_too_long.
        """
        with self._journal.transaction() as tx:
            kept = self._get(tx, proposal_id)
            if kept.proposal.state not in _MAY_BE_RESUBMITTED:
                raise KnownError("resubmit_not_possible")
            again, _ = edited(kept.proposal, edits)
            again = replace(again, requester=requester, run_id="", tool_use_id="")
            return self._store(tx, again, revision=kept.proposal.revision + 1)

    def resubmittable(self) -> tuple[Proposal, ...]:
        """Sent back or expired and not submitted again since, newest first."""
        with self._journal.reading() as tx:
            return tuple(self._shown(kept.proposal) for kept in proposals.latest_in(tx, _MAY_BE_RESUBMITTED))

    def vouch(self, proposal_id: str, person_id: str, pin: str) -> Requester:
        """The requester proves who he is, so that requester ≠ approver can hold; only while it is pending.

        Raises what `Roster.sign_in` raises, and proposal_unknown, proposal_closed, requester_is_proved.
        """
        person = self._roster.sign_in(person_id, pin)
        requester = Requester(person.person_id, person.name, KnownBy.PIN)
        with self._journal.transaction() as tx:
            proposal = self._get(tx, proposal_id).proposal
            if proposal.state is not ProposalState.PENDING:
                raise KnownError("proposal_closed")
            if proposal.requester.known_by in PROOF_OF_PERSON:
                raise KnownError("requester_is_proved", name=proposal.requester.name)
            proposals.set_requester(tx, proposal, requester)
            self._tell(tx, person_id, "requester_proved", proposal, {"known_by": KnownBy.PIN})
        return requester

    def pending(self) -> tuple[Proposal, ...]:
        """All that waits, oldest first."""
        with self._journal.reading() as tx:
            return tuple(self._shown(kept.proposal) for kept in proposals.pending(tx))

    def proposal(self, proposal_id: str) -> Proposal:
        """Its latest revision, whatever its state; KnownError("proposal_unknown")."""
        with self._journal.reading() as tx:
            return self._shown(self._get(tx, proposal_id).proposal)

    # --- deciding

    def decide(self, verdict: Verdict, by_id: str, pin: str = "") -> Receipt:
        """One transaction: state, hash, machine and persons checked, then number, decision, queue, trail and result.

        `pin` may be left out while an earlier one holds (`session_seconds`). Who decides second gets the first
        receipt. Raises what `Roster.sign_in` raises, and pin_needed, proposal_unknown, proposal_expired,
        payload_changed, approver_role, approver_line, requester_is_approver, requester_unproved, not_requester,
        reason_missing, machine_gone, machine_retired, title_missing, title_too_long.
        """
        self._prove(by_id, pin)
        with self._journal.transaction() as tx:
            kept = self._get(tx, verdict.proposal_id, verdict.revision)
            earlier = self._earlier(tx, kept.proposal)
            if earlier is not None:
                return earlier
            if kept.proposal.state is ProposalState.EXPIRED or kept.expires_at <= self._clock():
                raise KnownError("proposal_expired")
            if not kept.intact or kept.proposal.payload_sha256 != verdict.shown_sha256:
                raise KnownError("payload_changed")
            person = people.get(tx, by_id)
            if person is None:
                raise KnownError("person_unknown", person=by_id)
            self._require_allowed(verdict, kept.proposal, person)
            return self._enter(tx, verdict, kept.proposal, person)

    def end_session(self, person_id: str) -> None:
        """Somebody else sits here now: the next decision needs the PIN again."""
        self._proved_at.pop(person_id, None)

    def expire(self) -> tuple[Proposal, ...]:
        """Closes what waited too long, each with its result for the model; they can be submitted again."""
        with self._journal.transaction() as tx:
            over = tuple(kept.proposal for kept in proposals.expired(tx, self._clock()))
            for proposal in over:
                proposals.close(tx, proposal, ProposalState.EXPIRED)
                self._tell(tx, "", "expired", proposal, {})
                self._give_result(tx, proposal, {"status": "expired", "reason": ""})
        return tuple(replace(self._shown(proposal), state=ProposalState.EXPIRED) for proposal in over)

    # --- the pieces

    def _propose_one(self, tx: Tx, draft: Draft) -> Proposed:
        if draft.tool_use_id and (kept := proposals.of_call(tx, draft.run_id, draft.tool_use_id)):
            return self._known_already(tx, kept.proposal)
        machine = self._require_machine(draft.equipment_id)
        draft = replace(cleaned(draft), equipment_id=machine.equipment_id)
        returned = None
        if draft.conversation_id:
            content = proposals.content_hash(draft.equipment_id, draft.title, draft.detail, draft.priority)
            if kept := proposals.same_in_conversation(tx, draft.conversation_id, content):
                return self._known_already(tx, kept.proposal)
            returned = proposals.returned_in_conversation(tx, draft.conversation_id, draft.equipment_id)
        if returned is None:
            proposal = drafted(draft, machine, str(uuid7()), self._clock())
            return Proposed(self._store(tx, proposal, revision=1), new=True)
        proposal = drafted(draft, machine, returned.proposal.proposal_id, self._clock())
        return Proposed(self._store(tx, proposal, revision=returned.proposal.revision + 1), new=True)

    def _known_already(self, tx: Tx, proposal: Proposal) -> Proposed:
        return Proposed(self._shown(proposal), new=False, answer=self._result(tx, proposal))

    def _store(self, tx: Tx, proposal: Proposal, revision: int) -> Proposal:
        now = self._clock()
        proposal = replace(
            proposal, revision=revision, state=ProposalState.PENDING, created_at=now, sample=self._journal.sample
        )
        proposal = replace(proposal, payload_sha256=sha256(proposals.payload_of(proposal)))
        proposals.add(tx, proposal, now + timedelta(days=self._rules.expires_days))
        told = {"payload_sha256": proposal.payload_sha256, "drafted_by": proposal.drafted_by}
        self._tell(tx, proposal.requester.person_id, audit.PROPOSED, proposal, told)
        return proposal

    def _prove(self, by_id: str, pin: str) -> None:
        if pin:
            self._roster.sign_in(by_id, pin)
            self._proved_at[by_id] = self._monotonic()
            return
        proved_at = self._proved_at.get(by_id)
        if proved_at is None or self._monotonic() - proved_at >= self._rules.session_seconds:
            raise KnownError("pin_needed")

    def _earlier(self, tx: Tx, proposal: Proposal) -> Receipt | None:
        found = proposals.decision(tx, proposal.proposal_id, proposal.revision)
        if found is None:
            return None
        return Receipt(found[0], requests.of_proposal(tx, proposal.proposal_id), found[1], first=False)

    def _require_allowed(self, verdict: Verdict, proposal: Proposal, person: Person) -> None:
        requester = proposal.requester
        proved = requester.known_by in PROOF_OF_PERSON
        if verdict.meaning is Meaning.WITHDRAWN:
            if requester.person_id not in ("", person.person_id):
                raise KnownError("not_requester", name=requester.name)
            return
        if not person.may_approve:
            raise KnownError("approver_role", name=person.name, role=person.role)
        if not people.covers(person, proposal.equipment.get("line", "")):
            raise KnownError("approver_line", name=person.name, line=proposal.equipment["line"])
        if verdict.meaning is not Meaning.APPROVED:
            if not verdict.reason.strip():
                raise KnownError("reason_missing")
            return
        if not proved:
            raise KnownError("requester_unproved")
        if requester.person_id == person.person_id:
            raise KnownError("requester_is_approver", name=person.name)
        self._require_machine(proposal.equipment_id)

    def _require_machine(self, equipment_id: str) -> Equipment:
        machine = self._find_equipment(equipment_id)
        if machine is None:
            raise KnownError("machine_gone", equipment=equipment_id)
        if machine.status is EquipmentStatus.RETIRED:
            raise KnownError("machine_retired", equipment=equipment_id)
        return machine

    def _enter(self, tx: Tx, verdict: Verdict, proposal: Proposal, person: Person) -> Receipt:
        approved = verdict.meaning is Meaning.APPROVED
        final, changes = edited(proposal, verdict.edits) if approved else (proposal, {})
        decision = Decision(
            decision_id=str(uuid7()),
            proposal_id=proposal.proposal_id,
            revision=proposal.revision,
            meaning=verdict.meaning,
            by_id=person.person_id,
            by_name=person.name,
            known_by=KnownBy.PIN,
            at=self._clock(),
            reason=clean_text(verdict.reason).strip(),
            payload_sha256=proposal.payload_sha256,
            station=self._rules.station or platform.node(),
        )
        proposals.close(tx, proposal, _STATE[verdict.meaning])
        proposals.add_decision(tx, decision, changes)
        number = self._register(tx, final, decision) if approved else ""
        told = {
            "decision_id": decision.decision_id,
            "meaning": decision.meaning,
            "known_by": decision.known_by,
            "reason": decision.reason,
            "payload_sha256": decision.payload_sha256,
            "changes": changes,
            "number": number,
            "requester": {"id": proposal.requester.person_id, "known_by": proposal.requester.known_by},
        }
        self._tell(tx, person.person_id, audit.DECIDED, proposal, told)
        closed = replace(proposal, state=_STATE[verdict.meaning])
        self._give_result(tx, closed, self._result(tx, closed))
        ready = bool(proposal.run_id) and not proposals.pending_of_run(tx, proposal.run_id)
        request = requests.work_request(tx, number) if approved else None
        return Receipt(decision, request, changes, first=True, run_ready=ready)

    def _register(self, tx: Tx, final: Proposal, decision: Decision) -> str:
        station = "" if self._journal.sample else self._rules.station
        number = requests.next_number(tx, station)
        requests.register(tx, number, final)
        if station:
            seq = outbox.next_seq(tx, station)
            body = request_body(final, decision, number=number, station=station, seq=seq)
            item = OutboxItem(KIND, final.proposal_id, final.revision, station, seq, body, sha256(body))
            outbox.add(tx, item, final.equipment_id, decision.at)
        return number

    def _result(self, tx: Tx, proposal: Proposal) -> Mapping[str, Any] | None:
        """What the model is told; None while it is pending."""
        if proposal.state is ProposalState.PENDING:
            return None
        found = proposals.decision(tx, proposal.proposal_id, proposal.revision)
        status = _TOOL_STATUS[proposal.state]
        if proposal.state is not ProposalState.APPROVED:
            return {"status": status, "reason": found[0].reason if found else ""}
        request = requests.of_proposal(tx, proposal.proposal_id)
        result = {"status": status, "number": request.number if request else ""}
        return {**result, "edited": found[1]} if found and found[1] else result

    def _give_result(self, tx: Tx, proposal: Proposal, result: Mapping[str, Any] | None) -> None:
        run = runs.get(tx, proposal.run_id) if proposal.tool_use_id else None
        if run is None or result is None:
            return
        try:
            state = self._add_result(run.state, proposal.tool_use_id, result)
        except KnownError as error:  # a conversation that can't go on must not undo what a person decided
            _log.warning("the result of %s did not reach run %s: %s", proposal.proposal_id, run.run_id, error)
            return
        runs.save_state(tx, run.run_id, state, run.status)

    def _get(self, tx: Tx, proposal_id: str, revision: int | None = None) -> proposals.Kept:
        kept = proposals.get(tx, proposal_id, revision)
        if kept is None:
            raise KnownError("proposal_unknown")
        return kept

    def _shown(self, proposal: Proposal) -> Proposal:
        return replace(proposal, sample=self._journal.sample)

    def _tell(self, tx: Tx, actor: str, action: str, proposal: Proposal, body: Mapping[str, object]) -> None:
        body = {"revision": proposal.revision, **body}
        audit.append(tx, self._clock(), actor, action, proposal.proposal_id, body)
