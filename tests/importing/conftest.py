"""Tables and manuals written for the tests."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from desktop.importing.read import read_file
from desktop.importing.request import FileReport, ReadRequest
from desktop.importing.values import Value

Rows = list[list[str]]


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as a CSV (CP932 unless told) and gives its path."""

    def write(rows: Rows, name: str = "table.csv", encoding: str = "cp932", delimiter: str = ",") -> Path:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
        file = tmp_path / name
        file.write_bytes(out.getvalue().encode(encoding))
        return file

    return write


@pytest.fixture
def workbook(tmp_path: Path) -> Callable[..., Path]:
    """Writes sheets of cells as XLSX; `merged` are ranges of the first sheet like "A1:C1"."""

    def write(sheets: dict[str, list[list[Any]]], merged: tuple[str, ...] = (), name: str = "book.xlsx") -> Path:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        for cells in merged:
            book.worksheets[0].merge_cells(cells)
        book.save(tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def read() -> Callable[..., tuple[list[Value], list[FileReport]]]:
    """Reads a file in this process: its values and its reports."""

    def run(path: Path, request: ReadRequest | None = None) -> tuple[list[Value], list[FileReport]]:
        values: list[Value] = []
        reports = read_file(path, request or ReadRequest(), values.append, lambda _done, _total: None)
        return values, reports

    return run
