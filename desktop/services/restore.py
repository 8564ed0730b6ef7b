"""A backup, or one of the journal's copies, in the place of the present data, which is set aside and never deleted."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from desktop import config, open_windows, paths
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.canonical import clean_text
from desktop.domain.work_request import Proposal
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import restore_source
from desktop.services.people import elevated, pepper_name
from desktop.services.restore_numbers import go_on, left
from desktop.services.restore_source import Source
from desktop.store import audit, data_swap, incarnations, journal_use, people, proposals
from desktop.store.incarnations import RESTORED
from desktop.store.journal import Journal, named_failures, open_journal
from desktop.store.snapshot_files import building

_OF_THE_JOURNAL = frozenset(
    {
        *("journal_too_new", "journal_sample_mismatch", "journal_key_missing", "journal_key_wrong"),
        *("journal_key_file_broken", "journal_key_file_missing"),
    }
)
_SLACK = timedelta(hours=1)  # by which clocks may differ, and work go on while a backup is taken


def restore(
    file: Path,
    data: DataDir,
    credentials: Credentials,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    is_elevated: Callable[[], bool] = elevated,
    draw: Callable[[], float] = random.random,
) -> Mapping[str, Any]:
    """What was done, as told in the trail too; an earlier restore that was cut off is finished instead of `file`'s.

    All of it is verified before anything is touched. `draw` gives a number in [0, 1), which sets the numbers of two
    restores apart. Raises KnownError: elevation_needed (data that users share), windows_open, journal_busy,
    snapshot_build_running, restore_stopped, restore_plan_damaged, output_unwritable, backup_plain_refused, what
    `restore_source.unpack` raises, and what `open_journal` raises of the journal that is restored.
    """
    installed = paths.installation()
    if installed and installed.shared and not is_elevated():
        raise KnownError("elevation_needed")
    file = file.resolve()
    if data_swap.is_staged(data.root, file):
        reason = "restoring の中は復元の作業用です。ほかのフォルダーに写してから渡してください"
        raise KnownError("backup_unreadable", file=str(file), reason=reason)
    with _named_writing(data.root), _undisturbed(data):
        earlier = data_swap.unfinished(data.root)
        if not earlier:
            _prepare(file, data, credentials, clock(), draw())
        told = _finish(data.root)
    aside = told["aside"] if (data.root / told["aside"]).exists() else None  # None = nothing was there
    return {**told, "aside": aside, "finished_earlier": earlier and told["file"] != clean_text(str(file))}


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


def _prepare(file: Path, data: DataDir, credentials: Credentials, now: datetime, drawn: float) -> None:
    """Everything that takes time or can fail, in a folder of its own; then the plan."""
    staged = DataDir(data_swap.staging(data.root))
    try:
        with _named_as(file):
            source = restore_source.unpack(file, data, staged, credentials)
            restore_source.require_journal(staged, credentials)
            told = _settle(source, data, staged, credentials, now, drawn)
        data_swap.begin(data.root, source.names, told["aside"], told)
    except BaseException:
        if not data_swap.unfinished(data.root):
            shutil.rmtree(staged.root, ignore_errors=True)
        raise


def _settle(
    source: Source, data: DataDir, staged: DataDir, credentials: Credentials, now: datetime, drawn: float
) -> Mapping[str, Any]:
    """Opens what was unpacked as any start would, checks it, and writes into it how it goes on from here."""
    present = _settings(data)
    settings = _settings(staged) if source.whole else present
    with closing(_opened(staged, credentials, settings)) as journal:
        waiting, peppered, last_at = _checked(journal)
        here = left(data.journal, credentials)
        made_at = source.made_at or last_at or now
        told = {
            "file": clean_text(str(source.file)),
            "sha256": source.sha256,
            "made_at": made_at.isoformat(),
            "journal_id": journal.journal_id,
            "aside": f"before-restore-{now.astimezone(UTC):%Y%m%dT%H%M%S%fZ}",
        }
        in_doubt = not (last_at or made_at) - _SLACK <= made_at <= now + _SLACK
        unseen = now - ((last_at or now) if in_doubt else made_at)
        with journal.transaction() as tx:
            life = incarnations.of(tx)
            numbers = go_on(tx, unseen, here.numbers, (settings, present), drawn)
            begun = incarnations.begun(here.lives | {life.current, *life.predecessors})
            audit.append(tx, now, "", RESTORED, journal.journal_id, {**told, **begun, "numbers": numbers.to_json()})
    return {
        **told,
        "whole": source.whole,
        "backup_of": {"station": clean_text(source.station), "pc": clean_text(source.pc)},
        "station": settings.get(config.STATION_CODE),
        "station_before": present.get(config.STATION_CODE),
        "other_journal": bool(here.lives) and journal.journal_id not in here.lives,
        "time_in_doubt": in_doubt,
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


def _checked(journal: Journal) -> tuple[Sequence[Proposal], int, datetime | None]:
    """What waits in it, how many PINs need the PC's secret, when its trail was written last."""
    journal.verify()
    with journal.reading() as tx:
        trail = audit.verify(tx)
        if not trail.whole:
            raise KnownError("audit_broken", place=trail.broken_at or trail.untold)
        return [kept.proposal for kept in proposals.pending(tx)], people.peppered(tx), audit.last_at(tx)


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
        if error.code == "encryption_required_but_plain":
            raise KnownError("backup_plain_refused", file=str(file)) from error
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
