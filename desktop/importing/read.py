"""One file read whole into values and reports; runs in the child process."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from desktop.errors import KnownError
from desktop.importing.columns import plants_own
from desktop.importing.file_type import TABLES, FileType, find_type
from desktop.importing.manuals import manual_values, read_document
from desktop.importing.plant_lists import read_list
from desktop.importing.request import LIST_KINDS, FileReport, Kind, ReadRequest
from desktop.importing.table_values import Plan, foreign_columns, plan_table, read_table
from desktop.importing.tables import Table, open_tables
from desktop.importing.values import Value


def read_file(
    path: Path, request: ReadRequest, take: Callable[[Value], None], progress: Callable[[int, int], None]
) -> list[FileReport]:
    """Gives every value of the file to `take`; one report a table, or one for a manual or a list.

    KnownError table_foreign (none of our columns, no mapping) and what the readers raise.
    """
    with plants_own(request.aliases):
        return _read(path, request, take, progress)


def _read(
    path: Path, request: ReadRequest, take: Callable[[Value], None], progress: Callable[[int, int], None]
) -> list[FileReport]:
    file_type = find_type(path)
    kind = request.mapping.kind if request.mapping.kind is not Kind.AUTO else request.kind
    if kind in LIST_KINDS or (kind is Kind.AUTO and file_type is FileType.TOML):
        plant_list, report = read_list(path, kind)
        if plant_list:
            take(plant_list)
        return [report]
    if kind is Kind.MANUAL or (kind is Kind.AUTO and not _is_table(path, file_type)):
        return [_manual(path, file_type, request, take, progress)]
    tables = open_tables(path, file_type, request)
    planned = [(table, plan) for table in tables if (plan := plan_table(table, request))]
    if planned:
        return _tables(path, request, tables, planned, take, progress)
    if kind is Kind.AUTO and path.suffix.lower() in (".txt", ".html", ".htm"):
        plain = FileType.TEXT if file_type is FileType.DELIMITED else file_type
        return [_manual(path, plain, request, take, progress)]
    columns = next((names for table in tables if (names := foreign_columns(table, request))), "")
    if not columns:
        raise KnownError("table_empty", file=path.name)
    raise KnownError("table_foreign", file=path.name, columns=columns)


def _is_table(path: Path, file_type: FileType) -> bool:
    """A page that calls itself Excel is the table some system exported under that name."""
    return file_type in TABLES or (file_type is FileType.HTML and path.suffix.lower().startswith(".xls"))


def _tables(
    path: Path,
    request: ReadRequest,
    tables: tuple[Table, ...],
    planned: list[tuple[Table, Plan]],
    take: Callable[[Value], None],
    progress: Callable[[int, int], None],
) -> list[FileReport]:
    reports = [read_table(str(path), table, plan, take, progress) for table, plan in planned]
    known = {table.sheet for table, _ in planned}
    left_out = [_unread(table, request) for table in tables if table.sheet and table.sheet not in known]
    reports[0] = replace(reports[0], warnings=(*reports[0].warnings, *left_out))
    return reports


def _unread(table: Table, request: ReadRequest) -> str:
    """What a person needs to see whether a sheet that was left out is a table after all."""
    columns = foreign_columns(table, request)
    told = f"シート {table.sheet} は台帳・記録などの表と分からないため読んでいません"
    return (
        f"{told}（列：{columns}）。表なら対応表（--mapping）で列を指定してください。" if columns else f"{told}（空）。"
    )


def _manual(
    path: Path,
    file_type: FileType,
    request: ReadRequest,
    take: Callable[[Value], None],
    progress: Callable[[int, int], None],
) -> FileReport:
    read = read_document(path, file_type, request, progress)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    manual, sections = manual_values(read, unicodedata.normalize("NFC", path.name), sha256)
    take(manual)
    for section in sections:
        take(section)
    return FileReport(
        path=str(path),
        kind=Kind.MANUAL,
        encoding=read.encoding,
        accepted=len(sections),
        mapping={"model": "、".join(read.models), "revision": read.revision, "title": read.title},
        sections=len(sections),
        pages=len(read.pages) or None,
        pages_without_text=read.pages_without_text,
        warnings=read.warnings,
    )
