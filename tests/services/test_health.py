"""status.json says how a PC stands, whole at any moment, and the Event Log hears of each cause twice: come and gone."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import keyring.backends.fail
import pytest

from desktop import __version__, wiring
from desktop.credentials import Credentials
from desktop.event_log import GONE, EventLog, Severity
from desktop.paths import DataDir, Installation
from desktop.services import diagnostics
from desktop.services.health import FILE, HealthRecord
from desktop.store.journal import open_journal
from tests.fakes.desk import NOW, Desk, request_draft
from tests.fakes.keyrings import MemoryKeyring, use_keyring
from tests.fakes.two_processes import require_well_ended, start_together

Entry = tuple[int, Severity, str]


@pytest.fixture(autouse=True)
def _no_policy_and_a_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    with use_keyring(MemoryKeyring()):
        yield


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    made = DataDir(tmp_path / "鈴木さんのデータ")
    made.root.mkdir()
    return made


@pytest.fixture
def entries() -> list[Entry]:
    return []


@pytest.fixture
def record(data: DataDir, entries: list[Entry]) -> HealthRecord:
    return HealthRecord(data, events(entries))


def events(entries: list[Entry]) -> EventLog:
    return EventLog(lambda *entry: entries.append(entry))


def status(data: DataDir) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((data.root / FILE).read_bytes().decode("ascii"))
    return document


@pytest.fixture
def journal(data: DataDir) -> None:
    """As after a first start."""
    open_journal(data, Credentials(environ={})).close()


def break_journal(data: DataDir) -> bytes:
    whole = data.journal.read_bytes()
    data.journal.write_bytes(b"no journal " * 1000)
    return whole


def test_a_new_pc_stands_well_and_has_nothing(data: DataDir, record: HealthRecord, entries: list[Entry]) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    record.look()
    told = status(data)
    assert before <= datetime.fromisoformat(told["written_at"]) <= datetime.now(UTC)
    assert told["written_at"].endswith("+00:00")
    assert (told["schema"], told["version"], told["scope"], told["station"]) == (1, __version__, "user", "")
    assert (told["worst"], told["exit"], told["told"]) == (None, 0, [])
    assert (told["unsent"], told["needs_attention"], told["pending"]) == (0, 0, 0)
    assert (told["oldest_unsent_since"], told["last_success_at"], told["snapshot"]) == (None, None, None)
    assert told["encryption"] is None
    assert told["free_disk_bytes"] > 0
    assert {check["name"] for check in told["checks"]} >= {"settings", "data_directory", "keyring", "journal"}
    assert all(check.keys() == {"name", "state", "code", "hn"} for check in told["checks"])
    assert entries == []
    assert sorted(file.name for file in data.root.iterdir() if file.name.startswith("status")) == [FILE]


def test_plant_data_copies_and_the_station_are_named(tmp_path: Path, data: DataDir) -> None:
    wiring.build(data, sample=True, one_session=False).close()
    of_sample = data.sample
    (of_sample.root / "settings.toml").write_text('station.code = "P07"\n', encoding="utf-8")
    later = datetime.now(UTC) + timedelta(days=3, hours=1)
    record = HealthRecord(of_sample, events([]), lambda: later)
    report = {**diagnostics.examine(data, network=False), "worst": None}
    before = later - timedelta(days=3)
    open_journal(of_sample, Credentials(environ={}), sample=True, clock=lambda: before).close()
    record.keep(report)
    told = status(of_sample)
    assert told["station"] == "P07"
    assert told["snapshot"]["age_days"] == 3
    assert told["snapshot"]["version"].startswith("00001-")
    assert told["journal_copy_age_seconds"] == 3 * 86400


@pytest.mark.parametrize(("shared", "scope"), [(True, "machine"), (False, "user")])
def test_whose_installation_it_is(
    shared: bool, scope: str, data: DataDir, record: HealthRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = diagnostics.examine(data, network=False)
    monkeypatch.setattr("desktop.paths.installation", lambda: Installation(data.root, shared))
    record.keep(report)
    assert status(data)["scope"] == scope


def test_what_waits_and_since_when(desk: Desk, tmp_path: Path) -> None:
    for number in range(3):
        desk.propose(replace(request_draft(), title=f"依頼{number}", conversation_id=f"c{number}"))
    pending = desk.approvals.pending()
    desk.approve(pending[0])
    desk.clock.forward(minutes=30)
    desk.approve(pending[1])
    data = DataDir(tmp_path / "data")
    with use_keyring(keyring.backends.fail.Keyring()):
        HealthRecord(data, events([])).look()
    told = status(data)
    assert (told["unsent"], told["pending"], told["needs_attention"]) == (2, 1, 0)
    assert datetime.fromisoformat(told["oldest_unsent_since"]) == NOW
    assert told["encryption"] == "plain"
    assert told["last_success_at"] is None


@pytest.mark.usefixtures("journal")
def test_a_cause_is_told_when_it_comes_and_when_it_is_gone_and_not_in_between(
    data: DataDir, record: HealthRecord, entries: list[Entry]
) -> None:
    record.look()
    whole = break_journal(data)
    record.look()
    assert [(number, severity) for number, severity, _ in entries] == [(102, Severity.ERROR)]
    told = status(data)
    assert told["worst"] == {"code": "journal_corrupt", "hn": "HN-102"}
    assert told["exit"] == 3
    assert told["unsent"] is None
    assert told["pending"] is None
    record.look()
    HealthRecord(data, events(entries)).look()  # after a restart, or another window
    assert len(entries) == 1
    data.journal.write_bytes(whole)
    record.look()
    assert [(number, severity) for number, severity, _ in entries[1:]] == [(GONE, Severity.INFORMATION)]
    assert "HN-102 journal_corrupt" in entries[1][2]
    record.look()
    assert len(entries) == 2
    assert status(data)["told"] == []


@pytest.mark.usefixtures("journal")
def test_an_entry_has_the_sentence_and_what_it_should_do(
    data: DataDir, record: HealthRecord, entries: list[Entry]
) -> None:
    record.look()
    break_journal(data)
    record.look()
    first, second = entries[0][2].splitlines()
    assert first.startswith("HN-102 ")
    assert len(first) > 20
    assert len(second) > 10
    assert not second.startswith("HN-")


def test_a_warning_is_told_as_one(data: DataDir, record: HealthRecord, entries: list[Entry]) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        record.look()
    assert [(number, severity) for number, severity, _ in entries] == [(140, Severity.WARNING)]
    assert status(data)["exit"] == 1


def test_what_only_doctor_can_see_stays_as_doctor_found_it(
    data: DataDir, record: HealthRecord, entries: list[Entry]
) -> None:
    """The provider is asked by doctor alone; the hourly look, which can't, must not call it mended."""
    data.settings.write_text('provider = "openai"\n', encoding="utf-8")
    record.keep(diagnostics.examine(data))
    (number, _, _) = entries[-1]
    for _ in range(2):
        record.look()
    assert [one[0] for one in entries] == [number]
    assert [cause["check"] for cause in status(data)["told"]] == ["provider"]
    data.settings.unlink()
    record.keep(diagnostics.examine(data))
    assert [one[0] for one in entries] == [number, GONE]


@pytest.mark.usefixtures("journal")
def test_a_folder_that_cannot_be_written_costs_a_line_and_nothing_is_told_twice(
    data: DataDir, record: HealthRecord, entries: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    record.look()
    (data.root / FILE).unlink()
    (data.root / FILE).mkdir()
    whole = break_journal(data)
    for _ in range(3):
        record.look()
    assert "status.json was not written" in caplog.text
    assert [one[0] for one in entries] == [102]
    data.journal.write_bytes(whole)
    record.look()
    assert [one[0] for one in entries] == [102, GONE]
    (data.root / FILE).rmdir()
    record.look()
    assert status(data)["told"] == []
    assert list(data.root.glob("*.new")) == []


@pytest.mark.usefixtures("journal")
def test_what_only_doctors_thorough_look_finds_is_withdrawn_by_doctor_alone(
    data: DataDir, record: HealthRecord, entries: list[Entry]
) -> None:
    """Both look at the journal; only doctor reads every page. What an hourly look has seen, it may call gone."""
    whole = diagnostics.examine(data, network=False)
    cause = {
        "code": "journal_corrupt",
        "hn": "HN-102",
        "state": "failed",
        "text": "壊れています。",
        "for_it": "HN-102 戻す。",
    }
    broken = {**whole, "checks": [{**one, **(cause if one["name"] == "journal" else {})} for one in whole["checks"]]}
    record.keep(broken)
    record.look()
    record.look()
    assert [one[0] for one in entries] == [102]
    record.keep(whole)
    assert [one[0] for one in entries] == [102, GONE]
    record.keep(broken)
    record._keep(broken, full=False)  # now an hourly look sees it as well
    record.keep(broken)
    record.look()
    assert [one[0] for one in entries] == [102, GONE, 102, GONE]


@pytest.mark.parametrize(
    "torn",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"told": 3}',
        b'{"told": [{"code": "journal_corrupt"}]}',
        b'{"told": [{"check": "journal", "code": "made up", "hn": "HN-1"}]}',
    ],
)
def test_a_file_that_says_nothing_sensible_is_replaced(
    torn: bytes, data: DataDir, record: HealthRecord, entries: list[Entry]
) -> None:
    (data.root / FILE).write_bytes(torn)
    record.look()
    assert status(data)["told"] == []
    assert entries == []


def test_no_person_question_secret_or_profile_is_in_it(desk: Desk, tmp_path: Path) -> None:
    desk.start_run("r1", "c1")
    desk.propose(replace(request_draft(), conversation_id="c1"))
    data = DataDir(tmp_path / "data")
    data.settings.write_text('sync.transport = "folder"\nsync.folder = "/home/suzuki/share"\n', encoding="utf-8")
    with use_keyring(keyring.backends.fail.Keyring()):
        HealthRecord(data, events([])).look()
    text = (data.root / FILE).read_text(encoding="ascii")
    for word in ("加藤", "0104", "E-12", str(tmp_path), "suzuki", "EQ-003"):
        assert word not in text
        assert json.dumps(word)[1:-1] not in text


WRITER = """
import sys
from pathlib import Path
from desktop.event_log import EventLog
from desktop.paths import DataDir
from desktop.services.health import HealthRecord

checks = [{"name": f"c{n}", "state": "ok", "code": "", "hn": ""} for n in range(300)]
report = {"checks": checks, "worst": None, "exit": 0}
record = HealthRecord(DataDir(Path(sys.argv[1])), EventLog())
print("ready", flush=True)
sys.stdin.readline()
for _ in range(60):
    record.keep(report)
"""


def test_whoever_reads_while_two_processes_write_reads_a_whole_file(data: DataDir, record: HealthRecord) -> None:
    record.look()
    both = start_together(WRITER, str(data.root))
    reads = 0
    while any(process.poll() is None for process in both):
        assert status(data)["schema"] == 1
        reads += 1
    require_well_ended(both)
    assert reads > 10
    assert list(data.root.glob("*.new")) == []


def test_killed_while_writing_leaves_the_file_before(data: DataDir, record: HealthRecord) -> None:
    record.look()
    before = (data.root / FILE).read_bytes()
    program = WRITER.replace(
        "print(", "import os, signal\nos.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\nprint("
    )
    done = subprocess.run([sys.executable, "-c", program, str(data.root)], input="go\n", text=True, check=False)
    assert done.returncode == -9
    assert (data.root / FILE).read_bytes() == before
    record.look()
    assert status(data)["exit"] == 0
