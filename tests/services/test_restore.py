"""A restore brings everything back as it was, and sets the present data aside whole, however often it is cut off."""

import hashlib
import shutil
from pathlib import Path

import apsw
import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir, Installation
from desktop.services.people import Roster
from desktop.store import audit, data_swap, journal_copies
from tests.fakes.desk import LEADER
from tests.fakes.keyrings import use_keyring
from tests.fakes.workstation import (
    HARMS,
    ORIGINAL,
    SNAPSHOT,
    Workstation,
    approve,
    contents,
    outcome_of,
    titles,
    told,
)


def aside(station: Workstation) -> Path:
    (folder,) = station.data.root.glob("before-restore-*")
    return folder


def test_everything_is_as_it_was_and_what_was_there_is_kept_whole(station: Workstation, tmp_path: Path) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    station.clock.forward(hours=3)
    approve(station, "後")
    (station.data.settings).write_text('traces = "off"\n', encoding="utf-8")
    (station.data.files / ("ab" * 32)).write_bytes(b"added later")
    before = station.contents()
    document = station.restore(tmp_path / "b.zip")
    desk = station.open()
    assert titles(desk) == {"WR-P07-0001": "前"}
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    desk.journal.close()
    now = station.contents()
    assert now[f"snapshots/{SNAPSHOT}"] == b"plant " * 5000
    assert now[f"files/{hashlib.sha256(ORIGINAL).hexdigest()}"] == ORIGINAL
    assert b'code = "P07"' in now["settings.toml"]
    assert f"files/{'ab' * 32}" not in now
    kept = contents(station.data.root / document["aside"])
    for name, body in before.items():
        if name.startswith(("logs/", "sample/", "windows/")):
            assert now[name] == body
        else:
            assert kept[name] == body, name


def test_it_is_told_in_the_trail(station: Workstation, tmp_path: Path) -> None:
    approve(station, "前")
    digest = station.back_up(tmp_path / "b.zip")["sha256"]
    station.clock.forward(days=2)
    document = station.restore(tmp_path / "b.zip")
    desk = station.open()
    (row,) = told(desk, "restored")
    desk.journal.close()
    assert (row["sha256"], row["made_at"], row["aside"]) == (digest, "2026-11-30T09:00:00+00:00", document["aside"])
    assert row["numbers"] == {
        "before": {"WR-P07": 1, "seq/P07": 1},
        "seen": 1,
        "next": 2001,
        "sync_folder": "read",
    }
    assert document["numbers"] == row["numbers"]


def test_on_a_new_pc_with_the_key_given_back(station: Workstation, tmp_path: Path) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    new = Workstation(tmp_path / "new", station.ring, None)
    document = new.restore(tmp_path / "b.zip")
    assert document["encryption"] == "chacha20"
    desk = new.open()
    assert titles(desk) == {"WR-P07-0001": "前"}
    desk.journal.close()


def test_pins_that_need_the_other_pcs_secret_are_counted(station: Workstation, tmp_path: Path) -> None:
    assert station.ring is not None
    desk = station.open()
    Roster(desk.journal, Credentials(environ={}), station.clock, lambda: True).reset_pin(LEADER.person_id)
    desk.journal.close()
    station.back_up(tmp_path / "b.zip")
    assert station.restore(tmp_path / "b.zip")["pins_to_reset"] == 0
    (pepper,) = [where for where in station.ring.kept if "pepper" in where[0]]
    del station.ring.kept[pepper]
    assert Workstation(tmp_path / "new", station.ring, None).restore(tmp_path / "b.zip")["pins_to_reset"] == 1


@pytest.mark.parametrize("harm", HARMS)
def test_it_works_whatever_has_become_of_the_present_journal(station: Workstation, tmp_path: Path, harm: str) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    HARMS[harm](station)
    if harm != "all gone":
        with pytest.raises(KnownError):
            station.open()
    station.restore(tmp_path / "b.zip")
    desk = station.open()
    assert "前" in titles(desk).values()
    desk.journal.close()


@pytest.mark.parametrize("harm", ["corrupt", "vanished", "emptied", "too new", "side files left"])
def test_a_copy_brings_the_journal_back_and_leaves_the_rest(station: Workstation, tmp_path: Path, harm: str) -> None:
    approve(station, "前")
    station.clock.forward(hours=2)
    station.open().journal.close()
    copy = journal_copies.newest(station.data.journal)
    assert copy is not None
    approve(station, "後")
    if harm == "side files left":
        (station.data.root / "journal.db-wal").write_bytes(b"of another journal")
        harm = "vanished"
    HARMS[harm](station)
    rest = {name: body for name, body in station.contents().items() if not name.startswith("journal")}
    document = station.restore(copy)
    assert (document["whole"], document["made_at"]) == (False, "2026-11-30T11:00:00+00:00")
    assert station.contents().items() >= rest.items()
    desk = station.open()
    assert titles(desk) == {"WR-P07-0001": "前"}
    desk.journal.close()


def test_a_copy_of_a_plain_journal_comes_back_plain(tmp_path: Path, cheap_pins: None) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        station = Workstation(tmp_path / "data", None, None)
        station.open().journal.close()
        station.open().journal.close()
        copy = journal_copies.newest(station.data.journal)
        assert copy is not None
        station.data.journal.unlink()
        assert station.restore(copy)["encryption"] == "plain"
        station.open().journal.close()


def test_an_older_schema_is_migrated_as_at_any_start(tmp_path: Path, cheap_pins: None) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        place = DataDir(tmp_path / "old")
        place.root.mkdir()
        first = Path(journal_copies.__file__).parent / "migrations" / "0001_runs.sql"
        old = apsw.Connection(str(place.journal))
        old.execute(first.read_text(encoding="utf-8"))
        old.execute("INSERT INTO identity VALUES ('old', 0, '2026-01-01')")
        old.pragma("user_version", 1)
        old.close()
        copy = tmp_path / "journal-20260601T000000000000Z.db"
        shutil.copy(place.journal, copy)
        station = Workstation(tmp_path / "data", None, None)
        assert station.restore(copy)["made_at"].startswith("2026-06-01")
        desk = station.open()
        assert desk.journal.journal_id == "old"
        desk.journal.close()


def test_where_a_file_cannot_be_moved_the_same_command_goes_on_later(station: Workstation, tmp_path: Path) -> None:
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    rename = Path.rename

    def held(self: Path, target: Path) -> Path:
        if self.name == "snapshots":
            raise PermissionError(13, "in use", str(self))
        return rename(self, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "rename", held)
        with pytest.raises(KnownError, match="restore_stopped"):
            station.restore(tmp_path / "b.zip")
    with pytest.raises(KnownError) as caught:
        station.open()
    assert caught.value.code == "restore_unfinished"
    other = tmp_path / "another.zip"
    (tmp_path / "b.zip").rename(other)
    document = station.restore(other)
    assert document["finished_earlier"]
    assert document["file"] == str(tmp_path / "b.zip")
    desk = station.open()
    assert titles(desk) == {"WR-P07-0001": "前"}
    desk.journal.close()
    station.clock.forward(minutes=1)
    assert not station.restore(other)["finished_earlier"]


def test_the_same_command_again_is_the_same_restore(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_swap, "finish", lambda _: (_ for _ in ()).throw(OSError(5, "power cut")))
        with pytest.raises(KnownError, match="restore_stopped"):
            station.restore(tmp_path / "b.zip")
    (tmp_path / "b.zip").unlink()
    assert not station.restore(tmp_path / "b.zip")["finished_earlier"]
    assert aside(station).is_dir()


@pytest.mark.parametrize("shared", [False, True])
def test_where_users_share_the_data_only_an_administrator_restores(
    station: Workstation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    station.back_up(tmp_path / "b.zip")
    monkeypatch.setattr("desktop.paths.installation", lambda: Installation(tmp_path, shared))
    monkeypatch.setattr("desktop.credentials._machine_keys", lambda: None)
    outcome = outcome_of(station, tmp_path / "b.zip", elevated=False)
    assert outcome == ("elevation_needed" if shared else None)
    station.clock.forward(minutes=1)
    assert outcome_of(station, tmp_path / "b.zip") is None
