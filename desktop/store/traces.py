"""One JSONL file a question under logs/, written line by line as it happens."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from desktop.logs import redact

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_.:/+-]{1,64}")
_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"trace_(\d{8}T\d{6}Z)_.+\.jsonl")
_log = logging.getLogger(__name__)


class TraceKind(StrEnum):
    FACTS = "facts"
    SEARCH = "search"
    API_CALL = "api_call"
    TOOL_CALL = "tool_call"
    CHECK = "check"
    APPROVAL = "approval"
    FINAL = "final"


# What `traces = metadata` keeps: numbers of any name, words under these names, and what is inside "usage".
_KEPT_WORDS = frozenset({"stop_reason", "model", "name", "status", "decision", "by", "error"})


class Trace:
    """Appends to one question's trace; `file` is None when traces are off.

    A line is written whole and at once, so the file is readable after a crash, and a run resumed in another process
    goes on in the same file.
    """

    def __init__(self, file: Path | None, mode: str) -> None:
        self.file = file
        self._mode = mode

    @classmethod
    def start(cls, logs: Path, mode: str, run_id: str, now: datetime) -> Trace:
        """A new file `trace_<UTC time>_<id>.jsonl`; `mode` is the setting traces (off, metadata or full)."""
        if mode == "off":
            return cls(None, mode)
        logs.mkdir(parents=True, exist_ok=True)
        return cls(logs / f"trace_{now.astimezone(UTC):{_STAMP}}_{run_id}.jsonl", mode)

    @classmethod
    def resume(cls, logs: Path, name: str, mode: str) -> Trace:
        """The file a run began in ("" = it had none)."""
        return cls(logs / name if name and mode != "off" else None, mode)

    @property
    def name(self) -> str:
        return self.file.name if self.file else ""

    def write(self, kind: TraceKind, at: datetime, fields: Mapping[str, Any]) -> None:
        """One line: `kind`, `at` (ISO 8601 with offset) and the fields, secrets taken out of every string."""
        if self.file is None:
            return
        kept = fields if self._mode == "full" else _metadata(fields)
        line = json.dumps({"kind": kind, "at": at.isoformat(), **_redacted(kept)}, ensure_ascii=False)
        with self.file.open("ab") as out:
            out.write(line.encode("utf-8", "backslashreplace") + b"\n")


def delete_old(logs: Path, before: datetime, limit: int) -> int:
    """Deletes up to `limit` traces begun before then, by the time in their names, oldest first; how many went.

    One that the system won't let go of now is left for another day.
    """
    deleted = 0
    for file in sorted(logs.glob("trace_*.jsonl")):
        if deleted == limit:
            break
        begun = _begun(file.name)
        if begun is not None and begun < before:
            try:
                file.unlink()
            except OSError as error:
                _log.warning("a trace stays: %s", error)
            else:
                deleted += 1
    return deleted


def _begun(name: str) -> datetime | None:
    """When the question of a trace was asked; None if it isn't one of ours."""
    match = _NAME.fullmatch(name)
    with suppress(ValueError):
        return datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC) if match else None
    return None


def _metadata(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        if value is None or isinstance(value, (bool, int, float)):
            kept[name] = value
        elif name == "usage" and isinstance(value, Mapping):
            kept[name] = _metadata(value)
        elif name in _KEPT_WORDS and isinstance(value, str):
            kept[name] = value if _PLAIN_WORD.fullmatch(value) else "…"
    return kept


def _redacted(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case Mapping():
            return {key: _redacted(item) for key, item in value.items()}
        case list() | tuple():
            return [_redacted(item) for item in value]
        case _:
            return value
