"""DuckDB as this program opens it: no extensions, no outside access, and its errors in our words."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias

import duckdb

from desktop.errors import KnownError

Connection: TypeAlias = duckdb.DuckDBPyConnection
Refused = duckdb.Error

READ_MEMORY = "512MB"
BUILD_MEMORY = "1GB"
_ROWS_AT_A_TIME = 20_000

_SETTINGS: Mapping[str, str | bool | int] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 2,
    "async_threads": 1,
}
_QUIET = "SET enable_progress_bar = false"
_USE = "USE plant"
_USE_SCRATCH = "USE scratch"
_ATTACH_READ_ONLY = "ATTACH $file AS plant (READ_ONLY)"
_ATTACH_ENCRYPTED = "ATTACH $file AS plant (READ_ONLY, ENCRYPTION_KEY $key)"
_ATTACH_NEW = "ATTACH $file AS plant"
_ATTACH_PREVIOUS = "ATTACH $file AS previous (READ_ONLY)"
_ATTACH_PREVIOUS_ENCRYPTED = "ATTACH $file AS previous (READ_ONLY, ENCRYPTION_KEY $key)"
_ATTACH_SCRATCH = "ATTACH $file AS scratch"
_CLOSE_THE_DOOR = ("SET enable_external_access = false", "SET lock_configuration = true")

# What DuckDB says, by the code of ours that tells people the same; the first that fits wins.
_SAID = (
    ("could not set lock", "snapshot_in_use"),
    ("used by another process", "snapshot_in_use"),
    ("no space left", "snapshot_disk_full"),
    ("not enough space", "snapshot_disk_full"),
    ("database does not exist", "snapshot_missing"),
    ("encryption key", "snapshot_wrong_key"),
    ("without a key", "snapshot_wrong_key"),
    ("aes tag", "snapshot_corrupt"),
    ("version number", "snapshot_too_new"),
    ("storage version", "snapshot_too_new"),
    ("corrupt", "snapshot_corrupt"),
    ("not a valid duckdb database", "snapshot_corrupt"),
    ("could not read enough bytes", "snapshot_corrupt"),
    ("checksum", "snapshot_corrupt"),
)


def open_read_only(file: Path, key: bytes | None) -> Connection:
    """A connection to one snapshot file; use one cursor() a thread. Raises duckdb.Error."""
    connection = duckdb.connect(":memory:", config={**_SETTINGS, "memory_limit": READ_MEMORY, "temp_directory": ""})
    if key is None:
        connection.execute(_ATTACH_READ_ONLY, {"file": str(file)})
    else:
        connection.execute(_ATTACH_ENCRYPTED, {"file": str(file), "key": key.hex()})
    for statement in (_USE, _QUIET, *_CLOSE_THE_DOOR):
        connection.execute(statement)
    return connection


def open_for_building(file: Path, spill: Path) -> Connection:
    """A connection to a new file (`plant`); a `scratch` database and what memory can't hold go to `spill`.

    Raises duckdb.Error.
    """
    spill.mkdir(exist_ok=True)
    connection = duckdb.connect(
        ":memory:", config={**_SETTINGS, "memory_limit": BUILD_MEMORY, "temp_directory": str(spill)}
    )
    connection.execute(_ATTACH_NEW, {"file": str(file)})
    connection.execute(_ATTACH_SCRATCH, {"file": str(spill / "scratch.duckdb")})
    for statement in (_USE, _QUIET):
        connection.execute(statement)
    return connection


def attach_previous(connection: Connection, file: Path, key: bytes | None) -> None:
    """Makes another snapshot readable as catalogue `previous`."""
    if key is None:
        connection.execute(_ATTACH_PREVIOUS, {"file": str(file)})
    else:
        connection.execute(_ATTACH_PREVIOUS_ENCRYPTED, {"file": str(file), "key": key.hex()})


def cursor(connection: Connection, catalogue: Literal["plant", "scratch"] = "plant") -> Connection:
    """Another way into the same database, for another thread or catalogue."""
    made = connection.cursor()
    made.execute(_USE if catalogue == "plant" else _USE_SCRATCH)
    return made


def streamed(connection: Connection, statement: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a large result, a part of them in memory at a time; read it to its end."""
    result = connection.execute(statement)
    while rows := result.fetchmany(_ROWS_AT_A_TIME):
        yield from rows


@contextmanager
def our_words(file: Path) -> Iterator[None]:
    """Errors of the database and of the disk under it as KnownError; a mistake in our SQL stays what it is."""
    try:
        yield
    except duckdb.Error as error:
        code = _code_of(str(error))
        if code is None:
            raise
        raise KnownError(code, file=file.name) from error
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise KnownError("snapshot_disk_full", file=file.name) from error


def _code_of(said: str) -> str | None:
    said = said.lower()
    return next((code for words, code in _SAID if words in said), None)


def close(connection: Connection) -> None:
    """Closes, also when the database has already given up on itself (disk full during a checkpoint)."""
    with suppress(duckdb.Error):
        connection.close()
