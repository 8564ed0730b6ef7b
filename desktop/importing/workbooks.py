"""Sheets of Excel and OpenDocument workbooks, every cell as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
    WorksheetNotFound,
    XmlError,
    ZipError,
)

from desktop.errors import KnownError

Merged = tuple[tuple[int, int], tuple[int, int]]
_MOST_CELLS = 60_000_000


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet; `merged` are ((first row, first column), (last row, last column)) from 0, both ends included."""

    name: str
    merged: tuple[Merged, ...]
    source: CalamineSheet

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """(row number from 1 as Excel shows it, cells from column A), blank rows above the first value included."""
        if self.source.start is None:
            return
        left = [""] * self.source.start[1]
        for number, cells in enumerate(self.source.iter_rows(), start=1):
            yield number, left + [cell_text(cell) for cell in cells]


class Workbook:
    """An opened workbook; KnownError file_password, file_damaged, sheet_missing, table_too_large."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._book = CalamineWorkbook.from_path(path)
        except PasswordError as error:
            raise KnownError("file_password", file=path.name) from error
        except (CalamineError, ZipError, XmlError, OSError, ValueError) as error:
            raise KnownError("file_damaged", file=path.name) from error

    def names(self) -> tuple[str, ...]:
        """The sheets that people see, in order; all of them if none is visible."""
        visible = [
            sheet.name
            for sheet in self._book.sheets_metadata
            if sheet.visible == SheetVisibleEnum.Visible and sheet.typ == SheetTypeEnum.WorkSheet
        ]
        return tuple(visible or self._book.sheet_names)

    def hidden(self) -> tuple[str, ...]:
        shown = set(self.names())
        return tuple(name for name in self._book.sheet_names if name not in shown)

    def sheet(self, wanted: str) -> Sheet:
        """A sheet by its name, or by its number from 1."""
        names = list(self._book.sheet_names)
        if wanted not in names and wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            wanted = names[int(wanted) - 1]
        try:
            source = self._book.get_sheet_by_name(wanted)
        except WorksheetNotFound as error:
            if wanted in names:
                raise KnownError("file_damaged", file=self._path.name) from error
            raise KnownError("sheet_missing", file=self._path.name, sheet=wanted, sheets="、".join(names)) from error
        except (CalamineError, ZipError, XmlError, OSError, ValueError) as error:
            raise KnownError("file_damaged", file=self._path.name) from error
        if source.total_height * source.total_width > _MOST_CELLS:
            raise KnownError("table_too_large", file=self._path.name)
        return Sheet(wanted, tuple(source.merged_cell_ranges or ()), source)


def cell_text(value: object) -> str:
    """A native cell as text: whole numbers without ".0", dates and times in ISO, durations as h:mm:ss."""
    match value:
        case str():
            return value
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return number_text(value)
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ", timespec="seconds")
        case date():
            return value.isoformat()
        case time():
            return value.isoformat(timespec="seconds")
        case timedelta():
            minutes, seconds = divmod(round(value.total_seconds()), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}"
        case None:
            return ""
        case _:
            return str(value)


def number_text(value: float) -> str:
    """The number as Excel keeps it: 15 digits, never with an exponent below 10^15."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    shown = f"{value:.15g}"
    return f"{value:.20f}".rstrip("0") if "e-" in shown and abs(value) > 1e-9 else shown
