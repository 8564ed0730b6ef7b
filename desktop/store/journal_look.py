"""The journal as it lies there: nothing is made, copied or migrated, so that a check changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.store import data_swap, journal_copies, journal_key, journal_mark, journal_use
from desktop.store.journal import Tx, named_failures, newest_schema
from desktop.store.journal_key import KEY_FILE, JournalKey

_BUSY_MS = 5_000
_LAST_WRITTEN = "SELECT at FROM audit ORDER BY seq DESC LIMIT 1"
_BEGUN = "SELECT created_at FROM identity"


@dataclass(frozen=True, slots=True)
class Look:
    """One consistent view; `schema` below `ours` = the next start will migrate it, and only the file can be judged;
    `begun` is when the journal was made."""

    file: Path
    tx: Tx
    encryption_mode: str
    schema: int
    ours: int
    begun: datetime | None

    @property
    def is_current(self) -> bool:
        return self.schema == self.ours

    def verify(self) -> None:
        """Reads every page; KnownError("journal_corrupt") where one doesn't hold."""
        if self.tx.connection.pragma("integrity_check") != "ok":
            raise apsw.CorruptError(str(self.file))

    def last_written(self) -> datetime | None:
        """The time in the newest row of the audit trail."""
        row = self.tx.row(_LAST_WRITTEN)
        return datetime.fromisoformat(row["at"]) if row else None


@contextmanager
def look(data: DataDir, credentials: Credentials, encryption: str) -> Iterator[Look | None]:
    """The journal to read from while this lasts, or None where there never was one; `encryption` is the setting
    storage.encryption. Raises what `open_journal` raises of a journal that is there."""
    file = data.journal
    with named_failures(file):
        if not _is_there(data):
            yield None
            return
        with closing(journal_use.share(file)), closing(_connect(file)) as connection:
            key = _key(file, credentials, required=encryption == "required")
            yield _begin(connection, file, key)


def _is_there(data: DataDir) -> bool:
    file = data.journal
    try:
        data_swap.refuse_unfinished(data.root)
        journal_mark.refuse_vanished(file)
        return file.exists() and file.stat().st_size > 0
    except OSError as error:
        raise KnownError("journal_unwritable", file=str(file), reason=str(error)) from error


def _begin(connection: apsw.Connection, file: Path, key: JournalKey | None) -> Look | None:
    journal_copies.unlock(connection, key)
    connection.execute("BEGIN")
    try:
        schema, ours = int(connection.pragma("user_version")), newest_schema()
    except apsw.NotADBError as error:
        if key is None:
            raise KnownError("journal_key_file_missing", file=str(file), key_file=KEY_FILE) from error
        raise
    if not schema and journal_mark.was_here(file):
        raise journal_mark.vanished(file)
    if schema > ours:
        raise KnownError("journal_too_new", file=str(file), theirs=schema, ours=ours)
    if not schema:
        return None
    tx = Tx(connection)
    row = tx.row(_BEGUN)  # reads the schema too: a damaged one is told here, and once
    begun = datetime.fromisoformat(row["created_at"]) if row else None
    return Look(file, tx, key.cipher if key else "plain", schema, ours, begun)


def _connect(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _key(file: Path, credentials: Credentials, *, required: bool) -> JournalKey | None:
    """The key of a journal that is there.

    Without a key file it is plain: that is not looked up in the file itself, for outside Windows closing it would take
    away the locks of this process's own connections.
    """
    if file.with_name(KEY_FILE).exists():
        return journal_key.settle(file, credentials, required=required)
    if required:
        raise KnownError("encryption_required_but_plain", file=str(file))
    return None
