"""Who has the journal open: every process shares a lock while it does, and a restore needs it alone.

The lock is SQLite's own on an empty file, so it is gone with its process on every system, and holds whatever has
become of the journal itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from desktop.errors import KnownError

_FILE = "journal.use"


def share(journal: Path) -> apsw.Connection:
    """Held until it is closed; KnownError("journal_busy") while somebody has the journal alone."""
    return _locked(journal, "BEGIN", "SELECT 1 FROM sqlite_schema")


@contextmanager
def alone(journal: Path) -> Iterator[None]:
    """Nobody else has it open, nor can open it; KnownError("journal_busy") if anybody has."""
    lock = _locked(journal, "BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        lock.close()


def _locked(journal: Path, *statements: str) -> apsw.Connection:
    lock = apsw.Connection(str(journal.with_name(_FILE)))
    try:
        lock.pragma("journal_mode", "memory")
        for statement in statements:
            lock.execute(statement).fetchall()
    except apsw.BusyError as error:
        lock.close()
        raise KnownError("journal_busy", file=str(journal)) from error
    return lock
