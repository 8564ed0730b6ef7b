"""Everyone and every secret that this PC's own stores know, so that a support bundle can be kept free of them."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from desktop import config, paths
from desktop.credentials import API_KEYS, Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.store import journal_figures, journal_key, snapshot_files, snapshot_people
from desktop.store.journal import open_journal
from desktop.store.snapshot import Snapshot

_KEYS_IN_ENVIRONMENT = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")


@dataclass(slots=True)
class Known:
    """`unread` are the codes of what kept a store from being read: someone may be unknown then."""

    people: set[str] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)


def known_here(data: DataDir) -> Known:
    """From journals, all kept snapshots, the keyring, the environment and this login; of the sample plant too."""
    consented = config.readable(data.settings, paths.policy_file()).get(config.CLOUD_CONSENT)
    known = Known(people={*_logins(), consented})
    known.secrets |= {os.environ.get(name, "") for name in _KEYS_IN_ENVIRONMENT}
    credentials = Credentials(allow_env=False)
    names = dict.fromkeys(API_KEYS)
    for place in (data, data.sample):
        for journal_id in _read_journal(place, credentials, known, sample=place is not data):
            names |= {f"journal/{journal_id}": None, f"pepper/{journal_id}": None}
        _read_snapshots(place.snapshots, known)
    for name in names:
        try:
            known.secrets.add(credentials.get(name) or "")
        except KnownError as error:
            known.unread.append(error.code)
    return known


def _logins() -> Iterator[str]:
    yield Path.home().name
    with suppress(OSError, KeyError, ImportError):  # a system without an entry for who runs this
        yield getpass.getuser()


def _read_journal(place: DataDir, credentials: Credentials, known: Known, *, sample: bool) -> Iterator[str]:
    """Its people; yields the ids under which its secrets are kept."""
    if not any(place.root.glob("journal*")) and not (place.root / "copies").exists():
        return
    try:
        if key := journal_key.recall(place.journal, credentials):
            yield key.journal_id
        with closing(open_journal(place, credentials, sample=sample)) as journal:
            with journal.reading() as tx:
                known.people |= journal_figures.people(tx)
            yield journal.journal_id
    except (KnownError, OSError) as error:
        known.unread.append(error.code if isinstance(error, KnownError) else "journal_unwritable")


def _read_snapshots(folder: Path, known: Known) -> None:
    for version in snapshot_files.versions(folder):
        try:
            with closing(Snapshot.open(snapshot_files.snapshot_file(folder, version))) as snapshot:
                known.people |= snapshot_people.people(snapshot)
        except KnownError as error:
            known.unread.append(error.code)
