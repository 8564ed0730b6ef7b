"""Where a table's column names stand: below a preamble, on two rows, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.importing.alias_list import column_key
from desktop.importing.columns import Guess, known_columns, recognise
from desktop.importing.request import ColumnMapping, Kind
from desktop.importing.tables import Table
from desktop.importing.workbooks import Merged

HEAD_ROWS = 60
_FEWEST_KNOWN = 2
_NUMERIC = re.compile(r"[-+]?[\d,.]+%?$|[\d:/\-. ]+$")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Header:
    """`first` and `last` row by index from 0, -1 without a header; `shown` as on the last row, `names` unfolded."""

    first: int
    last: int
    shown: tuple[str, ...]
    names: tuple[str, ...]
    guess: Guess | None


def find_header(table: Table, kind: Kind, mapping: ColumnMapping) -> Header:
    """The header by a person's say, else by known column names, else by its look."""
    head = _head(table)
    if mapping.header_row is not None:
        return _named(table, head, mapping.header_row - 1, kind)
    known = _by_names(head, table.merged, kind)
    return known or _single(head, _by_look(head), kind)


def _head(table: Table) -> list[list[str]]:
    head = []
    for number, cells in table.rows():
        if number > HEAD_ROWS:
            break
        head.append(cells)
    return head


def _named(table: Table, head: list[list[str]], index: int, kind: Kind) -> Header:
    if index < 0:
        width = max((len(cells) for cells in head), default=0)
        letters = tuple(excel_letter(column) for column in range(width))
        return Header(-1, -1, letters, letters, None)
    for number, cells in table.rows():
        if number == index + 1:
            return _header(index, index, cells, cells, kind)
    return _header(index, index, [], [], kind)


def _single(head: list[list[str]], index: int, kind: Kind) -> Header:
    cells = head[index] if index < len(head) else []
    return _header(index, index, cells, cells, kind)


def _header(first: int, last: int, shown: Sequence[str], names: Sequence[str], kind: Kind) -> Header:
    unique = _unique([" ".join(name.split()) for name in names])
    return Header(first, last, tuple(shown), unique, None if kind is Kind.MANUAL else recognise(unique, kind))


def _unique(names: list[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(f"{name} ({seen[name]})" if name and seen[name] > 1 else name)
    return tuple(unique)


def _by_names(head: list[list[str]], merged: tuple[Merged, ...], kind: Kind) -> Header | None:
    """The row, or the pair of rows, with most names we know; a pair only if it knows more than either row."""
    best, most = None, _FEWEST_KNOWN - 1
    for index, cells in enumerate(head):
        if (count := known_columns(cells)) > most:
            best, most = _header(index, index, cells, cells, kind), count
    for index in range(len(head) - 1):
        names = _joined(_spread(head[index], index, merged, head[index + 1]), head[index + 1])
        if (count := known_columns(names)) > most:
            best, most = _header(index, index + 1, head[index + 1], names, kind), count
    return best


def _spread(top: list[str], row: int, merged: tuple[Merged, ...], below: list[str]) -> list[str]:
    """Group labels carried over the columns they stand above: merged ones, else (CSV) blanks with a name below."""
    wide = top + [""] * (len(below) - len(top))
    ranges = [(first, last) for first, last in merged if first[0] <= row <= last[0] and first[1] < last[1]]
    for (_, left), (_, right) in ranges:
        for column in range(left, min(right + 1, len(wide))):
            wide[column] = wide[column] or wide[left]
    if not merged:
        for column in range(1, len(wide)):
            if not wide[column].strip() and column < len(below) and below[column].strip():
                wide[column] = wide[column - 1]
    return wide


def _joined(top: list[str], bottom: list[str]) -> list[str]:
    """One name a column from two rows: together if that is a name we know, else the lower if known, else both."""
    bottom = bottom + [""] * (len(top) - len(bottom))
    names = []
    for above, below in zip(top, bottom, strict=True):
        if not below.strip() or column_key(above) == column_key(below):
            names.append(above)
        elif not above.strip() or (known_columns([below]) and not known_columns([above + below])):
            names.append(below)
        else:
            names.append(above + below if known_columns([above + below]) else f"{above} {below}")
    return names


def _by_look(head: list[list[str]]) -> int:
    """The early row that is most filled, most varied and least numeric."""
    filled = [[cell.strip() for cell in cells if cell.strip()] for cells in head]
    width = max(map(len, filled), default=0)
    best, best_score, met = 0, -9.0, False
    order = 0
    for index, cells in enumerate(filled):
        if not cells:
            continue
        distinct, numeric = len(set(cells)), sum(bool(_NUMERIC.match(cell)) for cell in cells) / len(cells)
        score = (len(cells) + distinct) / (2 * width) - 0.7 * numeric - 0.02 * order
        fit = len(cells) * 3 >= width * 2 and distinct * 2 >= len(cells) and numeric < 0.5
        if fit and not met:
            met, score = True, score + 0.3
        if score > best_score:
            best, best_score = index, score
        order += 1
    return best


def excel_letter(column: int) -> str:
    """The letter over a column, counted from 0: A, B … Z, AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = _LETTERS[rest] + letters
    return letters
