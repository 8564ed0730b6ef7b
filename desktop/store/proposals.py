"""Proposals as they were shown, and the one decision on each."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.domain.canonical import canonical, sha256
from desktop.domain.work_request import (
    Decision,
    KeptEvidence,
    KnownBy,
    Meaning,
    Priority,
    Proposal,
    ProposalState,
    Requester,
)
from desktop.store.journal import Row, Tx, stamp

_INSERT = """
INSERT INTO proposals (proposal_id, revision, state, conversation_id, run_id, tool_use_id, equipment_id, requester_id,
                       requester_name, requester_known_by, payload, payload_sha256, content_sha256, created_at,
                       expires_at)
VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SELECT = "SELECT * FROM proposals WHERE proposal_id = ? ORDER BY revision DESC LIMIT 1"
_SELECT_REVISION = "SELECT * FROM proposals WHERE proposal_id = ? AND revision = ?"
_SELECT_PENDING = "SELECT * FROM proposals WHERE state = 'pending' ORDER BY created_at, proposal_id"
_SELECT_PENDING_OF_RUN = "SELECT * FROM proposals WHERE state = 'pending' AND run_id = ? ORDER BY created_at"
_SELECT_EXPIRED = "SELECT * FROM proposals WHERE state = 'pending' AND expires_at <= ? ORDER BY created_at"
_SELECT_CALL = "SELECT * FROM proposals WHERE run_id = ? AND tool_use_id = ?"
_SELECT_SAME = """
SELECT * FROM proposals WHERE conversation_id = ? AND content_sha256 = ? ORDER BY created_at DESC, revision DESC LIMIT 1
"""
_SELECT_RETURNED = """
SELECT * FROM proposals AS p WHERE conversation_id = ? AND equipment_id = ? AND state = 'returned'
AND revision = (SELECT MAX(revision) FROM proposals WHERE proposal_id = p.proposal_id)
ORDER BY created_at DESC LIMIT 1
"""
_SELECT_LATEST_IN = """
SELECT * FROM proposals AS p WHERE state IN (SELECT value FROM json_each(?))
AND revision = (SELECT MAX(revision) FROM proposals WHERE proposal_id = p.proposal_id)
ORDER BY created_at DESC, proposal_id
"""
_CLOSE = "UPDATE proposals SET state = ? WHERE proposal_id = ? AND revision = ? AND state = 'pending'"
_SET_REQUESTER = """
UPDATE proposals SET requester_id = ?, requester_name = ?, requester_known_by = ?
WHERE proposal_id = ? AND revision = ?
"""
_INSERT_DECISION = """
INSERT INTO decisions (decision_id, proposal_id, revision, meaning, by_id, by_name, known_by, at, reason,
                       payload_sha256, changes, station)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SELECT_DECISION = "SELECT * FROM decisions WHERE proposal_id = ? AND revision = ?"


@dataclass(frozen=True, slots=True)
class Kept:
    """A proposal as stored, with the bytes that were shown."""

    proposal: Proposal
    payload: bytes
    expires_at: datetime

    @property
    def intact(self) -> bool:
        """Whether the stored bytes still have the hash they were stored with."""
        return sha256(self.payload) == self.proposal.payload_sha256


def payload_of(proposal: Proposal) -> bytes:
    """Canonical bytes of all that a card shows of the work itself; who asks stands beside it."""
    return canonical(
        {
            "equipment": dict(proposal.equipment),
            "title": proposal.title,
            "detail": proposal.detail,
            "priority": proposal.priority,
            "drafted_by": proposal.drafted_by,
            "evidence": [_evidence_to_json(kept) for kept in proposal.evidence],
            "tried": list(proposal.tried),
            "stopped_since": proposal.stopped_since.isoformat() if proposal.stopped_since else None,
            "snapshot": proposal.snapshot,
        }
    )


def add(tx: Tx, proposal: Proposal, expires_at: datetime) -> None:
    """Stores it as pending; `payload_sha256` must be of `payload_of(proposal)`."""
    payload = payload_of(proposal)
    assert sha256(payload) == proposal.payload_sha256
    tx.run(
        _INSERT,
        (
            proposal.proposal_id,
            proposal.revision,
            proposal.conversation_id,
            proposal.run_id,
            proposal.tool_use_id,
            proposal.equipment_id,
            *_requester_columns(proposal.requester),
            payload,
            proposal.payload_sha256,
            content_hash(proposal.equipment_id, proposal.title, proposal.detail, proposal.priority),
            stamp(proposal.created_at),
            stamp(expires_at),
        ),
    )


def content_hash(equipment_id: str, title: str, detail: str, priority: str) -> str:
    """The same machine and wording in other clothes is the same proposal."""
    return sha256(canonical([equipment_id, title, detail, priority]))


def get(tx: Tx, proposal_id: str, revision: int | None = None) -> Kept | None:
    """That revision, or the latest."""
    if revision is None:
        return _kept(tx.row(_SELECT, (proposal_id,)))
    return _kept(tx.row(_SELECT_REVISION, (proposal_id, revision)))


def pending(tx: Tx) -> tuple[Kept, ...]:
    """All that waits for a decision, oldest first."""
    return _all_kept(tx.rows(_SELECT_PENDING))


def pending_of_run(tx: Tx, run_id: str) -> tuple[Kept, ...]:
    return _all_kept(tx.rows(_SELECT_PENDING_OF_RUN, (run_id,)))


def expired(tx: Tx, now: datetime) -> tuple[Kept, ...]:
    """Pending ones whose time is over."""
    return _all_kept(tx.rows(_SELECT_EXPIRED, (stamp(now),)))


def latest_in(tx: Tx, states: Collection[ProposalState]) -> tuple[Kept, ...]:
    """Those whose latest revision is in one of these states, newest first."""
    return _all_kept(tx.rows(_SELECT_LATEST_IN, (json.dumps(sorted(states)),)))


def of_call(tx: Tx, run_id: str, tool_use_id: str) -> Kept | None:
    """What a model's call has already led to."""
    return _kept(tx.row(_SELECT_CALL, (run_id, tool_use_id)))


def same_in_conversation(tx: Tx, conversation_id: str, content_sha256: str) -> Kept | None:
    """The latest proposal of this conversation with this machine and wording."""
    return _kept(tx.row(_SELECT_SAME, (conversation_id, content_sha256)))


def returned_in_conversation(tx: Tx, conversation_id: str, equipment_id: str) -> Kept | None:
    """The proposal of this conversation that was sent back and not yet submitted again."""
    return _kept(tx.row(_SELECT_RETURNED, (conversation_id, equipment_id)))


def close(tx: Tx, proposal: Proposal, state: ProposalState) -> None:
    tx.run(_CLOSE, (state, proposal.proposal_id, proposal.revision))


def set_requester(tx: Tx, proposal: Proposal, who: Requester) -> None:
    tx.run(_SET_REQUESTER, (*_requester_columns(who), proposal.proposal_id, proposal.revision))


def add_decision(tx: Tx, decision: Decision, changes: Mapping[str, Any]) -> None:
    tx.run(
        _INSERT_DECISION,
        (
            decision.decision_id,
            decision.proposal_id,
            decision.revision,
            decision.meaning,
            decision.by_id,
            decision.by_name,
            decision.known_by,
            stamp(decision.at),
            decision.reason,
            decision.payload_sha256,
            json.dumps(changes, ensure_ascii=False),
            decision.station,
        ),
    )


def decision(tx: Tx, proposal_id: str, revision: int) -> tuple[Decision, Mapping[str, Any]] | None:
    """The one decision on this revision, and what it changed as field to [from, to]."""
    row = tx.row(_SELECT_DECISION, (proposal_id, revision))
    if row is None:
        return None
    told = {name: value for name, value in row.items() if name != "changes"}
    told |= {
        "meaning": Meaning(row["meaning"]),
        "known_by": KnownBy(row["known_by"]),
        "at": datetime.fromisoformat(row["at"]),
    }
    return Decision(**told), json.loads(row["changes"])


def _all_kept(rows: list[Row]) -> tuple[Kept, ...]:
    return tuple(filter(None, map(_kept, rows)))


def _kept(row: Row | None) -> Kept | None:
    if row is None:
        return None
    shown = json.loads(row["payload"])
    proposal = Proposal(
        proposal_id=row["proposal_id"],
        revision=row["revision"],
        state=ProposalState(row["state"]),
        equipment_id=row["equipment_id"],
        equipment=shown["equipment"],
        title=shown["title"],
        detail=shown["detail"],
        priority=Priority(shown["priority"]),
        requester=requester(row),
        drafted_by=shown["drafted_by"],
        evidence=tuple(KeptEvidence(**kept) for kept in shown["evidence"]),
        tried=tuple(shown["tried"]),
        snapshot=shown["snapshot"],
        created_at=datetime.fromisoformat(row["created_at"]),
        payload_sha256=row["payload_sha256"],
        run_id=row["run_id"],
        conversation_id=row["conversation_id"],
        tool_use_id=row["tool_use_id"],
        stopped_since=datetime.fromisoformat(shown["stopped_since"]) if shown["stopped_since"] else None,
    )
    return Kept(proposal, row["payload"], datetime.fromisoformat(row["expires_at"]))


def requester(row: Row) -> Requester:
    """Who asks, from a row that has the requester's columns."""
    return Requester(row["requester_id"], row["requester_name"], KnownBy(row["requester_known_by"]))


def _requester_columns(who: Requester) -> tuple[str, str, str]:
    return who.person_id, who.name, who.known_by


def _evidence_to_json(kept: KeptEvidence) -> Mapping[str, Any]:
    names = ("ref", "title", "quote", "page", "page_label", "revision", "sha256")
    return {name: getattr(kept, name) for name in names}
