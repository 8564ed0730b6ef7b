"""Requests, the queue, the trail and the roster as documents for the commands."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from desktop.domain.ledger import Person
from desktop.domain.work_request import Proposal, WorkRequest
from desktop.errors import KnownError
from desktop.services.station import Services
from desktop.store import audit, proposals, requests
from desktop.store.journal import Tx

Document = dict[str, Any]


def requests_listed(services: Services) -> Document:
    """Registered requests newest first, and the proposals that still wait for a person."""
    with services.journal.reading() as tx:
        registered = [_request(request) for request in requests.work_requests(tx)]
    return {"requests": registered, "pending": [_pending(one) for one in services.approvals.pending()]}


def request_whole(services: Services, number: str) -> Document:
    """One request by our number or the plant's, with its decision and evidence; KnownError("request_unknown")."""
    with services.journal.reading() as tx:
        request = requests.work_request(tx, number)
        if request is None:
            raise KnownError("request_unknown", number=number)
        return {**_request(request), **_decided(tx, request)}


def sync_status(services: Services) -> Document:
    """Counts by delivery state, and when the way to the plant was last good."""
    status = services.synchronizer.status()
    return {
        "transport": services.transport,
        "unsent": status.unsent,
        "counts": {str(delivery): count for delivery, count in status.counts.items()},
        "last_success_at": status.last_success_at.isoformat() if status.last_success_at else None,
        "next_at": status.next_at.isoformat() if status.next_at else None,
        "paused": status.paused,
        "problem": asdict(status.problem) if status.problem else None,
    }


def audit_verified(services: Services) -> Document:
    """KnownError("audit_broken") names the first row that does not follow from the one before."""
    with services.journal.reading() as tx:
        report = audit.verify(tx)
    if not report.whole:
        raise KnownError("audit_broken", row=report.broken_at or report.rows, place=report.broken_at or report.untold)
    return {"whole": True, "rows": report.rows}


def people_listed(services: Services) -> Document:
    return {"people": [_person(person) for person in services.roster.everyone()]}


def _request(request: WorkRequest) -> Document:
    return {
        **asdict(request),
        "priority": str(request.priority),
        "approved_at": request.approved_at.isoformat(),
        "delivery": str(request.delivery) if request.delivery else None,
    }


def _decided(tx: Tx, request: WorkRequest) -> Document:
    kept = proposals.get(tx, request.proposal_id, request.revision)
    found = proposals.decision(tx, request.proposal_id, request.revision)
    if kept is None or found is None:
        return {}
    decision, changes = found
    return {
        "decision": {**asdict(decision), "at": decision.at.isoformat()},
        "changes": dict(changes),
        "drafted_by": kept.proposal.drafted_by,
        "evidence": [asdict(item) for item in kept.proposal.evidence],
    }


def _pending(proposal: Proposal) -> Document:
    return {
        "proposal_id": proposal.proposal_id,
        "equipment_id": proposal.equipment_id,
        "title": proposal.title,
        "priority": str(proposal.priority),
        "requester": proposal.requester.name,
        "created_at": proposal.created_at.isoformat(),
    }


def _person(person: Person) -> Document:
    return {**asdict(person), "role": str(person.role), "may_approve": person.may_approve}
