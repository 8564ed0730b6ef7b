"""Whether files can be worked on as the program does it: written, synced, renamed, read again, deleted."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from desktop import pc
from desktop.durable import synced
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import diagnostics_finding as finding
from desktop.services.diagnostics_finding import Finding

Step = tuple[str, Callable[[Path, Path], None]]
"""Its name, and the work on a draft and on the file that it is renamed to."""

_WRITE, _OPEN = "write", "open"
_PREFIX = ".doctor-"
_BODY = b"hozen-navi doctor\n"
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds; a scan on access is over by then
_ACCESS_DENIED, _IN_USE = 5, (32, 33)  # Windows' own numbers: it says 5 also while a deleted file is still held
_VIRUS = (225, 226)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_NOT_A_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.EEXIST)


def _write(draft: Path, _: Path) -> None:
    draft.parent.mkdir(parents=True, exist_ok=True)
    with synced(draft.open("wb")) as out:
        out.write(_BODY)


def _rename(draft: Path, file: Path) -> None:
    draft.replace(file)


def _read(_: Path, file: Path) -> None:
    if file.read_bytes() != _BODY:
        raise OSError(errno.EIO, "読み直した中身が違います")


def _delete(_: Path, file: Path) -> None:
    file.unlink()


STEPS: Sequence[Step] = ((_WRITE, _write), ("rename", _rename), ("re-open", _read), ("delete", _delete))


class _Stuck(Exception):
    """A step that failed on `file`; `number` is Windows' own for it, 0 elsewhere."""

    def __init__(self, step: str, file: Path, error: OSError) -> None:
        super().__init__(step)
        self.step = step
        self.file = file
        self.error = error
        self.number = _windows_number(error, file)


def look_at_folders(data: DataDir) -> Finding:
    """The data folder and those of its folders that are there; the first that gives trouble is told."""
    for folder in (data.root, data.snapshots, data.files, data.logs, data.journal.with_name("copies")):
        delayed = look_at_folder(folder) if folder == data.root or folder.is_dir() else None
        if delayed is not None:
            return delayed
    return finding.ok(f"{data.root}：書き込み、名前の変更、読み直し、削除ができます。")


def look_at_folder(
    folder: Path, steps: Sequence[Step] = STEPS, wait: Callable[[float], None] = time.sleep
) -> Finding | None:
    """None where a file goes through every step at once; a warning where it had to be tried again.

    Raises KnownError: pc_folder_forbidden, pc_folder_missing, pc_disk_full, pc_files_held, pc_files_virus,
    pc_files_fault.
    """
    name = f"{_PREFIX}{uuid4().hex}"
    draft, file = folder / f"{name}.new", folder / name
    slow: tuple[str, int] | None = None
    try:
        for step, work in steps:
            tries = _patiently(step, work, draft, file, wait)
            if tries > 1:
                slow = step, tries
    except _Stuck as stuck:
        raise _cause(stuck, folder) from stuck
    finally:
        for left in (draft, file):
            with suppress(OSError):
                left.unlink(missing_ok=True)
    if slow is None:
        return None
    return finding.warning(KnownError("pc_files_delayed", folder=str(folder), step=slow[0], tries=slow[1]))


def look_at_journal_files(data: DataDir) -> Finding:
    """Whether the journal's own files can be opened. Only Windows can answer by opening them: elsewhere closing a
    SQLite file takes away the locks that this process has on it."""
    for file in sorted(data.root.glob("journal*")):
        if sys.platform == "win32":
            with suppress(FileNotFoundError):
                look_at_file(file)
        elif not os.access(file, os.R_OK | os.W_OK, effective_ids=True):
            raise KnownError("pc_folder_forbidden", folder=str(file), reason=os.strerror(errno.EACCES))
    return finding.ok("ほかのプログラムに妨げられていません。")


def look_at_file(
    file: Path, opened: Callable[[Path], None] | None = None, wait: Callable[[float], None] = time.sleep
) -> None:
    """Raises what `look_at_folder` raises where the file can't be opened for writing."""
    work = opened or _open
    try:
        _patiently(_OPEN, lambda _, place: work(place), file, file, wait)
    except _Stuck as stuck:
        raise _cause(stuck, file) from stuck


def _open(file: Path) -> None:
    with file.open("r+b"):
        pass


def _patiently(
    step: str, work: Callable[[Path, Path], None], draft: Path, file: Path, wait: Callable[[float], None]
) -> int:
    """How many tries it took; only what another program may let go of is tried again."""
    for tries, pause in enumerate((*_PAUSES, None), start=1):
        try:
            work(draft, file)
        except OSError as error:
            stuck = _Stuck(step, draft if draft.exists() else file, error)
            if pause is None or stuck.number not in (_ACCESS_DENIED, *_IN_USE):
                raise stuck from error
            wait(pause)
        else:
            return tries
    raise AssertionError("the last try returns or raises")


def unreadable(error: OSError, root: Path) -> KnownError:
    """What kept a check from looking at all, somewhere under `root`."""
    file = Path(error.filename or root)
    return _cause(_Stuck(_OPEN, file, error), file)


def _cause(stuck: _Stuck, folder: Path) -> KnownError:
    error, number = stuck.error, stuck.number
    reason, place = error.strerror or str(error), str(folder)
    if number in _VIRUS:
        return KnownError("pc_files_virus", folder=place, step=stuck.step)
    if number in _IN_USE or (number == _ACCESS_DENIED and stuck.step not in (_WRITE, _OPEN)):
        program = "、".join(pc.holders([stuck.file])) or "?"
        return KnownError("pc_files_held", folder=place, step=stuck.step, program=program)
    if error.errno in _FULL:
        return KnownError("pc_disk_full", folder=place)
    if error.errno in _FORBIDDEN:
        return KnownError("pc_folder_forbidden", folder=place, reason=reason)
    if error.errno in _NOT_A_FOLDER and stuck.step in (_WRITE, _OPEN):  # later it means: somebody took the file away
        return KnownError("pc_folder_missing", folder=place, reason=reason)
    return KnownError("pc_files_fault", folder=place, step=stuck.step, reason=reason)


def _windows_number(error: OSError, file: Path) -> int:
    """open() says of a file that another program keeps only that it is forbidden: Windows is asked once more."""
    number = getattr(error, "winerror", None)
    if isinstance(number, int):
        return number
    if sys.platform != "win32" or error.errno != errno.EACCES:
        return 0
    return pc.refusal(file) or _IN_USE[0]  # free again: it was kept a moment ago
