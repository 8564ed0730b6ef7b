"""What this PC's installation is really like, for IT: each check by itself, with the named cause when it fails."""

from __future__ import annotations

import logging
import os
import platform
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from desktop import __version__, config, paths
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError, hn
from desktop.logs import LOG_NAME
from desktop.paths import DataDir
from desktop.services import diagnostics_finding as finding
from desktop.services.diagnostics_finding import Finding, State
from desktop.services.sent_record import SentRecord
from desktop.store import audit, journal_copies
from desktop.store.journal import open_journal
from desktop.store.journal_key import KEY_FILE
from desktop.store.snapshot import Snapshot

_LIBRARIES = ("PySide6_Essentials", "duckdb", "apsw-sqlite3mc", "anthropic", "httpx2", "keyring", "pypdfium2")
_log = logging.getLogger(__name__)
_LOW_DISK = 2 * 1024**3  # bytes; a build of a large plant needs about this much beside the old snapshot


Look = Callable[[], Finding]


def examine(data: DataDir, *, network: bool = True) -> dict[str, Any]:
    """Every check of this data directory, each by itself.

    `network` False = only what costs no network and no noticeable time. The document: `checks` (name, state ok | note |
    warning | failed, text, code, hn, for_it), `failed` (how many), `worst` (code and hn of what to see to first, or
    None) and `exit` (0 fine, 1 only warnings, else 3, 4 or 5 of the worst).
    """
    found = [(name, _looked(look, data)) for name, look in _looks(data, network=network).items()]
    worst = finding.worst(one for _, one in found)
    return {
        "checks": [asdict(finding.check(name, one)) for name, one in found],
        "failed": sum(one.state is State.FAILED for _, one in found),
        "worst": {"code": worst.cause.code, "hn": hn(worst.cause.code)} if worst and worst.cause else None,
        "exit": finding.exit_of(worst),
    }


def _looks(data: DataDir, *, network: bool) -> dict[str, Look]:
    """In the order they are told: what all others rest on comes first."""
    settings = _readable_settings(data)
    credentials = Credentials(allow_env=settings.get(config.CREDENTIALS_ALLOW_ENV))
    looks: dict[str, Look] = {
        "versions": lambda: finding.note(_versions()),
        "settings": lambda: _settings(data),
        "data_directory": lambda: _directory(data),
        "keyring": lambda: _keyring(credentials),
        "journal": lambda: _journal(data, credentials, settings),
        "snapshot": lambda: _snapshot(data),
        "plain_stores": lambda: _plain_stores(data, settings),
        "sync": lambda: _sync(settings),
    }
    if network:
        looks["provider"] = lambda: _provider(data, settings, credentials)
    return looks


def _looked(look: Look, data: DataDir) -> Finding:
    try:
        return look()
    except KnownError as error:
        return finding.failed(error)
    except Exception:  # noqa: BLE001  the border: a check may fail, the others are still looked at
        _log.exception("a check of doctor failed")
        return finding.failed(KnownError("internal_error", log=str(data.logs / LOG_NAME)))


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
    return finding.ok("、".join(named) or "設定ファイルなし（既定値）")


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
        raise KnownError("journal_unwritable", file=str(data.root), reason="read-only")
    place = f"{data.root}（空き {free / 1024**3:.1f} GB）"
    return finding.note(place) if free < _LOW_DISK else finding.ok(place)


def _keyring(credentials: Credentials) -> Finding:
    backend = credentials.backend()
    if backend is None:
        return finding.warning(KnownError("keyring_missing"))
    return finding.ok(backend)


def _journal(data: DataDir, credentials: Credentials, settings: Settings) -> Finding:
    encryption = settings.get(config.STORAGE_ENCRYPTION)
    with closing(open_journal(data, credentials, encryption=encryption)) as journal:
        journal.verify()
        with journal.reading() as tx:
            trail = audit.verify(tx)
        mode = "平文" if journal.encryption_mode == "plain" else f"暗号化（{journal.encryption_mode}）"
    if not trail.whole:
        raise KnownError("audit_broken", place=trail.broken_at or trail.untold)
    return finding.ok(f"{data.journal}、{mode}、監査記録 {trail.rows} 行")


def _snapshot(data: DataDir) -> Finding:
    snapshot = Snapshot.current(data.snapshots)
    if snapshot is None:
        return finding.note("まだ台帳データがありません。")
    with closing(snapshot):
        counts = snapshot.verified().counts
        figures = f"設備 {counts.equipment}、章 {counts.sections}、記録 {counts.records}"
        return finding.ok(f"{snapshot.version}（{snapshot.published:%Y-%m-%d}）、平文、{figures}")


def _plain_stores(data: DataDir, settings: Settings) -> Finding:
    """Whatever of the plant's words lies on this disk unencrypted, by name."""
    plain = [place for place in (data.snapshots, data.files, data.logs, *_plain_journal(data)) if place.exists()]
    named = "、".join(str(folder) for folder in plain) or "なし"
    return finding.note(f"{named}（traces = {settings.get(config.TRACES)}）")


def _plain_journal(data: DataDir) -> tuple[Path, ...]:
    """The journal and its copies, where it is not encrypted."""
    encrypted = data.journal.with_name(KEY_FILE).exists()
    return () if encrypted else (data.journal, journal_copies.folder(data.journal))


def _provider(data: DataDir, settings: Settings, credentials: Credentials) -> Finding:
    """What it asks is kept like every body that leaves this PC."""
    provider = settings.get(config.PROVIDER)
    if provider == "offline":
        return finding.ok("offline（どこにもつなぎません）")
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
                return finding.ok(f"Claude：{claude.test()['name']} につながりました。")
            case Chosen(model=OpenAICompatible() as server):
                return finding.ok("、".join(probe(server).lines()))
            case chosen:
                raise KnownError(chosen.why)


def _sync(settings: Settings) -> Finding:
    transport = settings.get(config.SYNC_TRANSPORT)
    if transport == "none":
        return finding.ok("送信先は設定されていません。")
    folder = Path(settings.get(config.SYNC_FOLDER))
    if not folder.is_dir():
        raise KnownError("sync_folder_missing", reason=str(folder))
    return finding.ok(f"{folder}（端末コード {settings.get(config.STATION_CODE)}）")
