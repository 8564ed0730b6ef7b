"""status.json for monitoring tools: how this PC stands, and since the last look, in the Event Log, what changed."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop import __version__, config, paths
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.work_request import Delivery
from desktop.durable import synced
from desktop.errors import KnownError, known_codes
from desktop.event_log import GONE, EventLog, Severity, number_of
from desktop.paths import DataDir
from desktop.services import diagnostics
from desktop.services.diagnostics_finding import State
from desktop.store import journal_copies, journal_look, outbox, proposals
from desktop.store.journal import Tx
from desktop.store.snapshot import Snapshot

FILE = "status.json"
_SCHEMA = 1
_SEVERITIES = {State.FAILED: Severity.ERROR, State.WARNING: Severity.WARNING}
_HOURLY, _DOCTOR = "hourly", "doctor"
_OF_JOURNAL = ("unsent", "needs_attention", "pending", "oldest_unsent_since", "last_success_at", "encryption")
_log = logging.getLogger(__name__)

Cause = Mapping[str, str]
"""The `check` that found it, `code` and its number `hn`; `by` = whether an hourly look sees it or only doctor's."""


class HealthRecord:
    """status.json of one data directory, and the entries about it in the Event Log.

    A cause is told when it appears and when it is gone; which are told stands in the file, so that neither a restart
    nor another window tells them again. Where the file can't be written, this process remembers.
    """

    def __init__(
        self, data: DataDir, events: EventLog, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._data = data
        self._events = events
        self._clock = clock
        self._unkept: Sequence[Cause] | None = None

    def look(self) -> None:
        """An hourly look, which costs no network."""
        self._keep(diagnostics.examine(self._data, network=False), full=False)

    def keep(self, report: Mapping[str, Any]) -> None:
        """Writes and tells of what `diagnostics.examine` found, the network included.

        A folder that can't be written is only logged.
        """
        self._keep(report, full=True)

    def _keep(self, report: Mapping[str, Any], *, full: bool) -> None:
        before = _told(self._data.root / FILE) if self._unkept is None else self._unkept
        open_now = _open_causes(report, before, full=full)
        self._tell(report, before, open_now)
        document = {**_document(self._data, report, self._clock()), "told": open_now}
        try:
            _write(self._data.root / FILE, document)
        except OSError as error:
            _log.warning("%s was not written: %s", FILE, error)
            self._unkept = open_now
        else:
            self._unkept = None

    def _tell(self, report: Mapping[str, Any], before: Sequence[Cause], now: Sequence[Cause]) -> None:
        known = {cause["code"] for cause in before}
        for check in report["checks"]:
            if check["code"] and check["code"] not in known:
                known.add(check["code"])
                text = f"{check['text']}\n{check['for_it'].partition(' ')[2]}"
                self._events.write(number_of(check["code"]), _SEVERITIES[check["state"]], text)
        still = {cause["code"] for cause in now}
        for cause in before:
            if cause["code"] not in still:
                text = f"{cause['hn']} {cause['code']} は解消しました。"
                self._events.write(GONE, Severity.INFORMATION, text)


def _open_causes(report: Mapping[str, Any], before: Sequence[Cause], *, full: bool) -> list[Cause]:
    """What is wrong now; what doctor found and an hourly look has never seen stays until doctor finds it gone."""
    hourly = {cause["code"] for cause in before if cause["by"] == _HOURLY}
    found: dict[str, Cause] = {}
    for check in report["checks"]:
        if code := check["code"]:
            by = _DOCTOR if full and code not in hourly else _HOURLY
            found.setdefault(code, {"check": check["name"], "code": code, "hn": check["hn"], "by": by})
    kept = () if full else (cause for cause in before if cause["by"] == _DOCTOR and cause["code"] not in found)
    return [*found.values(), *kept]


def _document(data: DataDir, report: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Every field that installer/README.md explains; no sentence of a check, which may name a person or a folder."""
    settings = config.readable(data.settings, paths.policy_file())
    installed = paths.installation()
    return {
        "schema": _SCHEMA,
        "written_at": _time(now),
        "version": __version__,
        "station": settings.get(config.STATION_CODE),
        "scope": "machine" if installed and installed.shared else "user",
        "worst": report["worst"],
        "exit": report["exit"],
        "checks": [{name: check[name] for name in ("name", "state", "code", "hn")} for check in report["checks"]],
        **_of_journal(data, settings),
        "snapshot": _of_snapshot(data, now),
        "free_disk_bytes": _free(data.root),
        "journal_copy_age_seconds": _copy_age(data, now),
    }


def _of_journal(data: DataDir, settings: Settings) -> dict[str, Any]:
    """How requests stand; None each where the journal can't be read (a check tells), or only after the next start."""
    credentials = Credentials(allow_env=settings.get(config.CREDENTIALS_ALLOW_ENV))
    try:
        with journal_look.look(data, credentials, settings.get(config.STORAGE_ENCRYPTION)) as seen:
            if seen is None:
                return {**dict.fromkeys(_OF_JOURNAL), "unsent": 0, "needs_attention": 0, "pending": 0}
            if not seen.is_current:
                return dict.fromkeys(_OF_JOURNAL)
            return {**_requests(seen.tx), "encryption": seen.encryption_mode}
    except KnownError:
        return dict.fromkeys(_OF_JOURNAL)


def _requests(tx: Tx) -> dict[str, Any]:
    counts = outbox.counts(tx)
    oldest, last = outbox.oldest_unsent(tx), outbox.channel(tx).last_success_at
    return {
        "unsent": counts[Delivery.QUEUED] + counts[Delivery.SENDING],
        "needs_attention": counts[Delivery.NEEDS_ATTENTION],
        "pending": len(proposals.pending(tx)),
        "oldest_unsent_since": _time(oldest) if oldest else None,
        "last_success_at": _time(last) if last else None,
    }


def _of_snapshot(data: DataDir, now: datetime) -> Mapping[str, Any] | None:
    """None where there is no plant data or it can't be read."""
    try:
        snapshot = Snapshot.current(data.snapshots)
    except KnownError:
        return None
    if snapshot is None:
        return None
    with closing(snapshot):
        return {"version": snapshot.version, "age_days": (now - snapshot.published).days}


def _free(root: Path) -> int | None:
    try:
        return shutil.disk_usage(root).free
    except OSError:
        return None


def _copy_age(data: DataDir, now: datetime) -> int | None:
    """Of the newest verified copy of the journal; None without one."""
    copy = journal_copies.newest(data.journal, now)
    return round((now - journal_copies.made_at(copy)).total_seconds()) if copy else None


def _told(file: Path) -> Sequence[Cause]:
    """The causes that the file says were told; none if it isn't there, torn, or another program's."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))["told"]
        causes = [{name: str(cause[name]) for name in ("check", "code", "hn", "by")} for cause in told]
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return [cause for cause in causes if cause["code"] in known_codes()]


def _write(file: Path, document: Mapping[str, Any]) -> None:
    """Whole or not at all, also for whoever reads it meanwhile; each process has its own draft."""
    draft = file.with_suffix(f".{os.getpid()}.new")
    try:
        with synced(draft.open("w", encoding="ascii", newline="\n")) as opened:
            json.dump(document, opened, indent=1)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")
