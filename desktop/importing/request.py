"""What a reader is asked for, and what it reports of one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What a file is to us; AUTO lets the columns (or the file type) decide."""

    AUTO = "auto"
    LEDGER = "ledger"
    MANUAL = "manual"
    RECORD = "record"
    ROSTER = "roster"
    PART = "part"
    OPEN_ORDER = "open_order"
    SYNONYM = "synonym"
    ALIAS = "alias"
    SAFETY_RULE = "safety_rule"


TABLE_KINDS = (Kind.LEDGER, Kind.RECORD, Kind.ROSTER, Kind.PART, Kind.OPEN_ORDER, Kind.SYNONYM)
LIST_KINDS = (Kind.ALIAS, Kind.SAFETY_RULE)


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """A person's say over the guess; every field empty = guess.

    `columns` maps a column as printed (or its Excel letter) to our field, "" to leave it out; `header_row` counts from
    1 as Excel shows it, 0 = the table has no header and columns are named A, B, C.
    """

    kind: Kind = Kind.AUTO
    columns: Mapping[str, str] = field(default_factory=dict)
    header_row: int | None = None
    sheet: str = ""
    encoding: str = ""
    date_order: str = ""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """How to read one file. `known_models` help a manual's cover; `rows` bounds what inspect shows (None = all).

    `ocr` reads pages that are only pictures, if the extra is installed; `aliases` is the plant's list of column names
    (TOML, "" = it has none).
    """

    kind: Kind = Kind.AUTO
    model: str = ""
    mapping: ColumnMapping = field(default_factory=ColumnMapping)
    sheet: str = ""
    password: str = ""
    rows: int | None = 20
    known_models: tuple[str, ...] = ()
    ocr: bool = False
    aliases: str = ""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One row that was refused, or a value kept as written; `row` as Excel shows it."""

    row: int
    reason: str
    column: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"row": self.row, "reason": self.reason, "column": self.column}


@dataclass(frozen=True, slots=True)
class FileReport:
    """The `files[]` entry of CONTRACT's import JSON; `values` says how many of each kind were read."""

    path: str
    kind: Kind
    sheet: str | None = None
    encoding: str | None = None
    header_row: int | None = None
    accepted: int = 0
    rejected: int = 0
    rows: tuple[RowProblem, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    confidence: float | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    sections: int | None = None
    pages: int | None = None
    pages_without_text: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "kind": self.kind.value,
            "sheet": self.sheet,
            "encoding": self.encoding,
            "header_row": self.header_row,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "rows": [row.to_json() for row in self.rows],
            "mapping": dict(self.mapping),
            "confidence": self.confidence,
            "dropped": dict(self.dropped),
            "sections": self.sections,
            "pages": self.pages,
            "pages_without_text": list(self.pages_without_text),
            "warnings": list(self.warnings),
        }
