"""Approved requests leave, each exactly once, and the plant's answers come back."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from uuid6 import uuid7

from desktop.domain.work_request import Delivery
from desktop.errors import KnownError
from desktop.store import audit, leases, outbox, requests
from desktop.store.journal import Journal, Tx
from desktop.store.outbox import Channel, Problem, Queued
from desktop.sync import backoff
from desktop.sync.transport import PlantReceipt, SendFailure, Transport, Trouble

_LEASE = "outbox"
_TERM = timedelta(seconds=30)
_TRIES_BEFORE_ASIDE = 5
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one round did. `busy` = another process is at it; `problem` = why the round ended early."""

    sent: int = 0
    answered: int = 0
    busy: bool = False
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """How the queue stands; `unsent` are waiting or under way, `next_at` is when the next try is due."""

    counts: Mapping[Delivery, int]
    last_success_at: datetime | None
    next_at: datetime | None
    problem: Problem | None
    paused: bool

    @property
    def unsent(self) -> int:
        return self.counts[Delivery.QUEUED] + self.counts[Delivery.SENDING]


class Synchronizer:
    """Drains one journal's outbox through one transport (None = no sync target is set).

    Any number of processes may try at once: a lease lets one. `draw` gives the jitter, a number in [0, 1).
    """

    def __init__(
        self,
        journal: Journal,
        transport: Transport | None,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        draw: Callable[[], float] = random.random,
        term: timedelta = _TERM,
    ) -> None:
        self._journal = journal
        self._transport = transport
        self._clock = clock
        self._draw = draw
        self._term = term
        self._owner = str(uuid7())

    def status(self) -> SyncStatus:
        with self._journal.reading() as tx:
            channel, due = outbox.channel(tx), outbox.next_at(tx)
            waits = [at for at in (channel.next_at, due) if at] if due else []
            return SyncStatus(
                outbox.counts(tx), channel.last_success_at, max(waits, default=None), channel.problem, channel.paused
            )

    def retry(self, number: str) -> None:
        """An item that stepped aside (要対応) queues again; KnownError request_unknown, retry_not_needed."""
        with self._journal.transaction() as tx:
            request = requests.work_request(tx, number)
            if request is None:
                raise KnownError("request_unknown", number=number)
            if not outbox.try_again(tx, request.proposal_id, self._clock()):
                raise KnownError("retry_not_needed", number=number)
            audit.append(tx, self._clock(), "", "send_again", request.proposal_id, {"number": number})

    def run_once(self, *, at_once: bool = False) -> SyncReport:
        """One round: answers first, then all that is due. `at_once` (今すぐ同期) waits for no pause and no backoff."""
        if self._transport is None:
            return SyncReport()
        now = self._clock()
        with self._journal.transaction() as tx:
            channel = outbox.channel(tx)
            if at_once:
                outbox.wait_no_longer(tx, now)
            elif channel.next_at is not None and channel.next_at > now:
                return SyncReport(problem=channel.problem)
            if not leases.take(tx, _LEASE, self._owner, now, self._term):
                return SyncReport(busy=True)
        try:
            return self._round(self._transport, now)
        finally:
            with self._journal.transaction() as tx:
                leases.release(tx, _LEASE, self._owner)

    def _round(self, transport: Transport, now: datetime) -> SyncReport:
        sent = answered = 0
        try:
            transport.prepare()
            answered += self._read_receipts(transport)
            while (queued := self._take_next(now)) is not None:
                sent += self._send(transport, queued, now)
            answered += self._read_receipts(transport)
        except SendFailure as failure:
            _log.warning("sending stopped: %s %s", failure.code, failure.reason)
            problem = self._close_channel(failure)
            return SyncReport(sent, answered, problem=problem)
        with self._journal.transaction() as tx:
            outbox.set_channel(tx, Channel(last_success_at=self._clock()))
        return SyncReport(sent, answered)

    def _take_next(self, now: datetime) -> Queued | None:
        """Marks the next item as under way; None when nothing is due or another process has taken over."""
        with self._journal.transaction() as tx:
            if not leases.take(tx, _LEASE, self._owner, self._clock(), self._term):
                return None
            queued = outbox.due(tx, now)
            if queued is not None:
                outbox.begin(tx, queued.item)
            return queued

    def _send(self, transport: Transport, queued: Queued, now: datetime) -> bool:
        """Whether the item went; trouble of the way itself is raised, the item back in its place."""
        item = queued.item
        try:
            transport.send(item)
        except SendFailure as failure:
            way_closed = failure.trouble in (Trouble.UNREACHABLE, Trouble.NOT_ALLOWED)
            with self._journal.transaction() as tx:
                if way_closed:
                    outbox.put_back(tx, item)
                else:
                    self._count_failure(tx, queued, failure, now)
            if way_closed:
                raise
            return False
        with self._journal.transaction() as tx:
            first = outbox.delivered(tx, item, self._clock())
            if first:
                audit.append(tx, self._clock(), "", "handed_over", item.uid, item.envelope())
        return first

    def _count_failure(self, tx: Tx, queued: Queued, failure: SendFailure, now: datetime) -> None:
        """An item steps aside when it alone keeps failing: a way that lets nobody through is not the item's fault."""
        failures = queued.failures + 1
        alone = failures >= _TRIES_BEFORE_ASIDE and outbox.passed_since(tx, queued.failing_since or now)
        aside = failure.trouble is Trouble.ITEM_FOR_GOOD or alone
        problem = Problem(failure.code, failure.reason)
        outbox.failed(tx, queued.item, problem, now, now + backoff.delay(failures, self._draw), aside=aside)
        if aside:
            body = {**queued.item.envelope(), "problem": failure.code, "reason": failure.reason}
            audit.append(tx, self._clock(), "", "needs_attention", queued.item.uid, body)

    def _close_channel(self, failure: SendFailure) -> Problem:
        problem = Problem(failure.code, failure.reason)
        with self._journal.transaction() as tx:
            before = outbox.channel(tx)
            failures, paused = before.failures + 1, failure.trouble is Trouble.NOT_ALLOWED
            wait = backoff.LONGEST if paused else backoff.delay(failures, self._draw)
            outbox.set_channel(tx, Channel(failures, self._clock() + wait, problem, paused, before.last_success_at))
        return problem

    def _read_receipts(self, transport: Transport) -> int:
        with self._journal.reading() as tx:
            waiting = outbox.unanswered(tx)
        found = 0
        for queued in waiting:
            receipt = transport.receipt(queued.item)
            if receipt is not None:
                found += self._keep_receipt(queued, receipt)
        return found

    def _keep_receipt(self, queued: Queued, receipt: PlantReceipt) -> bool:
        """A receipt for other bytes than ours is no receipt: someone else used this key, or the file was touched."""
        item = queued.item
        with self._journal.transaction() as tx:
            if receipt.sha256 != item.sha256:
                if queued.delivery is not Delivery.NEEDS_ATTENTION:
                    problem, now = Problem("receipt_mismatch", item.uid), self._clock()
                    outbox.failed(tx, item, problem, now, now, aside=True)
                    audit.append(tx, now, "", "needs_attention", item.uid, {**item.envelope(), "problem": problem.code})
                return False
            delivery = Delivery.ACCEPTED if receipt.accepted else Delivery.REFUSED
            first = outbox.answered(tx, item, delivery, receipt.number, receipt.reason, receipt.body)
            if first:
                body = {**item.envelope(), "plant_number": receipt.number, "reason": receipt.reason}
                audit.append(tx, self._clock(), "", delivery, item.uid, body)
        return first
