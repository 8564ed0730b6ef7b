"""What was approved and must leave: the queue, its pace, and what the plant answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.domain.canonical import sha256
from desktop.domain.work_request import Delivery, OutboxItem
from desktop.store import counters
from desktop.store.journal import Row, Tx, stamp

_INSERT = """
INSERT INTO outbox (kind, uid, revision, station, seq, equipment_id, body, sha256, delivery, failures, next_at,
                    problem, plant_number, refusal, receipt)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, ?, '', '', '', '')
"""
# The first item of each machine whose time has come; one that stepped aside holds nobody up.
_SELECT_DUE = """
SELECT * FROM outbox AS o
WHERE delivery IN ('queued', 'sending') AND next_at <= ?
AND NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.delivery IN ('queued', 'sending')
                AND e.equipment_id = o.equipment_id AND e.seq < o.seq)
ORDER BY seq LIMIT 1
"""
_SELECT_UNANSWERED = """
SELECT * FROM outbox WHERE delivery IN ('queued', 'sending', 'handed_over', 'needs_attention') ORDER BY seq
"""
# A process whose lease ran out may still speak: no step leads back from what another has reached meanwhile.
_SET_DELIVERY = """
UPDATE outbox SET delivery = ? WHERE kind = ? AND uid = ? AND revision = ? AND delivery IN ('queued', 'sending')
"""
_SET_DELIVERED = """
UPDATE outbox SET delivery = 'handed_over', handed_over_at = ?, problem = '', failures = 0, failing_since = NULL
WHERE kind = ? AND uid = ? AND revision = ? AND delivery IN ('queued', 'sending')
"""
_SELECT_PASSED_SINCE = "SELECT 1 FROM outbox WHERE handed_over_at >= ? LIMIT 1"
_SET_FAILED = """
UPDATE outbox SET delivery = ?, problem = ?, failures = failures + 1, next_at = ?,
                  failing_since = COALESCE(failing_since, ?)
WHERE kind = ? AND uid = ? AND revision = ? AND delivery NOT IN ('accepted', 'refused')
"""
_SET_ANSWERED = """
UPDATE outbox SET delivery = ?, plant_number = ?, refusal = ?, receipt = ?, problem = ''
WHERE kind = ? AND uid = ? AND revision = ? AND delivery NOT IN ('accepted', 'refused')
"""
_TRY_AGAIN = """
UPDATE outbox SET delivery = 'queued', failures = 0, failing_since = NULL, next_at = ?, problem = ''
WHERE delivery = 'needs_attention' AND uid = ?
"""
_WAIT_NO_LONGER = "UPDATE outbox SET next_at = ?1 WHERE delivery IN ('queued', 'sending') AND next_at > ?1"
_COUNT = "SELECT delivery, COUNT(*) AS n FROM outbox GROUP BY delivery"
_NEXT_AT = "SELECT MIN(next_at) AS at FROM outbox WHERE delivery IN ('queued', 'sending')"
_OLDEST = """
SELECT MIN(d.at) AS at FROM outbox AS o JOIN decisions AS d ON d.proposal_id = o.uid AND d.revision = o.revision
WHERE o.delivery IN ('queued', 'sending')
"""
_CHANNEL = "SELECT failures, next_at, problem, paused, last_success_at FROM sync_channel"
_SET_CHANNEL = """
INSERT INTO sync_channel (id, failures, next_at, problem, paused, last_success_at) VALUES (1, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE
SET failures = excluded.failures, next_at = excluded.next_at, problem = excluded.problem, paused = excluded.paused,
    last_success_at = excluded.last_success_at
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """What keeps an item or the whole way out: the code of a sentence, and what fills its {reason}."""

    code: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Queued:
    """One item with how it is doing; `problem` is what keeps it."""

    item: OutboxItem
    delivery: Delivery
    failures: int
    failing_since: datetime | None
    problem: Problem | None


@dataclass(frozen=True, slots=True)
class Channel:
    """The way out as a whole; `paused` = only IT can mend the `problem`."""

    failures: int = 0
    next_at: datetime | None = None
    problem: Problem | None = None
    paused: bool = False
    last_success_at: datetime | None = None


def next_seq(tx: Tx, station: str) -> int:
    """This station's next sequence number; a gap or a repeat at the plant's end means a clone or a loss."""
    return counters.following(tx, f"seq/{station}")


def add(tx: Tx, item: OutboxItem, equipment_id: str, now: datetime) -> None:
    """Queues it; the bytes are never written again."""
    assert sha256(item.body) == item.sha256
    envelope = (item.kind, item.uid, item.revision, item.station, item.seq)
    tx.run(_INSERT, (*envelope, equipment_id, item.body, item.sha256, stamp(now)))


def due(tx: Tx, now: datetime) -> Queued | None:
    """The next item to send, in order within a machine; one left in `sending` by a process that died comes again."""
    row = tx.row(_SELECT_DUE, (stamp(now),))
    return _queued(row) if row else None


def unanswered(tx: Tx) -> tuple[Queued, ...]:
    """All that the plant has not answered yet."""
    return tuple(map(_queued, tx.rows(_SELECT_UNANSWERED)))


def begin(tx: Tx, item: OutboxItem) -> None:
    tx.run(_SET_DELIVERY, (Delivery.SENDING, *_key(item)))


def delivered(tx: Tx, item: OutboxItem, now: datetime) -> bool:
    """Whether it was still on its way."""
    return tx.run(_SET_DELIVERED, (stamp(now), *_key(item))) > 0


def passed_since(tx: Tx, since: datetime) -> bool:
    """Whether any item went since then: the way is open for others."""
    return tx.row(_SELECT_PASSED_SINCE, (stamp(since),)) is not None


def put_back(tx: Tx, item: OutboxItem) -> None:
    """Nothing is wrong with the item: the way out is closed."""
    tx.run(_SET_DELIVERY, (Delivery.QUEUED, *_key(item)))


def failed(tx: Tx, item: OutboxItem, problem: Problem, now: datetime, next_at: datetime, *, aside: bool) -> None:
    """One more failure of this very item; `aside` = a person must see to it, the others pass."""
    delivery = Delivery.NEEDS_ATTENTION if aside else Delivery.QUEUED
    tx.run(_SET_FAILED, (delivery, _told(problem), stamp(next_at), stamp(now), *_key(item)))


def answered(
    tx: Tx, item: OutboxItem, delivery: Delivery, number: str, refusal: str, receipt: Mapping[str, Any]
) -> bool:
    """ACCEPTED with the plant's number, or REFUSED with its reason; False if it was answered before."""
    return tx.run(_SET_ANSWERED, (delivery, number, refusal, json.dumps(receipt, ensure_ascii=False), *_key(item))) > 0


def try_again(tx: Tx, uid: str, now: datetime) -> bool:
    """An item that stepped aside queues again; False if it had not."""
    return tx.run(_TRY_AGAIN, (stamp(now), uid)) > 0


def wait_no_longer(tx: Tx, now: datetime) -> None:
    """Someone pressed 今すぐ同期: all that waits is due."""
    tx.run(_WAIT_NO_LONGER, (stamp(now),))


def counts(tx: Tx) -> Mapping[Delivery, int]:
    """How many items are where; every delivery is named."""
    found = {row["delivery"]: row["n"] for row in tx.rows(_COUNT)}
    return {delivery: found.get(delivery, 0) for delivery in Delivery}


def next_at(tx: Tx) -> datetime | None:
    """When the first waiting item is due; None = nothing waits."""
    row = tx.row(_NEXT_AT)
    return _time(row["at"]) if row else None


def oldest_unsent(tx: Tx) -> datetime | None:
    """When the first of the approved requests that wait or are under way was approved."""
    row = tx.row(_OLDEST)
    return _time(row["at"]) if row else None


def channel(tx: Tx) -> Channel:
    row = tx.row(_CHANNEL)
    if row is None:
        return Channel()
    times = _time(row["next_at"]), _time(row["last_success_at"])
    return Channel(row["failures"], times[0], _problem(row["problem"]), bool(row["paused"]), times[1])


def set_channel(tx: Tx, channel: Channel) -> None:
    next_at = stamp(channel.next_at) if channel.next_at else ""
    last = stamp(channel.last_success_at) if channel.last_success_at else ""
    tx.run(_SET_CHANNEL, (channel.failures, next_at, _told(channel.problem), int(channel.paused), last))


def _queued(row: Row) -> Queued:
    envelope = (row["kind"], row["uid"], row["revision"], row["station"], row["seq"])
    item = OutboxItem(*envelope, body=row["body"], sha256=row["sha256"])
    failing_since = _time(row["failing_since"])
    return Queued(item, Delivery(row["delivery"]), row["failures"], failing_since, _problem(row["problem"]))


def _told(problem: Problem | None) -> str:
    return json.dumps([problem.code, problem.reason], ensure_ascii=False) if problem else ""


def _problem(told: str) -> Problem | None:
    return Problem(*json.loads(told)) if told else None


def _key(item: OutboxItem) -> tuple[str, str, int]:
    return item.kind, item.uid, item.revision


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
