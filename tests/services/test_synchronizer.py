"""What was approved leaves once, in order, at its pace; what can't leave says why and loses nothing."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from desktop.domain.work_request import Delivery, OutboxItem, WorkRequest
from desktop.errors import KnownError, known_codes
from desktop.services.synchronizer import Synchronizer, SyncReport
from desktop.store import audit, outbox, requests
from desktop.store.outbox import Problem
from desktop.sync.folder import Folder, name
from desktop.sync.transport import PlantReceipt, SendFailure, Trouble
from tests.fakes.desk import NOW, Desk, open_desk, request_draft


class Road:
    """A way out that fails as told: by item title, or as a whole; remembers what passed and in which order."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.bad: dict[str, Trouble] = {}
        self.closed: Trouble | None = None
        self.tries = 0

    def prepare(self) -> None:
        self.tries += 1
        if self.closed:
            raise SendFailure(self.closed, "sync_folder_unreachable", "線が抜けている")

    def send(self, item: OutboxItem) -> None:
        title = json.loads(item.body)["title"]
        if title in self.bad:
            raise SendFailure(self.bad[title], "sync_item_conflict", title)
        self.passed.append(title)

    def receipt(self, item: OutboxItem) -> PlantReceipt | None:
        return None


@pytest.fixture
def share(tmp_path: Path) -> Path:
    root = tmp_path / "share"
    root.mkdir()
    return root


@pytest.fixture
def road() -> Road:
    return Road()


def over(desk: Desk, transport: Road | Folder, jitter: float = 0.5) -> Synchronizer:
    return Synchronizer(desk.journal, transport, clock=desk.clock, draw=lambda: jitter)


def to_folder(desk: Desk, share: Path) -> Synchronizer:
    return over(desk, Folder(share, "P07", desk.journal.journal_id))


def approve(desk: Desk, *titles: str, machine: str = "EQ-003") -> list[WorkRequest]:
    made = []
    for title in titles:
        request = desk.approve(desk.propose(request_draft(title=title, equipment_id=machine))).request
        assert request is not None
        made.append(request)
    return made


def item_of(desk: Desk, uid: str) -> OutboxItem:
    with desk.journal.reading() as tx:
        return next(queued.item for queued in outbox.unanswered(tx) if queued.item.uid == uid)


def delivery(desk: Desk, number: str) -> WorkRequest:
    with desk.journal.reading() as tx:
        found = requests.work_request(tx, number)
    assert found is not None
    return found


def actions(desk: Desk) -> list[str]:
    return [row["action"] for row in desk.rows("SELECT action FROM audit ORDER BY seq")]


@pytest.fixture(autouse=True)
def whole_trail(desk: Desk) -> Iterator[None]:
    yield
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole


def test_approved_requests_become_files_once(desk: Desk, share: Path) -> None:
    first, second = approve(desk, "一", "二")
    sync = to_folder(desk, share)
    assert sync.status().unsent == 2
    assert sync.run_once() == SyncReport(sent=2)
    assert sync.run_once() == SyncReport()
    files = sorted(share.rglob("*.json"))
    assert [json.loads(file.read_bytes())["number"] for file in files] == [first.number, second.number]
    assert files[0].read_bytes() == item_of(desk, first.proposal_id).body
    assert delivery(desk, first.number).delivery is Delivery.HANDED_OVER
    status = sync.status()
    assert (status.unsent, status.last_success_at, status.next_at, status.problem) == (0, NOW, None, None)
    assert actions(desk).count("handed_over") == 2


def test_the_plants_answers_come_back_with_number_or_reason(desk: Desk, share: Path) -> None:
    yes, no, silent = approve(desk, "一", "二", "三")
    sync = to_folder(desk, share)
    sync.run_once()
    place = share / "receipts" / "P07"
    place.mkdir(parents=True)
    for request, body in (
        (yes, {"status": "accepted", "number": "CM-77"}),
        (no, {"status": "refused", "reason": "廃止"}),
    ):
        item = item_of(desk, request.proposal_id)
        (place / name(item)).write_text(json.dumps({**body, "sha256": item.sha256}), encoding="utf-8")
    assert sync.run_once() == SyncReport(answered=2)
    assert sync.run_once() == SyncReport()
    told = [delivery(desk, request.number) for request in (yes, no, silent)]
    assert [each.delivery for each in told] == [Delivery.ACCEPTED, Delivery.REFUSED, Delivery.HANDED_OVER]
    assert (told[0].plant_number, told[1].refusal) == ("CM-77", "廃止")
    assert json.loads(desk.rows("SELECT receipt FROM outbox WHERE seq = 1")[0]["receipt"])["number"] == "CM-77"


def test_a_receipt_before_the_hand_over_was_noted_counts(desk: Desk, share: Path) -> None:
    (request,) = approve(desk, "一")
    item = item_of(desk, request.proposal_id)
    with desk.journal.transaction() as tx:
        outbox.begin(tx, item)
    place = share / "receipts" / "P07"
    place.mkdir(parents=True)
    body = {"status": "accepted", "number": "CM-1", "sha256": item.sha256}
    (place / name(item)).write_text(json.dumps(body), encoding="utf-8")
    assert to_folder(desk, share).run_once() == SyncReport(answered=1)
    assert list((share / "outbox").rglob("*.json")) == []


def test_a_receipt_for_other_bytes_needs_attention_once(desk: Desk, share: Path) -> None:
    (request,) = approve(desk, "一")
    sync = to_folder(desk, share)
    sync.run_once()
    place = share / "receipts" / "P07"
    place.mkdir(parents=True)
    item = item_of(desk, request.proposal_id)
    (place / name(item)).write_text('{"status": "accepted", "sha256": "00"}', encoding="utf-8")
    assert sync.run_once() == sync.run_once() == SyncReport()
    assert delivery(desk, request.number).delivery is Delivery.NEEDS_ATTENTION
    assert actions(desk).count("needs_attention") == 1


def test_nothing_is_sent_where_no_target_is_set(desk: Desk) -> None:
    approve(desk, "一")
    sync = Synchronizer(desk.journal, None, clock=desk.clock)
    assert sync.run_once() == SyncReport()
    assert sync.status().unsent == 1


def test_a_closed_way_is_tried_again_later_and_later_over_a_restart(desk: Desk, road: Road) -> None:
    approve(desk, "一")
    road.closed = Trouble.UNREACHABLE
    waits = []
    for _ in range(4):
        sync = over(desk, road)
        report = sync.run_once()
        assert report == SyncReport(problem=Problem("sync_folder_unreachable", "線が抜けている"))
        next_at = sync.status().next_at
        assert next_at is not None
        waits.append(next_at - desk.clock.now)
        assert over(desk, road).run_once() == report
        desk.clock.now = next_at
    assert waits == [timedelta(seconds=seconds) for seconds in (0.5, 1, 2, 4)]
    assert road.tries == 4
    assert not over(desk, road).status().paused
    road.closed = None
    assert over(desk, road).run_once() == SyncReport(sent=1)
    status = over(desk, road).status()
    assert (status.problem, status.next_at) == (None, None)


def test_sync_now_waits_for_no_backoff(desk: Desk, road: Road) -> None:
    approve(desk, "一")
    road.closed = Trouble.UNREACHABLE
    over(desk, road).run_once()
    road.closed = None
    assert over(desk, road).run_once().sent == 0
    assert over(desk, road).run_once(at_once=True) == SyncReport(sent=1)
    approve(desk, "二")
    road.bad["二"] = Trouble.ITEM
    over(desk, road).run_once()
    road.bad.clear()
    assert over(desk, road).run_once().sent == 0
    assert over(desk, road).run_once(at_once=True) == SyncReport(sent=1)


def test_a_way_without_rights_pauses_everything_and_deletes_nothing(desk: Desk, road: Road) -> None:
    approve(desk, "一")
    road.bad["一"] = Trouble.NOT_ALLOWED
    sync = over(desk, road)
    assert sync.run_once().problem == Problem("sync_item_conflict", "一")
    status = sync.status()
    assert (status.paused, status.unsent, status.counts[Delivery.QUEUED]) == (True, 1, 1)
    assert status.next_at == NOW + timedelta(minutes=15)
    desk.clock.forward(minutes=14)
    sync.run_once()
    assert road.tries == 1
    road.bad.clear()
    desk.clock.forward(minutes=1)
    assert sync.run_once() == SyncReport(sent=1)
    assert not sync.status().paused


def test_one_bad_item_steps_aside_while_the_others_pass(desk: Desk, road: Road) -> None:
    (poison,) = approve(desk, "毒")
    approve(desk, "後", machine="EQ-003")
    road.bad["毒"] = Trouble.ITEM
    sync = over(desk, road)
    for round_number in range(5):
        assert delivery(desk, poison.number).delivery is Delivery.QUEUED
        approve(desk, f"他{round_number}", machine="EQ-009")
        sync.run_once()
        desk.clock.forward(minutes=1)
    assert delivery(desk, poison.number).delivery is Delivery.NEEDS_ATTENTION
    assert road.passed == ["他0", "他1", "他2", "他3", "後", "他4"]
    assert sync.status().counts[Delivery.NEEDS_ATTENTION] == 1
    road.bad.clear()
    sync.retry(poison.number)
    assert actions(desk)[-1] == "send_again"
    assert sync.run_once() == SyncReport(sent=1)


def test_an_item_that_is_alone_is_tried_for_ever(desk: Desk, road: Road) -> None:
    (request,) = approve(desk, "毒")
    road.bad["毒"] = Trouble.ITEM
    for _ in range(12):
        over(desk, road).run_once()
        desk.clock.forward(minutes=16)
    assert delivery(desk, request.number).delivery is Delivery.QUEUED


def test_what_can_never_go_steps_aside_at_once_and_is_named(desk: Desk, share: Path) -> None:
    first, second = approve(desk, "一", "二")
    place = share / "outbox" / "P07"
    place.mkdir(parents=True)
    (place / name(item_of(desk, first.proposal_id))).write_bytes(b"someone else's")
    assert to_folder(desk, share).run_once() == SyncReport(sent=1)
    assert delivery(desk, first.number).delivery is Delivery.NEEDS_ATTENTION
    assert delivery(desk, second.number).delivery is Delivery.HANDED_OVER
    (row,) = desk.rows("SELECT problem FROM outbox WHERE seq = 1")
    assert json.loads(row["problem"])[0] in known_codes()


def test_retry_is_for_what_stepped_aside(desk: Desk, road: Road) -> None:
    (request,) = approve(desk, "一")
    for number, code in (("WR-9", "request_unknown"), (request.number, "retry_not_needed")):
        with pytest.raises(KnownError) as refused:
            over(desk, road).retry(number)
        assert refused.value.code == code


def test_while_one_sends_the_other_stands_back(desk: Desk, road: Road) -> None:
    approve(desk, "一", "二")
    inner: list[SyncReport] = []
    other = over(open_desk(desk.journal.file.parent), road)

    class Slow(Road):
        def send(self, item: OutboxItem) -> None:
            inner.append(other.run_once())
            assert other.status().counts[Delivery.SENDING] == 1
            super().send(item)

    slow = Slow()
    assert over(desk, slow).run_once() == SyncReport(sent=2)
    assert inner == [SyncReport(busy=True)] * 2
    assert (slow.passed, road.passed) == (["一", "二"], [])


def test_whose_lease_ran_out_stops_and_the_next_one_goes_on(desk: Desk, road: Road) -> None:
    approve(desk, "一", "二", "三")
    other_desk = open_desk(desk.journal.file.parent)
    other_desk.clock = desk.clock
    other = Synchronizer(other_desk.journal, road, clock=desk.clock, draw=lambda: 0.5)

    class Stuck(Road):
        def send(self, item: OutboxItem) -> None:
            super().send(item)
            desk.clock.forward(seconds=31)
            assert other.run_once().sent == 3

    stuck = Stuck()
    assert over(desk, stuck).run_once() == SyncReport()
    assert actions(desk).count("handed_over") == 3
    assert (stuck.passed, road.passed) == (["一"], ["一", "二", "三"])
