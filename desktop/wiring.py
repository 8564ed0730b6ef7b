"""Builds the services from settings; the commands and the window both begin here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from desktop import config, paths
from desktop.credentials import Credentials
from desktop.paths import DataDir
from desktop.services import plant_data
from desktop.services.station import Services
from desktop.store import snapshot_files
from desktop.store.journal import open_journal

_ANY_TIME = timedelta(days=36500)


def read_settings(data: DataDir) -> config.Settings:
    return config.load(data.settings, paths.policy_file())


def build(data: DataDir, *, sample: bool, one_session: bool) -> Services:
    """The workstation's services; with `sample` the bundled plant is read in first, and everything stays under it.

    `one_session`: conversations begun in an earlier process don't hand their machine on (a window); a command that
    names its conversation continues it.
    """
    settings = read_settings(data)
    credentials = Credentials(allow_env=settings.get(config.CREDENTIALS_ALLOW_ENV))
    place = data.sample if sample else data
    if sample:
        plant_data.ensure_sample(data)
    if one_session:
        snapshot_files.tidy(place.snapshots)
    now = datetime.now(UTC)
    return Services(
        data=place,
        settings=settings,
        credentials=credentials,
        journal=open_journal(place, credentials, sample=sample, encryption=settings.get(config.STORAGE_ENCRYPTION)),
        sample=sample,
        session_started=now if one_session else now - _ANY_TIME,
    )


@contextmanager
def open_services(data: DataDir, *, sample: bool) -> Iterator[Services]:
    """For one command."""
    services = build(data, sample=sample, one_session=False)
    try:
        yield services
    finally:
        services.close()
