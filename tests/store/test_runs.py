"""A question and its events come back as they were stored, in another process too."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from desktop.domain.work_request import KnownBy
from desktop.store import runs
from desktop.store.journal import Journal
from desktop.store.runs import Run, RunStatus

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def run(run_id: str = "r1", conversation_id: str = "c1", minutes: int = 0) -> Run:
    return Run(
        run_id, conversation_id, "E-12が出た", "0104", "offline", "s1", "t.jsonl", NOW + timedelta(minutes=minutes)
    )


def test_a_run_comes_back_as_it_went_in(journal: Journal) -> None:
    with journal.transaction() as tx:
        runs.start(tx, run())
        runs.start(tx, replace(run("r3"), asked_known_by=KnownBy.PIN))
    with journal.reading() as tx:
        assert runs.get(tx, "r1") == run()
        assert runs.get(tx, "r3") == replace(run("r3"), asked_known_by=KnownBy.PIN)
        assert runs.get(tx, "r2") is None


def test_events_keep_their_order_and_text(journal: Journal) -> None:
    with journal.transaction() as tx:
        runs.start(tx, run())
        runs.start(tx, run("r2"))
        for n in range(12):
            runs.append_event(tx, "r1", "facts", {"n": n, "text": "充填機 \ud83d"}, NOW)
        runs.append_event(tx, "r2", "facts", {}, NOW)
    with journal.reading() as tx:
        stored = runs.events(tx, "r1")
        assert [event.body["n"] for event in stored] == list(range(12))
        assert (stored[0].kind, stored[0].at, stored[0].body["text"]) == ("facts", NOW, "充填機 \ud83d")
        assert len(runs.events(tx, "r2")) == 1


def test_an_event_without_its_run_is_our_mistake_and_not_hidden(journal: Journal) -> None:
    with pytest.raises(apsw.ConstraintError), journal.transaction() as tx:
        runs.append_event(tx, "nobody", "facts", {}, NOW)


def test_the_loops_state_is_kept_letter_by_letter(journal: Journal) -> None:
    state = json.dumps({"messages": [{"role": "assistant", "content": [{"signature": "AbC=="}]}]}, indent=3)
    with journal.transaction() as tx:
        runs.start(tx, run())
        runs.save_state(tx, "r1", state, RunStatus.PARKED)
    with journal.reading() as tx:
        (parked,) = runs.with_status(tx, RunStatus.PARKED)
        assert parked.state == state
        assert runs.with_status(tx, RunStatus.RUNNING) == ()


def test_a_finished_run_tells_what_was_told(journal: Journal) -> None:
    with journal.transaction() as tx:
        runs.start(tx, run())
        runs.finish(tx, "r1", RunStatus.STOPPED, {"status": "stopped", "reason": "turn_limit"}, NOW)
    with journal.reading() as tx:
        ended = runs.get(tx, "r1")
    assert ended is not None
    assert ended.status is RunStatus.STOPPED
    assert ended.finished_at == NOW
    assert ended.result == {"status": "stopped", "reason": "turn_limit"}


def test_conversations_newest_first_each_with_its_questions_in_order(journal: Journal) -> None:
    with journal.transaction() as tx:
        runs.start(tx, run("r1", "c1"))
        runs.start(tx, run("r2", "c2", 1))
        runs.start(tx, run("r3", "c1", 2))
    with journal.reading() as tx:
        assert [c.conversation_id for c in runs.conversations(tx)] == ["c1", "c2"]
        assert [c.conversation_id for c in runs.conversations(tx, 1)] == ["c1"]
        assert [r.run_id for r in runs.of_conversation(tx, "c1")] == ["r1", "r3"]
