"""What a restore is given, unpacked into a folder of its own: a backup, a journal with what lies beside it, or both."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import backup_file
from desktop.store import journal_copies, journal_key
from desktop.store.journal_key import KEY_FILE
from desktop.store.journal_mark import MARK

_DB, _WAL, _SHM = "journal.db", "journal.db-wal", "journal.db-shm"
_OF_JOURNAL = (_DB, _WAL, _SHM, KEY_FILE, MARK)
_OF_THE_REST = ("copies", "settings.toml", "snapshots", "files")
_ALL = (*_OF_JOURNAL, *_OF_THE_REST)
_STAMP = re.compile(r"\d{8}T\d{12}Z")


@dataclass(frozen=True, slots=True)
class Source:
    """`names` is what it takes the place of; `made_at` None where only what is in it tells.

    `station` and `pc` are whose backup it is; "" where that isn't told.
    """

    file: Path
    sha256: str
    made_at: datetime | None
    names: Sequence[str] = _OF_JOURNAL
    station: str = ""
    pc: str = ""

    @property
    def whole(self) -> bool:
        return self.names == _ALL


def unpack(file: Path, data: DataDir, staged: DataDir, credentials: Credentials) -> Source:
    """`file` is a backup, a journal or copy (.db), or a data folder that was saved or set aside.

    Raises KnownError: backup_damaged, backup_too_new, backup_unreadable, backup_no_room, backup_key_unknown, what
    `journal_key.recall` raises; OSError where `staged` can't be written.
    """
    if (file / _DB).is_file():
        return _take_folder(file, staged)
    if file.suffix == ".db":
        return _take_journal(file, data, staged, credentials)
    with closing(backup_file.Backup(file)) as backup:
        backup_file.need_room(staged.root, backup.size)
        backup.unpack(staged.root)
        told = backup.manifest
        return Source(file, backup_file.sha256_of(file), told.made_at, _ALL, told.station, told.pc)


def require_journal(staged: DataDir, credentials: Credentials) -> None:
    """KnownError("journal_corrupt") where there is none to open: a start would begin a new one in its place."""
    key = journal_key.recall(staged.journal, credentials)
    empty = staged.journal.stat().st_size == 0
    locked = key is None and not empty and not journal_key.is_plain(staged.journal)  # opening says what is missing
    if not locked and (empty or not journal_copies.opens(staged.journal, key)):
        raise KnownError("journal_corrupt", file=str(staged.journal))


def _take_folder(folder: Path, staged: DataDir) -> Source:
    """A restore of the journal alone has set nothing else aside, so nothing else is taken back."""
    whole = any((folder / name).exists() for name in _OF_THE_REST)
    files = [file for name in _ALL if name != _SHM for file in _files(folder / name)]
    _copy({file: staged.root / file.relative_to(folder) for file in files}, staged)
    return Source(folder, backup_file.sha256_of(folder / _DB), None, _ALL if whole else _OF_JOURNAL)


def _files(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else (file for file in place.rglob("*") if file.is_file())


def _take_journal(file: Path, data: DataDir, staged: DataDir, credentials: Credentials) -> Source:
    """With its side file: after a power cut the last approvals are in that alone."""
    targets = {file: staged.journal}
    side = file.with_name(f"{file.name}-wal")
    if side.is_file() and side.stat().st_size:
        targets[side] = staged.root / _WAL
    _copy(targets, staged)
    if staged.journal.stat().st_size and not journal_key.is_plain(staged.journal):
        _take_note(file, data, staged, credentials)
    stamp = _STAMP.search(file.name)
    made_at = datetime.strptime(stamp[0], "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC) if stamp else None
    return Source(file, backup_file.sha256_of(file), made_at)


def _take_note(file: Path, data: DataDir, staged: DataDir, credentials: Credentials) -> None:
    """The key note that opens it: the one that lies with it, else one of those that are or were in use here."""
    own = [file.parent, *([file.parent.parent] if file.parent.name == "copies" else [])]
    others = [data.root, *sorted(data.root.glob("before-restore-*"), reverse=True)]
    notes = [place / KEY_FILE for place in (*own, *others) if (place / KEY_FILE).is_file()]
    failures: list[KnownError] = []
    for note in notes:
        try:
            key = journal_key.recall(note, credentials)
        except KnownError as error:
            failures.append(error)
            continue
        if journal_copies.opens(staged.journal, key):
            shutil.copyfile(note, staged.root / KEY_FILE)
            return
        if note.parent in own:
            raise KnownError("backup_damaged", file=str(file), part=file.name)
    if failures:
        raise failures[0]
    if notes:
        raise KnownError("backup_key_unknown", file=str(file), key_file=KEY_FILE)


def _copy(targets: dict[Path, Path], staged: DataDir) -> None:
    try:
        size = sum(file.stat().st_size for file in targets)
    except OSError as error:
        raise backup_file.unreadable(Path(error.filename), error) from error
    backup_file.need_room(staged.root, size)
    for file, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            opened = file.open("rb")
        except OSError as error:
            raise backup_file.unreadable(file, error) from error
        with opened, open(target, "xb", opener=_private) as copied:
            shutil.copyfileobj(opened, copied)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
