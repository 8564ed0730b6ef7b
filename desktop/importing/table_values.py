"""A table of ours read whole: header, kind, rows as values, and the report of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import KnownError
from desktop.importing import cells
from desktop.importing.alias_list import column_key
from desktop.importing.columns import fields_of, missing_fields, unit_of
from desktop.importing.dates import DateOrder, decide_order
from desktop.importing.entries import Entry, Reading, reader_of
from desktop.importing.header_row import Header, excel_letter, find_header
from desktop.importing.request import FileReport, Kind, ReadRequest
from desktop.importing.table_rows import CleanRows
from desktop.importing.tables import Table
from desktop.importing.values import Value

_DATES = ("date", "installed_on", "as_of", "promised_on")
_MOST_PROBLEMS = 1_000
_MOST_NAMED = 30
_SURE = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """How a table will be read: its kind, our field by column index, the names as shown."""

    kind: Kind
    fields: Mapping[int, str]
    header: Header
    confidence: float
    date_order: str = ""


def plan_table(table: Table, request: ReadRequest) -> Plan | None:
    """By the mapping if there is one, else by the guess; None if the table is none of ours."""
    kind = request.mapping.kind if request.mapping.kind is not Kind.AUTO else request.kind
    header = find_header(table, kind, request.mapping)
    order = request.mapping.date_order
    if request.mapping.columns:
        kind, fields = _mapped(header, kind, request.mapping.columns)
        return Plan(kind, fields, header, 1.0, order)
    if header.guess is None:
        return None
    return Plan(header.guess.kind, header.guess.fields, header, header.guess.confidence, order)


def foreign_columns(table: Table, request: ReadRequest) -> str:
    """The columns a table of nobody's has, for the error that names them."""
    names = [name for name in find_header(table, Kind.AUTO, request.mapping).names if name.strip()]
    more = f" ほか{len(names) - _MOST_NAMED}列" if len(names) > _MOST_NAMED else ""
    return "、".join(name[:40] for name in names[:_MOST_NAMED]) + more


def read_table(
    path: str, table: Table, plan: Plan, take: Callable[[Value], None], progress: Callable[[int, int], None]
) -> FileReport:
    """Every row given to `take`, everything else in the report. `progress(rows done, 0)` now and then."""
    reading = Reading(_name(path, table), _orders(table, plan), _units(plan))
    clean = CleanRows(table, plan.header)
    make = reader_of(plan.kind)
    accepted = rejected = 0
    for entry in _entries(clean, plan):
        value = make(entry, reading)
        if value is None:
            rejected += 1
        else:
            accepted += 1
            take(value)
        if (accepted + rejected) % 5_000 == 0:
            progress(accepted + rejected, 0)
    return FileReport(
        path=path,
        kind=plan.kind,
        sheet=table.sheet,
        encoding=table.encoding,
        header_row=plan.header.last + 1 if plan.header.last >= 0 else None,
        accepted=accepted,
        rejected=rejected,
        rows=tuple(reading.problems[:_MOST_PROBLEMS]),
        mapping={plan.header.names[index]: name for index, name in plan.fields.items()},
        confidence=plan.confidence,
        dropped=dict(clean.dropped),
        warnings=(*table.warnings, *_doubts(reading, plan)),
    )


def _mapped(header: Header, kind: Kind, columns: Mapping[str, str]) -> tuple[Kind, dict[int, str]]:
    """A person's mapping over the header: by column name, else by Excel letter; a column not there is an error."""
    by_key = {column_key(name): index for index, name in reversed(list(enumerate(header.names))) if name}
    by_letter = {excel_letter(index): index for index in range(len(header.names))}
    guessed = header.guess if header.guess and kind in (Kind.AUTO, header.guess.kind) else None
    kind = guessed.kind if guessed and kind is Kind.AUTO else kind
    if kind is Kind.AUTO:
        raise KnownError("mapping_without_kind")
    fields = dict(guessed.fields) if guessed else {}
    for column, name in columns.items():
        index = by_key.get(column_key(column), by_letter.get(column))
        if index is None:
            raise KnownError("mapping_column_missing", column=column, columns="、".join(header.names[:_MOST_NAMED]))
        if name and name not in fields_of(kind):
            raise KnownError("mapping_field_unknown", column=column, field=name, fields="、".join(fields_of(kind)))
        fields = {at: old for at, old in fields.items() if at != index and old != name}
        if name:
            fields[index] = name
    if missing := missing_fields(kind, fields):
        raise KnownError("mapping_incomplete", kind=kind.value, fields="、".join(missing))
    return kind, dict(sorted(fields.items()))


def _entries(clean: CleanRows, plan: Plan) -> Iterator[Entry]:
    names = {name: plan.header.names[index] for index, name in plan.fields.items()}
    for row, values in clean:
        given = {name: values[index].strip() for index, name in plan.fields.items()}
        given = {name: "" if cells.is_excel_error(text) else text for name, text in given.items()}
        original = {
            column: value for column, value in zip(plan.header.names, values, strict=True) if column and value.strip()
        }
        yield Entry(row, given, original, names, clean.label)


def _orders(table: Table, plan: Plan) -> dict[str, DateOrder]:
    """Whether a column writes day or month first: one pass over it, and only if its dates end with the year."""
    orders = {}
    for index, name in plan.fields.items():
        if name in _DATES and plan.date_order:
            orders[name] = DateOrder(plan.date_order)
        elif name in _DATES:
            orders[name] = decide_order(values[index] for _, values in table.rows() if index < len(values))
    return orders


def _name(path: str, table: Table) -> str:
    stem = unicodedata.normalize("NFC", Path(path).stem)
    return f"{stem}-{table.sheet}" if table.sheet else stem


def _units(plan: Plan) -> dict[str, str]:
    return {name: unit_of(plan.header.names[index]) for index, name in plan.fields.items()}


def _doubts(reading: Reading, plan: Plan) -> list[str]:
    doubts = []
    if len(reading.problems) > _MOST_PROBLEMS:
        doubts.append(f"ほかに{len(reading.problems) - _MOST_PROBLEMS}件の指摘があります。")
    if plan.confidence < _SURE:
        doubts.append("列の読み取りに自信がありません。対応表（--mapping）で確かめてください。")
    return doubts
