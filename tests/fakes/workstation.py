"""A whole workstation on disk, encrypted and with a sync folder: what a backup takes and a restore brings back."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from desktop import config, paths
from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.services.backup import back_up
from desktop.services.restore import restore
from desktop.services.station import Services
from desktop.services.synchronizer import SyncReport
from desktop.store import outbox
from desktop.store.journal import Row
from tests.fakes.desk import NOW, Clock, Desk, open_desk, request_draft
from tests.fakes.keyrings import MemoryKeyring

SNAPSHOT = "plant-00003-20261101T000000Z.duckdb"
ORIGINAL = b"%PDF the paper manual"


class Workstation:
    """One PC; `ring` is its keyring, set for the whole test. `share` is the plant's folder, "" = none."""

    def __init__(self, root: Path, ring: MemoryKeyring | None, share: Path | None) -> None:
        self.data = DataDir(root)
        self.ring = ring
        self.share = share
        self.clock = Clock()

    def furnish(self) -> None:
        """Settings, a snapshot with one before it, an original, things that are no part of a backup."""
        root = self.data.root
        sync = f'[sync]\ntransport = "folder"\nfolder = {json.dumps(str(self.share))}\n' if self.share else ""
        files = {
            "settings.toml": f'[station]\ncode = "P07"\n{sync}'.encode(),
            f"snapshots/{SNAPSHOT}": b"plant " * 5000,
            "snapshots/plant-00002-20261001T000000Z.duckdb": b"older",
            "snapshots/current.json": b'{"version": "00003-20261101T000000Z"}',
            f"files/{hashlib.sha256(ORIGINAL).hexdigest()}": ORIGINAL,
            "logs/hozen-navi.log": b"log",
            "sample/journal.db": b"sample",
            "windows/one.drafts": b"{}",
        }
        for name, body in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(body)

    def open(self) -> Desk:
        return open_desk(self.data.root, ring=self.ring, clock=self.clock)

    def services(self, desk: Desk) -> Services:
        settings = config.load(self.data.settings, paths.policy_file())
        credentials = Credentials(environ={})
        return Services(self.data, settings, credentials, desk.journal, False, self.clock.now, self.clock)

    def back_up(self, file: Path) -> dict[str, Any]:
        with closing(self.open().journal) as journal:
            return back_up(self.services(Desk(journal, None, None, {}, self.clock)), file)  # type: ignore[arg-type]

    def restore(self, file: Path, drawn: float = 0.0) -> Mapping[str, Any]:
        return restore(file, self.data, Credentials(environ={}), self.clock, draw=lambda: drawn)

    def send(self, desk: Desk) -> SyncReport:
        return self.services(desk).synchronizer.run_once(at_once=True)

    def contents(self) -> dict[str, bytes]:
        """Every file that a restore may touch, but for locks."""
        return contents(self.data.root)


def contents(root: Path) -> dict[str, bytes]:
    files = (file for file in root.rglob("*") if file.is_file() and file.suffix not in (".lock", ".use"))
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}


def titles(desk: Desk) -> dict[str, str]:
    """Every registered request: number to title."""
    return {row["number"]: row["title"] for row in desk.rows("SELECT number, title FROM work_requests")}


def queue(desk: Desk) -> dict[str, str]:
    """Every queued item: number to how it stands."""
    sql = "SELECT number, delivery FROM outbox JOIN work_requests ON proposal_id = uid"
    return {row["number"]: row["delivery"] for row in desk.rows(sql)}


def problems(desk: Desk) -> list[str]:
    with desk.journal.reading() as tx:
        return [queued.problem.code for queued in outbox.unanswered(tx) if queued.problem]


def told(desk: Desk, action: str) -> list[Row]:
    """What the trail says of such doings."""
    return [json.loads(row["body"]) for row in desk.rows(f"SELECT body FROM audit WHERE action = '{action}'")]


def approve(station: Workstation, *names: str) -> None:
    """Requests of these titles, proposed and approved."""
    desk = station.open()
    for title in names:
        desk.approve(desk.propose(request_draft(title=title)))
    desk.journal.close()


def outcome_of(station: Workstation, file: Path, *, elevated: bool = True) -> str | None:
    """The code of the refusal, None = restored."""
    try:
        restore(file, station.data, Credentials(environ={}), station.clock, lambda: elevated)
    except KnownError as error:
        return error.code
    return None


def refused(station: Workstation, file: Path) -> KnownError:
    """The refusal, after which everything is as it was."""
    before = station.contents()
    with pytest.raises(KnownError) as caught:
        station.restore(file)
    assert station.contents() == before
    assert sentence(caught.value)
    return caught.value


def made_of(parts: dict[str, bytes], file: Path) -> Path:
    """A backup of these parts."""
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"schema": 1, "program": "", "journal_id": "", "station": ""}))
    with zipfile.ZipFile(file) as archive:
        about = json.loads(archive.read("manifest.json"))
    listed = {name: {"size": len(body), "sha256": hashlib.sha256(body).hexdigest()} for name, body in parts.items()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
        archive.writestr("manifest.json", json.dumps({**about, "made_at": NOW.isoformat(), "parts": listed}))
    return file


def make_too_new(station: Workstation) -> None:
    """A newer program has migrated its journal."""
    other = apsw.Connection(str(station.data.journal))
    if station.ring is not None:
        other.pragma("cipher", "chacha20")
        other.pragma("key", f"raw:{next(iter(station.ring.kept.values()))}")
    other.pragma("user_version", 999)
    other.close()


HARMS: dict[str, Callable[[Workstation], object]] = {
    "corrupt": lambda station: station.data.journal.write_bytes(b"x" * 8192),
    "vanished": lambda station: station.data.journal.unlink(),
    "emptied": lambda station: station.data.journal.write_bytes(b""),
    "too new": make_too_new,
    "its key file gone": lambda station: (station.data.root / "journal.key.json").unlink(),
    "its key file broken": lambda station: (station.data.root / "journal.key.json").write_bytes(b"{"),
    "all gone": lambda station: shutil.rmtree(station.data.root),
}
"""What may become of the journal of a workstation."""


_IN_A_PROCESS = """
import json, os, signal, sys
from datetime import datetime
from pathlib import Path
import keyring, keyring.backends.fail
from tests.fakes.keyrings import MemoryKeyring
from tests.fakes.workstation import *
told = json.load(sys.stdin)
ring = MemoryKeyring() if told["secrets"] is not None else None
if ring:
    ring.kept = {(service, name): secret for service, name, secret in told["secrets"]}
keyring.set_keyring(ring or keyring.backends.fail.Keyring())
station = Workstation(Path(told["root"]), ring, told["share"] and Path(told["share"]))
station.clock.now = datetime.fromisoformat(told["now"])
"""


def die_after(station: Workstation, script: str) -> None:
    """A process of its own does this with `station` and is killed."""
    told = {
        "root": str(station.data.root),
        "share": station.share and str(station.share),
        "now": station.clock.now.isoformat(),
        "secrets": [[*where, secret] for where, secret in station.ring.kept.items()] if station.ring else None,
    }
    command = [sys.executable, "-c", f"{_IN_A_PROCESS}{script}\nos.kill(os.getpid(), signal.SIGKILL)"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, input=json.dumps(told), capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == -signal.SIGKILL, done.stderr
