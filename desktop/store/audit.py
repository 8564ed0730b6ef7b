"""The trail: append-only rows, each with the hash of the one before."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.domain.canonical import canonical, sha256
from desktop.store.journal import Row, Tx, stamp

PROPOSED, DECIDED = "proposed", "decided"
_FIRST = "0" * 64
_LAST = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1"
_END = "SELECT seq, hash FROM audit_end"
_MOVE_END = "UPDATE audit_end SET seq = ?, hash = ?"
_INSERT = """
INSERT INTO audit (seq, at, monotonic_ns, actor, action, subject, body, previous, hash)
VALUES (:seq, :at, :monotonic_ns, :actor, :action, :subject, :body, :previous, :hash)
"""
_SELECT = "SELECT * FROM audit ORDER BY seq"
_SELECT_LAST_AT = "SELECT at FROM audit ORDER BY seq DESC LIMIT 1"
_SELECT_LATEST = "SELECT body FROM audit WHERE action = ? AND subject = ? ORDER BY seq DESC LIMIT 1"
_PROPOSALS = "SELECT proposal_id, revision, payload FROM proposals ORDER BY created_at, proposal_id, revision"
_DECISIONS = """
SELECT decision_id, proposal_id, revision, meaning, by_id, known_by, reason, payload_sha256 FROM decisions
ORDER BY at, decision_id
"""
_TOLD_OF_DECISION = ("proposal_id", "revision", "meaning", "by_id", "known_by", "reason", "payload_sha256")


@dataclass(frozen=True, slots=True)
class AuditReport:
    """`rows` checked in order; `broken_at` is the first row (its seq) that doesn't fit or is gone, None = all fit.

    `untold` names a decision or a proposal that isn't as the trail tells of it: changed, added or deleted beside it.
    """

    rows: int
    broken_at: int | None = None
    untold: str = ""

    @property
    def whole(self) -> bool:
        return self.broken_at is None and not self.untold


def append(tx: Tx, at: datetime, actor: str, action: str, subject: str, body: Mapping[str, Any]) -> None:
    """One more row; must be in the same transaction as what it tells of.

    It follows the row that was last when it was written, even if that is gone: a cut must not heal by going on.
    """
    last, end = (tx.row(sql) or {"seq": 0, "hash": _FIRST} for sql in (_LAST, _END))
    last = end if end["seq"] > last["seq"] else last
    row = {
        "seq": last["seq"] + 1,
        "at": stamp(at),
        "monotonic_ns": time.monotonic_ns(),
        "actor": actor,
        "action": action,
        "subject": subject,
        "body": canonical(body).decode(),
        "previous": last["hash"],
    }
    told = _hash(row)
    tx.connection.execute(_INSERT, {**row, "hash": told})
    tx.run(_MOVE_END, (row["seq"], told))


def latest(tx: Tx, action: str, subject: str) -> Mapping[str, Any] | None:
    """What the newest row of this kind about this subject tells."""
    row = tx.row(_SELECT_LATEST, (action, subject))
    body: Mapping[str, Any] | None = json.loads(row["body"]) if row else None
    return body


def last_at(tx: Tx) -> datetime | None:
    """When the newest row was written; no number can have been given after it."""
    row = tx.row(_SELECT_LAST_AT)
    return datetime.fromisoformat(row["at"]) if row else None


def verify(tx: Tx) -> AuditReport:
    """Follows the chain from its first row to where it ended, and compares what it tells with what is kept."""
    expected, previous = 1, _FIRST
    proposed: dict[tuple[str, int], str] = {}
    decided: dict[str, Mapping[str, Any]] = {}
    for row in tx.each(_SELECT):
        if row["seq"] != expected or row["previous"] != previous or row["hash"] != _hash(row):
            return AuditReport(expected - 1, broken_at=expected)
        expected, previous = expected + 1, row["hash"]
        if row["action"] in (PROPOSED, DECIDED):
            body = json.loads(row["body"])
            if row["action"] == PROPOSED:
                proposed[row["subject"], body["revision"]] = body["payload_sha256"]
            else:
                decided[body["decision_id"]] = {"by_id": row["actor"], "proposal_id": row["subject"], **body}
    if tx.row(_END) != {"seq": expected - 1, "hash": previous}:
        return AuditReport(expected - 1, broken_at=expected)
    return AuditReport(expected - 1, untold=_untold_decision(tx, decided) or _untold_proposal(tx, proposed))


def _untold_decision(tx: Tx, told: dict[str, Mapping[str, Any]]) -> str:
    for row in tx.each(_DECISIONS):
        body = told.pop(row["decision_id"], None)
        if body is None or any(row[name] != body[name] for name in _TOLD_OF_DECISION):
            return str(row["decision_id"])
    return next(iter(told), "")


def _untold_proposal(tx: Tx, told: dict[tuple[str, int], str]) -> str:
    for row in tx.each(_PROPOSALS):
        if told.pop((row["proposal_id"], row["revision"]), None) != sha256(row["payload"]):
            return str(row["proposal_id"])
    return next((proposal_id for proposal_id, _ in told), "")


def _hash(row: Row) -> str:
    return sha256(canonical({name: value for name, value in row.items() if name != "hash"}))
