"""One JSON object a line, as it happens; metadata mode tells numbers, not words; secrets never."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from desktop.store.traces import Trace, TraceKind

NOW = datetime(2026, 11, 30, 18, 5, 9, tzinfo=timezone(timedelta(hours=9)))
CALL = {
    "turn": 2,
    "name": "search_records",
    "input": {"equipment_id": "EQ-003", "n": 12},
    "count": 3,
    "head": "2026-03-02 充填ノズル詰まり",
    "error": None,
    "seconds": 0.01,
}


def lines(trace: Trace) -> list[dict[str, Any]]:
    assert trace.file is not None
    return [json.loads(line) for line in trace.file.read_text(encoding="utf-8").splitlines()]


def test_the_file_is_named_by_utc_time_and_run(tmp_path: Path) -> None:
    trace = Trace.start(tmp_path / "logs", "full", "r1", NOW)
    trace.write(TraceKind.TOOL_CALL, NOW, CALL)
    assert trace.name == "trace_20261130T090509Z_r1.jsonl"
    assert lines(trace) == [{"kind": "tool_call", "at": "2026-11-30T18:05:09+09:00", **CALL}]


def test_a_resumed_run_goes_on_in_the_same_file(tmp_path: Path) -> None:
    first = Trace.start(tmp_path, "full", "r1", NOW)
    first.write(TraceKind.FACTS, NOW, {"question": "E-12"})
    again = Trace.resume(tmp_path, first.name, "full")
    again.write(TraceKind.FINAL, NOW, {"status": "answered"})
    assert [line["kind"] for line in lines(again)] == ["facts", "final"]
    assert Trace.resume(tmp_path, "", "full").file is None


def test_metadata_leaves_out_question_answer_inputs_and_heads(tmp_path: Path) -> None:
    trace = Trace.start(tmp_path, "metadata", "r1", NOW)
    trace.write(TraceKind.TOOL_CALL, NOW, CALL)
    trace.write(TraceKind.FACTS, NOW, {"question": "充填機でE-12", "names": ["E-12"], "count": 4})
    trace.write(TraceKind.API_CALL, NOW, {"stop_reason": "tool_use", "model": "claude-opus-5-5", "usage": {"input": 9}})
    trace.write(TraceKind.TOOL_CALL, NOW, {"name": "x", "error": "EQ-999 は台帳にありません"})
    trace.write(TraceKind.APPROVAL, NOW, {"decision": "rejected", "by": "0302", "reason": "重複"})
    bodies = [{k: v for k, v in line.items() if k not in ("kind", "at")} for line in lines(trace)]
    assert bodies == [
        {"turn": 2, "name": "search_records", "count": 3, "error": None, "seconds": 0.01},
        {"count": 4},
        {"stop_reason": "tool_use", "model": "claude-opus-5-5", "usage": {"input": 9}},
        {"name": "x", "error": "…"},
        {"decision": "rejected", "by": "0302"},
    ]


def test_off_writes_no_file(tmp_path: Path) -> None:
    trace = Trace.start(tmp_path / "logs", "off", "r1", NOW)
    trace.write(TraceKind.FACTS, NOW, {"question": "E-12"})
    assert trace.name == ""
    assert not (tmp_path / "logs").exists()
    assert Trace.resume(tmp_path, "old.jsonl", "off").file is None


@pytest.mark.parametrize("mode", ["full", "metadata"])
def test_no_key_reaches_the_file_and_the_line_stays_json(tmp_path: Path, mode: str) -> None:
    key = "sk-ant-api03-" + "x" * 40
    trace = Trace.start(tmp_path, mode, "r1", NOW)
    trace.write(TraceKind.API_CALL, NOW, {"error": f"Bearer {key}", "input": {"deep": [f"x-api-key: {key}", (key,)]}})
    assert key.encode() not in trace.file.read_bytes()  # type: ignore[union-attr]
    assert len(lines(trace)) == 1


def test_half_a_surrogate_pair_is_no_reason_to_stop(tmp_path: Path) -> None:
    trace = Trace.start(tmp_path, "full", "r1", datetime.now(UTC))
    trace.write(TraceKind.FINAL, NOW, {"answer": "終わり \ud83d"})
    assert lines(trace)[0]["answer"] == "終わり \ud83d"
