"""On a disk that is really full a decision fails whole, and works when there is room again."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.domain.work_request import Delivery
from desktop.errors import KnownError
from desktop.services.synchronizer import Synchronizer
from desktop.store import audit
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
