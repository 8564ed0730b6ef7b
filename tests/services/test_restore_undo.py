"""A journal is given back with all that lies beside it: after a power cut, after another station's backup."""

import json
import os
import platform
import shutil
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import keyring.backends.fail
import pytest

from desktop.store import audit, journal_copies
from tests.fakes.desk import NOW
from tests.fakes.keyrings import MemoryKeyring, use_keyring
from tests.fakes.workstation import SNAPSHOT, Workstation, approve, contents, die_after, outcome_of, titles

killing = pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX")


@pytest.fixture(params=["encrypted", "plain"])
def pc(request: pytest.FixtureRequest, tmp_path: Path, cheap_pins: None) -> Iterator[Workstation]:
    """A furnished workstation without a sync folder."""
    ring = MemoryKeyring() if request.param == "encrypted" else None
    with use_keyring(ring or keyring.backends.fail.Keyring()):
        made = Workstation(tmp_path / "data", ring, None)
        made.furnish()
        yield made


def die_after_approving(station: Workstation, *names: str) -> None:
    """The power goes while a window is open: what was approved is in the side file alone."""
    approving = "desk = station.open()\nfor title in {}: desk.approve(desk.propose(request_draft(title=title)))"
    die_after(station, approving.format(names))
    assert (station.data.root / "journal.db-wal").stat().st_size > 0


def known(station: Workstation) -> set[str]:
    desk = station.open()
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    desk.journal.close()
    return set(titles(desk).values())


def set_aside(station: Workstation) -> Path:
    (folder,) = station.data.root.glob("before-restore-*")
    return folder


@killing
@pytest.mark.parametrize("what", ["the journal", "the folder"])
@pytest.mark.parametrize("where", ["saved elsewhere", "set aside"])
def test_what_was_approved_just_before_a_power_cut_comes_back(
    pc: Workstation, tmp_path: Path, what: str, where: str
) -> None:
    approve(pc, "前")
    pc.back_up(tmp_path / "b.zip")
    die_after_approving(pc, "後 1", "後 2")
    saved = tmp_path / "saved"
    if where == "saved elsewhere":
        shutil.copytree(pc.data.root, saved)
        new = Workstation(tmp_path / "new", pc.ring, None)
    else:
        pc.restore(tmp_path / "b.zip")
        assert known(pc) == {"前"}
        saved, new = set_aside(pc), pc
        pc.clock.forward(minutes=1)
    before = contents(saved)
    document = new.restore(saved / "journal.db" if what == "the journal" else saved)
    assert contents(saved) == before
    assert known(new) == {"前", "後 1", "後 2"}
    assert (document["numbers"]["before"]["WR-P07"], document["whole"]) == (3, what == "the folder")


@killing
def test_a_side_file_that_does_not_fit_is_no_half_result(pc: Workstation, tmp_path: Path) -> None:
    """Of a later life of the journal, beside an earlier copy."""
    approve(pc, "前")
    (tmp_path / "saved").mkdir()
    shutil.copy(pc.data.journal, tmp_path / "saved" / "journal.db")
    if pc.ring:
        shutil.copy(pc.data.root / "journal.key.json", tmp_path / "saved")
    approve(pc, *(f"間 {n}" for n in range(5)))
    die_after_approving(pc, "後")
    shutil.copy(pc.data.root / "journal.db-wal", tmp_path / "saved" / "journal.db-wal")
    new = Workstation(tmp_path / "new", pc.ring, None)
    assert outcome_of(new, tmp_path / "saved" / "journal.db") in ("backup_damaged", "audit_broken")
    assert new.contents() == {}


def test_a_folder_comes_back_whole_and_a_journal_set_aside_alone_leaves_the_rest(
    pc: Workstation, tmp_path: Path
) -> None:
    approve(pc, "前")
    pc.clock.forward(hours=2)
    pc.open().journal.close()
    was = pc.contents()
    other = Workstation(tmp_path / "other", pc.ring, None)
    other.back_up(tmp_path / "other.zip")
    pc.restore(tmp_path / "other.zip")
    pc.clock.forward(minutes=1)
    undone = pc.restore(set_aside(pc))
    assert undone["whole"]
    changing = ("journal", "copies/", "before-restore", "logs/", "windows/", "sample/")
    rest = {name: body for name, body in was.items() if not name.startswith(changing)}
    assert rest.items() <= pc.contents().items()
    assert len(rest) >= 4
    pc.data.settings.write_text('traces = "off"\n', encoding="utf-8")
    copy = journal_copies.newest(pc.data.journal)
    assert copy is not None
    pc.clock.forward(hours=3)
    alone = pc.restore(copy)
    pc.clock.forward(minutes=1)
    assert not pc.restore(pc.data.root / alone["aside"])["whole"]
    assert pc.data.settings.read_text(encoding="utf-8") == 'traces = "off"\n'
    assert known(pc) == {"前"}


@pytest.mark.parametrize("way", ["journal.db", "", "copies"])
def test_another_stations_backup_is_told_and_undone(station: Workstation, tmp_path: Path, way: str) -> None:
    """Both keys are in the keyring: one person's, or a PC that had the other's given back."""
    approve(station, "ここの")
    station.clock.forward(hours=2)
    station.open().journal.close()
    other = Workstation(tmp_path / "other", station.ring, None)
    other.data.root.mkdir()
    other.data.settings.write_text('[station]\ncode = "P09"\n', encoding="utf-8")
    other.back_up(tmp_path / "p09.zip")
    told = station.restore(tmp_path / "p09.zip")
    assert (told["other_journal"], told["station_before"], told["station"]) == (True, "P07", "P09")
    assert told["backup_of"] == {"station": "P09", "pc": platform.node()}
    aside = set_aside(station)
    (copy,) = (aside / "copies").glob("*.db")
    station.clock.forward(minutes=1)
    undone = station.restore(copy if way == "copies" else aside / way)
    assert undone["station"] == ("P07" if way == "" else "P09")
    assert known(station) == {"ここの"}
    station.clock.forward(minutes=1)
    assert station.restore(aside)["station"] == "P07"


def test_ones_own_backup_is_no_other_journal(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    told = station.restore(tmp_path / "b.zip")
    assert (told["other_journal"], told["station_before"], told["station"]) == (False, "P07", "P07")
    assert not told["time_in_doubt"]


@pytest.mark.parametrize("place", ["beside it", "above its copies", "in an earlier set-aside", "in use here"])
def test_the_key_note_of_a_copy_is_found_where_it_lies(station: Workstation, tmp_path: Path, place: str) -> None:
    approve(station, "前")
    station.clock.forward(hours=2)
    station.open().journal.close()
    copy = journal_copies.newest(station.data.journal)
    assert copy is not None
    new = Workstation(tmp_path / "new", station.ring, None)
    note = {
        "beside it": tmp_path / "saved" / "journal.key.json",
        "above its copies": tmp_path / "journal.key.json",
        "in an earlier set-aside": new.data.root / "before-restore-20260101T000000000000Z" / "journal.key.json",
        "in use here": new.data.root / "journal.key.json",
    }[place]
    note.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(station.data.root / "journal.key.json", note)
    saved = tmp_path / ("copies" if place == "above its copies" else "saved") / copy.name
    saved.parent.mkdir(exist_ok=True)
    shutil.copy(copy, saved)
    if place == "in an earlier set-aside":
        new.open().journal.close()  # a journal of its own, with a note that doesn't fit
    new.restore(saved)
    assert known(new) == {"前"}


def test_without_its_note_it_is_not_called_damaged_and_without_its_key_not_unknown(
    station: Workstation, tmp_path: Path
) -> None:
    station.open().journal.close()
    saved = tmp_path / "saved"
    saved.mkdir()
    shutil.copy(station.data.journal, saved / "journal.db")
    new = Workstation(tmp_path / "new", station.ring, None)
    assert outcome_of(new, saved / "journal.db") == "journal_key_file_missing"
    new.open().journal.close()
    assert outcome_of(new, saved / "journal.db") == "backup_key_unknown"
    note = saved / "journal.key.json"
    shutil.copy(station.data.root / note.name, note)
    assert station.ring is not None
    key = station.ring.kept.pop((f"HozenNavi/journal/{json.loads(note.read_bytes())['journal_id']}", "hozen-navi"))
    assert outcome_of(new, saved / "journal.db") == "journal_key_missing"
    assert key


def test_onto_an_empty_place_nothing_is_set_aside(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    new = Workstation(tmp_path / "new", station.ring, None)
    assert new.restore(tmp_path / "b.zip")["aside"] is None
    assert list(new.data.root.glob("before-restore-*")) == []


def test_a_folder_without_room_or_that_cannot_be_read_changes_nothing(
    station: Workstation, small_disk: Path, tmp_path: Path
) -> None:
    (station.data.root / "snapshots" / SNAPSHOT).write_bytes(bytes(2**20))
    station.open().journal.close()
    small = Workstation(small_disk / "data", station.ring, None)
    assert outcome_of(small, station.data.root) == "backup_no_room"
    assert small.contents() == {}


@pytest.mark.parametrize(("days", "doubted"), [(400, True), (-400, True), (0, False)])
def test_a_backups_own_word_on_its_time_is_checked_against_its_trail(
    station: Workstation, tmp_path: Path, days: int, doubted: bool
) -> None:
    """Its PC's clock was wrong, or somebody wrote it in: the trail's last row and today's date hold the day count."""
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    moved = tmp_path / "moved.zip"
    with zipfile.ZipFile(tmp_path / "b.zip") as old, zipfile.ZipFile(moved, "w") as new:
        for name in old.namelist():
            body = old.read(name)
            if name == "manifest.json":
                manifest = json.loads(body)
                manifest["made_at"] = (NOW + timedelta(days=days)).isoformat()
                body = json.dumps(manifest).encode()
            new.writestr(name, body)
    station.clock.forward(days=30)
    told = station.restore(moved)
    assert (told["time_in_doubt"], told["numbers"]["next"]) == (doubted, 5001)
