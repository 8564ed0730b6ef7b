"""On a disk that is really full a decision fails whole, and works when there is room again."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.domain.work_request import Delivery
from desktop.errors import KnownError, sentence
from desktop.services.synchronizer import Synchronizer
from desktop.store import audit, journal
from desktop.sync.folder import Folder
from tests.fakes.desk import open_desk, request_draft


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("may not mount a small file system here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    ballast = place / "ballast"
    with ballast.open("ab", buffering=0) as out:
        try:
            while out.write(b"x" * 4096) == 4096:
                pass
        except OSError:
            return ballast
    return ballast


def test_a_full_disk_refuses_a_decision_whole_and_loses_nothing(small_disk: Path, cheap_pins: None) -> None:
    desk = open_desk(small_disk / "data")
    proposal = desk.propose()
    ballast = fill(small_disk)
    with pytest.raises(KnownError) as refused:
        desk.approve(proposal)
    assert refused.value.code == "journal_disk_full"
    assert desk.approvals.pending() == (proposal,)
    ballast.unlink()
    request = desk.approve(proposal).request
    assert request is not None
    assert request.number == "WR-P07-0001"
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    desk.journal.close()


def test_a_journal_is_not_opened_or_begun_on_a_full_disk_and_the_disk_is_named(small_disk: Path) -> None:
    open_desk(small_disk / "data").journal.close()
    ballast = fill(small_disk)
    for place in ("data", "new"):
        with pytest.raises(KnownError) as refused:
            open_desk(small_disk / place)
        assert refused.value.code == "journal_disk_full"
    ballast.unlink()
    for place in ("data", "new"):
        open_desk(small_disk / place).journal.close()


@pytest.mark.parametrize("room_for_the_copy", [True, False])
def test_a_disk_too_full_for_a_migration_leaves_the_version_before_working(
    small_disk: Path, cheap_pins: None, monkeypatch: pytest.MonkeyPatch, room_for_the_copy: bool
) -> None:
    desk = open_desk(small_disk / "data")
    proposal = desk.propose()
    desk.journal.close()
    shipped = journal._MIGRATIONS
    later = shutil.copytree(shipped, small_disk.parent / "later")
    (later / "9001_later.sql").write_text("CREATE TABLE later AS SELECT randomblob(2000000) AS x", encoding="utf-8")
    monkeypatch.setattr(journal, "_MIGRATIONS", later)
    if not room_for_the_copy:
        with fill(small_disk).open("r+b") as ballast:
            ballast.truncate(ballast.seek(0, os.SEEK_END) - 2**17)
    with pytest.raises(KnownError) as refused:
        open_desk(small_disk / "data")
    assert refused.value.code == "journal_migration_disk_full"
    assert "前の版" in sentence(refused.value)
    assert len(list((small_disk / "data" / "copies").iterdir())) == room_for_the_copy
    monkeypatch.setattr(journal, "_MIGRATIONS", shipped)
    desk = open_desk(small_disk / "data")
    assert desk.approvals.pending() == (proposal,)
    assert desk.approve(proposal).request is not None
    desk.journal.close()


def test_a_full_folder_keeps_the_request_queued_and_leaves_no_half_file(
    small_disk: Path, tmp_path: Path, cheap_pins: None
) -> None:
    desk = open_desk(tmp_path / "data")
    desk.approve(desk.propose())
    sync = Synchronizer(desk.journal, Folder(small_disk, "P07", desk.journal.journal_id), clock=desk.clock)
    assert sync.run_once().sent == 1
    desk.approve(desk.propose(request_draft(title="二")))
    ballast = fill(small_disk)
    report = sync.run_once(at_once=True)
    assert report.problem is not None
    assert report.problem.code == "sync_folder_unreachable"
    assert sync.status().counts[Delivery.QUEUED] == 1
    ballast.unlink()
    assert sync.run_once(at_once=True).sent == 1
    files = [file.name for file in (small_disk / "outbox" / "P07").iterdir() if file.name != ".station"]
    assert [file[:8] for file in sorted(files)] == ["00000001", "00000002"]
    desk.journal.close()
