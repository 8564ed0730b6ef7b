"""Rows of CSV, TSV and their kin, as text, one at a time."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from desktop.errors import KnownError
from desktop.importing.encodings import TextEncoding

DELIMITERS = (",", "\t", ";", "|")
MOST_COLUMNS = 16_384
_LONGEST_LINE = 4_000_000
_LONGEST_CELL = 1_000_000
_MOST_LINES_IN_A_ROW = 2_000
_SAMPLE_LINES = 100
_SAMPLE_CHARACTERS = 200_000


def find_delimiter(path: Path, encoding: TextEncoding) -> str:
    """The delimiter that cuts most lines of the beginning into the same number (> 1) of cells; "," if none does."""
    csv.field_size_limit(_LONGEST_CELL)
    sample = _sample(path, encoding)
    best, best_score = ",", (0, 0)
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(sample, delimiter=delimiter) if any(row))
        except csv.Error:
            continue
        width, lines = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(1, 0))
        score = (lines, width) if width > 1 else (0, 0)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def read_rows(path: Path, encoding: TextEncoding, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(row number from 1 as Excel shows it, cells), blank rows included.

    Raises KnownError table_line_too_long, table_cell_too_long, table_broken_quotes, table_too_wide with the row.
    """
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(_lines(path, encoding), delimiter=delimiter)
    number, line = 0, 0
    while True:
        number += 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if quotes_left_open(path, encoding):
                raise KnownError("table_broken_quotes", file=path.name, row=number) from error
            raise KnownError("table_cell_too_long", file=path.name, row=number, most=_LONGEST_CELL) from error
        if reader.line_num - line > _MOST_LINES_IN_A_ROW:
            raise KnownError("table_broken_quotes", file=path.name, row=number)
        if len(row) > MOST_COLUMNS:
            raise KnownError("table_too_wide", file=path.name, row=number, columns=len(row), most=MOST_COLUMNS)
        line = reader.line_num
        yield number, row


def quotes_left_open(path: Path, encoding: TextEncoding) -> bool:
    """Whether a quotation mark is never closed, so that the last row holds what were several."""
    return sum(line.count('"') for line in _lines(path, encoding)) % 2 == 1


def _lines(path: Path, encoding: TextEncoding) -> Iterator[str]:
    with path.open(encoding=encoding.name, newline="") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if len(line) >= _LONGEST_LINE:
                raise KnownError("table_line_too_long", file=path.name, row=number)
            yield line.replace("\0", "")


def _sample(path: Path, encoding: TextEncoding) -> list[str]:
    lines, size = [], 0
    for line in islice(_lines(path, encoding), _SAMPLE_LINES):
        lines.append(line)
        size += len(line)
        if size > _SAMPLE_CHARACTERS:
            break
    return lines
