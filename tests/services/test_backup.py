"""A backup is whole or not there, taken from under open windows, and says what it is worth without its key."""

import hashlib
import json
import os
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from desktop.errors import KnownError
from desktop.services.backup import back_up
from desktop.services.backup_file import Backup
from desktop.store import audit
from tests.fakes.desk import request_draft
from tests.fakes.workstation import ORIGINAL, SNAPSHOT, Workstation, told


def code(act: object) -> str:
    with pytest.raises(KnownError) as refused:
        act()  # type: ignore[operator]
    return refused.value.code


def test_it_holds_what_the_workstation_is_and_nothing_else(station: Workstation, tmp_path: Path) -> None:
    document = station.back_up(tmp_path / "b.zip")
    original = hashlib.sha256(ORIGINAL).hexdigest()
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert set(archive.namelist()) == {
            *("journal.db", "journal.key.json", "journal.id", "settings.toml", "manifest.json"),
            *("snapshots/current.json", f"snapshots/{SNAPSHOT}", f"files/{original}"),
        }
        manifest = json.loads(archive.read("manifest.json"))
        for name, part in manifest["parts"].items():
            body = archive.read(name)
            assert (len(body), hashlib.sha256(body).hexdigest()) == (part["size"], part["sha256"])
    assert (manifest["schema"], manifest["station"], manifest["made_at"]) == (1, "P07", "2026-11-30T09:00:00+00:00")
    assert manifest["journal_id"] == document["journal_id"]
    assert document["sha256"] == hashlib.sha256((tmp_path / "b.zip").read_bytes()).hexdigest()
    assert document["plain"] == ["files", "settings.toml", "snapshots"]
    assert document["originals"] == 1


def test_the_key_is_nowhere_in_it(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    assert station.ring is not None
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        for body in [*map(archive.read, archive.namelist()), (tmp_path / "b.zip").read_bytes()]:
            for secret in station.ring.kept.values():
                assert secret.encode() not in body
                assert bytes.fromhex(secret) not in body


def test_it_is_noted_and_says_that_its_key_is_here_only(station: Workstation, tmp_path: Path) -> None:
    document = station.back_up(tmp_path / "b.zip")
    assert document["key"] == {"kept_in": "memory", "escrowed": None}
    desk = station.open()
    assert told(desk, "backed_up") == [{"file": str(tmp_path / "b.zip"), "sha256": document["sha256"]}]
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    desk.journal.close()


def test_work_goes_on_while_it_is_taken(station: Workstation, tmp_path: Path) -> None:
    """Every proposal is in it whole or not at all, and what was there before it began is in it."""
    desk = station.open()
    services = station.services(desk)
    first = [desk.propose(request_draft(title=f"前 {n}")).proposal_id for n in range(5)]
    stop = threading.Event()

    def work() -> None:
        n = 0
        while not stop.is_set():
            desk.propose(request_draft(title=f"間 {n}"))
            n += 1

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for n in range(5):
            back_up(services, tmp_path / f"{n}.zip")
    finally:
        stop.set()
        worker.join()
    desk.journal.close()
    station.restore(tmp_path / "4.zip")
    desk = station.open()
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    assert {proposal.proposal_id for proposal in desk.approvals.pending()} >= set(first)
    desk.journal.close()


def test_nothing_is_overwritten_and_a_used_name_costs_no_copy(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    before, copies = (tmp_path / "b.zip").read_bytes(), list((station.data.root / "copies").iterdir())
    assert code(lambda: station.back_up(tmp_path / "b.zip")) == "backup_exists"
    assert (tmp_path / "b.zip").read_bytes() == before
    assert list((station.data.root / "copies").iterdir()) == copies


@pytest.mark.parametrize("inside", ["b.zip", "files/b.zip", "../data/b.zip"])
def test_it_does_not_lie_with_what_it_is_the_backup_of(station: Workstation, inside: str) -> None:
    assert code(lambda: station.back_up(station.data.root / inside)) == "wrong_usage"


def test_a_place_that_cannot_be_written_is_named(station: Workstation, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "b.zip", tmp_path / "nowhere" / "b.zip"):
        assert code(lambda place=place: station.back_up(place)) == "output_unwritable"


def test_a_plain_journal_is_called_plain(tmp_path: Path, cheap_pins: None) -> None:
    station = Workstation(tmp_path / "data", None, None)
    document = station.back_up(tmp_path / "b.zip")
    assert (document["encryption"], document["key"], document["plain"]) == ("plain", None, ["journal.db"])
    assert (document["snapshot"], document["originals"]) == (None, 0)


def test_a_broken_trail_is_said(station: Workstation, tmp_path: Path) -> None:
    desk = station.open()
    desk.propose()
    with desk.journal.transaction() as tx:
        tx.run("DROP TRIGGER audit_stays")
        tx.run("UPDATE audit SET actor = 'x' WHERE seq = 1")
    desk.journal.close()
    assert station.back_up(tmp_path / "b.zip")["audit_whole"] is False


def test_what_a_killed_backup_left_is_cleared_away(station: Workstation, tmp_path: Path) -> None:
    (tmp_path / ".b.zip.4711.tmp").write_bytes(b"half")
    station.back_up(tmp_path / "b.zip")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.zip", "data", "share"]


def test_too_little_room_is_told_before_anything_is_written(station: Workstation, small_disk: Path) -> None:
    assert code(lambda: station.back_up(small_disk / "b.zip")) == "backup_no_room"
    assert list(small_disk.iterdir()) == []


def test_a_disk_that_fills_up_on_the_way_leaves_no_half_backup(
    station: Workstation, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Someone else takes the room after it was counted."""
    monkeypatch.setattr("desktop.services.backup_file.need_room", lambda *_: None)
    (station.data.root / "snapshots" / SNAPSHOT).write_bytes(hashlib.shake_128(b"").digest(2**21))
    assert code(lambda: station.back_up(small_disk / "b.zip")) == "output_unwritable"
    assert list(small_disk.iterdir()) == []
    desk = station.open()
    assert told(desk, "backed_up") == []
    desk.journal.close()


def test_what_was_written_is_read_back(station: Workstation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stick that keeps other bytes than it was given."""
    fsync = os.fsync

    def spoil(handle: int) -> None:
        fsync(handle)
        for draft in tmp_path.glob(".b.zip.*.tmp"):
            body = bytearray(draft.read_bytes())
            body[60] ^= 1
            draft.write_bytes(body)

    monkeypatch.setattr("desktop.services.backup_file.os.fsync", spoil)
    assert code(lambda: station.back_up(tmp_path / "b.zip")) == "backup_damaged"
    assert not (tmp_path / "b.zip").exists()


def test_a_backup_reads_back(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    with closing(Backup(tmp_path / "b.zip")) as backup:
        backup.verify()
