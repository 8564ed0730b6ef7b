"""One file from which this workstation comes back as it was, taken while everybody goes on working."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from desktop import __version__, config
from desktop.domain.canonical import clean_text
from desktop.errors import KnownError, sentence
from desktop.services import backup_file
from desktop.services.key_escrow import ESCROWED
from desktop.services.station import Services
from desktop.store import audit
from desktop.store.journal_key import KEY_FILE
from desktop.store.journal_mark import MARK
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_files import POINTER, current_version, require_current, snapshot_file

_SHA256_DIGITS = 64


def back_up(services: Services, file: Path) -> dict[str, Any]:
    """Journal, key note, settings, current plant data and kept originals into `file`, noted in the trail.

    Not in it: the key, the sample, logs and earlier versions. Raises KnownError: wrong_usage (inside the data
    directory), what `backup_file.write` and `Journal.transaction` raise.
    """
    data, journal, now = services.data, services.journal, services.clock()
    file = file.resolve()
    if file.is_relative_to(data.root.resolve()):
        raise KnownError(
            "wrong_usage", reason=f"{data.root} の外（できれば別のディスク）のファイルを指定してください。"
        )
    backup_file.require_new(file)
    station = services.settings.get(config.STATION_CODE)
    trouble = _trouble_of_plant_data(services)
    with journal.reading() as tx:
        trail = audit.verify(tx)
        escrowed = audit.latest(tx, ESCROWED, journal.journal_id)
    sources = {"journal.db": journal.copy(now), **_beside_the_journal(services), **_plant_data(services)}
    about = backup_file.Manifest(__version__, journal.journal_id, station, platform.node(), now, {})
    digest = backup_file.write(file, sources, about)
    told = {"file": clean_text(str(file)), "sha256": digest}
    with journal.transaction() as tx:
        audit.append(tx, services.clock(), "", "backed_up", journal.journal_id, told)
    encrypted = journal.encryption_mode != "plain"
    return {
        **told,
        "size": file.stat().st_size,
        "made_at": now.isoformat(),
        "journal_id": journal.journal_id,
        "station": station,
        "encryption": journal.encryption_mode,
        "key": {"kept_in": services.credentials.backend(), "escrowed": escrowed} if encrypted else None,
        "snapshot": current_version(data.snapshots),
        "originals": sum(name.startswith("files/") for name in sources),
        "plain": _plain(sources, encrypted=encrypted),
        "missing": {"code": trouble.code, "message": sentence(trouble)} if trouble else None,
        "audit_whole": trail.whole,
    }


def _trouble_of_plant_data(services: Services) -> KnownError | None:
    """What was here and is gone or doesn't open: a backup goes on without it, and must not pass for a good one."""
    data = services.data
    try:
        version = require_current(data.snapshots)
        with closing(Snapshot.open(snapshot_file(data.snapshots, version))) as snapshot:
            gone = sum(not (data.files / name).is_file() for name in snapshot.originals)
    except KnownError as error:
        return None if error.code == "no_plant_data" else error
    return KnownError("originals_missing", count=gone, folder=str(data.files)) if gone else None


def _beside_the_journal(services: Services) -> Mapping[str, Path]:
    root, settings = services.data.root, services.data.settings
    return {file.name: file for file in (root / KEY_FILE, root / MARK, settings) if file.exists()}


def _plant_data(services: Services) -> Mapping[str, Path | bytes]:
    """The snapshot before the originals, which it cites: an import meanwhile only adds to them."""
    data, version = services.data, current_version(services.data.snapshots)
    sources: dict[str, Path | bytes] = {}
    if version is not None:
        snapshot = snapshot_file(data.snapshots, version)
        sources[f"snapshots/{POINTER}"] = json.dumps({"version": version}).encode("ascii")
        sources[f"snapshots/{snapshot.name}"] = snapshot
    if data.files.is_dir():
        kept = sorted(file for file in data.files.iterdir() if len(file.name) == _SHA256_DIGITS)
        sources |= {f"files/{file.name}": file for file in kept}
    return sources


def _plain(sources: Mapping[str, Path | bytes], *, encrypted: bool) -> list[str]:
    """What anybody who has the file can read, by its place in the data directory."""
    places = {name.partition("/")[0] for name in sources} - {KEY_FILE, MARK}
    return sorted(places - {"journal.db"} if encrypted else places)
