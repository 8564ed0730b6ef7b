"""The trail: append-only rows, each with the hash of the one before."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.domain.canonical import canonical, sha256
from desktop.store.journal import Row, Tx, stamp

_FIRST = "0" * 64
_LAST = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1"
_INSERT = """
INSERT INTO audit (seq, at, monotonic_ns, actor, action, subject, body, previous, hash)
VALUES (:seq, :at, :monotonic_ns, :actor, :action, :subject, :body, :previous, :hash)
"""
_SELECT = "SELECT * FROM audit ORDER BY seq"
_UNTOLD = """
SELECT decision_id FROM decisions
WHERE decision_id NOT IN (SELECT json_extract(body, '$.decision_id') FROM audit WHERE action = 'decided')
ORDER BY at LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class AuditReport:
    """`rows` checked in order; `broken_at` is the sequence of the first row that doesn't fit, None = all fit.

    `untold` names a decision whose row is gone from the trail: the end of a chain can be cut without breaking it.
    """

    rows: int
    broken_at: int | None = None
    untold: str = ""

    @property
    def whole(self) -> bool:
        return self.broken_at is None and not self.untold


def append(tx: Tx, at: datetime, actor: str, action: str, subject: str, body: Mapping[str, Any]) -> None:
    """One more row; must be in the same transaction as what it tells of."""
    last = tx.row(_LAST) or {"seq": 0, "hash": _FIRST}
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
    tx.connection.execute(_INSERT, {**row, "hash": _hash(row)})


def verify(tx: Tx) -> AuditReport:
    """Follows the chain from its first row to its last."""
    expected, previous = 1, _FIRST
    for row in tx.each(_SELECT):
        if row["seq"] != expected or row["previous"] != previous or row["hash"] != _hash(row):
            return AuditReport(expected - 1, broken_at=expected)
        expected, previous = expected + 1, row["hash"]
    untold = tx.row(_UNTOLD)
    return AuditReport(expected - 1, untold=untold["decision_id"] if untold else "")


def _hash(row: Row) -> str:
    return sha256(canonical({name: value for name, value in row.items() if name != "hash"}))
