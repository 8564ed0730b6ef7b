"""A file's tables as rows of text with Excel's row numbers, whatever format they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import KnownError
from desktop.importing import delimited
from desktop.importing.encodings import find_encoding
from desktop.importing.file_type import FileType
from desktop.importing.html import read_tables
from desktop.importing.request import ReadRequest
from desktop.importing.workbooks import Merged, Workbook

Rows = Iterator[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class Table:
    """One table; `rows()` starts anew each time and yields (row from 1, cells), blank rows included."""

    rows: Callable[[], Rows]
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    merged: tuple[Merged, ...] = ()
    warnings: tuple[str, ...] = ()


def open_tables(path: Path, file_type: FileType, request: ReadRequest) -> tuple[Table, ...]:
    """Every table of the file that a person sees, or the one sheet asked for."""
    match file_type:
        case FileType.WORKBOOK:
            return _workbook(path, request.sheet or request.mapping.sheet)
        case FileType.HTML:
            return tuple(Table(rows, encoding=encoding) for rows, encoding in read_tables(path))
        case _:
            return (_delimited(path, request.mapping.encoding),)


def first_table(path: Path, file_type: FileType, request: ReadRequest) -> Table:
    """The table inspect shows: the sheet asked for, else the first with anything in it."""
    tables = open_tables(path, file_type, request)
    filled = (table for table in tables if any(any(map(str.strip, cells)) for _, cells in table.rows()))
    table = next(filled, None)
    if table is None:
        raise KnownError("table_empty", file=path.name)
    return table


def _delimited(path: Path, wanted: str) -> Table:
    encoding = find_encoding(path, wanted)
    delimiter = delimited.find_delimiter(path, encoding)
    warnings = []
    if encoding.nuls:
        warnings.append(f"NUL文字が{encoding.nuls}個あり、除いて読みました。")
    if delimited.quotes_left_open(path, encoding):
        warnings.append('閉じていない引用符（"）があります。最後の行に複数行が混ざっている可能性があります。')

    def rows() -> Rows:
        return delimited.read_rows(path, encoding, delimiter)

    return Table(rows, encoding.name, delimiter, warnings=tuple(warnings))


def _workbook(path: Path, wanted: str) -> tuple[Table, ...]:
    book = Workbook(path)
    hidden = book.hidden()
    warnings = (f"非表示のシート {'、'.join(hidden)} は読んでいません。",) if hidden and not wanted else ()
    tables = []
    for name in (wanted,) if wanted else book.names():
        sheet = book.sheet(name)
        tables.append(Table(sheet.rows, sheet=sheet.name, merged=sheet.merged, warnings=warnings))
    return tuple(tables)
