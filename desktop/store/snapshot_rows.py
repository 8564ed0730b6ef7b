"""Rows of a snapshot as domain values and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeAlias

from desktop.domain.ledger import (
    AppliesTo,
    Equipment,
    EquipmentStatus,
    MaintenanceRecord,
    Manual,
    ManualSection,
    OpenOrder,
    Part,
)
from desktop.domain.text import fold_code, shape

Row: TypeAlias = tuple[Any, ...]

EQUIPMENT = (
    "equipment_id, name, model, line, location, owner, status, nicknames, maker, serial, installed_on, rank, energies, "
    "isolation_points, maker_phone, on_call_phone, original"
)
MANUAL = (
    "manual_id, models, title, revision, old_revision, applies_to, file_name, file_sha256, media_type, n_pages, "
    "pages_without_text, cloud_allowed"
)
SECTION = "manual_no, ref, body, details"
RECORD = "record_id, equipment_id, date, error_code, symptom, cause, action, parts, downtime_minutes, worker, original"
PART = "part_number, name, models, shelf, quantity, as_of"
OPEN_ORDER = "number, equipment_id, title, state, promised_on"


@dataclass(frozen=True, slots=True)
class Source:
    """Where data came from: a file by path and hash, how its columns were read, when (aware UTC)."""

    source_id: str
    path: str
    kind: str
    sha256: str
    mapping: Mapping[str, str]
    read_at: datetime


@dataclass(frozen=True, slots=True, eq=False)
class PlacedManual:
    """A manual with where its sections lie: positions first to first + count - 1."""

    manual: Manual
    number: int
    first: int
    count: int
    source_id: str


class OriginalCells(Mapping[str, str]):
    """A source row's cells, kept as JSON until someone looks: ten thousand machines are listed, few are shown whole."""

    __slots__ = ("_json",)

    def __init__(self, text: str) -> None:
        self._json = text

    def __getitem__(self, column: str) -> str:
        return self._cells()[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells())

    def __len__(self) -> int:
        return len(self._cells())

    def __repr__(self) -> str:
        return f"OriginalCells({self._json})"

    def _cells(self) -> dict[str, str]:
        cells: dict[str, str] = json.loads(self._json) if self._json else {}
        return cells


def source_row(source: Source) -> Row:
    mapping = json.dumps(dict(source.mapping), ensure_ascii=False)
    return (source.source_id, source.path, source.kind, source.sha256, mapping, source.read_at.isoformat())


def source_of(row: Row) -> Source:
    return Source(row[0], row[1], row[2], row[3], json.loads(row[4]), datetime.fromisoformat(row[5]))


def equipment_row(source_id: str, position: int, one: Equipment) -> Row:
    return (
        one.folded, source_id, position, one.equipment_id, one.name, one.model, one.line, one.location, one.owner,
        one.status.value, list(one.nicknames), one.maker, one.serial, one.installed_on, one.rank, list(one.energies),
        list(one.isolation_points), one.maker_phone, one.on_call_phone, _original(one.original),
    )  # fmt: skip


def equipment_of(row: Row) -> Equipment:
    return Equipment(
        equipment_id=row[0], name=row[1], model=row[2], line=row[3], location=row[4], owner=row[5],
        status=EquipmentStatus(row[6]), nicknames=tuple(row[7]), maker=row[8], serial=row[9], installed_on=row[10],
        rank=row[11], energies=tuple(row[12]), isolation_points=tuple(row[13]), maker_phone=row[14],
        on_call_phone=row[15], original=OriginalCells(row[16]),
    )  # fmt: skip


def manual_row(source_id: str, one: Manual, manual_no: int, content: str, first: int, count: int) -> Row:
    return (
        one.manual_id, source_id, manual_no, list(one.models), one.title, one.revision, one.old_revision,
        json.dumps(asdict(one.applies_to), ensure_ascii=False), one.file_name, one.file_sha256, one.media_type,
        one.n_pages, list(one.pages_without_text), one.cloud_allowed, content, first, count,
    )  # fmt: skip


def manual_of(row: Row) -> Manual:
    applies = json.loads(row[5])
    return Manual(
        manual_id=row[0], models=tuple(row[1]), title=row[2], revision=row[3], old_revision=row[4],
        applies_to=AppliesTo(
            equipment_ids=tuple(applies["equipment_ids"]), serial_from=applies["serial_from"],
            serial_to=applies["serial_to"], series=tuple(applies["series"]),
        ),
        file_name=row[6], file_sha256=row[7], media_type=row[8], n_pages=row[9], pages_without_text=tuple(row[10]),
        cloud_allowed=row[11],
    )  # fmt: skip


def section_row(number: int, manual_no: int, one: ManualSection) -> Row:
    """Parent headings are searched with the body, so that a heading's words are those of the section itself."""
    details = (
        one.models, one.heading_path, one.ordinal, one.page, one.page_label, one.revision, one.old_revision, one.codes,
        one.read_by_ocr,
    )  # fmt: skip
    return (
        number, manual_no, one.ref, one.body, json.dumps(details, ensure_ascii=False), list(one.models),
        list(one.codes), one.old_revision, shape(one.heading), shape("\n".join((*one.heading_path[:-1], one.body))),
    )  # fmt: skip


def section_of(row: Row, manual_id: str) -> ManualSection:
    models, heading_path, ordinal, page, page_label, revision, old_revision, codes, read_by_ocr = json.loads(row[3])
    return ManualSection(
        ref=row[1], manual_id=manual_id, models=tuple(models), heading_path=tuple(heading_path), body=row[2],
        ordinal=ordinal, page=page, page_label=page_label, revision=revision, old_revision=old_revision,
        codes=tuple(codes), read_by_ocr=read_by_ocr,
    )  # fmt: skip


def record_text(one: MaintenanceRecord) -> str:
    """What of a record is searched."""
    return " ".join(filter(None, (one.error_code, one.symptom, one.cause, one.action, one.parts)))


_machine_key = lru_cache(maxsize=20_000)(fold_code)


def record_row(source_id: str, arrival: int, one: MaintenanceRecord) -> Row:
    return (
        arrival, source_id, fold_code(one.record_id), one.record_id, _machine_key(one.equipment_id), one.equipment_id,
        one.date, one.error_code, one.symptom, one.cause, one.action, one.parts, one.downtime_minutes, one.worker,
        _original(one.original), shape(record_text(one)),
    )  # fmt: skip


def record_of(row: Row) -> MaintenanceRecord:
    return MaintenanceRecord(
        record_id=row[0], equipment_id=row[1], date=row[2], error_code=row[3], symptom=row[4], cause=row[5],
        action=row[6], parts=row[7], downtime_minutes=row[8], worker=row[9], original=OriginalCells(row[10]),
    )  # fmt: skip


def part_row(source_id: str, position: int, one: Part) -> Row:
    return (
        fold_code(one.part_number), source_id, position, one.part_number, one.name, list(one.models), one.shelf,
        one.quantity, one.as_of,
    )  # fmt: skip


def part_of(row: Row) -> Part:
    return Part(row[0], row[1], tuple(row[2]), row[3], row[4], row[5])


def open_order_row(source_id: str, one: OpenOrder) -> Row:
    return (
        fold_code(one.number), source_id, one.number, fold_code(one.equipment_id), one.equipment_id, one.title,
        one.state, one.promised_on,
    )  # fmt: skip


def open_order_of(row: Row) -> OpenOrder:
    return OpenOrder(*row)


def _original(cells: Mapping[str, str]) -> str:
    return json.dumps(dict(cells), ensure_ascii=False) if cells else ""
