"""The key goes to the keyring before there is a file; wrong key, no key and a broken page are three things."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.store import journal_copies
from desktop.store.journal import Journal, open_journal
from tests.fakes.keyrings import LockedKeyring, MemoryKeyring, use_keyring

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
NO_KEYRING = keyring.backends.fail.Keyring


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    made = MemoryKeyring()
    with use_keyring(made):
        yield made


def opened(root: Path, encryption: str = "auto", hours: float = 0) -> Journal:
    clock = lambda: NOW + timedelta(hours=hours)  # noqa: E731
    return open_journal(DataDir(root), Credentials(environ={}), encryption=encryption, clock=clock)


def refusal(root: Path, encryption: str = "auto") -> KnownError:
    before = {file: file.read_bytes() for file in root.glob("journal.db*")}
    with pytest.raises(KnownError) as refused:
        opened(root, encryption)
    assert {file: file.read_bytes() for file in root.glob("journal.db*")} == before
    return refused.value


def write_secret(journal: Journal) -> None:
    with journal.transaction() as tx:
        tx.run("UPDATE identity SET created_at = 'SECRET-WORD'")


def test_nothing_on_disk_can_be_read_without_the_key(tmp_path: Path, ring: MemoryKeyring) -> None:
    journal = opened(tmp_path)
    assert journal.encryption_mode == "chacha20"
    write_secret(journal)
    opened(tmp_path, hours=2).close()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"journal.db", "journal.db-wal", "journal.key.json"} <= {file.name for file in files}
    assert any(file.parent.name == "copies" for file in files)
    for file in files:
        body = file.read_bytes()
        (secret,) = ring.kept.values()
        for readable in (b"SECRET-WORD", b"SQLite format 3", secret.encode(), bytes.fromhex(secret)):
            assert readable not in body, file
    journal.close()


def test_the_key_is_in_the_keyring_under_the_journals_id(tmp_path: Path, ring: MemoryKeyring) -> None:
    journal = opened(tmp_path)
    note = json.loads((tmp_path / "journal.key.json").read_text(encoding="utf-8"))
    assert note.keys() == {"journal_id", "cipher", "fingerprint"}
    assert note["journal_id"] == journal.journal_id
    assert [service for service, _ in ring.kept] == [f"HozenNavi/journal/{journal.journal_id}"]
    journal.close()
    assert opened(tmp_path).journal_id == journal.journal_id


def test_two_data_dirs_never_share_a_key(tmp_path: Path, ring: MemoryKeyring) -> None:
    first, second = opened(tmp_path / "a"), opened(tmp_path / "b")
    assert first.journal_id != second.journal_id
    assert len(set(ring.kept.values())) == 2
    first.close()
    second.close()


def test_wrong_key_no_key_and_a_broken_page_have_three_sentences(tmp_path: Path, ring: MemoryKeyring) -> None:
    opened(tmp_path).close()
    opened(tmp_path).close()
    ((where, right),) = ring.kept.items()
    ring.kept[where] = "ab" * 32
    wrong = refusal(tmp_path)
    del ring.kept[where]
    missing = refusal(tmp_path)
    ring.kept[where] = right
    body = bytearray((tmp_path / "journal.db").read_bytes())
    body[4096 + 100] ^= 1
    (tmp_path / "journal.db").write_bytes(body)
    with pytest.raises(KnownError) as broken:
        opened(tmp_path, hours=2)
    codes = [error.code for error in (wrong, missing, broken.value)]
    assert codes == ["journal_key_wrong", "journal_key_missing", "journal_corrupt"]
    assert broken.value.detail["copy"] == str(journal_copies.newest(tmp_path / "journal.db"))
    for language in ("ja", "en"):
        assert len({sentence(error, language) for error in (wrong, missing, broken.value)}) == 3


def test_a_flipped_bit_in_a_page_is_named_when_it_is_read(tmp_path: Path, ring: MemoryKeyring) -> None:
    opened(tmp_path).close()
    body = bytearray((tmp_path / "journal.db").read_bytes())
    for page in range(1, len(body) // 4096):
        body[page * 4096 + 50] ^= 1
    (tmp_path / "journal.db").write_bytes(body)
    with pytest.raises(KnownError) as broken:
        opened(tmp_path).close()
    assert broken.value.code == "journal_corrupt"


def test_a_keyring_that_is_gone_or_locked_never_means_a_new_plain_journal(tmp_path: Path, ring: MemoryKeyring) -> None:
    opened(tmp_path).close()
    with use_keyring(NO_KEYRING()):
        assert refusal(tmp_path).code == "journal_key_missing"
    with use_keyring(LockedKeyring()):
        assert refusal(tmp_path).code == "keyring_locked"
    (tmp_path / "journal.db").unlink()
    with use_keyring(NO_KEYRING()):
        assert refusal(tmp_path).code == "journal_vanished"
        (tmp_path / "journal.id").unlink()  # as if the first start had died
        assert refusal(tmp_path).code == "journal_key_missing"
    assert not (tmp_path / "journal.db").exists()


def test_a_start_that_died_between_key_and_file_goes_on_with_the_same_key(tmp_path: Path, ring: MemoryKeyring) -> None:
    journal_id = opened(tmp_path).journal_id
    (tmp_path / "journal.db").unlink()
    for side in (tmp_path / "journal.id", *tmp_path.glob("journal.db-*")):
        side.unlink()
    assert opened(tmp_path).journal_id == journal_id
    assert len(ring.kept) == 1


def test_a_lost_or_broken_key_note_is_named(tmp_path: Path, ring: MemoryKeyring) -> None:
    opened(tmp_path).close()
    (tmp_path / "journal.key.json").rename(tmp_path / "kept")
    assert refusal(tmp_path).code == "journal_key_file_missing"
    (tmp_path / "journal.key.json").write_text('{"journal_id": ', encoding="utf-8")
    assert refusal(tmp_path).code == "journal_key_file_broken"


def test_where_encryption_is_required_nothing_plain_is_made_or_opened(tmp_path: Path) -> None:
    with use_keyring(NO_KEYRING()):
        error = refusal(tmp_path, "required")
        assert (error.code, error.detail["cause"]) == ("encryption_required", "keyring_missing")
        assert not (tmp_path / "journal.db").exists()
        assert not (tmp_path / "journal.key.json").exists()
        opened(tmp_path).close()
        assert refusal(tmp_path, "required").code == "encryption_required_but_plain"


def test_a_plain_journal_stays_what_it_is_when_a_keyring_appears(tmp_path: Path, ring: MemoryKeyring) -> None:
    with use_keyring(NO_KEYRING()):
        opened(tmp_path).close()
    journal = opened(tmp_path)
    assert journal.encryption_mode == "plain"
    assert ring.kept == {}
    journal.close()


def test_a_copy_opens_with_the_journals_own_key(tmp_path: Path, ring: MemoryKeyring) -> None:
    write_secret(opened(tmp_path))
    opened(tmp_path).close()
    copy = apsw.Connection(str(journal_copies.newest(tmp_path / "journal.db")))
    copy.pragma("cipher", "chacha20")
    copy.pragma("key", f"raw:{next(iter(ring.kept.values()))}")
    assert copy.execute("SELECT created_at FROM identity").get == "SECRET-WORD"
    copy.close()


ASK = """
import sys
from pathlib import Path
from desktop.credentials import Credentials
from desktop.paths import DataDir
from desktop.store.journal import open_journal
journal = open_journal(DataDir(Path(sys.argv[1])), Credentials(environ={}))
print(journal.encryption_mode, journal.journal_id)
"""
SESSION = """
echo -n ci | gnome-keyring-daemon --unlock --components=secrets >/dev/null
"{python}" -c "$ASK" "{root}/a" & first=$!
"{python}" -c "$ASK" "{root}/a"; wait $first
"{python}" -c "$ASK" "{root}/b"
"""
HAS_GNOME_KEYRING = bool(shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session"))


@pytest.mark.skipif(not HAS_GNOME_KEYRING, reason="gnome-keyring or dbus-run-session is not installed")
def test_with_gnome_keyring_two_processes_make_one_key_and_two_dirs_two(tmp_path: Path) -> None:
    script = SESSION.format(python=sys.executable, root=tmp_path)
    environment = {**os.environ, "HOME": str(tmp_path), "ASK": ASK}
    environment.pop("PYTHON_KEYRING_BACKEND", None)
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", script],
        capture_output=True, text=True, timeout=100, env=environment, check=True,
    )  # fmt: skip
    first, second, other = done.stdout.splitlines()
    assert first == second, done.stderr
    assert first.startswith("chacha20 ")
    assert other != first
    with use_keyring(NO_KEYRING()):
        assert refusal(tmp_path / "a").code == "journal_key_missing"
