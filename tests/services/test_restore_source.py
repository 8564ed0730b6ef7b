"""What a restore may be given: a journal is taken with what belongs to it, and what is none begins no new one."""

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import keyring.backends.fail
import pytest

from desktop.store import journal_copies
from tests.fakes.keyrings import use_keyring
from tests.fakes.workstation import Workstation, made_of, refused


def test_a_copy_of_another_pcs_journal_without_its_key_note_is_not_called_damaged(
    station: Workstation, tmp_path: Path
) -> None:
    other = Workstation(tmp_path / "other", station.ring, None)
    for _ in range(2):
        other.open().journal.close()
    copy = journal_copies.newest(other.data.journal)
    station.open().journal.close()
    assert copy is not None
    alone = shutil.copy(copy, tmp_path)
    assert refused(station, Path(alone)).code == "backup_key_unknown"


@pytest.mark.parametrize("name", ["journal.db", ""])
def test_what_an_earlier_restore_left_in_its_staging_is_not_emptied_by_being_given(
    station: Workstation, tmp_path: Path, name: str
) -> None:
    """Its plan may be damaged, and the backup that it came from be gone."""
    station.open().journal.close()
    shutil.copytree(station.data.root, tmp_path / "copied")
    (tmp_path / "copied").rename(station.data.root / "restoring")
    assert refused(station, station.data.root / "restoring" / name).code == "backup_unreadable"
    shutil.copytree(station.data.root / "restoring", tmp_path / "elsewhere")
    station.restore(tmp_path / "elsewhere" / name)


def nothing(file: Path, _: Path) -> None:
    file.write_bytes(b"")


def database_of_somebody_else(file: Path, _: Path) -> None:
    made = apsw.Connection(str(file))
    made.execute("CREATE TABLE t (x)")
    made.close()


def backup_of_nothing(file: Path, _: Path) -> None:
    made_of({"journal.db": b""}, file)


def backup_of_nothing_with_a_key_note(file: Path, note: Path) -> None:
    made_of({"journal.db": b"", "journal.key.json": note.read_bytes()}, file)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("x.db", nothing),
        ("x.db", database_of_somebody_else),
        ("b.zip", backup_of_nothing),
        ("b.zip", backup_of_nothing_with_a_key_note),
    ],
)
def test_what_holds_no_journal_does_not_begin_a_new_one(
    station: Workstation, tmp_path: Path, name: str, make: Callable[[Path, Path], None]
) -> None:
    station.open().journal.close()
    assert station.ring is not None
    kept = dict(station.ring.kept)
    make(tmp_path / name, station.data.root / "journal.key.json")
    assert refused(station, tmp_path / name).code == "backup_damaged"
    assert station.ring.kept == kept


def test_a_plain_backup_is_refused_in_its_own_words_where_encryption_is_required(
    tmp_path: Path, cheap_pins: None
) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        station = Workstation(tmp_path / "data", None, None)
        station.back_up(tmp_path / "b.zip")
        strict = Workstation(tmp_path / "strict", None, None)
        strict.data.root.mkdir()
        strict.data.settings.write_text('[storage]\nencryption = "required"\n', encoding="utf-8")
        shutil.copy(station.data.journal, tmp_path / "plain.db")
        error = refused(strict, tmp_path / "plain.db")
    assert (error.code, error.file) == ("backup_plain_refused", str(tmp_path / "plain.db"))
