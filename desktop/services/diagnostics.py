"""What this PC's installation is really like, for IT: each check by itself, with the named cause when it fails."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Any

from desktop import __version__, config, paths
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.services.sent_record import SentRecord
from desktop.store import audit, journal_copies
from desktop.store.journal import open_journal
from desktop.store.journal_key import KEY_FILE
from desktop.store.snapshot import Snapshot

_LIBRARIES = ("PySide6_Essentials", "duckdb", "apsw-sqlite3mc", "anthropic", "httpx2", "keyring", "pypdfium2")
_LOW_DISK = 2 * 1024**3  # bytes; a build of a large plant needs about this much beside the old snapshot


class State(StrEnum):
    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; `text` is for people, `name` for scripts."""

    name: str
    state: State
    text: str


Finding = tuple[State, str]


def examine(data: DataDir) -> dict[str, Any]:
    """Every check of this data directory; nothing of it is changed but that a missing journal is made."""
    settings_check = _checked("settings", lambda: _settings(data))
    settings = _readable_settings(data)
    credentials = Credentials(allow_env=settings.get(config.CREDENTIALS_ALLOW_ENV))
    checks = (
        Check("versions", State.NOTE, _versions()),
        settings_check,
        _checked("data_directory", lambda: _directory(data)),
        _checked("keyring", lambda: _keyring(credentials)),
        _checked("journal", lambda: _journal(data, credentials, settings)),
        _checked("snapshot", lambda: _snapshot(data)),
        _checked("plain_stores", lambda: _plain_stores(data, settings)),
        _checked("provider", lambda: _provider(data, settings, credentials)),
        _checked("sync", lambda: _sync(settings)),
    )
    return {"checks": [asdict(check) for check in checks], "failed": sum(c.state is State.FAILED for c in checks)}


def _checked(name: str, look: Callable[[], Finding]) -> Check:
    try:
        state, text = look()
    except KnownError as error:
        return Check(name, State.FAILED, sentence(error))
    return Check(name, state, text)


def _versions() -> str:
    libraries = "、".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    return f"保全ナビ {__version__}、Python {platform.python_version()}、{platform.platform()}、{libraries}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "なし"


def _settings(data: DataDir) -> Finding:
    config.load(data.settings, paths.policy_file())
    named = [str(file) for file in (data.settings, paths.policy_file()) if file.exists()]
    return State.OK, "、".join(named) or "設定ファイルなし（既定値）"


def _readable_settings(data: DataDir) -> Settings:
    """The settings, or the defaults where they can't be read: the other checks must go on."""
    try:
        return config.load(data.settings, paths.policy_file())
    except KnownError:
        return Settings()


def _directory(data: DataDir) -> Finding:
    existing = next(folder for folder in (data.root, *data.root.absolute().parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if not os.access(existing, os.W_OK):
        return State.FAILED, f"{data.root} に書けません。"
    return State.WARNING if free < _LOW_DISK else State.OK, f"{data.root}（空き {free / 1024**3:.1f} GB）"


def _keyring(credentials: Credentials) -> Finding:
    backend = credentials.backend()
    if backend is None:
        return State.WARNING, "キーリングがありません。ジャーナルは平文で保存されます。"
    return State.OK, backend


def _journal(data: DataDir, credentials: Credentials, settings: Settings) -> Finding:
    encryption = settings.get(config.STORAGE_ENCRYPTION)
    with closing(open_journal(data, credentials, encryption=encryption)) as journal:
        journal.verify()
        with journal.reading() as tx:
            trail = audit.verify(tx)
        mode = "平文" if journal.encryption_mode == "plain" else f"暗号化（{journal.encryption_mode}）"
    if not trail.whole:
        raise KnownError("audit_broken", place=trail.broken_at or trail.untold)
    return State.OK, f"{data.journal}、{mode}、監査記録 {trail.rows} 行"


def _snapshot(data: DataDir) -> Finding:
    snapshot = Snapshot.current(data.snapshots)
    if snapshot is None:
        return State.NOTE, "まだ台帳データがありません。"
    with closing(snapshot):
        counts = snapshot.verified().counts
        figures = f"設備 {counts.equipment}、章 {counts.sections}、記録 {counts.records}"
        return State.OK, f"{snapshot.version}（{snapshot.published:%Y-%m-%d}）、平文、{figures}"


def _plain_stores(data: DataDir, settings: Settings) -> Finding:
    """Whatever of the plant's words lies on this disk unencrypted, by name."""
    plain = [place for place in (data.snapshots, data.files, data.logs, *_plain_journal(data)) if place.exists()]
    named = "、".join(str(folder) for folder in plain) or "なし"
    return State.NOTE, f"{named}（traces = {settings.get(config.TRACES)}）"


def _plain_journal(data: DataDir) -> tuple[Path, ...]:
    """The journal and its copies, where it is not encrypted."""
    encrypted = data.journal.with_name(KEY_FILE).exists()
    return () if encrypted else (data.journal, journal_copies.folder(data.journal))


def _provider(data: DataDir, settings: Settings, credentials: Credentials) -> Finding:
    """What it asks is kept like every body that leaves this PC."""
    provider = settings.get(config.PROVIDER)
    if provider == "offline":
        return State.OK, "offline（どこにもつなぎません）"
    from desktop.agent.models.choose import Chosen, Models
    from desktop.agent.models.claude import Claude
    from desktop.agent.models.openai_compatible import OpenAICompatible
    from desktop.agent.models.probe import probe

    encryption = settings.get(config.STORAGE_ENCRYPTION)
    with (
        closing(open_journal(data, credentials, encryption=encryption)) as journal,
        closing(Models(settings, credentials.get, SentRecord(journal, lambda: datetime.now(UTC)))) as models,
    ):
        match models.choose(provider):
            case Chosen(model=Claude() as claude):
                return State.OK, f"Claude：{claude.test()['name']} につながりました。"
            case Chosen(model=OpenAICompatible() as server):
                return State.OK, "、".join(probe(server).lines())
            case chosen:
                raise KnownError(chosen.why)


def _sync(settings: Settings) -> Finding:
    transport = settings.get(config.SYNC_TRANSPORT)
    if transport == "none":
        return State.OK, "送信先は設定されていません。"
    folder = Path(settings.get(config.SYNC_FOLDER))
    if not folder.is_dir():
        raise KnownError("sync_folder_missing", reason=str(folder))
    return State.OK, f"{folder}（端末コード {settings.get(config.STATION_CODE)}）"
