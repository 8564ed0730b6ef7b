"""The queue keeps its order within a machine, its bytes, and its pace; a lease lets one at it."""

from datetime import timedelta

import apsw
import pytest

from desktop.domain.canonical import sha256
from desktop.domain.work_request import Delivery, OutboxItem
from desktop.store import leases, outbox
from desktop.store.journal import Journal, Tx
from desktop.store.outbox import Channel, Problem
from tests.fakes.desk import NOW

LATER = NOW + timedelta(seconds=5)


def add(tx: Tx, uid: str, equipment_id: str) -> OutboxItem:
    body = uid.encode()
    item = OutboxItem("request", uid, 1, "P07", outbox.next_seq(tx, "P07"), body, sha256(body))
    outbox.add(tx, item, equipment_id, NOW)
    return item


def due(tx: Tx) -> str | None:
    queued = outbox.due(tx, NOW)
    return queued.item.uid if queued else None


def test_order_is_kept_within_a_machine_and_machines_are_independent(journal: Journal) -> None:
    with journal.transaction() as tx:
        first, second, other = add(tx, "a1", "EQ-1"), add(tx, "a2", "EQ-1"), add(tx, "b1", "EQ-2")
        assert [first.seq, second.seq, other.seq] == [1, 2, 3]
        assert due(tx) == "a1"
        outbox.failed(tx, first, Problem("x"), NOW, LATER, aside=False)
        assert due(tx) == "b1"
        assert outbox.delivered(tx, other, LATER)
        assert due(tx) is None
        assert outbox.next_at(tx) == NOW
        outbox.failed(tx, first, Problem("x"), NOW, LATER, aside=True)
        assert due(tx) == "a2"


def test_an_item_left_in_sending_by_a_dead_process_comes_again(journal: Journal) -> None:
    with journal.transaction() as tx:
        item = add(tx, "a1", "EQ-1")
        outbox.begin(tx, item)
        assert outbox.counts(tx)[Delivery.SENDING] == 1
        assert due(tx) == "a1"
        assert outbox.delivered(tx, item, NOW)
        assert not outbox.delivered(tx, item, NOW)
        assert due(tx) is None
        assert outbox.counts(tx)[Delivery.HANDED_OVER] == 1
        assert [queued.item for queued in outbox.unanswered(tx)] == [item]


def test_failures_count_from_the_first_and_a_way_that_is_closed_is_none(journal: Journal) -> None:
    with journal.transaction() as tx:
        item = add(tx, "a1", "EQ-1")
        outbox.begin(tx, item)
        outbox.put_back(tx, item)
        queued = outbox.due(tx, NOW)
        assert queued is not None
        assert (queued.failures, queued.failing_since, queued.problem) == (0, None, None)
        outbox.failed(tx, item, Problem("x", "詳細"), NOW, NOW, aside=False)
        outbox.failed(tx, item, Problem("y", "詳細"), LATER, NOW, aside=False)
        queued = outbox.due(tx, NOW)
        assert queued is not None
        assert (queued.failures, queued.failing_since, queued.problem) == (2, NOW, Problem("y", "詳細"))


def test_what_stepped_aside_queues_again_only_when_asked(journal: Journal) -> None:
    with journal.transaction() as tx:
        item = add(tx, "a1", "EQ-1")
        assert not outbox.try_again(tx, "a1", NOW)
        outbox.failed(tx, item, Problem("x"), NOW, LATER, aside=True)
        outbox.wait_no_longer(tx, NOW)
        assert due(tx) is None
        assert outbox.try_again(tx, "a1", NOW)
        assert due(tx) == "a1"


def test_the_same_item_or_sequence_number_never_twice(journal: Journal) -> None:
    with journal.transaction() as tx:
        item = add(tx, "a1", "EQ-1")
    clone = OutboxItem("request", "other", 1, "P07", item.seq, b"x", sha256(b"x"))
    for again in (item, clone):
        with pytest.raises(apsw.ConstraintError), journal.transaction() as tx:
            outbox.add(tx, again, "EQ-1", NOW)


def test_the_channel_remembers(journal: Journal) -> None:
    with journal.transaction() as tx:
        assert outbox.channel(tx) == Channel()
        for channel in (Channel(3, LATER, Problem("x", "y"), True, NOW), Channel(last_success_at=LATER)):
            outbox.set_channel(tx, channel)
            assert outbox.channel(tx) == channel


def test_a_lease_is_one_owners_until_it_ends(journal: Journal) -> None:
    term = timedelta(seconds=30)
    with journal.transaction() as tx:
        assert leases.take(tx, "outbox", "me", NOW, term)
        assert not leases.take(tx, "outbox", "you", NOW + term - timedelta(microseconds=1), term)
        assert leases.take(tx, "outbox", "me", LATER, term)
        assert not leases.take(tx, "outbox", "you", NOW + term, term)
        assert leases.take(tx, "run:1", "you", NOW, term)
        assert leases.take(tx, "outbox", "you", LATER + term, term)
        assert not leases.take(tx, "outbox", "me", LATER + term, term)
        leases.release(tx, "outbox", "me")
        assert not leases.take(tx, "outbox", "me", LATER + term, term)
        leases.release(tx, "outbox", "you")
        assert leases.take(tx, "outbox", "me", LATER + term, term)


def test_no_step_leads_back_from_what_the_plant_answered(journal: Journal) -> None:
    with journal.transaction() as tx:
        item = add(tx, "a1", "EQ-1")
        assert not outbox.passed_since(tx, NOW)
        outbox.delivered(tx, item, NOW)
        assert outbox.passed_since(tx, NOW)
        assert not outbox.passed_since(tx, LATER)
        assert outbox.answered(tx, item, Delivery.ACCEPTED, "CM-1", "", {})
        assert not outbox.answered(tx, item, Delivery.REFUSED, "", "x", {})
        outbox.put_back(tx, item)
        outbox.begin(tx, item)
        outbox.failed(tx, item, Problem("x"), NOW, NOW, aside=True)
        assert not outbox.delivered(tx, item, LATER)
        assert outbox.counts(tx)[Delivery.ACCEPTED] == 1
