"""The journal's records as plain tables, and what in it would be lost with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from desktop.store.journal import Row, Tx

_REQUESTS = """
SELECT w.number, o.plant_number, w.proposal_id, w.revision, w.equipment_id, w.title, w.detail, w.priority,
       p.requester_id, p.requester_name, p.requester_known_by, d.by_id, d.by_name, d.at AS approved_at,
       o.delivery, o.handed_over_at, o.refusal, o.receipt, o.station, o.seq, o.sha256, CAST(o.body AS TEXT) AS body
FROM work_requests AS w
JOIN proposals AS p USING (proposal_id, revision)
JOIN decisions AS d USING (proposal_id, revision)
LEFT JOIN outbox AS o ON o.kind = 'request' AND o.uid = w.proposal_id AND o.revision = w.revision
ORDER BY d.at, w.number
"""
_PROPOSALS = """
SELECT proposal_id, revision, state, equipment_id, requester_id, requester_name, requester_known_by, created_at,
       expires_at, payload_sha256, CAST(payload AS TEXT) AS payload
FROM proposals ORDER BY created_at, proposal_id, revision
"""
_DECISIONS = "SELECT * FROM decisions ORDER BY at, decision_id"
_AUDIT = "SELECT * FROM audit ORDER BY seq"
# A request that was never queued (no sync target was set) is nowhere but here, like one that waits.
_COUNTS = """
SELECT (SELECT COUNT(*) FROM proposals WHERE state = 'pending') AS pending,
       (SELECT COUNT(*) FROM work_requests AS w
        LEFT JOIN outbox AS o ON o.kind = 'request' AND o.uid = w.proposal_id AND o.revision = w.revision
        WHERE o.delivery IS NULL OR o.delivery IN ('queued', 'sending', 'needs_attention')) AS unsent
"""
_SENT_ITEMS = "SELECT uid, body FROM outbox ORDER BY station, seq"
_LAST_OF_AUDIT = "SELECT seq FROM audit_end"
# What was written is what there was after row `after`: nothing may have happened between that and the note either.
_LAST_IF_EXPORT = """
SELECT body FROM audit WHERE seq = (SELECT MAX(seq) FROM audit) AND action = 'exported'
AND coalesce(json_extract(body, '$.after'), seq - 1) = seq - 1
"""

COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "requests": (
            *("number", "plant_number", "proposal_id", "revision", "equipment_id", "title", "detail", "priority"),
            *("requester_id", "requester_name", "requester_known_by", "by_id", "by_name", "approved_at"),
            *("delivery", "handed_over_at", "refusal", "receipt", "station", "seq", "sha256", "body"),
        ),
        "decisions": (
            *("decision_id", "proposal_id", "revision", "meaning", "by_id", "by_name", "known_by", "at", "reason"),
            *("payload_sha256", "changes", "station"),
        ),
        "proposals": (
            *("proposal_id", "revision", "state", "equipment_id", "requester_id", "requester_name"),
            *("requester_known_by", "created_at", "expires_at", "payload_sha256", "payload"),
        ),
        "audit": ("seq", "at", "monotonic_ns", "actor", "action", "subject", "body", "previous", "hash"),
    }
)
_STATEMENTS = {"requests": _REQUESTS, "decisions": _DECISIONS, "proposals": _PROPOSALS, "audit": _AUDIT}


@dataclass(frozen=True, slots=True)
class OnlyHere:
    """How many proposals wait for a person, and how many approved requests have not reached the plant."""

    pending: int
    unsent: int


def rows(tx: Tx, table: str) -> Iterator[Row]:
    """Every row of one of `COLUMNS`, oldest first."""
    return tx.each(_STATEMENTS[table])


def sent_items(tx: Tx) -> Iterator[tuple[str, bytes]]:
    """(uid, bytes as sent) of everything that was ever queued for the plant."""
    for row in tx.each(_SENT_ITEMS):
        yield row["uid"], row["body"]


def last_of_audit(tx: Tx) -> int:
    """The number of the trail's last row, 0 = none yet."""
    row = tx.row(_LAST_OF_AUDIT)
    return int(row["seq"]) if row else 0


def only_here(tx: Tx) -> OnlyHere:
    row = tx.row(_COUNTS) or {}
    return OnlyHere(**row)


def newest_export(tx: Tx) -> Mapping[str, Any] | None:
    """What the trail says of an export, if nothing at all happened since."""
    row = tx.row(_LAST_IF_EXPORT)
    return json.loads(row["body"]) if row else None
