"""Verified copies of the journal, beside it in copies/; the newest is what a broken journal falls back on."""

from __future__ import annotations

import logging
import os
import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from desktop.store.journal_key import JournalKey
from desktop.store.snapshot_files import sync_folder

_EVERY = timedelta(hours=1)
_KEPT = 3
_FOR_ROLLBACK = timedelta(days=30)
_OLD_SCHEMA = "-schema-"
_STAMP = "%Y%m%dT%H%M%S%fZ"
_OURS = re.compile(rf"journal-\d{{8}}T\d{{12}}Z({_OLD_SCHEMA}\d+)?\.db")
_log = logging.getLogger(__name__)


def folder(journal: Path) -> Path:
    return journal.with_name("copies")


def newest(journal: Path, now: datetime | None = None) -> Path | None:
    """The one made last; one of a time that is still to come counts as the oldest, its clock was wrong."""
    copies = _all(journal, now or datetime.now(UTC))
    return copies[-1] if copies else None


def due(journal: Path, now: datetime) -> bool:
    """Whether the newest copy is more than an hour old (or from the future)."""
    last = newest(journal, now)
    return last is None or not timedelta(0) <= now - made_at(last) < _EVERY


def make(
    connection: apsw.Connection, journal: Path, key: JournalKey | None, now: datetime, *, schema: int | None = None
) -> Path:
    """A copy with the same key, read back page by page before it counts; older ones beyond three go.

    With `schema` it is the copy before a migration from that schema, kept for 30 days: an older program opens it.
    Raises apsw.CorruptError where the journal itself doesn't hold, and what a full disk raises.
    """
    folder(journal).mkdir(exist_ok=True)
    kind = "" if schema is None else f"{_OLD_SCHEMA}{schema}"
    copy = folder(journal) / f"journal-{now.astimezone(UTC):{_STAMP}}{kind}.db"
    draft = copy.with_suffix(".new")
    for leftover in folder(journal).glob("*.new*"):
        leftover.unlink()
    try:
        _write(draft, connection, key)
    except BaseException:
        draft.unlink(missing_ok=True)  # on a full disk, half a copy takes the room that work needs
        raise
    draft.replace(copy)
    sync_folder(folder(journal))
    for old in _superseded(journal, now):
        old.unlink()
    return copy


def make_if_room(connection: apsw.Connection, journal: Path, key: JournalKey | None, now: datetime) -> None:
    """A copy at an ordinary start; a full disk is said in the log and doesn't keep anyone from working."""
    try:
        make(connection, journal, key, now)
    except (apsw.FullError, apsw.IOError, apsw.CantOpenError, OSError) as error:
        _log.warning("no copy of the journal was made: %s", error)


def _write(draft: Path, connection: apsw.Connection, key: JournalKey | None) -> None:
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))  # ours alone to read, as the journal is
    target = apsw.Connection(str(draft))
    try:
        unlock(target, key)
        with target.backup("main", connection, "main") as backup:
            backup.step(-1)
        target.pragma("journal_mode", "delete")  # one file, without side files
        if target.pragma("integrity_check") != "ok":
            raise apsw.CorruptError(str(draft))
    finally:
        target.close()


def unlock(connection: apsw.Connection, key: JournalKey | None) -> None:
    if key is not None:
        connection.pragma("cipher", key.cipher)
        connection.pragma("key", f"raw:{key.secret}")


def opens(file: Path, key: JournalKey | None) -> bool:
    """Whether a journal or copy that nobody has open, with its side file, is one under this key."""
    try:
        with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            unlock(connection, key)
            return bool(connection.pragma("user_version"))
    except apsw.Error:
        return False


def _all(journal: Path, now: datetime) -> list[Path]:
    """Ours alone: an administrator may keep one of his own beside them, or leave one that was cut off at once."""
    ours = [file for file in folder(journal).glob("journal-*.db") if _OURS.fullmatch(file.name) and _size(file)]
    return sorted(ours, key=lambda copy: (made_at(copy) <= now, copy.name))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # a newer copy has just superseded it
        return 0


def _superseded(journal: Path, now: datetime) -> list[Path]:
    copies = _all(journal, now)
    ordinary = [copy for copy in copies if _OLD_SCHEMA not in copy.stem]
    for_rollback = [copy for copy in copies if _OLD_SCHEMA in copy.stem]
    expired = [copy for copy in for_rollback[-1:] if now - made_at(copy) > _FOR_ROLLBACK]
    return [*ordinary[:-_KEPT], *for_rollback[:-1], *expired]


def made_at(copy: Path) -> datetime:
    """When, by the name that `make` gave it: the file's own time is that of whoever copied it."""
    return datetime.strptime(copy.stem.split("-")[1], _STAMP).replace(tzinfo=UTC)
