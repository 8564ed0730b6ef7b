"""A newer version takes over a station at work: nothing waiting is lost, and what was queued leaves byte for byte.

Two folders with two versions of the program, real processes, one data directory with an encrypted journal.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop import open_windows
from tests.e2e import versions
from tests.e2e.versions import Program

pytestmark = pytest.mark.timeout(300)  # some thirty process starts on a busy machine
PIN = "295173"
ASK_FOR_REQUEST = "ライン3の充填機でE-12が出た。保全依頼を出して"
NOBODY_REACHES = 4
OPENING_MS = 60_000
CHANGES = """
ALTER TABLE people ADD COLUMN note TEXT NOT NULL DEFAULT '';
UPDATE people SET note = phone;
CREATE TABLE later (number TEXT PRIMARY KEY, title TEXT NOT NULL) STRICT;
INSERT INTO later SELECT number, title FROM work_requests;
"""
BROKEN = "INSERT INTO later SELECT number, NULL FROM work_requests"
SCHEMA = """
import sys
from desktop import paths, wiring
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.store import counters
services = wiring.build(DataDir(paths.default_data_dir()), sample=False, one_session=False)
"""
# A command in the middle: between two transactions, and inside one.
PAUSES_BETWEEN = f"""{SCHEMA}
print("at work", flush=True); sys.stdin.readline()
try:
    services.synchronizer.run_once(at_once=True)
except KnownError as error:
    print(error.code)
"""
PAUSES_INSIDE = f"""{SCHEMA}
with services.journal.transaction() as tx:
    print("at work", flush=True); sys.stdin.readline()
    counters.following(tx, "written meanwhile")
"""


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The old version after a day: own plant, roster, one proposal that waits, one request that could not be sent."""
    place = tmp_path_factory.mktemp("old")
    old = versions.make(place / "program", "0.9.0", place / "pc" / "data")
    old.data.mkdir(parents=True)
    policy = f'[sync]\ntransport = "folder"\nfolder = "{old.share}"\n[station]\ncode = "P07"\n'
    (old.data.parent / "policy.toml").write_text(policy, encoding="utf-8")
    sample = old.folder / "data" / "sample"
    plant = [sample / name for name in ("equipment_ledger.csv", "maintenance_records.xlsx", "manuals", "roster.csv")]
    assert old.run("import", *plant).code == 0
    asked = old.run("ask", ASK_FOR_REQUEST, "--provider", "offline").document
    assert asked["status"] == "awaiting_approval"
    old.work("approve", PIN)
    assert old.run("sync", "run").code == NOBODY_REACHES
    return old


@pytest.fixture
def old(used: Program, tmp_path: Path) -> Program:
    """That PC, for one test."""
    pc = shutil.copytree(used.data.parent, tmp_path / "pc")
    text = (pc / "policy.toml").read_text(encoding="utf-8").replace(str(used.data.parent), str(pc))
    (pc / "policy.toml").write_text(text, encoding="utf-8")
    return used.on(pc / "data")


@pytest.fixture(scope="module")
def newer_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("newer")
    return versions.make(place / "program", "0.9.1", place, CHANGES).folder


@pytest.fixture
def newer(newer_folder: Path, old: Program) -> Program:
    return Program(newer_folder, old.data)


@pytest.fixture
def broken(newer_folder: Path, old: Program, tmp_path: Path) -> Program:
    """The newer version with one more step, which fails."""
    return versions.make(tmp_path / "broken", "0.9.2", old.data, CHANGES, BROKEN)


@pytest.fixture
def left_running() -> Iterator[Callable[[subprocess.Popen[str]], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def keep(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
        started.append(process)
        return process

    yield keep
    for process in started:
        process.kill()
        process.communicate()


def at_work(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    assert process.stdout is not None
    assert process.stdout.readline() == "at work\n"
    return process


def sent_hashes(program: Program) -> set[str]:
    return {sha256(file.read_bytes()).hexdigest() for file in program.share.rglob("*.json")}


def hashes(told: dict[str, Any]) -> set[str]:
    return {digest for _, digest in told["unanswered"].values()}


def drafts_of(data: Path) -> list[str]:
    files = list((data / "windows").glob("*.drafts"))
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [fields["text"] for drafts in kept for fields in drafts.values()]


def test_the_newer_version_goes_on_where_the_old_one_stood(
    old: Program,
    newer: Program,
    qtbot: QtBot,
    left_running: Callable[[subprocess.Popen[str]], subprocess.Popen[str]],
) -> None:
    before = old.work("tell")
    assert before["encryption"] == "chacha20"
    assert [delivery for delivery, _ in before["unanswered"].values()] == ["queued"]

    window = left_running(old.start("open", "--equipment", "EQ-003", "--code", "E-12"))
    qtbot.waitUntil(lambda: bool(open_windows._open(old.data)), timeout=OPENING_MS)
    assert newer.run("quit", "--wait", "60").document == {"open": 0}
    assert window.wait(30) == 0
    assert drafts_of(old.data) == ["EQ-003 E-12"]

    after = newer.work("tell")
    assert after == before
    (copy,) = (old.data / "copies").glob("*-schema-*.db")
    assert old.run("requests").document["error"]["code"] == "journal_too_new"

    newer.share.mkdir()
    assert newer.run("sync", "run", "--wait", "10").code == 0
    assert sent_hashes(newer) == hashes(before)
    newer.work("decide", PIN)
    assert newer.run("sync", "run", "--wait", "10").code == 0
    done = newer.work("tell")
    assert done["pending"] == []
    assert sent_hashes(newer) == hashes(done) > hashes(before)
    assert newer.run("audit", "verify").code == 0

    window = left_running(newer.start())
    qtbot.waitUntil(lambda: bool(open_windows._open(old.data)), timeout=OPENING_MS)
    assert newer.run("quit", "--wait", "60").document == {"open": 0}
    assert window.wait(30) == 0
    assert drafts_of(old.data) == ["EQ-003 E-12"]
    assert copy.exists()


def test_where_the_newer_version_can_not_migrate_the_old_one_goes_on_and_sends(old: Program, broken: Program) -> None:
    before = old.work("tell")
    for command in (["requests"], ["sync", "run"], ["import", broken.folder / "data" / "sample" / "parts.csv"]):
        failed = broken.run(*command)
        assert failed.code == 5
        assert failed.document["error"]["code"] == "journal_migration_failed"
        assert "copies" in failed.document["error"]["message"]
        assert "Traceback" not in failed.stderr
    assert "ConstraintError" in (old.data / "logs" / "hozen-navi.log").read_text(encoding="utf-8")
    assert old.work("tell") == before
    old.share.mkdir()
    assert old.run("sync", "run", "--wait", "10").code == 0
    assert sent_hashes(old) == hashes(before)
    old.work("decide", PIN)
    assert old.run("audit", "verify").code == 0


def test_the_way_back_is_the_copy_made_before_the_migration_and_nothing_goes_out_twice(
    old: Program, newer: Program
) -> None:
    before = old.work("tell")
    newer.share.mkdir()
    assert newer.run("sync", "run", "--wait", "10").code == 0
    newer.work("decide", PIN)
    assert newer.run("sync", "run", "--wait", "10").code == 0
    (first, second) = sorted(file.name for file in newer.share.rglob("*.json"))

    (copy,) = (old.data / "copies").glob("*-schema-*.db")
    assert old.run("requests").document["error"]["code"] == "journal_too_new"
    assert old.run("restore", copy).code == 0
    assert old.work("tell") == before
    assert old.run("sync", "run", "--wait", "10").code == 0
    assert sorted(file.name for file in old.share.rglob("*.json")) == [first, second]
    old.work("approve", PIN)
    assert old.run("sync", "run", "--wait", "10").code == 0
    (*known, third) = sorted(file.name for file in old.share.rglob("*.json"))
    assert known == [first, second]
    assert third > second
    assert old.run("audit", "verify").code == 0


def test_an_old_process_at_work_is_told_and_the_newer_one_sends_what_it_had_queued(
    old: Program, newer: Program, left_running: Callable[[subprocess.Popen[str]], subprocess.Popen[str]]
) -> None:
    working = at_work(left_running(old.script(PAUSES_BETWEEN)))
    before = newer.work("tell")
    old.share.mkdir()
    said, trouble = working.communicate("go on\n", timeout=60)
    assert (said, working.returncode) == ("journal_migrated_meanwhile\n", 0), trouble
    assert sent_hashes(old) == set()
    assert newer.run("sync", "run", "--wait", "10").code == 0
    assert sent_hashes(newer) == hashes(before)


def test_what_an_old_process_is_writing_is_kept_and_migrated(
    old: Program, newer: Program, left_running: Callable[[subprocess.Popen[str]], subprocess.Popen[str]]
) -> None:
    writing = at_work(left_running(old.script(PAUSES_INSIDE)))
    arriving = left_running(newer.start("requests", "--json"))
    _, trouble = writing.communicate("go on\n", timeout=60)
    assert writing.returncode == 0, trouble
    listed, trouble = arriving.communicate(timeout=60)
    assert arriving.returncode == 0, listed + trouble
    asked = left_running(newer.script(f"{SCHEMA}with services.journal.reading() as tx: print(*tx.rows("
                                      "\"SELECT name FROM counters WHERE name = 'written meanwhile'\"))"))  # fmt: skip
    assert asked.communicate(timeout=60)[0] == "{'name': 'written meanwhile'}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the script forks")
def test_killed_anywhere_in_a_migration_it_is_the_old_journal_or_the_new_one() -> None:
    script = Path(__file__).with_name("kill_during_migration.py")
    done = subprocess.run(
        [sys.executable, str(script), "--kills", "20"], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
