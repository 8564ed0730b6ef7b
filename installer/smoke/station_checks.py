"""A station at work on the installed program: its own plant, a request that waits, one that could not leave yet."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

from steps.product import CONSOLE_EXE

from smoke import wine
from smoke.checks import expect

ASK_FOR_REQUEST = "ライン3の充填機でE-12が出た。保全依頼を出して"
_SCRIPT = Path(__file__).resolve().parent / "station.py"
_PIN = "295173"
_PLANT = ("equipment_ledger.csv", "maintenance_records.xlsx", "manuals", "roster.csv")
_SETTINGS = """[sync]
transport = "folder"
folder = 'C:\\share'
[station]
code = "P07"
"""
_BAD_INPUT, _UNREACHABLE = 3, 4
Told = dict[str, Any]
"""What station.py tells: `pending` proposals, `unanswered` items with their bytes' hash."""


def console(prefix: wine.Prefix, *arguments: str | Path, code: int = 0) -> Told:
    """The document of a console command that must end with `code`."""
    said = prefix.run(prefix.program / CONSOLE_EXE, *arguments, "--json")
    shown = " ".join(map(str, arguments))
    expect(said.code == code, f"{shown} ended with {said.code}: {said.out[-600:]} {said.err[-600:]}")
    document: Told = json.loads(said.out)
    return document


def goes_to_work(prefix: wine.Prefix) -> Told:
    """Settings, the plant's files, a request asked for, one approved while the share is away; what it has then."""
    (prefix.shared / "data" / "settings.toml").write_text(_SETTINGS, encoding="utf-8")
    shutil.rmtree(_share(prefix), ignore_errors=True)
    sample = prefix.program / "app" / "desktop" / "data" / "sample"
    console(prefix, "import", *(wine.windows_path(sample / name) for name in _PLANT))
    asked = console(prefix, "ask", ASK_FOR_REQUEST)
    expect(asked["status"] == "awaiting_approval", f"the request asked for is {asked['status']}")
    work(prefix, "approve", _PIN)
    console(prefix, "sync", "run", code=_UNREACHABLE)
    told = work(prefix, "tell")
    deliveries = [delivery for delivery, _ in told["unanswered"].values()]
    expect(len(told["pending"]) == 1 and deliveries == ["queued"], f"the station has {told}")
    expect(told["encryption"] != "plain", "the journal is not encrypted")
    return told


def refuses_a_policy_of_anybody(prefix: wine.Prefix) -> None:
    """A policy that no administrator owns is refused; under wine every file is its user's, so none can be trusted."""
    policy = prefix.shared / "policy.toml"
    policy.write_text(_SETTINGS, encoding="utf-8")
    document = console(prefix, "requests", code=_BAD_INPUT)
    policy.unlink()
    expect(document["error"]["code"] == "policy_untrusted", f"a user's policy: {document}")


def has_kept(prefix: wine.Prefix, before: Told) -> None:
    """The program that is installed now finds what the other left."""
    told = work(prefix, "tell")
    expect(told == before, f"the station had {before}, and now has {told}")


def sends(prefix: wine.Prefix, before: Told) -> Told:
    """The share is there again: what was queued leaves byte for byte, what waits for a person still waits."""
    _share(prefix).mkdir()
    console(prefix, "sync", "run", "--wait", "20")
    sent = {sha256(file.read_bytes()).hexdigest() for file in _share(prefix).rglob("*.json")}
    queued = {digest for _, digest in before["unanswered"].values()}
    expect(sent == queued, f"queued was {queued}, sent was {sent}")
    told = work(prefix, "tell")
    expect(told["pending"] == before["pending"], f"{before['pending']} waited, now {told['pending']} wait")
    return told


def is_restored(prefix: wine.Prefix, before: Told) -> None:
    """A backup, a decision after it, the backup again: the decision is gone, and no request leaves twice."""
    backup = "C:\\backup.zip"
    console(prefix, "backup", backup)
    work(prefix, "decide", _PIN)
    console(prefix, "restore", backup)
    (prefix.drive / "backup.zip").unlink()
    told = work(prefix, "tell")
    expect(told["pending"] == before["pending"], f"{before['pending']} waited at the backup, now {told['pending']}")
    console(prefix, "sync", "run", "--wait", "20")
    sent = list(_share(prefix).rglob("*.json"))
    expect(len(sent) == len(before["unanswered"]), f"sent after the restore: {[file.name for file in sent]}")


def examines_itself(prefix: wine.Prefix) -> str:
    """`doctor` gives its document, fails nothing, and ends as that says; what it warns of, for the log."""
    said = prefix.run(prefix.program / CONSOLE_EXE, "doctor", "--json")
    document = json.loads(said.out)
    states = {check["name"]: check["state"] for check in document["checks"]}
    told = [f"{check['name']}: {check['text']}" for check in document["checks"] if check["state"] == "failed"]
    expect(not told, f"doctor failed {told}")
    expect(said.code == document["exit"] <= 1, f"doctor ended with {said.code}, its document says {document['exit']}")
    expect({"journal", "snapshot", "keyring"} <= states.keys(), f"doctor only looked at {sorted(states)}")
    return f"doctor made {len(states)} checks, warned of {[name for name in states if states[name] == 'warning']}"


def is_exported(prefix: wine.Prefix) -> None:
    """All that is only here stands in plain files outside the data."""
    shutil.rmtree(prefix.drive / "export", ignore_errors=True)
    console(prefix, "export", "all", "C:\\export")


def is_purged(prefix: wine.Prefix) -> None:
    """Data and keys are gone; the export stays."""
    left = [name for name in ("data", "keys") if (prefix.shared / name).exists()]
    expect(not left, f"left after the purge: {left}")
    expect((prefix.drive / "export" / "requests.csv").exists(), "the purge took the export")


def work(prefix: wine.Prefix, *arguments: str) -> Told:
    """station.py in the installed runtime; what it told."""
    said = prefix.run_script(_SCRIPT, *arguments)
    expect(said.code == 0, f"station.py {arguments[0]} ended with {said.code}: {said.out[-600:]} {said.err[-1200:]}")
    told: Told = json.loads(said.out)
    return told


def _share(prefix: wine.Prefix) -> Path:
    return prefix.drive / "share"
