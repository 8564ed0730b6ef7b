"""A person's mapping of columns to fields, from a TOML or CSV file, and as it is remembered."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from desktop.errors import KnownError
from desktop.importing.encodings import find_encoding
from desktop.importing.file_type import refuse_special
from desktop.importing.request import ColumnMapping, Kind

MAPPING_KEYS = frozenset({"kind", "columns", "header_row", "sheet", "encoding", "date_order"})


def read_mapping(path: Path) -> ColumnMapping:
    """The mapping of a .toml (kind, header_row, sheet, encoding, date_order, [columns]) or a CSV of two columns.

    KnownError mapping_unreadable, naming what is wrong, and file_not_regular.
    """
    try:
        refuse_special(path)
        if path.suffix.lower() == ".toml":
            return _from_toml(tomllib.loads(path.read_text(encoding="utf-8-sig")))
        encoding = find_encoding(path)
        with path.open(encoding=encoding.name, newline="") as file:
            rows = [row for row in csv.reader(file) if len(row) >= 2 and row[0].strip()]
        return _from_rows(rows)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, csv.Error, ValueError, TypeError) as error:
        raise KnownError("mapping_unreadable", file=path.name, reason=str(error)) from error


def _from_toml(tree: Mapping[str, Any]) -> ColumnMapping:
    if unknown := set(tree) - MAPPING_KEYS:
        raise ValueError("、".join(sorted(unknown)))
    header_row = tree.get("header_row")
    if header_row is not None and (not isinstance(header_row, int) or header_row < 0):
        raise ValueError("header_row")
    return ColumnMapping(
        kind=Kind(tree.get("kind", "auto")),
        columns={str(column): str(name) for column, name in dict(tree.get("columns", {})).items()},
        header_row=header_row,
        sheet=str(tree.get("sheet", "")),
        encoding=str(tree.get("encoding", "")),
        date_order=_date_order(str(tree.get("date_order", ""))),
    )


def _from_rows(rows: list[list[str]]) -> ColumnMapping:
    """Column, field; rows named kind, header_row, sheet, encoding or date_order set those."""
    settings = {row[0].strip(): row[1].strip() for row in rows if row[0].strip() in MAPPING_KEYS}
    columns = {
        row[0].strip(): row[1].strip() for row in rows if row[0].strip() not in MAPPING_KEYS | {"列名", "column"}
    }
    header_row = int(settings["header_row"]) if settings.get("header_row") else None
    return _from_toml({**settings, "header_row": header_row, "columns": columns})


def _date_order(text: str) -> str:
    if text not in ("", "dmy", "mdy"):
        raise ValueError(f"date_order: {text}")
    return text
