"""What this PC's installation is really like, for IT: each check by itself, with the named cause when it fails."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from desktop import __version__, config, paths, pc
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError, hn
from desktop.logs import LOG_NAME
from desktop.paths import DataDir
from desktop.services import diagnostics_files as files
from desktop.services import diagnostics_finding as finding
from desktop.services import diagnostics_pc as this_pc
from desktop.services.diagnostics_finding import Finding, State
from desktop.services.diagnostics_network import Network
from desktop.services.diagnostics_stores import Stores

_log = logging.getLogger(__name__)
_LIBRARIES = ("PySide6_Essentials", "duckdb", "apsw-sqlite3mc", "anthropic", "httpx2", "keyring", "pypdfium2")
_NO_SECRET = "doctor"  # asked for to see whether the keyring opens

Look = Callable[[], Finding]


def examine(data: DataDir, *, network: bool = True) -> dict[str, Any]:
    """Every check of this data directory, each by itself; nothing of it is changed, but that a test of a provider is
    recorded like every question that leaves.

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
    settings = config.readable(data.settings, paths.policy_file())
    credentials = Credentials(allow_env=settings.get(config.CREDENTIALS_ALLOW_ENV))
    now = datetime.now(UTC)
    stores, ways = Stores(data, settings, credentials, now), Network(settings, credentials)
    looks: dict[str, Look] = {
        "versions": lambda: finding.note(_versions()),
        "policy": lambda: _settings_file(None, paths.policy_file()),
        "settings": lambda: _settings_file(data.settings, None),
        "station_code": lambda: _station_code(settings),
        "data_directory": lambda: this_pc.look_at_place(pc.facts(data.root), data.root),
        "files": lambda: files.look_at_folders(data),
        "disk": lambda: this_pc.look_at_disk(data.root),
        "profile": lambda: this_pc.look_at_profile(pc.facts(data.root)),
        "keyring": lambda: _keyring(credentials, settings),
        "journal": lambda: stores.look_at_journal(thorough=network),
        "journal_files": lambda: files.look_at_journal_files(data),
        "journal_copy": stores.look_at_copy,
        "outbox": stores.look_at_outbox,
        "sending": stores.look_at_channel,
        "snapshot": lambda: stores.look_at_snapshot(thorough=network),
        "plain_stores": stores.look_at_plain_stores,
    }
    if network:
        looks |= {"audit": stores.look_at_audit, "sync": stores.look_at_sync, **_looks_outside(ways, data)}
    looks["clock"] = lambda: this_pc.look_at_clock(
        now, stores.written(shares=network), ways.clocks_ahead() if network else {}
    )
    return looks


def _looks_outside(ways: Network, data: DataDir) -> dict[str, Look]:
    looks: dict[str, Look] = {}
    for provider in ways.providers:
        looks[f"proxy_script.{provider}"] = partial(ways.look_at_script, provider)
        looks[f"network.{provider}"] = partial(ways.look_at_way, provider)
        looks[f"certificate.{provider}"] = partial(ways.look_at_certificate, provider)
    return {**looks, "provider": lambda: ways.look_at_provider(data)}


def _looked(look: Look, data: DataDir) -> Finding:
    try:
        return look()
    except KnownError as error:
        return finding.failed(error)
    except OSError as error:  # a folder that may not even be looked into
        return finding.failed(files.unreadable(error, data.root))
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


def _settings_file(user: Path | None, policy: Path | None) -> Finding:
    config.read(user, policy)
    file = user or policy
    return finding.ok(str(file)) if file and file.exists() else finding.ok("なし（既定値）")


def _station_code(settings: Settings) -> Finding:
    config.require_station_code(settings)
    return finding.ok(settings.get(config.STATION_CODE) or "なし（送信先も設定されていません）")


def _keyring(credentials: Credentials, settings: Settings) -> Finding:
    backend = credentials.backend()
    if backend is None:
        missing = KnownError("keyring_missing")
        if settings.get(config.STORAGE_ENCRYPTION) == "required":
            raise KnownError("encryption_required", cause=missing.code)
        return finding.warning(missing)
    credentials.get(_NO_SECRET)
    return finding.ok(backend)
