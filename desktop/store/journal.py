"""The journal: opening, migrating, and the transactions everything else in it is written through."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
from uuid6 import uuid7

from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.store import data_swap, journal_copies, journal_key, journal_mark, journal_use
from desktop.store.journal_key import JournalKey

Row = Mapping[str, Any]

_BUSY_MS = 5_000
_OPENING_BUSY_MS = 60_000  # another process may be copying or migrating
_LEAST_FREE = 2**18  # bytes; with less, what the engine calls an I/O error is the full disk
_MIGRATIONS = Path(__file__).parent / "migrations"

_log = logging.getLogger(__name__)

_SELECT_IDENTITY = "SELECT journal_id, sample FROM identity"
_INSERT_IDENTITY = "INSERT INTO identity (journal_id, sample, created_at) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Tx:
    """One open transaction; the modules of the store take it as their first argument."""

    connection: apsw.Connection

    def each(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """Row by row, as column name to value."""
        cursor = self.connection.cursor()
        cursor.row_trace = _by_name
        yield from cursor.execute(sql, parameters)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return list(self.each(sql, parameters))

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> Row | None:
        """The first row, or None."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Executes and returns how many rows changed."""
        self.connection.execute(sql, parameters)
        return self.connection.changes()


def stamp(at: datetime) -> str:
    """A time as every table keeps it: UTC, so that the text sorts as the times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


class Journal:
    """One workstation's journal; any thread and any number of processes may use it at once.

    `journal_id` names it, `sample` = the bundled plant's, `encryption_mode` is the cipher's name or "plain", `schema`
    the one it was opened with.
    """

    def __init__(
        self, file: Path, key: JournalKey | None, journal_id: str, sample: bool, schema: int, in_use: apsw.Connection
    ) -> None:
        self.file = file
        self.journal_id = journal_id
        self.sample = sample
        self._schema = schema
        self._key = key
        self._in_use = in_use
        self._idle: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def encryption_mode(self) -> str:
        return self._key.cipher if self._key else "plain"

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """All or nothing, alone among all processes; on disk when it returns.

        Raises KnownError: journal_busy (another process wrote for 5 s), journal_disk_full, journal_corrupt,
        journal_unwritable, journal_migrated_meanwhile; nothing of the transaction is then kept.
        """
        with self._connection() as connection, named_failures(self.file), _whole(connection, "BEGIN IMMEDIATE"):
            self._require_own_schema(connection)
            yield Tx(connection)

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        """One consistent view for reading; waits for nobody. KnownError("journal_migrated_meanwhile")."""
        with self._connection() as connection, named_failures(self.file), _whole(connection, "BEGIN"):
            self._require_own_schema(connection)
            yield Tx(connection)

    def verify(self) -> None:
        """Reads every page; KnownError("journal_corrupt") where one doesn't hold."""
        with self._connection() as connection, named_failures(self.file):
            if connection.pragma("integrity_check") != "ok":
                raise apsw.CorruptError(str(self.file))

    def copy(self, now: datetime) -> Path:
        """A verified copy beside the others, made while everybody goes on; raises what `transaction` raises."""
        file = self.file
        with self._connection() as connection, _named_refusals(file), named_failures(file), _alone(file.parent):
            return journal_copies.make(connection, file, self._key, now)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        self._in_use.close()

    def _require_own_schema(self, connection: apsw.Connection) -> None:
        """A newer version may have been installed, and may have migrated, while this process was at work."""
        if connection.pragma("user_version") != self._schema:
            raise KnownError("journal_migrated_meanwhile", file=str(self.file))

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            with named_failures(self.file):
                connection = _connect(self.file, self._key)
        try:
            yield connection
        finally:
            with self._lock:
                keep = not self._closed
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()


def open_journal(
    data: DataDir,
    credentials: Credentials,
    *,
    sample: bool = False,
    encryption: str = "auto",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Journal:
    """The journal of this data directory, made, migrated and copied as needed.

    `encryption` is the setting storage.encryption; `sample` marks a new journal as the bundled plant's. Raises what
    `journal_key.settle` and `Journal.transaction` raise, and journal_vanished, journal_too_new,
    journal_sample_mismatch, journal_migration_failed, journal_migration_disk_full, restore_unfinished.
    """
    file = data.journal
    with _named_refusals(file), named_failures(file):
        data.root.mkdir(parents=True, exist_ok=True)
        return _opened(file, credentials, sample, encryption == "required", clock())


def _opened(file: Path, credentials: Credentials, sample: bool, required: bool, now: datetime) -> Journal:
    with _alone(file.parent), ExitStack() as unless_opened:
        data_swap.refuse_unfinished(file.parent)
        in_use = unless_opened.enter_context(closing(journal_use.share(file)))
        journal_mark.refuse_vanished(file)
        key = journal_key.settle(file, credentials, required=required)
        _create_private(file)
        connection = _connect(file, key)
        try:
            schema = _keep_copy_and_migrate(connection, file, key, now)
            identity = _identity(connection, key, sample, now)
            journal_mark.leave(file, identity["journal_id"])
        finally:
            connection.close()
        if bool(identity["sample"]) != sample:
            raise KnownError("journal_sample_mismatch", file=str(file))
        unless_opened.pop_all()
    return Journal(file, key, identity["journal_id"], sample, schema, in_use)


@contextmanager
def named_failures(file: Path) -> Iterator[None]:
    """What the engine says of the world, as KnownErrors; what it says of our mistakes passes."""
    try:
        yield
    except apsw.BusyError as error:
        raise KnownError("journal_busy", file=str(file)) from error
    except apsw.FullError as error:
        raise KnownError("journal_disk_full", file=str(file)) from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        copy = journal_copies.newest(file)
        raise KnownError("journal_corrupt", file=str(file), copy=str(copy or "")) from error
    except (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        if _is_full(file.parent):
            raise KnownError("journal_disk_full", file=str(file)) from error
        raise KnownError("journal_unwritable", file=str(file), reason=str(error)) from error


@contextmanager
def _named_refusals(file: Path) -> Iterator[None]:
    """What the system says of the folder and the small files beside the journal, as KnownErrors."""
    try:
        yield
    except OSError as error:
        code = "journal_disk_full" if _says_full(error) else "journal_unwritable"
        raise KnownError(code, file=str(file), reason=str(error)) from error


def _says_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _is_full(folder: Path) -> bool:
    """A side file that can't be made or grown is an I/O error or "unable to open" to the engine, never "full"."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE
    except OSError:
        return False


def _connect(file: Path, key: JournalKey | None) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.set_busy_timeout(_BUSY_MS)
    journal_copies.unlock(connection, key)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    connection.pragma("temp_store", "memory")  # a spill file would be plain
    return connection


def newest_schema() -> int:
    """The schema that this program migrates a journal to."""
    return max(_steps())


def _steps() -> dict[int, Path]:
    return {int(path.name[:4]): path for path in sorted(_MIGRATIONS.glob("*.sql"))}


def _keep_copy_and_migrate(connection: apsw.Connection, file: Path, key: JournalKey | None, now: datetime) -> int:
    """The schema it has now. Before a migration a verified copy stands; else one is made when the last is old."""
    steps = _steps()
    version, newest = int(connection.pragma("user_version")), max(steps)
    if not version and journal_mark.was_here(file):
        raise journal_mark.vanished(file)
    if version > newest:
        raise KnownError("journal_too_new", file=str(file), theirs=version, ours=newest)
    if version < newest:
        with _old_schema_stays(file, version, newest), _whole(connection, "BEGIN IMMEDIATE"):
            if version:
                _copy_of_old_schema(file, key, version, now)
            for number in (number for number in steps if number > version):
                connection.execute(steps[number].read_text(encoding="utf-8"))
            connection.pragma("user_version", newest)
    elif journal_copies.due(file, now):
        journal_copies.make_if_room(connection, file, key, now)
    return newest


def _copy_of_old_schema(file: Path, key: JournalKey | None, version: int, now: datetime) -> None:
    """Read by a connection of its own while the migration keeps all writers out, so that the copy lacks nothing."""
    reader = _connect(file, key)
    try:
        journal_copies.make(reader, file, key, now, schema=version)
    finally:
        reader.close()


@contextmanager
def _old_schema_stays(file: Path, version: int, newest: int) -> Iterator[None]:
    """A migration that fails has changed nothing; the program before this one goes on with the journal.

    A new journal has no program before this one: what goes wrong there is told as anywhere else.
    """
    try:
        yield
    except (apsw.BusyError, apsw.NotADBError, apsw.CorruptError):
        raise
    except (apsw.Error, OSError) as error:
        if not version:
            raise
        _log.error("the journal stays at schema %s, its migration to %s failed", version, newest, exc_info=error)
        full = isinstance(error, apsw.FullError) or _says_full(error) or _is_full(file.parent)
        code = "journal_migration_disk_full" if full else "journal_migration_failed"
        copy = journal_copies.newest(file)
        raise KnownError(code, file=str(file), copy=str(copy or ""), reason=str(error)) from error


def _identity(connection: apsw.Connection, key: JournalKey | None, sample: bool, now: datetime) -> Row:
    tx = Tx(connection)
    if known := tx.row(_SELECT_IDENTITY):
        return known
    journal_id = key.journal_id if key else str(uuid7())
    with _whole(connection, "BEGIN IMMEDIATE"):
        tx.run(_INSERT_IDENTITY, (journal_id, int(sample), stamp(now)))
    return {"journal_id": journal_id, "sample": int(sample)}


@contextmanager
def _whole(connection: apsw.Connection, begin: str) -> Iterator[None]:
    """BEGIN … COMMIT; anything that goes wrong in between, or in the COMMIT, undoes all of it."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk may have rolled back already
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """One process at a time opens: two that start together must not mint two keys or migrate twice.

    The lock is SQLite's own on an empty file, so it is gone with its process on every system.
    """
    lock = apsw.Connection(str(root / "journal.lock"))
    try:
        lock.set_busy_timeout(_OPENING_BUSY_MS)
        lock.pragma("journal_mode", "memory")
        lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()


def _create_private(file: Path) -> None:
    """Ours alone to read from its first byte; SQLite gives its side files the same mode."""
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


def _by_name(cursor: apsw.Cursor, row: tuple[Any, ...]) -> Row:
    return {column[0]: value for column, value in zip(cursor.get_description(), row, strict=True)}
