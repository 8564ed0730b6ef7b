"""Old questions and traces go, what was proposed or waits stays, and the trail tells how many went."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import keyring.backends.fail
import pytest

from desktop import config
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import retention
from desktop.services.station import Services
from desktop.store import audit, runs, sent
from desktop.store.journal import Journal, open_journal
from desktop.store.runs import Run, RunStatus
from desktop.store.sent import SentBody
from desktop.store.traces import Trace, TraceKind
from tests.fakes.desk import NOW, Desk, request_draft
from tests.fakes.keyrings import use_keyring
from tests.fakes.two_processes import require_well_ended, start_together

QUESTION = "ライン3の充填機でE-12が出た"
Keep = Callable[..., Services]


@pytest.fixture
def services(desk: Desk, tmp_path: Path) -> Keep:
    def make(**settings: Any) -> Services:
        keys = {key.replace("_", ".", 1): value for key, value in settings.items()}
        return Services(
            DataDir(tmp_path / "data"), Settings(keys), Credentials(environ={}), desk.journal, False, NOW, desk.clock
        )

    return make


def asked(
    journal: Journal, run_id: str, days: float, status: RunStatus = RunStatus.FINISHED, *, hours: float = 0
) -> None:
    """A question of so many days ago, with an event and a body that left because of it."""
    at = NOW - timedelta(days=days, hours=hours)
    with journal.transaction() as tx:
        runs.start(tx, Run(run_id, f"c-{run_id}", QUESTION, "", "anthropic", "s1", "", at))
        runs.append_event(tx, run_id, "AnswerComposed", {"text": "逆洗する"}, at)
        sent.keep(tx, run_id, SentBody(at, "https://api.example/v1", run_id.encode()))
        match status:
            case RunStatus.PARKED:
                runs.save_state(tx, run_id, "{}", status)
            case RunStatus.FINISHED | RunStatus.STOPPED:
                runs.finish(tx, run_id, status, {"status": "answered"}, at)


def left(journal: Journal) -> list[str]:
    with journal.reading() as tx:
        return [row["run_id"] for row in tx.rows("SELECT run_id FROM runs ORDER BY run_id")]


def told(journal: Journal) -> list[dict[str, int]]:
    with journal.reading() as tx:
        assert audit.verify(tx).whole
        found = tx.rows("SELECT body FROM audit WHERE action = ? ORDER BY seq", (retention.DELETED,))
        return [json.loads(row["body"]) for row in found]


def trace(folder: Path, asked_at: datetime, run_id: str = "r") -> Path:
    made = Trace.start(folder, "full", run_id, asked_at)
    made.write(TraceKind.FINAL, asked_at, {"status": "answered"})
    assert made.file is not None
    return made.file


def test_a_question_past_its_days_goes_with_all_that_hangs_on_it(desk: Desk, services: Keep) -> None:
    for run_id, days in (("old", 180.1), ("stopped", 400.0), ("young", 179.9), ("today", 0.0)):
        asked(desk.journal, run_id, days, RunStatus.STOPPED if run_id == "stopped" else RunStatus.FINISHED)
    retention.keep_within_limits(services())
    assert left(desk.journal) == ["today", "young"]
    with desk.journal.reading() as tx:
        assert {row["run_id"] for row in tx.rows("SELECT run_id FROM run_events")} == {"today", "young"}
        assert [body.body for body in sent.everything(tx)] == [b"young", b"today"]
    assert told(desk.journal) == [{"questions": 2, "sent": 2, "traces": 0}]


def test_nothing_to_delete_leaves_no_row_in_the_trail(desk: Desk, services: Keep, tmp_path: Path) -> None:
    asked(desk.journal, "young", 1)
    retention.keep_within_limits(services())
    retention.keep_within_limits(services())
    assert left(desk.journal) == ["young"]
    assert told(desk.journal) == []


def test_what_was_proposed_and_what_waits_for_a_person_stays(desk: Desk, services: Keep) -> None:
    for run_id in ("approved", "rejected", "pending", "waiting", "plain"):
        asked(desk.journal, run_id, 400, RunStatus.PARKED if run_id == "waiting" else RunStatus.FINISHED)
    for number, run_id in enumerate(("approved", "rejected", "pending")):
        made = desk.propose(replace(request_draft(), run_id=run_id, conversation_id="c", title=f"依頼{number}"))
        if run_id == "approved":
            desk.approve(made)
    retention.keep_within_limits(services())
    assert left(desk.journal) == ["approved", "pending", "rejected", "waiting"]
    with desk.journal.reading() as tx:
        assert tx.row("SELECT COUNT(*) AS n FROM decisions") == {"n": 1}
        assert tx.row("SELECT COUNT(*) AS n FROM proposals") == {"n": 3}


def test_a_question_that_runs_now_stays_and_one_whose_process_died_goes(desk: Desk, services: Keep) -> None:
    asked(desk.journal, "now", 0, RunStatus.RUNNING, hours=23)
    asked(desk.journal, "died", 200, RunStatus.RUNNING)
    retention.keep_within_limits(services(retention_questions_days=1))
    assert left(desk.journal) == ["now"]


def test_a_question_taken_up_again_counts_from_its_end(desk: Desk, services: Keep) -> None:
    asked(desk.journal, "long", 400, RunStatus.PARKED)
    with desk.journal.transaction() as tx:
        runs.finish(tx, "long", RunStatus.FINISHED, {"status": "answered"}, NOW - timedelta(days=10))
    retention.keep_within_limits(services())
    assert left(desk.journal) == ["long"]


def test_what_left_for_no_question_goes_by_its_own_age(desk: Desk, services: Keep) -> None:
    with desk.journal.transaction() as tx:
        for days in (200, 10):
            sent.keep(tx, None, SentBody(NOW - timedelta(days=days), "https://api.example/v1", b"probe"))
    retention.keep_within_limits(services())
    with desk.journal.reading() as tx:
        assert [body.at for body in sent.everything(tx)] == [NOW - timedelta(days=10)]
    assert told(desk.journal) == [{"questions": 0, "sent": 1, "traces": 0}]


def test_traces_go_by_the_time_in_their_name_and_nothing_else_of_the_folder(
    desk: Desk, services: Keep, tmp_path: Path
) -> None:
    logs = tmp_path / "data" / "logs"
    old, young = (trace(logs, NOW - timedelta(days=days)) for days in (30.1, 29.9))
    others = [logs / name for name in ("hozen-navi.log", "trace_notes.jsonl", "trace_20269999T000000Z_x.jsonl")]
    for file in others:
        file.write_text("ours to keep", encoding="utf-8")
    retention.keep_within_limits(services())
    assert not old.exists()
    assert all(file.exists() for file in (young, *others))
    assert told(desk.journal) == [{"questions": 0, "sent": 0, "traces": 1}]


def test_a_trace_that_cannot_go_keeps_no_other_and_is_not_counted(
    desk: Desk, services: Keep, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    logs = tmp_path / "data" / "logs"
    held = trace(logs, NOW - timedelta(days=50))
    held.unlink()
    held.mkdir()  # no unlink takes a folder, as none takes a file that another program holds on Windows
    old = trace(logs, NOW - timedelta(days=40), "other")
    retention.keep_within_limits(services())
    assert held.exists()
    assert not old.exists()
    assert told(desk.journal) == [{"questions": 0, "sent": 0, "traces": 1}]
    assert "a trace stays" in caplog.text


def test_zero_days_keep_for_ever(desk: Desk, services: Keep, tmp_path: Path) -> None:
    asked(desk.journal, "old", 4000)
    old = trace(tmp_path / "data" / "logs", NOW - timedelta(days=4000))
    retention.keep_within_limits(services(retention_questions_days=0, retention_traces_days=0))
    assert left(desk.journal) == ["old"]
    assert old.exists()


def test_a_monthly_budget_keeps_the_months_questions_whose_cost_it_counts(desk: Desk, services: Keep) -> None:
    start_of_month = NOW.astimezone().replace(day=1, hour=0, minute=0, second=0)
    asked(desk.journal, "this month", (NOW - start_of_month) / timedelta(days=1) - 0.1)
    asked(desk.journal, "last month", (NOW - start_of_month) / timedelta(days=1) + 0.1)
    retention.keep_within_limits(services(retention_questions_days=1, budget_month_cost=50.0))
    assert left(desk.journal) == ["this month"]
    retention.keep_within_limits(services(retention_questions_days=1))
    assert left(desk.journal) == []


def test_a_deleted_question_is_not_left_in_the_file(desk: Desk, services: Keep, tmp_path: Path) -> None:
    asked(desk.journal, "old", 200)
    retention.keep_within_limits(services())
    desk.journal.close()
    files = [file for file in (tmp_path / "data").glob("journal*") if file.is_file()]
    assert any(file.stat().st_size for file in files)
    assert not any(QUESTION.encode() in file.read_bytes() for file in files)


def test_a_journal_that_another_process_holds_costs_this_round_only(
    desk: Desk, services: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(desk.journal, "old", 200)
    old = trace(tmp_path / "data" / "logs", NOW - timedelta(days=40))
    with desk.journal.transaction():
        monkeypatch.setattr("desktop.store.journal._BUSY_MS", 1)
        with use_keyring(keyring.backends.fail.Keyring()):
            other = open_journal(DataDir(tmp_path / "data"), Credentials(environ={}))
        with pytest.raises(KnownError, match="journal_busy"):
            retention.keep_within_limits(replace(services(), journal=other))
        other.close()
        assert old.exists(), "a trace went and the trail can't tell of it"
    retention.keep_within_limits(services())
    assert not old.exists()
    assert left(desk.journal) == []


PROCESS = """
import sys
from datetime import datetime
from pathlib import Path
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.paths import DataDir
from desktop.services import retention
from desktop.services.station import Services
from desktop.store.journal import open_journal

data, now = DataDir(Path(sys.argv[1])), datetime.fromisoformat(sys.argv[2])
journal = open_journal(data, Credentials(environ={}))
services = Services(data, Settings(), Credentials(environ={}), journal, False, now, lambda: now)
print("ready", flush=True)
sys.stdin.readline()
retention.keep_within_limits(services)
services.close()
"""


def test_two_processes_at_once_both_end_well_and_count_nothing_twice(desk: Desk, tmp_path: Path) -> None:
    logs = tmp_path / "data" / "logs"
    for n in range(220):
        asked(desk.journal, f"old-{n:03}", 200)
    for n in range(130):
        trace(logs, NOW - timedelta(days=40), f"t{n:03}")
    asked(desk.journal, "young", 1)
    require_well_ended(start_together(PROCESS, str(tmp_path / "data"), NOW.isoformat()))
    assert left(desk.journal) == ["young"]
    assert list(logs.glob("trace_*")) == []
    sums = {name: sum(row[name] for row in told(desk.journal)) for name in ("questions", "sent", "traces")}
    assert sums == {"questions": 220, "sent": 220, "traces": 130}


@pytest.mark.parametrize("days", [-1, 100_000])
def test_days_that_are_none_are_refused(days: int) -> None:
    with pytest.raises(KnownError, match="setting_wrong_value"):
        config.RETENTION_QUESTIONS_DAYS.parse(days)
