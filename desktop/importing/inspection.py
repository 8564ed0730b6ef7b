"""What an import would read of any file, ours or not, as CONTRACT's inspect JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from desktop.importing.columns import plants_own
from desktop.importing.file_type import TABLES, FileType, find_type
from desktop.importing.header_row import Header, find_header
from desktop.importing.manuals import read_document
from desktop.importing.request import Kind, ReadRequest
from desktop.importing.table_rows import CleanRows
from desktop.importing.tables import Table, first_table


def inspect_file(path: Path, request: ReadRequest) -> dict[str, Any]:
    """The table or document shape of CONTRACT; KnownError for a file that can't be read."""
    file_type = find_type(path)
    wants_table = request.kind not in (Kind.AUTO, Kind.MANUAL)
    if file_type in TABLES or wants_table:
        with plants_own(request.aliases):
            return _table(path, file_type, request)
    return _document(path, file_type, request)


def _table(path: Path, file_type: FileType, request: ReadRequest) -> dict[str, Any]:
    table = first_table(path, file_type, request)
    header = find_header(table, request.kind, request.mapping)
    columns, rows, n_rows, blank = _as_found(table, header, request.rows)
    fields = header.guess.fields if header.guess else {}
    return {
        "kind": "table",
        "encoding": table.encoding,
        "delimiter": table.delimiter,
        "sheet": table.sheet,
        "header_row": header.last if header.last >= 0 else None,
        "columns": columns,
        "n_rows": n_rows,
        "rows": rows,
        "mapping": {header.names[index]: field for index, field in fields.items()},
        "dropped": {"blank": blank},
        "proposed": _proposed(table, header) if header.guess else None,
        "warnings": list(table.warnings),
    }


def _as_found(table: Table, header: Header, most: int | None) -> tuple[list[str], list[list[str]], int, int]:
    """One header row and the rows below as they stand: columns, rows (at most `most`), how many, how many blank."""
    width, total, blank = len(header.shown), 0, 0
    rows: list[list[str]] = []
    for number, cells in table.rows():
        if number - 1 <= header.last:
            continue
        if not any(map(str.strip, cells)):
            blank += 1
            continue
        total += 1
        width = max(width, next((i + 1 for i in range(len(cells) - 1, width - 1, -1) if cells[i].strip()), width))
        if most is None or total <= most:
            rows.append(cells)
    columns = [*header.shown, *[""] * (width - len(header.shown))]
    return columns, [[*row[:width], *[""] * (width - len(row))] for row in rows], total, blank


def _proposed(table: Table, header: Header) -> dict[str, Any]:
    """What import would make of it: kind, unfolded names, rows it would leave out."""
    clean = CleanRows(table, header)
    kept = sum(1 for _ in clean)
    return {
        "kind": header.guess.kind.value if header.guess else None,
        "confidence": header.guess.confidence if header.guess else None,
        "header_rows": list(range(header.first, header.last + 1)),
        "columns": list(header.names),
        "n_rows": kept,
        "dropped": dict(clean.dropped),
    }


def _document(path: Path, file_type: FileType, request: ReadRequest) -> dict[str, Any]:
    manual = read_document(path, file_type, request)
    without = list(manual.pages_without_text)
    return {
        "kind": "document",
        "encoding": manual.encoding,
        "pages": [{"page": page.number, "label": page.label, "text": page.text} for page in manual.pages],
        "pages_without_text": without,
        "needs_ocr": bool(without) and len(without) == len(manual.pages),
        "sections": [
            {"heading": " > ".join(section.heading_path), "page": section.page, "chars": len(section.body)}
            for section in manual.sections
        ],
        "title": manual.title,
        "model": "、".join(manual.models) or None,
        "revision": manual.revision or None,
        "old_revision": manual.old_revision,
        "encrypted": manual.encrypted,
        "warnings": list(manual.warnings),
        "error": None,
    }
