"""What is damaged, hostile, foreign or in use is refused, and everything is as it was."""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import keyring.backends.fail
import pytest

from desktop import open_windows
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.store import data_swap, journal_copies
from desktop.store.journal import open_journal
from tests.fakes.keyrings import use_keyring
from tests.fakes.workstation import (
    ORIGINAL,
    SNAPSHOT,
    Workstation,
    approve,
    made_of,
    make_too_new,
    outcome_of,
    refused,
    titles,
)


def rewritten(file: Path, change: Callable[[dict[str, bytes]], object], *, manifest_too: bool = False) -> Path:
    """The backup with changed parts; with a manifest that fits them, as only somebody who means it would write."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    if manifest_too:
        manifest = json.loads(parts.pop("manifest.json"))
        manifest["parts"] = {
            name: {"size": len(body), "sha256": hashlib.sha256(body).hexdigest()} for name, body in parts.items()
        }
        parts["manifest.json"] = json.dumps(manifest).encode()
    made = file.with_name("rewritten.zip")
    with zipfile.ZipFile(made, "w") as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return made


PARTS = (
    *("journal.db", "journal.key.json", "journal.id", "settings.toml", "manifest.json"),
    *(f"snapshots/{SNAPSHOT}", "snapshots/current.json", f"files/{hashlib.sha256(ORIGINAL).hexdigest()}"),
)


@pytest.mark.parametrize("part", PARTS)
def test_one_flipped_byte_in_any_part_is_found(station: Workstation, tmp_path: Path, part: str) -> None:
    station.back_up(tmp_path / "b.zip")

    def spoil(parts: dict[str, bytes]) -> None:
        body = bytearray(parts[part])
        body[len(body) // 2] ^= 1
        parts[part] = bytes(body)

    assert refused(station, rewritten(tmp_path / "b.zip", spoil)).code in ("backup_damaged", "backup_too_new")


def test_one_flipped_byte_anywhere_in_the_file_is_found_or_harmless(station: Workstation, tmp_path: Path) -> None:
    """Where the format keeps a byte that says nothing (a date), the data is still proved by its hashes."""
    station.back_up(tmp_path / "b.zip")
    whole, found = (tmp_path / "b.zip").read_bytes(), 0
    for at in range(5, len(whole), len(whole) // 40):
        body = bytearray(whole)
        body[at] ^= 0x20
        (tmp_path / "flipped.zip").write_bytes(body)
        place = Workstation(tmp_path / f"new-{at}", station.ring, None)
        if (outcome := outcome_of(place, tmp_path / "flipped.zip")) is not None:
            assert (outcome, place.contents()) == ("backup_damaged", {})
            found += 1
    assert found >= 35


@pytest.mark.parametrize("share_left", [0.0, 0.01, 0.3, 0.9, 0.999])
def test_a_cut_off_file_is_found(station: Workstation, tmp_path: Path, share_left: float) -> None:
    station.back_up(tmp_path / "b.zip")
    body = (tmp_path / "b.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(body[: int(len(body) * share_left)])
    assert refused(station, tmp_path / "cut.zip").code == "backup_damaged"


HOSTILE = (
    *(
        "../evil",
        "/etc/evil",
        "files/../../evil",
        "C:\\evil",
        "..\\evil",
        "logs/evil",
        "journal.lock",
        "windows/x.open",
    ),
    *(
        "snapshots/../journal.db",
        "files/short",
        "snapshots/plant-00001-20260101T000000Z.duckdb.tmp",
        "copies/x",
        "files/",
    ),
)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("listed", [False, True])
def test_a_name_that_points_elsewhere_is_refused(station: Workstation, tmp_path: Path, name: str, listed: bool) -> None:
    station.back_up(tmp_path / "b.zip")
    if listed:
        made = rewritten(tmp_path / "b.zip", lambda parts: parts.update({name: b"evil"}), manifest_too=True)
    else:
        made = rewritten(tmp_path / "b.zip", lambda parts: parts.update({name: b"evil"}))
    assert refused(station, made).code == "backup_damaged"
    assert not (tmp_path / "evil").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("same", [True, False])
def test_a_name_that_comes_twice_is_refused(station: Workstation, tmp_path: Path, same: bool) -> None:
    station.back_up(tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "a") as archive:
        archive.writestr("journal.id", archive.read("journal.id") if same else b"the second")
    assert refused(station, tmp_path / "b.zip").code == "backup_damaged"


def test_more_than_was_promised_is_not_unpacked(
    station: Workstation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small size in the manifest, much in the archive."""
    station.back_up(tmp_path / "b.zip")
    bomb = rewritten(tmp_path / "b.zip", lambda parts: parts.update({"settings.toml": bytes(50 * 2**20)}))
    read, taken = zipfile.ZipExtFile.read, []

    def counted(self: zipfile.ZipExtFile, size: int = -1) -> bytes:
        taken.append(self.name)
        return read(self, size)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    assert refused(station, bomb).code == "backup_damaged"
    assert taken.count("settings.toml") == 1


@pytest.mark.parametrize("at", [100, 5000, -5000, -100])
@pytest.mark.parametrize("room", [True, False])
def test_a_damaged_copy_is_refused(station: Workstation, monkeypatch: pytest.MonkeyPatch, at: int, room: bool) -> None:
    """Whether or not there is room for the copy that a start makes, which reads every page as well."""
    approve(station, "前")
    station.clock.forward(hours=2)
    station.open().journal.close()
    copy = journal_copies.newest(station.data.journal)
    assert copy is not None
    body = bytearray(copy.read_bytes())
    body[at] ^= 1
    copy.write_bytes(body)
    if not room:
        monkeypatch.setattr(journal_copies, "make_if_room", lambda *_: None)
    assert refused(station, copy).code == "backup_damaged"


@pytest.mark.parametrize("manifest", [b"", b"[]", b"{}", b"null", b'{"schema": "1"}', b'{"schema": 1}', b"\xff", None])
def test_no_manifest_of_ours_is_no_backup(station: Workstation, tmp_path: Path, manifest: bytes | None) -> None:
    station.back_up(tmp_path / "b.zip")

    def change(parts: dict[str, bytes]) -> None:
        del parts["manifest.json"]
        if manifest is not None:
            parts["manifest.json"] = manifest

    assert refused(station, rewritten(tmp_path / "b.zip", change)).code == "backup_damaged"


def test_a_newer_backup_is_told_apart(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    newer = rewritten(tmp_path / "b.zip", lambda parts: parts.update({"manifest.json": b'{"schema": 2}'}))
    assert refused(station, newer).code == "backup_too_new"


@pytest.mark.parametrize("name", ["nothing.zip", "nothing.db", "journal-20260101T000000000000Z.db"])
def test_a_file_that_is_not_there_is_named(station: Workstation, tmp_path: Path, name: str) -> None:
    assert refused(station, tmp_path / name).code == "backup_unreadable"


@pytest.mark.parametrize("name", ["folder.zip", "folder.db"])
def test_a_folder_is_no_backup(station: Workstation, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert refused(station, tmp_path / name).code == "backup_unreadable"


@pytest.mark.parametrize("what", ["a copy", "a backup"])
def test_a_newer_journal_is_refused(station: Workstation, tmp_path: Path, what: str) -> None:
    station.open().journal.close()
    make_too_new(station)
    file = tmp_path / "copied.db"
    shutil.copy(station.data.journal, file)
    if what == "a backup":
        parts = {
            "journal.db": file.read_bytes(),
            "journal.key.json": (station.data.root / "journal.key.json").read_bytes(),
        }
        file = made_of(parts, tmp_path / "b.zip")
    error = refused(station, file)
    assert (error.code, error.file) == ("journal_too_new", str(file))


def test_the_samples_journal_never_takes_the_place_of_ones_own(
    station: Workstation, tmp_path: Path, cheap_pins: None
) -> None:
    sample = DataDir(tmp_path / "sample")
    with use_keyring(keyring.backends.fail.Keyring()):
        for _ in range(2):
            open_journal(sample, Credentials(environ={}), sample=True).close()
    copy = journal_copies.newest(sample.journal)
    assert copy is not None
    assert refused(station, copy).code == "journal_sample_mismatch"


@pytest.mark.parametrize("state", ["missing", "wrong"])
def test_without_its_key_it_is_refused(station: Workstation, tmp_path: Path, state: str) -> None:
    station.back_up(tmp_path / "b.zip")
    assert station.ring is not None
    (where,) = station.ring.kept
    if state == "missing":
        del station.ring.kept[where]
    else:
        station.ring.kept[where] = "ab" * 32
    error = refused(station, tmp_path / "b.zip")
    assert (error.code, error.file) == (f"journal_key_{state}", str(tmp_path / "b.zip"))


def test_a_broken_trail_is_refused(station: Workstation, tmp_path: Path) -> None:
    approve(station, "前")
    desk = station.open()
    with desk.journal.transaction() as tx:
        tx.run("DROP TRIGGER audit_stays")
        tx.run("UPDATE audit SET actor = 'x' WHERE seq = 1")
    desk.journal.close()
    station.back_up(tmp_path / "b.zip")
    assert refused(station, tmp_path / "b.zip").code == "audit_broken"


def test_nothing_is_touched_while_a_window_is_open(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    window = open_windows.WindowFiles(station.data.root, "someone")
    window.hold()
    assert refused(station, tmp_path / "b.zip").code == "windows_open"
    window.let_go()
    station.restore(tmp_path / "b.zip")


HOLD = """
import sys
from pathlib import Path
import keyring.backends.fail, keyring
keyring.set_keyring(keyring.backends.fail.Keyring())
from desktop.credentials import Credentials
from desktop.paths import DataDir, Installation
from desktop.store.journal import open_journal
journal = open_journal(DataDir(Path(sys.argv[1])), Credentials(environ={}))
print("open", flush=True)
sys.stdin.read()
"""


def test_nothing_is_touched_while_another_process_has_the_journal(tmp_path: Path, cheap_pins: None) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        station = Workstation(tmp_path / "data", None, None)
        station.back_up(tmp_path / "b.zip")
        command = [sys.executable, "-c", HOLD, str(station.data.root)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "open\n"
            with pytest.raises(KnownError, match="journal_busy"):
                station.restore(tmp_path / "b.zip")
            holder.kill()
        station.restore(tmp_path / "b.zip")


def test_nobody_opens_the_journal_during_a_restore(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    seen = []
    finish = data_swap.finish

    def look(root: Path) -> object:
        with pytest.raises(KnownError) as caught:
            station.open()
        seen.append(caught.value.code)
        return finish(root)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_swap, "finish", look)
        station.restore(tmp_path / "b.zip")
    assert seen == ["restore_unfinished"]


@pytest.mark.parametrize("counted", [True, False])
def test_on_a_disk_that_is_too_small_everything_stays_as_it_was(
    station: Workstation, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: bool
) -> None:
    """Told before anything is unpacked; not `counted`: someone else takes the room on the way."""
    approve(station, "前")
    (station.data.root / "snapshots" / SNAPSHOT).write_bytes(bytes(2**20))
    station.back_up(tmp_path / "b.zip")
    small = Workstation(small_disk / "data", station.ring, None)
    approve(small, "ここの")
    if not counted:
        monkeypatch.setattr("desktop.services.backup_file.need_room", lambda *_: None)
    code = refused(small, tmp_path / "b.zip").code
    assert code == ("backup_no_room" if counted else "output_unwritable")
    desk = small.open()
    assert titles(desk) == {"WR-P07-0001": "ここの"}
    desk.journal.close()
