"""The request that a question asked for, proposed without any model."""

from __future__ import annotations

from desktop.domain.answer import Answer, AnswerStatus
from desktop.domain.approval import Draft
from desktop.domain.work_request import Priority, Proposal, Requester
from desktop.services.kept_evidence import kept_evidence
from desktop.services.station import Plant, Services
from desktop.store.runs import Run


def is_asked_for(answer: Answer) -> bool:
    """A prefilled form alone is an offer."""
    return answer.request_draft is not None and answer.status is AnswerStatus.AWAITING_APPROVAL


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
