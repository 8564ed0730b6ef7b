"""Questions with their right answers: the bundled ones, and a plant's own file of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from desktop import paths
from desktop.domain.answer import AnswerStatus
from desktop.domain.ledger import MaintenanceRecord, Role
from desktop.errors import KnownError
from desktop.importing import reader
from desktop.importing.request import ReadRequest

_QUESTION_KEYS = frozenset({"id", "question", "equipment", "role", "expect", "traps", "note"})
_EXPECT_KEYS = frozenset({
    "status", "equipment", "candidates", "cites", "records_of", "answer_contains", "answer_must_not_contain", "safety",
})  # fmt: skip
_CITE_KEYS = frozenset({"model", "section", "revision", "page_label"})
_LISTED = frozenset({"candidates", "traps", "answer_contains", "answer_must_not_contain"})
_SAFETY = {"はい": True, "いいえ": False, "true": True, "false": False, "": None}


@dataclass(frozen=True, slots=True)
class WantedSource:
    """A section that must be cited, by model, section number, revision and the label printed on its page."""

    model: str
    section: str
    revision: str
    page_label: str | None


@dataclass(frozen=True, slots=True)
class Expectation:
    """The right answer; None or "" = not asked. `equipment` () = no machine may be settled.

    `records_of` is the one machine whose records may be shown as its history; texts are compared without spaces.
    """

    status: str = ""
    equipment: tuple[str, ...] | None = None
    candidates: tuple[str, ...] | None = None
    cites: tuple[WantedSource, ...] = ()
    records_of: str = ""
    contains: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    safety: bool | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `equipment_id` was picked before, `role` is the asker's, `replays` the past trouble it repeats."""

    question_id: str
    text: str
    expect: Expectation = field(default_factory=Expectation)
    equipment_id: str = ""
    role: Role | None = None
    traps: tuple[str, ...] = ()
    replays: MaintenanceRecord | None = None


def bundled() -> tuple[Question, ...]:
    """The questions about the bundled plant."""
    return read_questions(paths.sample_plant() / "questions.json")


def read_questions(file: Path) -> tuple[Question, ...]:
    """A plant's own questions: JSON as data/README.md describes it, or a table with the same names as columns.

    In a table several values stand in one cell with ; between them, and there are no `cites`. KnownErrors:
    questions_unreadable (naming the entry), and those of reading a table.
    """
    entries = _entries(file) if file.suffix.lower() == ".json" else _rows(file)
    questions = tuple(_question(file, number, entry) for number, entry in enumerate(entries, start=1))
    ids = [one.question_id for one in questions]
    if not questions or len(set(ids)) < len(ids):
        raise KnownError("questions_unreadable", file=str(file), reason="質問がないか、id が重なっています")
    return questions


def fingerprint(questions: Iterable[Question]) -> str:
    """Equal for the same questions with the same right answers."""
    text = json.dumps([asdict(one) for one in questions], ensure_ascii=False, default=str, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _entries(file: Path) -> list[Any]:
    try:
        entries = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise KnownError("questions_unreadable", file=str(file), reason=str(error)) from error
    if not isinstance(entries, list):
        raise KnownError("questions_unreadable", file=str(file), reason="JSON の配列ではありません")
    return entries


def _rows(file: Path) -> list[dict[str, Any]]:
    """Rows of a table as the entries that JSON would have."""
    table = reader.inspect(file, ReadRequest(rows=None))
    if table["kind"] != "table":
        raise KnownError("questions_unreadable", file=str(file), reason="表でも JSON でもありません")
    names = [name.strip() for name in table["columns"]]
    return [_entry_of(dict(zip(names, (cell.strip() for cell in row), strict=False))) for row in table["rows"]]


def _entry_of(cells: Mapping[str, str]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    expect: dict[str, Any] = {}
    for name, cell in cells.items():
        value: Any = _listed(cell) if name in _LISTED else _SAFETY.get(cell.lower(), cell) if name == "safety" else cell
        if name == "expected_equipment":
            if cell:
                expect["equipment"] = _listed(cell)
        elif name in _EXPECT_KEYS - {"equipment"}:
            if value:
                expect[name] = value
        else:
            entry[name] = value
    return {**entry, "expect": expect}


def _listed(cell: str) -> list[str]:
    return [part.strip() for part in cell.replace("；", ";").split(";") if part.strip()]


def _question(file: Path, number: int, entry: Any) -> Question:
    try:
        _require_known(entry, _QUESTION_KEYS)
        return Question(
            question_id=str(entry["id"]),
            text=_text(entry["question"]),
            expect=_expectation(entry.get("expect", {})),
            equipment_id=entry.get("equipment") or "",
            role=Role(entry["role"]) if entry.get("role") else None,
            traps=tuple(entry.get("traps", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise KnownError("questions_unreadable", file=str(file), reason=f"{number} 件目：{error}") from error


def _expectation(expect: Mapping[str, Any]) -> Expectation:
    _require_known(expect, _EXPECT_KEYS)
    for cite in expect.get("cites", ()):
        _require_known(cite, _CITE_KEYS)
    return Expectation(
        status=AnswerStatus(expect["status"]) if expect.get("status") else "",
        equipment=tuple(expect["equipment"]) if "equipment" in expect else None,
        candidates=tuple(expect["candidates"]) if "candidates" in expect else None,
        cites=tuple(WantedSource(**cite) for cite in expect.get("cites", ())),
        records_of=expect.get("records_of") or "",
        contains=tuple(expect.get("answer_contains", ())),
        must_not_contain=tuple(expect.get("answer_must_not_contain", ())),
        safety=expect.get("safety"),
    )


def _require_known(entry: Mapping[str, Any], known: frozenset[str]) -> None:
    """A misspelt key would be an expectation that nobody checks."""
    if unknown := sorted(set(entry) - known):
        raise ValueError(f"知らない項目 {'、'.join(unknown)}")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("question が空です")
    return value
