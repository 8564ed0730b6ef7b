"""The request that a question asked for, proposed without any model."""

from __future__ import annotations

from dataclasses import replace

from desktop.domain.answer import Answer, AnswerStatus
from desktop.domain.approval import Draft
from desktop.domain.work_request import Priority, Proposal, ProposalState, Requester
from desktop.evidence.fixed_words import ALREADY_DRAFTED
from desktop.services.kept_evidence import kept_evidence
from desktop.services.station import Plant, Services
from desktop.store import proposals
from desktop.store.runs import Run


def is_asked_for(answer: Answer) -> bool:
    """A prefilled form alone is an offer."""
    return answer.request_draft is not None and answer.status is AnswerStatus.AWAITING_APPROVAL


def pointing_to_the_same(services: Services, conversation_id: str, answer: Answer) -> Answer:
    """The answer, saying so where this very request waits in the conversation already."""
    drafted = answer.request_draft
    if drafted is None or not is_asked_for(answer):
        return answer
    content = proposals.content_hash(drafted.equipment_id, drafted.title, drafted.detail, Priority(drafted.priority))
    with services.journal.reading() as tx:
        same = proposals.same_in_conversation(tx, conversation_id, content)
    if same is None or same.proposal.state is not ProposalState.PENDING:
        return answer
    return replace(answer, summary=ALREADY_DRAFTED)


def propose(
    services: Services, plant: Plant, run: Run, requester: Requester, answer: Answer, tried: tuple[str, ...] = ()
) -> Proposal:
    """The composed draft as a proposal of the run; only where `is_asked_for`."""
    drafted = answer.request_draft
    assert drafted is not None
    draft = Draft(
        equipment_id=drafted.equipment_id,
        title=drafted.title,
        detail=drafted.detail,
        priority=Priority(drafted.priority),
        requester=requester,
        snapshot=run.snapshot,
        evidence=kept_evidence(answer, plant.snapshot),
        tried=tried,
        conversation_id=run.conversation_id,
        run_id=run.run_id,
    )
    (proposed,) = services.approvals.propose([draft])
    return proposed.proposal
