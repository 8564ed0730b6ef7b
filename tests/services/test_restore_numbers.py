"""After a restore no number is given twice and no request reaches the plant twice."""

import json
import shutil
from pathlib import Path

import keyring.backends.fail
import pytest

from tests.fakes.keyrings import MemoryKeyring, use_keyring
from tests.fakes.workstation import HARMS, Workstation, approve, problems, queue, titles


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """The sync folder of `station`."""
    return tmp_path / "share"


def items(share: Path) -> list[dict[str, str]]:
    """What the plant finds."""
    return [json.loads(file.read_bytes()) for file in sorted((share / "outbox" / "P07").glob("*.json"))]


@pytest.mark.parametrize("lost", [False, True])
def test_no_number_is_given_twice_while_journal_or_folder_remembers(
    station: Workstation, share: Path, tmp_path: Path, lost: bool
) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    names = [f"後 {n}" for n in range(4)]
    approve(station, *names)
    desk = station.open()
    station.send(desk)
    desk.journal.close()
    used = {item["number"] for item in items(share)}
    assert len(used) == 5
    if lost:
        shutil.rmtree(station.data.root)
    document = station.restore(tmp_path / "b.zip")
    assert (document["numbers"]["seen"], document["numbers"]["next"]) == (5, 2001)
    approve(station, "新しい")
    desk = station.open()
    station.send(desk)
    assert set(titles(desk)) - {"WR-P07-0001"} == {"WR-P07-2001"}
    assert problems(desk) == []
    desk.journal.close()
    assert [(item["seq"], item["number"]) for item in items(share)][-1] == (2001, "WR-P07-2001")


def test_without_the_folder_and_the_journal_it_leaves_room_by_days(station: Workstation, tmp_path: Path) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    shutil.rmtree(station.data.root)
    assert station.share is not None
    station.share.rmdir()
    station.clock.forward(days=30)
    document = station.restore(tmp_path / "b.zip")
    assert document["numbers"] == {
        "before": {"WR-P07": 1, "seq/P07": 1},
        "seen": 1,
        "next": 5001,
        "sync_folder": "unreachable",
    }


def test_the_present_journal_is_read_for_what_it_gave_since(tmp_path: Path, cheap_pins: None) -> None:
    """No folder, and no copy since."""
    ring = MemoryKeyring()
    with use_keyring(ring):
        station = Workstation(tmp_path / "data", ring, None)
        approve(station, "前")
        station.back_up(tmp_path / "b.zip")
        approve(station, "後 1", "後 2")
        document = station.restore(tmp_path / "b.zip")
    assert document["numbers"] == {
        "before": {"WR-P07": 1, "seq/P07": 1},
        "seen": 3,
        "next": 2001,
        "sync_folder": "none",
    }


def test_a_damaged_journal_is_still_read_for_its_copies_numbers(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    approve(station, *(f"後 {n}" for n in range(3)))
    station.clock.forward(hours=2)
    station.open().journal.close()
    HARMS["corrupt"](station)
    assert station.restore(tmp_path / "b.zip")["numbers"]["seen"] == 3


def test_a_station_code_set_after_the_backup_does_not_begin_at_one(tmp_path: Path, cheap_pins: None) -> None:
    with use_keyring(MemoryKeyring()) as _:
        station = Workstation(tmp_path / "data", keyring.get_keyring(), None)  # type: ignore[arg-type]
        desk = station.open()
        desk.journal.close()
        station.back_up(tmp_path / "b.zip")
        station.restore(tmp_path / "b.zip")
        approve(station, "最初")
        desk = station.open()
        assert titles(desk) == {"WR-P07-1001": "最初"}
        desk.journal.close()


def test_what_was_queued_in_the_backup_and_sent_since_is_one_item(
    station: Workstation, share: Path, tmp_path: Path
) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    desk = station.open()
    station.send(desk)
    desk.journal.close()
    sent = (share / "outbox" / "P07").glob("*.json")
    before = {file.name: (file.read_bytes(), file.stat().st_ino) for file in sent}
    station.restore(tmp_path / "b.zip")
    desk = station.open()
    assert queue(desk) == {"WR-P07-0001": "queued"}
    station.send(desk)
    assert queue(desk) == {"WR-P07-0001": "handed_over"}
    desk.journal.close()
    sent = (share / "outbox" / "P07").glob("*.json")
    assert {file.name: (file.read_bytes(), file.stat().st_ino) for file in sent} == before


@pytest.mark.parametrize("again", ["same words", "other words"])
def test_a_proposal_decided_since_comes_back_pending_and_never_becomes_two_requests(
    station: Workstation, share: Path, tmp_path: Path, again: str
) -> None:
    desk = station.open()
    proposal = desk.propose()
    desk.journal.close()
    station.back_up(tmp_path / "b.zip")
    desk = station.open()
    desk.approve(proposal)
    station.send(desk)
    desk.journal.close()
    document = station.restore(tmp_path / "b.zip")
    assert document["pending"] == 1
    (known,) = document["sent_already"]
    assert (known["title"], known["file"]) == (
        proposal.title,
        f"00000001_request_{proposal.proposal_id}_r1.json",
    )
    desk = station.open()
    (waiting,) = desk.approvals.pending()
    if again == "other words":
        station.clock.forward(hours=1)
    request = desk.approve(waiting).request
    assert request is not None
    assert request.number == "WR-P07-2001"
    station.send(desk)
    station.send(desk)
    assert [item["uid"] for item in items(share)] == [proposal.proposal_id]
    assert queue(desk) == {"WR-P07-2001": "needs_attention"}
    assert problems(desk) == ["sync_already_sent"]
    desk.journal.close()
