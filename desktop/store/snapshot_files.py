"""Which snapshot files there are, which one is current, and what an abandoned build left behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from desktop.errors import KnownError

POINTER = "current.json"
KEPT = 2
_SNAPSHOTS_OF_SPACE = 3
_LEAST_FREE = 64 * 2**20
_PREFIX = "plant-"
_SUFFIX = ".duckdb"
_NAME = re.compile(r"plant-(\d{5}-\d{8}T\d{6}Z)\.duckdb")
_UNFINISHED = f"{_SUFFIX}.tmp"
_LOCK = "build.lock"


def snapshot_file(folder: Path, version: str) -> Path:
    return folder / f"{_PREFIX}{version}{_SUFFIX}"


def unfinished_file(folder: Path, version: str) -> Path:
    return folder / f"{_PREFIX}{version}{_UNFINISHED}"


def spill_folder(folder: Path) -> Path:
    return folder / "spill.tmp"


def versions(folder: Path) -> tuple[str, ...]:
    """Every finished version, oldest first."""
    found = (_NAME.fullmatch(file.name) for file in folder.glob(f"{_PREFIX}*{_SUFFIX}"))
    return tuple(sorted(match[1] for match in found if match))


def next_version(folder: Path) -> str:
    """A version that sorts behind all others of the folder, whatever the clock says."""
    last = max((int(version.partition("-")[0]) for version in versions(folder)), default=0)
    return f"{last + 1:05d}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"


def was_here(folder: Path) -> bool:
    """Whether a version was ever published here, also where none is left."""
    return (folder / POINTER).exists() or bool(versions(folder))


def current_version(folder: Path) -> str | None:
    """The version the pointer names; without a readable pointer the newest finished one; None without any.

    A pointer lost or torn by a power cut must not hide good data.
    """
    return pointed_at(folder) or next(reversed(versions(folder)), None)


def pointed_at(folder: Path) -> str | None:
    """The version the pointer names, if it is there; None = whichever is current may not be the newest there was."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        named = str(json.loads((folder / POINTER).read_text(encoding="utf-8"))["version"])
        if snapshot_file(folder, named).is_file():
            return named
    return None


def require_current(folder: Path) -> str:
    """The current version; KnownErrors: no_plant_data, or snapshot_missing where all that there was is gone."""
    version = current_version(folder)
    if version is None and (folder / POINTER).exists():
        raise KnownError("snapshot_missing", file=str(folder))
    if version is None:
        raise KnownError("no_plant_data")
    return version


def point_to(folder: Path, version: str) -> None:
    """Makes `version` the current one, atomically and durably."""
    written = folder / f"{POINTER}.tmp"
    with written.open("w", encoding="utf-8") as file:
        json.dump({"version": version}, file)
        file.flush()
        os.fsync(file.fileno())
    written.replace(folder / POINTER)
    sync_folder(folder)


def rollback(folder: Path) -> str:
    """Makes the version before the current one current again and returns it. KnownError snapshot_no_previous."""
    current = current_version(folder)
    older = [version for version in versions(folder) if current is not None and version < current]
    if not older:
        raise KnownError("snapshot_no_previous", file=folder.name)
    point_to(folder, older[-1])
    return older[-1]


def drop_old(folder: Path) -> None:
    """Keeps the current version and the newest others up to KEPT; a file still open elsewhere waits for next time."""
    current = current_version(folder)
    others = [version for version in versions(folder) if version != current]
    for version in others[: max(0, len(others) - (KEPT - 1))]:
        with suppress(OSError):
            snapshot_file(folder, version).unlink()


def remove_debris(folder: Path) -> None:
    """Removes what a killed build left; call it only while holding `building`."""
    debris = [*folder.glob(f"*{_UNFINISHED}*"), *folder.glob("*.json.tmp"), *spill_folder(folder).glob("*")]
    for file in debris:
        with suppress(OSError):
            file.unlink()
    with suppress(OSError):
        spill_folder(folder).rmdir()


def tidy(folder: Path) -> None:
    """Removes what a killed build left, unless one is running; for the start of the program."""
    if folder.is_dir():
        with suppress(KnownError), building(folder):
            remove_debris(folder)


def need_space(folder: Path) -> None:
    """KnownError snapshot_disk_full unless there is room for another snapshot, its scratch files and a little more."""
    version = current_version(folder)
    present = snapshot_file(folder, version).stat().st_size if version else 0
    if shutil.disk_usage(folder).free < _SNAPSHOTS_OF_SPACE * present + _LEAST_FREE:
        raise KnownError("snapshot_disk_full", file=folder.name)


@contextmanager
def building(folder: Path) -> Iterator[None]:
    """Holds the folder for one builder at a time, over processes; the system lets go when a holder is killed.

    KnownErrors: snapshot_build_running if another one builds, snapshot_unwritable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = (folder / _LOCK).open("a+b")
    except OSError as error:
        raise KnownError("snapshot_unwritable", file=str(folder), reason=error.strerror or str(error)) from error
    with opened as lock:
        try:
            _hold(lock.fileno())
        except OSError as error:
            raise KnownError("snapshot_build_running", file=folder.name) from error
        yield


def sync_file(file: Path) -> None:
    with file.open("r+b") as opened:
        os.fsync(opened.fileno())


def sync_folder(folder: Path) -> None:
    """Makes a rename durable; Windows has no such call and needs none."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _hold(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _hold(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
