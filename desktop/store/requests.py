"""Approved requests: their numbers, what they say, and how far they have come."""

from __future__ import annotations

from datetime import datetime

from desktop.domain.work_request import Delivery, Priority, Proposal, WorkRequest
from desktop.store import counters
from desktop.store.journal import Row, Tx
from desktop.store.proposals import requester

_INSERT_REQUEST = """
INSERT INTO work_requests (number, proposal_id, revision, equipment_id, title, detail, priority)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_SELECT_REQUESTS = """
SELECT w.*, p.requester_id, p.requester_name, p.requester_known_by, d.by_id, d.at,
       o.delivery, o.plant_number, o.refusal
FROM work_requests AS w
JOIN proposals AS p USING (proposal_id, revision)
JOIN decisions AS d USING (proposal_id, revision)
LEFT JOIN outbox AS o ON o.kind = 'request' AND o.uid = w.proposal_id AND o.revision = w.revision
"""
_BY_NUMBER = _SELECT_REQUESTS + "WHERE w.number = ?1 OR o.plant_number = ?1"
_BY_PROPOSAL = _SELECT_REQUESTS + "WHERE w.proposal_id = ?"
_BY_EQUIPMENT = _SELECT_REQUESTS + "WHERE w.equipment_id = ? ORDER BY d.at DESC"
_NEWEST_FIRST = _SELECT_REQUESTS + "ORDER BY d.at DESC"


def next_number(tx: Tx, station: str) -> str:
    """WR-0001 without a station, else WR-P07-0001; never given twice."""
    prefix = f"WR-{station}" if station else "WR"
    return f"{prefix}-{counters.following(tx, prefix):04d}"


def register(tx: Tx, number: str, approved: Proposal) -> None:
    content = (approved.equipment_id, approved.title, approved.detail, approved.priority)
    tx.run(_INSERT_REQUEST, (number, approved.proposal_id, approved.revision, *content))


def work_request(tx: Tx, number: str) -> WorkRequest | None:
    """By our number or the plant's."""
    return _work_request(tx.row(_BY_NUMBER, (number,)))


def of_proposal(tx: Tx, proposal_id: str) -> WorkRequest | None:
    return _work_request(tx.row(_BY_PROPOSAL, (proposal_id,)))


def of_equipment(tx: Tx, equipment_id: str) -> tuple[WorkRequest, ...]:
    """Newest first."""
    return tuple(filter(None, map(_work_request, tx.rows(_BY_EQUIPMENT, (equipment_id,)))))


def work_requests(tx: Tx) -> tuple[WorkRequest, ...]:
    """All that were registered here, newest first."""
    return tuple(filter(None, map(_work_request, tx.rows(_NEWEST_FIRST))))


def _work_request(row: Row | None) -> WorkRequest | None:
    if row is None:
        return None
    return WorkRequest(
        number=row["number"],
        proposal_id=row["proposal_id"],
        revision=row["revision"],
        equipment_id=row["equipment_id"],
        title=row["title"],
        detail=row["detail"],
        priority=Priority(row["priority"]),
        requester=requester(row),
        approved_by=row["by_id"],
        approved_at=datetime.fromisoformat(row["at"]),
        delivery=Delivery(row["delivery"]) if row["delivery"] else None,
        plant_number=row["plant_number"] or "",
        refusal=row["refusal"] or "",
    )
