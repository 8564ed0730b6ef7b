"""One file an item, whole or not at all, and the plant's receipts beside."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.domain.canonical import sha256
from desktop.domain.work_request import OutboxItem
from desktop.errors import known_codes
from desktop.sync.folder import Folder, Shown, name, shown
from desktop.sync.transport import SendFailure, Trouble

BODY = '{"kind":"request","title":"充填ノズルの点検"}'.encode()
ITEM = OutboxItem("request", "0193a5b0-0000-7000-8000-000000000001", 2, "P07", 12, BODY, sha256(BODY))
FILE = "00000012_request_0193a5b0-0000-7000-8000-000000000001_r2.json"


@pytest.fixture
def share(tmp_path: Path) -> Path:
    root = tmp_path / "共有"
    root.mkdir()
    return root


@pytest.fixture
def folder(share: Path) -> Iterator[Folder]:
    made = Folder(share, "P07", "journal-1")
    made.prepare()
    yield made
    assert list(share.rglob("*.tmp")) == []


def failure(act: object) -> tuple[Trouble, str]:
    with pytest.raises(SendFailure) as failed:
        act()  # type: ignore[operator]
    assert failed.value.code in known_codes()
    return failed.value.trouble, failed.value.code


def receipts(share: Path) -> Path:
    place = share / "receipts" / "P07"
    place.mkdir(parents=True, exist_ok=True)
    return place / FILE


def test_an_item_is_its_bytes_under_its_name(folder: Folder, share: Path) -> None:
    assert name(ITEM) == FILE
    folder.send(ITEM)
    assert [file.name for file in share.rglob("*.json")] == [FILE]
    assert (share / "outbox" / "P07" / FILE).read_bytes() == BODY


@pytest.mark.skipif(os.name != "posix", reason="Windows syncs no folder")
def test_the_bytes_are_on_the_disk_before_the_name_and_the_name_before_we_say_so(
    folder: Folder, share: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[bool, int, bool]] = []
    fsync = os.fsync

    def note(handle: int) -> None:
        status = os.fstat(handle)
        named = (share / "outbox" / "P07" / FILE).exists()
        synced.append((stat.S_ISDIR(status.st_mode), 0 if stat.S_ISDIR(status.st_mode) else status.st_size, named))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    folder.send(ITEM)
    assert synced == [(False, len(BODY), False), (True, 0, True)]


def test_sending_again_changes_nothing(folder: Folder, share: Path) -> None:
    folder.send(ITEM)
    before = (share / "outbox" / "P07" / FILE).stat()
    folder.send(ITEM)
    after = (share / "outbox" / "P07" / FILE).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_other_content_under_the_name_is_never_overwritten(folder: Folder, share: Path) -> None:
    target = share / "outbox" / "P07" / FILE
    target.write_bytes(b"other")
    assert failure(lambda: folder.send(ITEM)) == (Trouble.ITEM_FOR_GOOD, "sync_item_conflict")
    assert target.read_bytes() == b"other"
    target.unlink()
    target.mkdir()
    assert failure(lambda: folder.send(ITEM)) == (Trouble.ITEM_FOR_GOOD, "sync_item_conflict")


def test_a_share_that_is_not_there_is_not_made_on_this_disk(tmp_path: Path) -> None:
    away = Folder(tmp_path / "away", "P07", "journal-1")
    assert failure(away.prepare) == (Trouble.UNREACHABLE, "sync_folder_missing")
    assert not (tmp_path / "away").exists()


def test_a_share_that_goes_away_in_between_is_unreachable(folder: Folder, share: Path, tmp_path: Path) -> None:
    share.rename(tmp_path / "elsewhere")
    assert failure(lambda: folder.send(ITEM)) == (Trouble.UNREACHABLE, "sync_folder_unreachable")
    (tmp_path / "elsewhere").rename(share)


def test_another_pc_with_the_same_station_code_is_told_apart(folder: Folder, share: Path) -> None:
    other = Folder(share, "P07", "journal-2")
    assert failure(other.prepare) == (Trouble.NOT_ALLOWED, "station_code_taken")
    Folder(share, "P08", "journal-2").prepare()
    Folder(share, "P07", "journal-1").prepare()


def test_the_next_life_of_a_journal_takes_over_its_predecessors_place_and_no_others(
    folder: Folder, share: Path
) -> None:
    folder.send(ITEM)
    taken = (Trouble.NOT_ALLOWED, "station_code_taken")
    assert failure(Folder(share, "P07", "life-2", ("life-0", "journal-2")).prepare) == taken
    Folder(share, "P07", "life-1", ("journal-1",)).prepare()
    assert failure(folder.prepare) == taken
    Folder(share, "P07", "life-1").prepare()
    twin = Folder(share, "P07", "life-1b", ("journal-1",))
    assert failure(twin.prepare) == taken
    (share / "outbox" / "P07" / ".station").unlink()
    twin.prepare()
    assert failure(Folder(share, "P07", "life-1", ("journal-1",)).prepare) == taken


def test_a_mark_that_a_power_cut_emptied_is_nobodys_to_take(share: Path, folder: Folder) -> None:
    (share / "outbox" / "P07" / ".station").write_bytes(b"")
    again = Folder(share, "P07", "life-1", ("journal-1",))
    assert failure(again.prepare) == (Trouble.NOT_ALLOWED, "station_code_taken")


@pytest.mark.parametrize("place", ["outbox", "receipts"])
@pytest.mark.parametrize("kind", ["request", "note"])
def test_one_number_never_goes_for_two_requests(folder: Folder, share: Path, place: str, kind: str) -> None:
    (share / place / "P07").mkdir(parents=True, exist_ok=True)
    other = share / place / "P07" / f"00000012_{kind}_0193a5b0-0000-7000-8000-000000000099_r1.json"
    other.write_bytes(b"{}")
    assert failure(lambda: folder.send(ITEM)) == (Trouble.ITEM_FOR_GOOD, "sync_number_taken")
    assert not (share / "outbox" / "P07" / FILE).exists()
    next_one = OutboxItem("request", ITEM.uid, 2, "P07", 13, BODY, sha256(BODY))
    folder.send(next_one)
    assert (share / "outbox" / "P07" / name(next_one)).exists()


def test_what_a_dead_process_left_half_written_is_cleared_away(folder: Folder, share: Path) -> None:
    (share / "outbox" / "P07" / f".{FILE}.4711.tmp").write_bytes(BODY[:10])
    folder.prepare()
    folder.send(ITEM)
    assert [file.name for file in (share / "outbox" / "P07").glob("*.json")] == [FILE]


@contextmanager
def without_rights(share: Path) -> Iterator[None]:
    """The folder read-only, and ourselves no longer root, whom no mode stops."""
    share.chmod(0o555)
    for parent in list(share.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)
        share.chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_share_without_rights_pauses_the_queue(share: Path) -> None:
    with without_rights(share):
        assert failure(Folder(share, "P07", "journal-1").prepare) == (Trouble.NOT_ALLOWED, "sync_folder_forbidden")


@pytest.mark.parametrize("accepted", [True, False])
def test_a_receipt_is_read_back(folder: Folder, share: Path, accepted: bool) -> None:
    assert folder.receipt(ITEM) is None
    body = {"status": "accepted" if accepted else "refused", "sha256": ITEM.sha256, "number": "CM-77", "reason": "廃止"}
    receipts(share).write_text(json.dumps(body), encoding="utf-8")
    receipt = folder.receipt(ITEM)
    assert receipt is not None
    assert (receipt.accepted, receipt.sha256, receipt.number, receipt.reason) == (
        accepted,
        ITEM.sha256,
        "CM-77",
        "廃止",
    )
    assert receipt.body == body


@pytest.mark.parametrize(
    "body",
    [b"", b'{"status": "accep', b"[]", b"null", b'{"status": "accepted"}', b'{"status":"x","sha256":"a"}', b"\xff"],
)
def test_half_a_receipt_is_none_yet(folder: Folder, share: Path, body: bytes) -> None:
    receipts(share).write_bytes(body)
    assert folder.receipt(ITEM) is None


UID = ITEM.uid


@pytest.mark.parametrize("place", ["outbox", "receipts"])
@pytest.mark.parametrize("revision", [1, 2, 3])
def test_one_request_never_goes_under_two_numbers(folder: Folder, share: Path, place: str, revision: int) -> None:
    """Approved before a restore as 3, approved once more after it as 12."""
    (share / place / "P07").mkdir(parents=True, exist_ok=True)
    earlier = share / place / "P07" / f"00000003_request_{UID}_r{revision}.json"
    earlier.write_bytes(b"{}")
    assert failure(lambda: folder.send(ITEM)) == (Trouble.ITEM_FOR_GOOD, "sync_already_sent")
    assert not (share / "outbox" / "P07" / FILE).exists()
    other = OutboxItem("note", UID, 2, "P07", 13, BODY, sha256(BODY))
    folder.send(other)
    assert (share / "outbox" / "P07" / name(other)).exists()


def test_what_was_collected_and_cleared_away_may_be_sent_again_under_its_own_number(
    folder: Folder, share: Path
) -> None:
    receipts(share).write_text("{}", encoding="utf-8")
    folder.send(ITEM)
    assert (share / "outbox" / "P07" / FILE).read_bytes() == BODY


def test_each_round_looks_anew_at_what_went(folder: Folder, share: Path) -> None:
    folder.send(ITEM)
    again = OutboxItem("request", UID, 2, "P07", 13, BODY, sha256(BODY))
    folder.prepare()
    assert failure(lambda: folder.send(again)) == (Trouble.ITEM_FOR_GOOD, "sync_already_sent")


def test_the_folder_tells_what_a_station_has_used_and_sent(folder: Folder, share: Path) -> None:
    assert shown(share, "P07") == Shown(0, {})
    assert shown(share, "P09") == Shown(0, {})
    folder.send(ITEM)
    assert shown(share, "P07") == Shown(12, {("request", UID): FILE})
    receipt = "00000019_request_0193a5b0-0000-7000-8000-000000000009_r1.json"
    receipts(share).with_name(receipt).write_bytes(b"{}")
    (share / "outbox" / "P07" / "notes.txt").write_text("x", encoding="utf-8")
    assert shown(share, "P07").last == 19


def test_a_request_numbered_higher_than_its_item_counts(share: Path, folder: Folder) -> None:
    body = b'{"number":"WR-P07-0044"}'
    folder.send(OutboxItem("request", UID, 1, "P07", 12, body, sha256(body)))
    assert shown(share, "P07").last == 44


def test_a_folder_that_is_not_there_tells_nothing_and_says_so(tmp_path: Path) -> None:
    assert failure(lambda: shown(tmp_path / "away", "P07")) == (Trouble.UNREACHABLE, "sync_folder_missing")
