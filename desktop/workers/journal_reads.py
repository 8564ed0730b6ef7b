"""What the journal remembers, as the window shows it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from desktop.agent.events import AnswerComposed, ApprovalRequested, RunStopped
from desktop.agent.run_state import RunState
from desktop.domain.work_request import Delivery, KeptEvidence, Proposal
from desktop.services import conversation as conversations_story
from desktop.services.kept_evidence import kept_evidence
from desktop.services.run_record import stored_events
from desktop.services.station import Services
from desktop.store import outbox, proposals, requests, runs
from desktop.store.journal import Tx
from desktop.store.outbox import Problem
from desktop.store.runs import Conversation, Run, RunStatus
from desktop.workers import commands
from desktop.workers.station import CameBack, ConversationLine, OpenRun, PastRun, RequestLine, Settlement
from desktop.workers.worker import Failure

_DONE = frozenset({Delivery.REFUSED})


def conversations(services: Services) -> list[ConversationLine]:
    """Newest first, each under its first question."""
    with services.journal.reading() as tx:
        waiting = {kept.proposal.conversation_id for kept in proposals.pending(tx)}
        cut_off = {run.run_id for run in runs.with_status(tx, RunStatus.PARKED) if _is_cut_off(tx, run)}
        return [
            _line(found, runs.of_conversation(tx, found.conversation_id), waiting, cut_off)
            for found in runs.conversations(tx)
        ]


def conversation(services: Services, conversation_id: str) -> list[PastRun]:
    """Oldest first."""
    with services.journal.reading() as tx:
        return [_past(tx, run) for run in runs.of_conversation(tx, conversation_id)]


def unfinished(services: Services) -> tuple[OpenRun, ...]:
    """Parked runs whose every proposal is decided: a crash came between decision and answer.

    One that an outage left is no such run; a person says whether it goes on.
    """
    with services.journal.reading() as tx:
        parked = runs.with_status(tx, RunStatus.PARKED)
        ready = [run for run in parked if _is_ready(run) and not _is_cut_off(tx, run)]
    return tuple(OpenRun(run.run_id, run.conversation_id) for run in ready)


def requests_listed(services: Services) -> tuple[RequestLine, ...]:
    """Newest first, with what made one step aside."""
    with services.journal.reading() as tx:
        queued = outbox.unanswered(tx)
        registered = requests.work_requests(tx)
    aside = {one.item.uid: one.problem for one in queued if one.delivery is Delivery.NEEDS_ATTENTION and one.problem}
    return tuple(RequestLine(request, told(aside.get(request.proposal_id))) for request in registered)


def told(problem: Problem | None) -> Failure | None:
    """What keeps an item or the whole way out, for the screen."""
    return Failure(problem.code, {"reason": problem.reason}) if problem else None


def duplicates(services: Services, proposal: Proposal) -> tuple[str, ...]:
    """What is open on the machine already, here and at the plant."""
    with services.journal.reading() as tx:
        here = requests.of_equipment(tx, proposal.equipment_id)
    orders = services.plant().snapshot.open_orders(proposal.equipment_id)
    return (
        *(f"{request.number} {request.title}" for request in here if request.delivery not in _DONE),
        *(f"{order.number} {order.title}（{order.state}）" for order in orders),
    )


def came_back(services: Services, found: Sequence[Proposal]) -> tuple[CameBack, ...]:
    """When, by whom and why each of these was sent back."""
    with services.journal.reading() as tx:
        return tuple(_came_back(tx, proposal) for proposal in found)


def before(services: Services, proposal: Proposal) -> CameBack | None:
    """What became of the revision before this one, where there was any."""
    with services.journal.reading() as tx:
        kept = proposals.get(tx, proposal.proposal_id, proposal.revision - 1)
        return _came_back(tx, replace(kept.proposal, sample=proposal.sample)) if kept else None


def evidence_shown(services: Services, conversation_id: str) -> tuple[KeptEvidence, ...]:
    """The quotations of the last answer composed in the conversation."""
    with services.journal.reading() as tx:
        earlier = runs.of_conversation(tx, conversation_id)
        events = [event for run in earlier for event in stored_events(tx, run.run_id)]
    answers = [event.answer for event in events if isinstance(event, AnswerComposed)]
    return kept_evidence(answers[-1], services.plant().snapshot) if answers else ()


def tried(services: Services, command: commands.Propose) -> tuple[str, ...]:
    """The steps told of in the conversation, with what became of each."""
    past = conversations_story.recall(services, command.conversation_id, command.requester, services.plant().snapshot)
    return past.tried


def _came_back(tx: Tx, proposal: Proposal) -> CameBack:
    found = proposals.decision(tx, proposal.proposal_id, proposal.revision)
    if found is not None:
        return CameBack(proposal, found[0].at, found[0].by_name or found[0].by_id, found[0].reason)
    kept = proposals.get(tx, proposal.proposal_id, proposal.revision)
    return CameBack(proposal, kept.expires_at if kept else proposal.created_at)


def _line(found: Conversation, questions: tuple[Run, ...], waiting: Set[str], cut_off: Set[str]) -> ConversationLine:
    first, last = questions[0], questions[-1]
    return ConversationLine(
        found.conversation_id,
        first.question,
        found.last_at,
        waiting=found.conversation_id in waiting,
        cut_off=last.run_id in cut_off,
    )


def _is_cut_off(tx: Tx, run: Run) -> bool:
    told = stored_events(tx, run.run_id)
    return bool(told) and isinstance(told[-1], RunStopped) and told[-1].can_go_on


def _past(tx: Tx, run: Run) -> PastRun:
    events = stored_events(tx, run.run_id)
    asked = [event.proposal for event in events if isinstance(event, ApprovalRequested)]
    settled = tuple(filter(None, (_settled(tx, proposal) for proposal in asked)))
    return PastRun(run.run_id, run.question, run.started_at, events, settled)


def _settled(tx: Tx, proposal: Proposal) -> Settlement | None:
    found = proposals.decision(tx, proposal.proposal_id, proposal.revision)
    return Settlement(found[0], requests.of_proposal(tx, proposal.proposal_id)) if found else None


def _is_ready(run: Run) -> bool:
    return bool(run.state) and not RunState.from_json(run.state).unresolved()
