"""Journal, copies, queue, plant data and sync folder as they really lie there, each fault by its name."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import apsw
import keyring.backends.fail
import pytest

from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services.diagnostics_finding import Finding, State
from desktop.services.diagnostics_stores import Stores
from desktop.services.synchronizer import Synchronizer
from desktop.store import audit, journal_copies, outbox
from desktop.store.outbox import Channel, Problem
from desktop.sync.folder import Folder
from tests.fakes.desk import NOW, Clock, Desk, open_desk
from tests.fakes.keyrings import LockedKeyring, MemoryKeyring, use_keyring
from tests.fakes.plant import small_plant
from tests.fakes.somebody_else import as_somebody_else, reachable_folder

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _cheap(cheap_pins: None) -> None:
    """Every desk here has people with PINs."""


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    made = MemoryKeyring()
    with use_keyring(made):
        yield made


def stores(root: Path, now: datetime = NOW, **settings: object) -> Stores:
    values = {name.replace("__", "."): value for name, value in settings.items()}
    return Stores(DataDir(root), Settings(values), Credentials(environ={}), now)


def journal(place: Stores) -> Finding:
    return place.look_at_journal(thorough=True)


def code(look: Callable[[], Finding]) -> str:
    """The cause's code, whether it is raised or told."""
    try:
        found = look()
    except KnownError as error:
        return error.code
    return found.cause.code if found.cause else ""


def files(root: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in root.rglob("*") if file.is_file() and "-shm" not in file.name}


def test_a_whole_desk_has_nothing_wrong_and_is_not_touched(tmp_path: Path) -> None:
    for _ in range(2):
        desk = open_desk(tmp_path)
        desk.journal.close()
    before = files(tmp_path)
    place = stores(tmp_path)
    for look in (place.look_at_audit, place.look_at_outbox, place.look_at_channel, place.look_at_copy):
        assert look().state is State.OK
    assert journal(place).state is State.OK
    assert "平文" in journal(place).text
    assert files(tmp_path) == before


def test_where_there_was_no_journal_none_is_made(tmp_path: Path) -> None:
    place = stores(tmp_path)
    for look in (place.look_at_audit, place.look_at_outbox, place.look_at_channel, place.look_at_copy):
        assert look().state is State.NOTE
    assert journal(place).state is State.NOTE
    assert list(tmp_path.iterdir()) == []


def damage(root: Path) -> None:
    body = bytearray((root / "journal.db").read_bytes())
    body[100:4000] = bytes(3900)
    (root / "journal.db").write_bytes(body)


def vanish(root: Path) -> None:
    (root / "journal.db").unlink()


def empty(root: Path) -> None:
    vanish(root)
    other = apsw.Connection(str(root / "journal.db"))
    other.execute("CREATE TABLE t (x); DROP TABLE t")
    other.close()


def from_the_future(root: Path) -> None:
    other = apsw.Connection(str(root / "journal.db"))
    other.pragma("user_version", 999)
    other.close()


def half_restored(root: Path) -> None:
    plan = '{"names": [], "new": [], "aside": "before-restore-1", "told": {}}'
    (root / "restore.json").write_text(plan, encoding="utf-8")


def half_restored_with_its_plan_lost(root: Path) -> None:
    (root / "restore.json").write_bytes(bytes(64))


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (damage, "journal_corrupt"),
        (vanish, "journal_vanished"),
        (empty, "journal_vanished"),
        (from_the_future, "journal_too_new"),
        (half_restored, "restore_unfinished"),
        (half_restored_with_its_plan_lost, "restore_plan_damaged"),
    ],
)
def test_a_journal_that_can_not_be_used_is_named_once_and_not_touched(
    tmp_path: Path, harm: Callable[[Path], None], expected: str
) -> None:
    for _ in range(2):
        open_desk(tmp_path).journal.close()
    harm(tmp_path)
    before = files(tmp_path)
    place = stores(tmp_path)
    assert code(lambda: journal(place)) == expected
    assert [look().state for look in (place.look_at_audit, place.look_at_outbox, place.look_at_channel)] == [
        State.NOTE
    ] * 3
    assert place.look_at_copy().state is State.OK, "there is something to fall back on, and it is told"
    assert {name: body for name, body in files(tmp_path).items() if not name.endswith("journal.use")} == {
        name: body for name, body in before.items() if not name.endswith("journal.use")
    }


def test_a_page_that_does_not_hold_is_found_where_there_is_time(tmp_path: Path) -> None:
    desk = open_desk(tmp_path)
    for _ in range(20):
        desk.propose()
    desk.journal.close()
    body = bytearray((tmp_path / "journal.db").read_bytes())
    body[-4096:] = b"\xa5" * 4096
    (tmp_path / "journal.db").write_bytes(body)
    assert code(lambda: journal(stores(tmp_path))) == "journal_corrupt"
    assert code(lambda: stores(tmp_path).look_at_journal(thorough=False)) == ""


def test_every_trouble_with_the_key_has_its_name(tmp_path: Path, ring: MemoryKeyring) -> None:
    open_desk(tmp_path, ring=ring).journal.close()
    place = stores(tmp_path)
    with use_keyring(ring):
        assert "chacha20" in journal(place).text
        (held,) = ring.kept
        secret = ring.kept.pop(held)
        assert code(lambda: journal(place)) == "journal_key_missing"
        ring.kept[held] = "ab" * 32
        assert code(lambda: journal(place)) == "journal_key_wrong"
        ring.kept[held] = secret
        key_file = tmp_path / "journal.key.json"
        kept = key_file.read_bytes()
        key_file.write_bytes(b"{")
        assert code(lambda: journal(place)) == "journal_key_file_broken"
        key_file.unlink()
        assert code(lambda: journal(place)) == "journal_key_file_missing"
        key_file.write_bytes(kept)
    with use_keyring(LockedKeyring()):
        assert code(lambda: journal(place)) == "keyring_locked"


def test_a_plain_journal_where_policy_insists_is_named(tmp_path: Path) -> None:
    open_desk(tmp_path).journal.close()
    assert code(lambda: journal(stores(tmp_path, storage__encryption="required"))) == "encryption_required_but_plain"


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells who holds a lock only on Linux")
def test_looking_does_not_let_go_of_the_locks_of_an_open_window(tmp_path: Path) -> None:
    """Outside Windows, closing any handle on a file takes away the process's locks on it: SQLite knows, we must too."""
    desk = open_desk(tmp_path)
    with desk.journal.reading() as tx:
        assert tx.rows("SELECT 1 FROM identity")
        before = locked()
        assert {desk.journal.file.stat().st_ino, Path(f"{desk.journal.file}-shm").stat().st_ino} <= before
        assert journal(stores(tmp_path)).state is State.OK
        assert before <= locked()
    desk.journal.close()


def locked() -> set[int]:
    """The inodes on which this process holds record locks."""
    lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    held = (line.split() for line in lines if " POSIX " in line and "->" not in line)
    return {int(fields[5].split(":")[2]) for fields in held if int(fields[4]) == os.getpid()}


def test_a_journal_of_an_older_version_is_left_for_the_next_start(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[1] / "corpus" / "journal_2" / "plain.db", tmp_path / "journal.db")
    place = stores(tmp_path)
    before = (tmp_path / "journal.db").read_bytes()
    assert journal(place).state is State.OK
    assert [look().state for look in (place.look_at_audit, place.look_at_outbox, place.look_at_channel)] == [
        State.NOTE
    ] * 3
    assert (tmp_path / "journal.db").read_bytes() == before


def test_a_broken_trail_is_named(desk: Desk) -> None:
    desk.propose()
    with desk.journal.transaction() as tx:
        tx.run("DROP TRIGGER audit_stays")
        tx.run("UPDATE audit SET actor = 'x' WHERE seq = 1")
    assert code(stores(desk.journal.file.parent).look_at_audit) == "audit_broken"
    with desk.journal.reading() as tx:
        assert not audit.verify(tx).whole


def test_what_stepped_aside_is_a_failure_with_its_reasons(desk: Desk, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    desk.approve(desk.propose())
    sync = Synchronizer(desk.journal, Folder(share, "P07", desk.journal.journal_id), clock=desk.clock)
    place = stores(desk.journal.file.parent)
    assert place.look_at_outbox().text.startswith("送信待ち 1 件")
    with desk.journal.transaction() as tx:
        queued = outbox.due(tx, desk.clock())
        assert queued is not None
        problem = Problem("sync_item_conflict", "x")
        outbox.failed(tx, queued.item, problem, desk.clock(), desk.clock(), aside=True)
    with pytest.raises(KnownError) as told:
        place.look_at_outbox()
    assert told.value.detail == {"count": 1, "problems": "HN-405 sync_item_conflict"}
    assert sync.status().unsent == 0


def test_a_closed_way_is_a_warning_and_one_that_waits_for_it_a_failure(desk: Desk) -> None:
    place = stores(desk.journal.file.parent)
    problem = Problem("sync_folder_forbidden", r"\\fs1\hozen")
    for paused, state in ((False, State.WARNING), (True, State.FAILED)):
        with desk.journal.transaction() as tx:
            outbox.set_channel(tx, Channel(3, NOW, problem, paused=paused))
        found = place.look_at_channel()
        assert found.state is state
        assert found.cause is not None
        assert found.cause.code == "sync_folder_forbidden"
        assert r"\\fs1\hozen" in found.text


def test_the_last_copy_is_old_or_lacking(tmp_path: Path) -> None:
    open_desk(tmp_path).journal.close()
    assert code(stores(tmp_path).look_at_copy) == "", "a journal just made needs none"
    assert code(stores(tmp_path, NOW + 8 * DAY).look_at_copy) == "journal_copy_old"
    open_desk(tmp_path).journal.close()
    copy = journal_copies.newest(tmp_path / "journal.db")
    assert copy is not None
    now = journal_copies.made_at(copy)
    assert code(stores(tmp_path, now + DAY).look_at_copy) == ""
    assert code(stores(tmp_path, now + 8 * DAY).look_at_copy) == "journal_copy_old"
    assert code(stores(tmp_path, now - DAY).look_at_copy) == "journal_copy_old", "its clock was ahead"


def keep_original(root: Path) -> None:
    """The one that `small_plant`'s manual was read from."""
    (root / "files").mkdir()
    (root / "files" / "ab").write_bytes(b"the manual")


def test_old_plant_data_is_a_warning_by_the_windows_own_rule(tmp_path: Path) -> None:
    keep_original(tmp_path)
    place = stores(tmp_path)
    assert place.look_at_snapshot(thorough=True).state is State.NOTE
    snapshot = small_plant(tmp_path / "snapshots")
    published = snapshot.published
    snapshot.close()
    young, old = replace(place, now=published + 30 * DAY), replace(place, now=published + 31 * DAY)
    assert young.look_at_snapshot(thorough=True).state is State.OK
    found = old.look_at_snapshot(thorough=False)
    assert found.state is State.WARNING
    assert found.cause is not None
    assert found.cause.detail == {"published": f"{published:%Y-%m-%d}", "days": 31}


def test_plant_data_that_was_here_and_is_gone_is_a_failure_and_none_yet_is_not(tmp_path: Path) -> None:
    place = stores(tmp_path)
    assert place.look_at_snapshot(thorough=True).state is State.NOTE
    small_plant(tmp_path / "snapshots").close()
    for file in (tmp_path / "snapshots").glob("*.duckdb"):
        file.unlink()
    assert code(lambda: place.look_at_snapshot(thorough=False)) == "snapshot_missing"


@pytest.mark.parametrize("pointer", ["torn", '{"version": "00009-20261130T000000Z"}'])
def test_an_older_generation_in_use_is_a_warning(tmp_path: Path, pointer: str) -> None:
    small_plant(tmp_path / "snapshots").close()
    (tmp_path / "snapshots" / "current.json").write_text(pointer, encoding="utf-8")
    found = stores(tmp_path).look_at_snapshot(thorough=True)
    assert found.state is State.WARNING
    assert found.cause is not None
    assert found.cause.code == "snapshot_fallback"


def test_originals_that_are_gone_are_counted(tmp_path: Path) -> None:
    snapshot = small_plant(tmp_path / "snapshots")
    published = snapshot.published
    snapshot.close()
    found = stores(tmp_path, published).look_at_snapshot(thorough=False)
    assert found.state is State.WARNING
    assert found.cause is not None
    assert (found.cause.code, found.cause.detail["count"]) == ("originals_missing", 1)
    keep_original(tmp_path)
    assert stores(tmp_path, published).look_at_snapshot(thorough=False).state is State.OK


def test_a_file_in_the_place_of_the_copies_is_named(tmp_path: Path) -> None:
    open_desk(tmp_path).journal.close()
    (tmp_path / "copies").write_bytes(b"not a folder")
    assert code(stores(tmp_path).look_at_copy) == "journal_unwritable"


def test_everything_plain_is_named_drafts_and_old_restores_too(tmp_path: Path) -> None:
    open_desk(tmp_path).journal.close()
    (tmp_path / "windows").mkdir()
    for name in ("windows/taro-1.drafts", "windows/taro-1.open"):
        (tmp_path / name).write_text("E-12", encoding="utf-8")
    folders = ("snapshots", "files", "logs", "sample", "before-restore-1", "reading_a1", "restoring")
    for name in folders:
        (tmp_path / name).mkdir()
    place = stores(tmp_path, traces="metadata", sync__transport="folder", sync__folder="//fs1/h")
    text = place.look_at_plain_stores().text
    assert "//fs1/h" in text
    named = ("journal.db", "windows/taro-1.drafts", *folders)
    assert all(str(tmp_path / name) in text for name in named)
    assert "taro-1.open" not in text
    assert "traces = metadata" in text


def test_an_encrypted_journal_is_not_among_the_plain(tmp_path: Path, ring: MemoryKeyring) -> None:
    open_desk(tmp_path, ring=ring).journal.close()
    assert str(tmp_path / "journal.db") not in stores(tmp_path).look_at_plain_stores().text


def sync(tmp_path: Path, folder: Path) -> Stores:
    return stores(tmp_path, sync__transport="folder", sync__folder=str(folder), station__code="P07")


def test_the_sync_folder_is_written_where_the_program_writes(tmp_path: Path) -> None:
    share = tmp_path / "share"
    assert code(sync(tmp_path, share).look_at_sync) == "sync_folder_missing"
    (share / "outbox" / "P07").mkdir(parents=True)
    assert sync(tmp_path, share).look_at_sync().state is State.OK
    assert list((share / "outbox" / "P07").iterdir()) == []
    assert code(stores(tmp_path).look_at_sync) == ""


@pytest.mark.parametrize("station_begun", [True, False])
def test_a_sync_folder_that_may_not_be_written_is_named(tmp_path: Path, station_begun: bool) -> None:
    with reachable_folder() as share:
        deepest = share / "outbox" / "P07" if station_begun else share
        deepest.mkdir(parents=True, exist_ok=True)
        share.chmod(0o755)
        deepest.chmod(0o555)
        place = sync(tmp_path, share)
        with as_somebody_else():
            assert code(place.look_at_sync) == "sync_folder_forbidden"
        share.chmod(0)
        with as_somebody_else():
            assert code(place.look_at_sync) == "sync_folder_forbidden"
        share.chmod(0o755)


def test_times_in_the_future_are_found_in_audit_journal_and_sync_folder(tmp_path: Path) -> None:
    ahead = Clock()
    ahead.now = NOW + 400 * DAY
    desk = open_desk(tmp_path / "data", clock=ahead)
    desk.propose()
    desk.journal.close()
    share = tmp_path / "share"
    (share / "receipts" / "P07").mkdir(parents=True)
    receipt = share / "receipts" / "P07" / "00000001.json"
    receipt.write_text("{}", encoding="utf-8")
    os.utime(receipt, (0, (NOW + 500 * DAY).timestamp()))
    os.utime(desk.journal.file, (0, (NOW + 300 * DAY).timestamp()))
    place = sync(tmp_path / "data", share)
    times = place.written(shares=True)
    assert times == {"journal.db": NOW + 300 * DAY, "audit": ahead.now, "sync.folder": NOW + 500 * DAY}
    assert "sync.folder" not in place.written(shares=False)
    damage(tmp_path / "data")
    assert "audit" not in place.written(shares=False)


def test_without_a_keyring_a_plain_journal_is_read(tmp_path: Path) -> None:
    open_desk(tmp_path).journal.close()
    with use_keyring(keyring.backends.fail.Keyring()):
        assert journal(stores(tmp_path)).state is State.OK
