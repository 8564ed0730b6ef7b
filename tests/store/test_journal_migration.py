"""A migration is all or nothing: what fails, or is killed, leaves a journal with which the version before goes on."""

import logging
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.store import journal as journals
from desktop.store import journal_copies
from desktop.store.journal import Journal, open_journal
from tests.fakes.keyrings import MemoryKeyring, use_keyring

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SHIPPED = Path(journals.__file__).parent / "migrations"
NEWEST = max(int(file.name[:4]) for file in SHIPPED.glob("*.sql"))
ADD_TABLE = "CREATE TABLE later (x TEXT) STRICT; INSERT INTO later SELECT created_at FROM identity;"
Upgrade = Callable[..., None]


@pytest.fixture(autouse=True, params=["plain", "encrypted"])
def ring(request: pytest.FixtureRequest) -> Iterator[None]:
    with use_keyring(MemoryKeyring() if request.param == "encrypted" else keyring.backends.fail.Keyring()):
        yield


@pytest.fixture
def upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Upgrade:
    """From now on this program is a later version with these steps more; with none it is the shipped one again."""

    def install(*steps: str) -> None:
        folder = tmp_path / "migrations"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SHIPPED, folder)
        for number, step in enumerate(steps, 9001):
            (folder / f"{number}_later.sql").write_text(step, encoding="utf-8")
        monkeypatch.setattr(journals, "_MIGRATIONS", folder)

    return install


def opened(root: Path, now: datetime = NOW) -> Journal:
    return open_journal(DataDir(root), Credentials(environ={}), clock=lambda: now)


def schema_of(journal: Journal) -> tuple[object, list[object]]:
    """Version, and every statement that made something."""
    with journal.reading() as tx:
        version = tx.row("PRAGMA user_version")
        made = tx.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")
    return version, [tuple(row.values()) for row in made]


@pytest.mark.parametrize(
    "broken",
    [
        "CREATE TABLE half (",
        "UPDATE no_such_table SET x = 1",
        "INSERT INTO identity SELECT NULL, 0, ''",
        "CREATE TABLE runs (x)",
    ],
)
@pytest.mark.parametrize("good_steps", [0, 1, 2])
def test_a_step_that_fails_undoes_all_steps_and_the_version_before_goes_on(
    tmp_path: Path, upgrade: Upgrade, caplog: pytest.LogCaptureFixture, good_steps: int, broken: str
) -> None:
    root = tmp_path / "data"
    journal = opened(root)
    before, journal_id = schema_of(journal), journal.journal_id
    journal.close()
    good = [ADD_TABLE, "UPDATE identity SET created_at = 'later'"][:good_steps]
    upgrade(*good, broken)
    with caplog.at_level(logging.ERROR), pytest.raises(KnownError) as failed:
        opened(root)
    copy = journal_copies.newest(root / "journal.db")
    assert failed.value.code == "journal_migration_failed"
    assert all(name in sentence(failed.value) for name in (str(root / "journal.db"), str(copy), "前の版"))
    assert "Traceback" in caplog.text
    upgrade()
    again = opened(root)
    assert (schema_of(again), again.journal_id) == (before, journal_id)
    with again.transaction() as tx:
        assert tx.run("UPDATE identity SET created_at = created_at WHERE created_at <> 'later'") == 1
    again.verify()
    again.close()


def test_all_steps_of_one_start_arrive_together_and_a_copy_of_before_stands(tmp_path: Path, upgrade: Upgrade) -> None:
    root = tmp_path / "data"
    opened(root).close()
    upgrade(ADD_TABLE, "ALTER TABLE later ADD COLUMN y INTEGER", "UPDATE later SET y = 1")
    journal = opened(root)
    version, _ = schema_of(journal)
    assert version == {"user_version": 9003}
    with journal.reading() as tx:
        assert [row["y"] for row in tx.rows("SELECT y FROM later")] == [1]
    journal.close()
    copy = journal_copies.newest(root / "journal.db")
    assert copy is not None
    assert copy.stem.endswith(f"-schema-{NEWEST}")
    upgrade()
    with pytest.raises(KnownError, match="journal_too_new"):
        opened(root)
    shutil.copy(copy, root / "journal.db")
    opened(root).close()


def test_nobody_writes_between_the_copy_and_the_migration(
    tmp_path: Path, upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "data"
    old = opened(root)
    with old.reading() as tx:
        tx.run("PRAGMA busy_timeout = 10")
    make, refused = journal_copies.make, []

    def make_under_fire(*arguments: object, **options: object) -> Path:
        made = make(*arguments, **options)  # type: ignore[arg-type]
        with pytest.raises(KnownError) as told, old.transaction():
            pytest.fail("written after the copy was made")
        refused.append(told.value.code)
        return made

    monkeypatch.setattr(journal_copies, "make", make_under_fire)
    upgrade(ADD_TABLE)
    opened(root).close()
    assert refused == ["journal_busy"]
    old.close()


def test_a_program_at_work_is_told_that_a_newer_one_has_migrated_and_writes_nothing(
    tmp_path: Path, upgrade: Upgrade
) -> None:
    root = tmp_path / "data"
    old = opened(root)
    upgrade(ADD_TABLE)
    new = opened(root)
    with pytest.raises(KnownError) as written, old.transaction():
        pytest.fail("the old program wrote into the new schema")
    with pytest.raises(KnownError) as read, old.reading():
        pytest.fail("the old program read the new schema")
    assert {written.value.code, read.value.code} == {"journal_migrated_meanwhile"}
    with new.transaction() as tx:
        assert tx.run("UPDATE later SET x = 'y'") == 1
    old.close()
    new.close()


def test_a_program_that_is_writing_keeps_a_migration_out_and_loses_nothing(
    tmp_path: Path, upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "data"
    old = opened(root)
    upgrade(ADD_TABLE)
    monkeypatch.setattr(journals, "_BUSY_MS", 10)
    with old.transaction() as tx:
        with pytest.raises(KnownError) as busy:
            opened(root)
        tx.run("UPDATE identity SET created_at = 'written meanwhile'")
    assert busy.value.code == "journal_busy"
    old.close()
    new = opened(root)
    with new.reading() as tx:
        assert tx.row("SELECT x FROM later") == {"x": "written meanwhile"}
    new.close()


def test_the_copy_for_a_way_back_outlives_the_hourly_ones_for_thirty_days(tmp_path: Path, upgrade: Upgrade) -> None:
    root = tmp_path / "data"
    opened(root).close()
    upgrade(ADD_TABLE)
    for hours in range(8):
        opened(root, NOW + timedelta(hours=hours)).close()
    assert [copy.stem.count("-schema-") for copy in sorted((root / "copies").iterdir())] == [1, 0, 0, 0]
    opened(root, NOW + timedelta(days=31)).close()
    assert [copy.stem.count("-schema-") for copy in sorted((root / "copies").iterdir())] == [0, 0, 0]


def test_a_copy_that_fails_leaves_no_half_file_and_nothing_is_migrated(
    tmp_path: Path, upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "data"
    opened(root).close()
    upgrade(ADD_TABLE)

    def write_half(draft: Path, *_: object) -> None:
        draft.write_bytes(b"half")
        raise apsw.IOError("disk I/O error")

    monkeypatch.setattr(journal_copies, "_write", write_half)
    with pytest.raises(KnownError) as failed:
        opened(root)
    assert failed.value.code == "journal_migration_failed"
    assert not list((root / "copies").iterdir())
    upgrade()
    opened(root).close()


def test_no_migration_ends_the_transaction_that_holds_them_all() -> None:
    for file in SHIPPED.glob("*.sql"):
        text = re.sub(r"--.*", "", file.read_text(encoding="utf-8"))
        outside_triggers = re.sub(r"\bBEGIN\b.*?\bEND\b", "", text, flags=re.DOTALL)
        assert not re.search(r"\b(BEGIN|COMMIT|ROLLBACK|VACUUM|PRAGMA)\b", outside_triggers), file.name
