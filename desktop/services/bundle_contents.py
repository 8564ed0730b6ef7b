"""What a support bundle tells of this PC, subject by subject: figures, states and codes, never what somebody wrote."""

from __future__ import annotations

import json
import locale
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from desktop import __version__, config, open_windows, paths
from desktop.config import Setting, Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError, known_codes
from desktop.paths import DataDir
from desktop.services.bundle_cleaning import Cleaner
from desktop.store import audit, journal_figures
from desktop.store.journal import open_journal
from desktop.store.snapshot import Snapshot
from desktop.store.traces import TraceKind

Document = Mapping[str, Any]

_CODES_OF_A_CHECK = ("name", "state", "code", "hn")
_STATUS_WORD = re.compile(r"[A-Za-z0-9_.:+ -]{0,64}")
_TRACE_KEY = re.compile(r"[a-z_]{1,40}")
_TRACE_WORD = re.compile(r"[a-z_]{1,40}")
_TRACE_WORDS = frozenset({"stop_reason", "status", "decision"})
_OUR_NAME = re.compile(
    r"copies|snapshots|files|logs|windows|sample|restoring|before-restore-\d{8}T\d+Z"
    r"|(settings|policy)\.toml|window\.ini|(status|restore)\.json"
    r"|journal(\.(db(-wal|-shm)?|key\.json|id|use|lock)|-\d{8}T\d+Z(-schema-\d+)?\.db)|current\.json|build\.lock|spill\.tmp"
    r"|plant-\d{5}-\d{8}T\d{6}Z\.duckdb(\.tmp)?|[0-9a-f]{64}|trace_\d{8}T\d{6}Z_[0-9a-f-]+\.jsonl"
    r"|hozen-navi\.log(\.\d)?|faults\.log",
    re.ASCII,
)
_OUR_SUFFIXES = frozenset(
    {".open", ".quit", ".drafts", ".new", ".csv", ".pdf", ".txt", ".json", ".db", ".toml", ".log"}
)


def doctor(report: Document, cleaner: Cleaner) -> Document:
    """`diagnostics.examine`'s document; without its sentences where not everyone is known."""
    if cleaner.everyone_known:
        return dict(cleaner.value(report))
    return {**report, "checks": [{name: one[name] for name in _CODES_OF_A_CHECK} for one in report["checks"]]}


def versions() -> Document:
    """The program, what it runs on, and every package."""
    packages = {one.metadata["Name"]: one.version for one in metadata.distributions()}
    installed = paths.installation()
    return {
        "version": __version__,
        "installed": ("machine" if installed.shared else "user") if installed else None,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "language": locale.getlocale()[0],
        "utc_offset": f"{datetime.now().astimezone():%z}",
        "packages": dict(sorted(packages.items(), key=lambda one: one[0].lower())),
    }


def settings(data: DataDir, cleaner: Cleaner) -> Document:
    """Each setting as it counts, who says so, what policy and user each wrote, and whether policy locks it."""
    try:
        known = config.load(data.settings, paths.policy_file())
    except KnownError as error:
        return {"error": error.code}
    return {key: _setting(one, known, cleaner) for key, one in config.CATALOGUE.items()}


def _setting(setting: Setting[Any], known: Settings, cleaner: Cleaner) -> Document:
    def shown(value: Any) -> Any:
        if setting is config.CLOUD_CONSENT:  # who allowed it, and when
            return bool(value)
        if isinstance(value, str) and value and not setting.choices:
            return cleaner.word(value)
        return [cleaner.word(one) for one in value] if isinstance(value, tuple) else value

    given = {source: shown(value) for source, value in known.given(setting).items()}
    return {"value": shown(known.get(setting)), "locked": known.locked(setting), **given}


def status(file: Path, cleaner: Cleaner) -> Document | None:
    """status.json as it lies there, codes and figures only; None without one."""
    try:
        return dict(cleaner.value(_coded(json.loads(file.read_text(encoding="utf-8")))))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        return {"error": type(error).__name__}


def _coded(value: Any) -> Any:
    match value:
        case str():
            return value if _STATUS_WORD.fullmatch(value) else "…"
        case Mapping():
            return {key: _coded(item) for key, item in value.items() if _TRACE_KEY.fullmatch(key)}
        case list():
            return [_coded(item) for item in value]
    return value


def journal(data: DataDir) -> Document:
    """Figures of the journal and its outbox, and whether the trail holds."""
    if not data.journal.exists():
        return {"missing": True}
    credentials = Credentials(allow_env=False)
    try:
        with closing(open_journal(data, credentials)) as opened, opened.reading() as tx:
            return {
                "encryption": opened.encryption_mode,
                **journal_figures.figures(tx),
                "audit": asdict(audit.verify(tx)),
                "outbox": journal_figures.deliveries(tx),
            }
    except KnownError as error:
        return {"error": error.code}


def snapshot(data: DataDir) -> Document:
    """Which version of the plant's data this is, and how much of everything is in it."""
    try:
        current = Snapshot.current(data.snapshots)
    except KnownError as error:
        return {"error": error.code}
    if current is None:
        return {"missing": True}
    with closing(current):
        published = current.published.isoformat()
        kinds = [source.kind for source in current.sources]
        sources = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
        return {"version": current.version, "published": published, **asdict(current.counts), "sources": sources}


def files(data: DataDir) -> Document:
    """Every file of the data directory with size and time, named only where the name is ours; and the windows open."""
    found = sorted(file for file in data.root.rglob("*") if file.is_file())
    return {"open_windows": open_windows.how_many(data.root), "files": [_file(data, file) for file in found]}


def _file(data: DataDir, file: Path) -> Document:
    parts = [_our_name(part) for part in file.relative_to(data.root).parts]
    stat = file.stat()
    changed = datetime.fromtimestamp(stat.st_mtime, UTC).isoformat(timespec="seconds")
    return {"file": "/".join(parts), "bytes": stat.st_size, "changed": changed}


def ours(name: str) -> bool:
    """Whether the program gives files this name; any other name is somebody's own words."""
    return _OUR_NAME.fullmatch(name) is not None


def _our_name(part: str) -> str:
    suffix = Path(part).suffix
    return part if ours(part) else f"…{suffix if suffix in _OUR_SUFFIXES else ''}"


def trace(text: str, cleaner: Cleaner) -> str:
    """A question's trace, line by line: kind, time, figures and codes; no question, input, result or answer."""
    return "".join(f"{json.dumps(_step(line, cleaner), ensure_ascii=False)}\n" for line in text.splitlines())


def _step(line: str, cleaner: Cleaner) -> Document:
    try:
        fields = json.loads(line)
        kind, at = TraceKind(fields["kind"]), datetime.fromisoformat(fields["at"])
    except (ValueError, KeyError, TypeError):
        return {"kind": None}
    return {"kind": kind, "at": at.isoformat(), **dict(_kept(fields, cleaner))}


def _kept(fields: Document, cleaner: Cleaner) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if not _TRACE_KEY.fullmatch(name):
            continue
        if value is None or isinstance(value, (bool, int, float)):
            yield name, value
        elif name == "usage" and isinstance(value, Mapping):
            yield name, dict(_kept(value, cleaner))
        elif name == "error" and value in known_codes():
            yield name, value
        elif name in _TRACE_WORDS and isinstance(value, str) and _TRACE_WORD.fullmatch(value):
            yield name, cleaner.line(value)
