"""The rows below a header, cleaned of what is no entry: blanks, totals, legends, repeated headers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from desktop.importing.alias_list import column_key
from desktop.importing.header_row import Header
from desktop.importing.tables import Table
from desktop.importing.workbooks import Merged

_TOTAL = re.compile(r"(総?合計|小計|総計|累計|計|平均|total|subtotal|sum)[:：]?$", re.IGNORECASE)
_LEGEND = re.compile(r"[※＊*]|[(\[【]?注[)\]】:意]|凡例|備考[:：]|記入例|以下余白|以上$")
_DITTO = frozenset({"〃", "″", "”", "々", "同上", "〟", '"', "''"})
_BREAK = re.compile("(?:\r|_x000D_)\n?|[\v\f\x85\u2028\u2029]")
_FEW = 2


class CleanRows:
    """Iterates (row from 1, cells as wide as the header); `dropped` counts what was left out, by why."""

    def __init__(self, table: Table, header: Header) -> None:
        self._table, self._header = table, header
        self.dropped: Counter[str] = Counter()
        self.label = ""

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        width = len(self._header.names)
        header_key = _key(self._header.shown)
        down = _Down(self._table.merged)
        above: list[str] = [""] * width
        for number, cells in self._table.rows():
            down.fill(number - 1, cells)
            if number - 1 <= self._header.last:
                continue
            row = [_one_kind_of_break(cell) for cell in (*cells[:width], *[""] * (width - len(cells)))]
            why = self._reason(row, header_key)
            if why:
                self.dropped[why] += 1
                continue
            above = [old if cell.strip() in _DITTO else cell for cell, old in zip(row, above, strict=True)]
            yield number, above

    def _reason(self, row: list[str], header_key: tuple[str, ...]) -> str:
        filled = [cell.strip() for cell in row if cell.strip()]
        if not filled:
            return "blank"
        if header_key and column_key(row[0]) == header_key[0] and _key(row) == header_key:
            return "repeated_header"
        first = unicodedata.normalize("NFKC", filled[0]).replace(" ", "")
        if _TOTAL.match(first):
            return "total"
        if len(filled) <= _FEW and _LEGEND.match(first):
            return "legend"
        if first.startswith("#") and not row[0].strip()[1:].strip().isdigit():
            return "legend"
        if len(filled) == 1 and len(row) > _FEW and first.startswith(("■", "●", "◆", "▼", "【", "<", "〔")):
            self.label = filled[0].strip("■●◆▼【】<>〔〕 　")
            return "group_label"
        return ""


def _one_kind_of_break(cell: str) -> str:
    """Line breaks within a cell as \\n, whichever of their kinds the program wrote; Excel may spell a CR out."""
    return _BREAK.sub("\n", cell) if _BREAK.search(cell) else cell


class _Down:
    """Values of cells merged downwards, carried into the rows they cover."""

    def __init__(self, merged: tuple[Merged, ...]) -> None:
        tall = [(first, last) for first, last in merged if last[0] > first[0]]
        self._starts: dict[int, list[tuple[int, int]]] = {}
        for (top, left), (bottom, _) in tall:
            self._starts.setdefault(top, []).append((left, bottom))
        self._open: dict[int, tuple[int, str]] = {}

    def fill(self, index: int, cells: list[str]) -> None:
        for left, (bottom, text) in list(self._open.items()):
            if index > bottom:
                del self._open[left]
            elif left < len(cells) and not cells[left]:
                cells[left] = text
        for left, bottom in self._starts.get(index, ()):
            if left < len(cells) and cells[left]:
                self._open[left] = (bottom, cells[left])


def _key(cells: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    keys = tuple(map(column_key, cells))
    return keys if sum(map(bool, keys)) > 1 else ()
