"""The journal opens, migrates, keeps copies, and is all or nothing among threads and processes."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import apsw
import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.store import journal_copies
from desktop.store.journal import Journal, named_failures, open_journal
from tests.fakes.keyrings import use_keyring

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
COUNT_UP = "UPDATE identity SET created_at = CAST(created_at AS INTEGER) + 1"


@pytest.fixture(autouse=True)
def no_keyring() -> Iterator[None]:
    with use_keyring(keyring.backends.fail.Keyring()):
        yield


def opened(root: Path, **options: object) -> Journal:
    return open_journal(DataDir(root), Credentials(environ={}), **options)  # type: ignore[arg-type]


def test_a_new_journal_is_plain_without_a_keyring_and_says_so(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    assert (journal.encryption_mode, journal.sample) == ("plain", False)
    journal_id = journal.journal_id
    journal.close()
    assert opened(tmp_path).journal_id == journal_id
    assert not (tmp_path / "journal.key.json").exists()


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX; Windows has the profile's ACL")
def test_nobody_else_may_read_the_journal_or_its_side_files(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with journal.transaction() as tx:
        tx.run(COUNT_UP)
        for file in tmp_path.glob("journal.db*"):
            assert file.stat().st_mode & 0o077 == 0, file


def test_it_is_durable_before_the_transaction_returns(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with journal.reading() as tx:
        assert tx.row("PRAGMA journal_mode") == {"journal_mode": "wal"}
        assert tx.row("PRAGMA synchronous") == {"synchronous": 2}
        assert tx.row("PRAGMA busy_timeout") == {"timeout": 5000}
        assert tx.row("PRAGMA temp_store") == {"temp_store": 2}


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    journal = opened(tmp_path)

    def fail() -> None:
        with journal.transaction() as tx:
            tx.run("UPDATE identity SET journal_id = 'other'")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with journal.reading() as tx:
        assert tx.row("SELECT journal_id FROM identity") == {"journal_id": journal.journal_id}


def test_sample_and_own_data_never_share_a_journal(tmp_path: Path) -> None:
    opened(tmp_path, sample=True).close()
    with pytest.raises(KnownError) as refused:
        opened(tmp_path)
    assert refused.value.code == "journal_sample_mismatch"


def test_threads_count_without_losing_one(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with journal.transaction() as tx:
        tx.run("UPDATE identity SET created_at = '0'")

    def count() -> None:
        for _ in range(25):
            with journal.transaction() as tx:
                tx.run(COUNT_UP)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with journal.reading() as tx:
        assert tx.row("SELECT created_at FROM identity") == {"created_at": "100"}
    journal.close()


def test_a_reader_sees_one_moment_while_a_writer_goes_on(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with journal.reading() as reader:
        before = reader.row("SELECT created_at FROM identity")
        with journal.transaction() as writer:
            writer.run("UPDATE identity SET created_at = 'later'")
        assert reader.row("SELECT created_at FROM identity") == before


def test_a_journal_that_stays_busy_is_named(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    other = apsw.Connection(str(tmp_path / "journal.db"))  # the standard library's would not see our locks
    other.execute("BEGIN IMMEDIATE")
    with journal.reading() as tx:
        tx.run("PRAGMA busy_timeout = 10")
    with pytest.raises(KnownError) as refused, journal.transaction():
        pytest.fail("two writers at once")
    assert refused.value.code == "journal_busy"
    other.close()


def test_a_newer_journal_is_refused_untouched(tmp_path: Path) -> None:
    opened(tmp_path).close()
    other = apsw.Connection(str(tmp_path / "journal.db"))
    other.pragma("user_version", 999)
    other.close()
    with pytest.raises(KnownError) as refused:
        opened(tmp_path)
    assert refused.value.code == "journal_too_new"
    assert refused.value.detail["theirs"] == 999


def test_a_copy_is_made_at_start_when_the_last_is_old_and_three_are_kept(tmp_path: Path) -> None:
    opened(tmp_path, clock=lambda: NOW).close()
    assert journal_copies.newest(tmp_path / "journal.db") is None  # a journal just made holds nothing yet
    for hours in (0, 0.5, 1, 2, 3, 4):
        opened(tmp_path, clock=lambda hours=hours: NOW + timedelta(hours=hours)).close()
    copies = sorted(file.name for file in (tmp_path / "copies").iterdir())
    assert copies == [f"journal-20261130T{hour}0000000000Z.db" for hour in (11, 12, 13)]
    copied = apsw.Connection(str(tmp_path / "copies" / copies[-1]))
    assert copied.pragma("integrity_check") == "ok"
    assert copied.execute("SELECT count(*) FROM identity").get == 1
    copied.close()


@pytest.mark.parametrize("name", ["journal-old.db", "journal-2026.db", "journal-zz-schema-4.db", "journal-.db"])
def test_a_file_that_somebody_else_put_among_the_copies_is_none_of_them(tmp_path: Path, name: str) -> None:
    opened(tmp_path, clock=lambda: NOW).close()
    (tmp_path / "copies").mkdir()
    theirs = tmp_path / "copies" / name
    theirs.write_bytes(b"kept by hand")
    for hours in range(5):
        opened(tmp_path, clock=lambda hours=hours: NOW + timedelta(hours=hours)).close()
    assert journal_copies.newest(tmp_path / "journal.db") == tmp_path / "copies" / "journal-20261130T130000000000Z.db"
    assert theirs.read_bytes() == b"kept by hand"


def test_a_copy_that_was_cut_off_at_once_is_never_the_last_verified_one(tmp_path: Path) -> None:
    for hours in (0, 1):
        opened(tmp_path, clock=lambda hours=hours: NOW + timedelta(hours=hours)).close()
    whole = journal_copies.newest(tmp_path / "journal.db")
    assert whole is not None
    whole.with_name("journal-20261130T120000000000Z.db").touch()
    assert journal_copies.newest(tmp_path / "journal.db") == whole
    (tmp_path / "journal.db").unlink()
    with pytest.raises(KnownError) as refused:
        opened(tmp_path, clock=lambda: NOW)
    assert refused.value.detail["copy"] == str(whole)


def test_copies_of_a_clock_that_was_ahead_are_the_oldest(tmp_path: Path) -> None:
    """Nothing that is made once the clock is right may go at once, and what a broken journal falls back on is new."""
    journal = tmp_path / "journal.db"
    for day in range(4):
        opened(tmp_path, clock=lambda day=day: NOW + timedelta(days=1500 + day)).close()
    ahead = set((tmp_path / "copies").iterdir())
    assert len(ahead) == 3
    for hours in range(4):
        opened(tmp_path, clock=lambda hours=hours: NOW + timedelta(hours=hours)).close()
        newest = tmp_path / "copies" / f"journal-20261130T{9 + hours:02}0000000000Z.db"
        assert newest.exists()
        assert journal_copies.newest(journal, NOW + timedelta(hours=hours)) == newest
        assert len(list((tmp_path / "copies").iterdir())) == 3
    assert not ahead & set((tmp_path / "copies").iterdir())
    opened(tmp_path, clock=lambda: NOW + timedelta(hours=3, minutes=30)).close()
    assert journal_copies.newest(journal, NOW + timedelta(hours=4)) == newest


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_copy_is_as_private_as_the_journal(tmp_path: Path) -> None:
    for _ in range(2):
        opened(tmp_path, clock=lambda: NOW).close()
    (copy,) = (tmp_path / "copies").iterdir()
    assert copy.stat().st_mode & 0o777 == (tmp_path / "journal.db").stat().st_mode & 0o777 == 0o600


def test_a_copy_stands_before_an_old_journal_is_migrated(tmp_path: Path) -> None:
    first = Path(journal_copies.__file__).parent / "migrations" / "0001_runs.sql"
    old = apsw.Connection(str(tmp_path / "journal.db"))
    old.execute(first.read_text(encoding="utf-8"))
    old.execute("INSERT INTO identity VALUES ('old', 0, '2026-01-01')")
    old.pragma("user_version", 1)
    old.close()
    assert opened(tmp_path, clock=lambda: NOW).journal_id == "old"
    copied = apsw.Connection(str(journal_copies.newest(tmp_path / "journal.db")))
    assert copied.pragma("user_version") == 1
    copied.close()


def test_a_damaged_journal_is_refused_and_its_copy_named(tmp_path: Path) -> None:
    opened(tmp_path, clock=lambda: NOW).close()
    opened(tmp_path, clock=lambda: NOW).close()
    body = bytearray((tmp_path / "journal.db").read_bytes())
    body[100:4000] = bytes(3900)
    (tmp_path / "journal.db").write_bytes(body)
    with pytest.raises(KnownError) as refused:
        opened(tmp_path, clock=lambda: NOW)
    assert refused.value.code == "journal_corrupt"
    assert refused.value.detail["copy"] == str(journal_copies.newest(tmp_path / "journal.db"))
    assert (tmp_path / "journal.db").read_bytes() == bytes(body)


@pytest.mark.parametrize("with_copy", [True, False])
@pytest.mark.parametrize("left", ["nothing", "zero bytes", "an empty database"])
def test_a_journal_that_vanished_is_refused_and_its_copy_named(tmp_path: Path, left: str, with_copy: bool) -> None:
    for _ in range(1 + with_copy):
        opened(tmp_path, clock=lambda: NOW).close()
    file = tmp_path / "journal.db"
    file.unlink()
    if left == "zero bytes":
        file.touch()
    elif left == "an empty database":
        other = apsw.Connection(str(file))
        other.execute("CREATE TABLE t (x); DROP TABLE t")
        other.close()
    size = file.stat().st_size if file.exists() else None
    copy = journal_copies.newest(file)
    assert (copy is not None) is with_copy
    for _ in range(2):
        with pytest.raises(KnownError) as refused:
            opened(tmp_path, clock=lambda: NOW)
        assert refused.value.code == "journal_vanished"
        assert refused.value.detail["copy"] == str(copy or "")
        assert all(name in sentence(refused.value) for name in (str(file), str(copy or "なし")))
    assert (file.stat().st_size if file.exists() else None) == size
    if copy:
        shutil.copy(copy, file)
        opened(tmp_path, clock=lambda: NOW).close()


def test_a_copy_alone_tells_of_a_vanished_journal(tmp_path: Path) -> None:
    for _ in range(2):
        opened(tmp_path, clock=lambda: NOW).close()
    (tmp_path / "journal.db").unlink()
    (tmp_path / "journal.id").unlink()
    with pytest.raises(KnownError, match="journal_vanished"):
        opened(tmp_path)


def test_a_first_start_that_died_before_it_wrote_anything_is_a_first_start(tmp_path: Path) -> None:
    (tmp_path / "journal.db").touch()
    made = opened(tmp_path)
    assert json.loads((tmp_path / "journal.id").read_text(encoding="utf-8")) == {"journal_id": made.journal_id}
    made.close()


def test_a_mark_that_is_missing_is_left_by_the_next_start(tmp_path: Path) -> None:
    opened(tmp_path).close()
    (tmp_path / "journal.id").unlink()
    opened(tmp_path).close()
    assert (tmp_path / "journal.id").exists()


@pytest.mark.parametrize(
    ("free", "code"), [(0, "journal_disk_full"), (2**18 - 1, "journal_disk_full"), (2**30, "journal_unwritable")]
)
@pytest.mark.parametrize("error", [apsw.IOError, apsw.CantOpenError])
def test_an_io_error_on_a_full_disk_is_the_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error], free: int, code: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=free))
    with pytest.raises(KnownError) as refused, named_failures(tmp_path / "journal.db"):
        raise error("disk I/O error")
    assert refused.value.code == code


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(KnownError) as refused:
        opened(tmp_path / "file" / "data")
    assert refused.value.code == "journal_unwritable"


FILL = """
import resource, signal, sys
from pathlib import Path
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.store.journal import open_journal
import keyring, keyring.backends.fail
keyring.set_keyring(keyring.backends.fail.Keyring())
journal = open_journal(DataDir(Path(sys.argv[1])), Credentials(environ={}))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
kept = 0
try:
    for n in range(1000):
        with journal.transaction() as tx:
            tx.run("INSERT INTO runs VALUES (?,'','','','','','','','running',?,'','2026',NULL)", (str(n), "x" * 5000))
        kept += 1
except KnownError as error:
    print(error.code, kept)
"""


@pytest.mark.skipif(os.name != "posix", reason="file size limits are POSIX")
def test_where_the_disk_takes_no_more_the_write_fails_whole_and_nothing_before_it_is_lost(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    code, kept = done.stdout.split()
    assert code in ("journal_unwritable", "journal_disk_full")
    assert 10 < int(kept) < 1000
    with opened(tmp_path).reading() as tx:
        assert tx.row("SELECT count(*) AS n FROM runs") == {"n": int(kept)}
        assert tx.row("PRAGMA integrity_check") == {"integrity_check": "ok"}
