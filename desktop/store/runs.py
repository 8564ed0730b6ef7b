"""Questions and what happened in them, event by event, with the loop's own state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from desktop.domain.work_request import KnownBy
from desktop.store.journal import Row, Tx, stamp

_INSERT = """
INSERT INTO runs (run_id, conversation_id, question, asked_by, provider, snapshot, trace_file, asked_known_by, status,
                  state, result, started_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', '', '', ?)
"""
_SELECT = "SELECT * FROM runs WHERE run_id = ?"
_SELECT_CONVERSATION = "SELECT * FROM runs WHERE conversation_id = ? ORDER BY started_at, run_id"
_SELECT_STATUS = "SELECT * FROM runs WHERE status = ? ORDER BY started_at, run_id"
_SELECT_CONVERSATIONS = """
SELECT conversation_id, MIN(started_at) AS first_at, MAX(started_at) AS last_at FROM runs
GROUP BY conversation_id ORDER BY last_at DESC LIMIT ?
"""
_UPDATE_STATE = "UPDATE runs SET state = ?, status = ? WHERE run_id = ?"
_UPDATE_END = "UPDATE runs SET status = ?, result = ?, finished_at = ? WHERE run_id = ?"
_INSERT_EVENT = """
INSERT INTO run_events (run_id, n, kind, at, body)
SELECT ?1, COALESCE(MAX(n), 0) + 1, ?2, ?3, ?4 FROM run_events WHERE run_id = ?1
"""
_SELECT_EVENTS = "SELECT kind, at, body FROM run_events WHERE run_id = ? ORDER BY n"

# Running that long means that its process died.
_SELECT_OLD = """
SELECT run_id FROM runs WHERE COALESCE(finished_at, started_at) < ? AND status <> 'parked'
AND run_id NOT IN (SELECT run_id FROM proposals) ORDER BY started_at, run_id LIMIT ?
"""
_DELETE = "DELETE FROM runs WHERE run_id = ?"
_SELECT_SPENT = """
SELECT SUM(json_extract(body, '$.usage.cost')) AS dollars FROM run_events
WHERE kind IN ('RunFinished', 'RunStopped') AND at >= ?
"""


class RunStatus(StrEnum):
    """`parked`: waits for a person's decision; `stopped`: ended before its end."""

    RUNNING = "running"
    PARKED = "parked"
    FINISHED = "finished"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Run:
    """One question. `state` is the loop's JSON ("" = no model leg), `result` what was told at the end."""

    run_id: str
    conversation_id: str
    question: str
    asked_by: str
    provider: str
    snapshot: str
    trace_file: str
    started_at: datetime
    status: RunStatus = RunStatus.RUNNING
    state: str = ""
    result: Mapping[str, Any] | None = None
    finished_at: datetime | None = None
    asked_known_by: KnownBy = KnownBy.NONE


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """`body` as it was appended."""

    kind: str
    at: datetime
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    conversation_id: str
    first_at: datetime
    last_at: datetime


def start(tx: Tx, run: Run) -> None:
    """The question is on record before anything is looked up."""
    given = (run.run_id, run.conversation_id, run.question, run.asked_by, run.provider, run.snapshot, run.trace_file)
    tx.run(_INSERT, (*given, run.asked_known_by, stamp(run.started_at)))


def append_event(tx: Tx, run_id: str, kind: str, body: Mapping[str, Any], at: datetime) -> None:
    """One more event; `body` must be JSON."""
    tx.run(_INSERT_EVENT, (run_id, kind, stamp(at), _json(body)))


def save_state(tx: Tx, run_id: str, state: str, status: RunStatus = RunStatus.RUNNING) -> None:
    """The loop's JSON replaces the one before; `status` PARKED while a person is waited for."""
    tx.run(_UPDATE_STATE, (state, status, run_id))


def finish(tx: Tx, run_id: str, status: RunStatus, result: Mapping[str, Any], at: datetime) -> None:
    """FINISHED or STOPPED, with what was told."""
    tx.run(_UPDATE_END, (status, _json(result), stamp(at), run_id))


def get(tx: Tx, run_id: str) -> Run | None:
    row = tx.row(_SELECT, (run_id,))
    return _run(row) if row else None


def events(tx: Tx, run_id: str) -> tuple[StoredEvent, ...]:
    return tuple(
        StoredEvent(row["kind"], datetime.fromisoformat(row["at"]), json.loads(row["body"]))
        for row in tx.rows(_SELECT_EVENTS, (run_id,))
    )


def of_conversation(tx: Tx, conversation_id: str) -> tuple[Run, ...]:
    """Its questions, oldest first."""
    return tuple(map(_run, tx.rows(_SELECT_CONVERSATION, (conversation_id,))))


def with_status(tx: Tx, status: RunStatus) -> tuple[Run, ...]:
    return tuple(map(_run, tx.rows(_SELECT_STATUS, (status,))))


def conversations(tx: Tx, limit: int = 50) -> tuple[Conversation, ...]:
    """The latest conversations, newest first."""
    return tuple(
        Conversation(
            row["conversation_id"], datetime.fromisoformat(row["first_at"]), datetime.fromisoformat(row["last_at"])
        )
        for row in tx.rows(_SELECT_CONVERSATIONS, (limit,))
    )


def spent(tx: Tx, since: datetime) -> float:
    """US dollars of all questions that ended since then, as their last events tell."""
    row = tx.row(_SELECT_SPENT, (stamp(since),))
    return float(row["dollars"] or 0.0) if row else 0.0


def old(tx: Tx, before: datetime, limit: int) -> tuple[str, ...]:
    """The ids of questions that ended before then (at least a day ago), oldest first.

    One that waits for a person stays, and so does one that a proposal came of, whatever became of that.
    """
    return tuple(row["run_id"] for row in tx.rows(_SELECT_OLD, (stamp(before), limit)))


def delete(tx: Tx, run_id: str) -> None:
    """With all that happened in it; this SQLite is built to overwrite what it frees."""
    tx.run(_DELETE, (run_id,))


def _run(row: Row) -> Run:
    return Run(
        run_id=row["run_id"],
        conversation_id=row["conversation_id"],
        question=row["question"],
        asked_by=row["asked_by"],
        provider=row["provider"],
        snapshot=row["snapshot"],
        trace_file=row["trace_file"],
        started_at=datetime.fromisoformat(row["started_at"]),
        status=RunStatus(row["status"]),
        state=row["state"],
        result=json.loads(row["result"]) if row["result"] else None,
        finished_at=datetime.fromisoformat(row["finished_at"]) if row["finished_at"] else None,
        asked_known_by=KnownBy(row["asked_known_by"]),
    )


def _json(body: Mapping[str, Any]) -> str:
    """ASCII, because a model's text may hold half a surrogate pair that UTF-8 has no bytes for."""
    return json.dumps(body)
