"""A backup, or one of the journal's copies, in the place of the present data, which is set aside and never deleted."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop import config, open_windows, paths
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.canonical import clean_text
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import backup_file
from desktop.services.people import elevated, pepper_name
from desktop.services.restore_numbers import go_on
from desktop.store import audit, data_swap, journal_key, journal_use, people, proposals
from desktop.store.journal import Journal, named_failures, open_journal
from desktop.store.journal_key import KEY_FILE
from desktop.store.journal_mark import MARK
from desktop.store.snapshot_files import building

_JOURNAL = ("journal.db", "journal.db-wal", "journal.db-shm", KEY_FILE, MARK)
_ALL = (*_JOURNAL, "copies", "settings.toml", "snapshots", "files")
_OF_THE_JOURNAL = frozenset(
    {
        *("journal_too_new", "journal_sample_mismatch", "journal_key_missing", "journal_key_wrong"),
        *("journal_key_file_broken", "journal_key_file_missing", "encryption_required_but_plain"),
    }
)
_STAMP = re.compile(r"\d{8}T\d{12}Z")


@dataclass(frozen=True, slots=True)
class _Source:
    """What is restored: `names` is what it takes the place of."""

    file: Path
    sha256: str
    made_at: datetime
    names: Sequence[str]

    @property
    def whole(self) -> bool:
        return self.names == _ALL


def restore(
    file: Path,
    data: DataDir,
    credentials: Credentials,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    is_elevated: Callable[[], bool] = elevated,
) -> Mapping[str, Any]:
    """What was done, as told in the trail too; an earlier restore that was cut off is finished instead of `file`'s.

    All of it is verified before anything is touched. Raises KnownError: elevation_needed (data that users share),
    windows_open, journal_busy, snapshot_build_running, restore_stopped, output_unwritable, what `Backup` raises, and
    what `open_journal` raises of the journal that is restored.
    """
    installed = paths.installation()
    if installed and installed.shared and not is_elevated():
        raise KnownError("elevation_needed")
    file = file.absolute()
    with _named_writing(data.root), _undisturbed(data):
        earlier = data_swap.unfinished(data.root)
        if not earlier:
            _prepare(file, data, credentials, clock())
        told = _finish(data.root)
    return {**told, "finished_earlier": earlier and told["file"] != clean_text(str(file))}


@contextmanager
def _undisturbed(data: DataDir) -> Iterator[None]:
    """Nobody has the data open, nor can open it meanwhile."""
    data.root.mkdir(parents=True, exist_ok=True)
    if count := open_windows.how_many(data.root):
        raise KnownError("windows_open", open=count)
    with named_failures(data.journal), journal_use.alone(data.journal):
        if data.snapshots.is_dir():
            with building(data.snapshots):  # an import under way; let go again, for its lock lies in what is moved
                pass
        yield


def _prepare(file: Path, data: DataDir, credentials: Credentials, now: datetime) -> None:
    """Everything that takes time or can fail, in a folder of its own; then the plan."""
    staged = DataDir(data_swap.staging(data.root))
    try:
        source = _unpack(file, data, staged)
        told = _settle(source, data, staged, credentials, now)
        data_swap.begin(data.root, source.names, told["aside"], told)
    except BaseException:
        if not data_swap.unfinished(data.root):
            shutil.rmtree(staged.root, ignore_errors=True)
        raise


def _unpack(file: Path, data: DataDir, staged: DataDir) -> _Source:
    if file.suffix == ".db":
        return _take_copy(file, data, staged)
    with closing(backup_file.Backup(file)) as backup:
        backup_file.need_room(staged.root, backup.size)
        backup.unpack(staged.root)
        return _Source(file, backup_file.sha256_of(file), backup.manifest.made_at, _ALL)


def _take_copy(file: Path, data: DataDir, staged: DataDir) -> _Source:
    """A copy has the key of the journal it was made of, whose note lies beside that; a plain one has none."""
    try:
        opened = file.open("rb")
    except OSError as error:
        raise backup_file.unreadable(file, error) from error
    with opened:
        about = os.fstat(opened.fileno())
        backup_file.need_room(staged.root, about.st_size)
        with open(staged.journal, "xb", opener=_private) as copied:
            shutil.copyfileobj(opened, copied)
    made_at = datetime.fromtimestamp(about.st_mtime, UTC)
    note = data.root / KEY_FILE
    if note.exists() and not journal_key.is_plain(staged.journal):
        shutil.copyfile(note, staged.root / KEY_FILE)
    if stamp := _STAMP.search(file.name):
        made_at = datetime.strptime(stamp[0], "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
    return _Source(file, backup_file.sha256_of(file), made_at, _JOURNAL)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _settle(
    source: _Source, data: DataDir, staged: DataDir, credentials: Credentials, now: datetime
) -> Mapping[str, Any]:
    """Opens what was unpacked as any start would, checks it, and writes into it how it goes on from here."""
    present = _settings(data)
    settings = _settings(staged) if source.whole else present
    with _named_as(source.file), closing(_opened(staged, credentials, settings)) as journal:
        journal.verify()
        with journal.reading() as tx:
            trail = audit.verify(tx)
            waiting = [kept.proposal for kept in proposals.pending(tx)]
            peppered = people.peppered(tx)
        if not trail.whole:
            raise KnownError("audit_broken", place=trail.broken_at or trail.untold)
        told = {
            "file": clean_text(str(source.file)),
            "sha256": source.sha256,
            "made_at": source.made_at.isoformat(),
            "journal_id": journal.journal_id,
            "aside": f"before-restore-{now.astimezone(UTC):%Y%m%dT%H%M%S%fZ}",
        }
        with journal.transaction() as tx:
            numbers = go_on(tx, source.made_at, now, data.journal, credentials, (settings, present))
            audit.append(tx, now, "", "restored", journal.journal_id, {**told, "numbers": numbers.to_json()})
    return {
        **told,
        "whole": source.whole,
        "encryption": journal.encryption_mode,
        "numbers": numbers.to_json(),
        "pending": len(waiting),
        "sent_already": [
            {"title": one.title, "equipment_id": one.equipment_id, "file": numbers.sent[one.proposal_id]}
            for one in waiting
            if one.proposal_id in numbers.sent
        ],
        "pins_to_reset": peppered if _pepper_is_missing(journal, credentials) else 0,
    }


def _opened(staged: DataDir, credentials: Credentials, settings: Settings) -> Journal:
    return open_journal(staged, credentials, encryption=settings.get(config.STORAGE_ENCRYPTION))


def _settings(data: DataDir) -> Settings:
    """What they say, or the defaults where they can't be read: they are no reason not to restore."""
    try:
        return config.load(data.settings, paths.policy_file())
    except KnownError:
        return Settings()


def _pepper_is_missing(journal: Journal, credentials: Credentials) -> bool:
    return credentials.get(pepper_name(journal.journal_id)) is None


def _finish(root: Path) -> Mapping[str, Any]:
    try:
        return data_swap.finish(root)
    except OSError as error:
        raise KnownError("restore_stopped", reason=str(error)) from error


@contextmanager
def _named_as(file: Path) -> Iterator[None]:
    """What is said of the unpacked journal is said of the file that the person named."""
    try:
        yield
    except KnownError as error:
        if error.code == "journal_corrupt":
            raise KnownError("backup_damaged", file=str(file), part="journal.db") from error
        if error.code in _OF_THE_JOURNAL:
            named = KnownError(error.code, file=str(file))
            named.detail = error.detail
            raise named from error
        raise


@contextmanager
def _named_writing(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise KnownError("output_unwritable", file=str(root), reason=error.strerror or str(error)) from error
