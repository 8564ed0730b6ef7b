"""HTML: its tables as rows of text, and its document as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from desktop.errors import KnownError
from desktop.importing.encodings import find_encoding

_MOST_SPAN = 200


def read_tables(path: Path) -> list[tuple[Callable[[], Iterator[tuple[int, list[str]]]], str]]:
    """Every table's rows (row numbers count the table's own from 1) and the file's encoding."""
    text, encoding = read_text(path)
    soup = BeautifulSoup(text, "html.parser")
    found = []
    for table in soup.find_all("table"):
        rows = table_rows(table)
        if rows:
            found.append((_replay(rows), encoding))
    if not found:
        raise KnownError("table_empty", file=path.name)
    return found


def read_text(path: Path, wanted: str = "") -> tuple[str, str]:
    """The whole text file, newlines as \\n, and its encoding's name."""
    encoding = find_encoding(path, wanted)
    text = path.read_text(encoding=encoding.name).replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    return text, encoding.name


def table_rows(table: Tag) -> list[list[str]]:
    """A table's cells; a cell over several columns or rows stands in its first only."""
    rows = []
    for row in table.find_all("tr"):
        if row.find_parent("table") is not table:
            continue
        cells: list[str] = []
        for cell in row.find_all(["td", "th"], recursive=False):
            span = str(cell.get("colspan", "1"))
            cells += [cell.get_text(" ", strip=True), *[""] * (min(_MOST_SPAN, int(span)) - 1 if span.isdecimal() else 0)]
        rows.append(cells)
    return rows


def _replay(rows: list[list[str]]) -> Callable[[], Iterator[tuple[int, list[str]]]]:
    return lambda: ((number, list(cells)) for number, cells in enumerate(rows, start=1))
