"""One thing whole, and the searches of the agent's tools, for people and scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from desktop import tools
from desktop.domain.ledger import Equipment, MaintenanceRecord
from desktop.errors import KnownError
from desktop.services.plant_sources import reports_of
from desktop.services.station import Plant
from desktop.store.snapshot import Snapshot

Document = dict[str, Any]

_PARAMETERS = {"equipment": ("query",), "manual": ("model", "keywords"), "records": ("equipment_id", "keywords")}


def whole(snapshot: Snapshot, kind: str, identifier: str) -> Document | None:
    """Each value beside the cell it was read from, `{"value", "original"}`; None where there is no such thing."""
    if kind == "manual":
        return _manual(snapshot, identifier)
    found = snapshot.equipment(identifier) if kind == "equipment" else snapshot.record(identifier)
    return _valued(found, snapshot) if found else None


def search(plant: Plant, what: str, terms: Sequence[str]) -> Document:
    """`{"total", "results"}` exactly as the agent's tool gives it; KnownError("no_such_thing") for an unknown id."""
    tool = tools.build(plant.snapshot, plant.search).find(f"search_{what}")
    if tool is None or tool.handler is None:
        raise ValueError(f"search_{what} is not a read")
    result = tool.handler(dict(zip(_PARAMETERS[what], terms, strict=True)))
    if result.error is not None:
        raise KnownError("no_such_thing", kind="equipment", identifier=terms[0])
    document: Document = result.content
    return document


def _valued(found: Equipment | MaintenanceRecord, snapshot: Snapshot) -> Document:
    """A column that feeds no field of ours stands under its own name, as it was."""
    original = found.original
    columns = _columns_of(original, snapshot)
    fields = {name: value for name, value in asdict(found).items() if name != "original"}
    shown = {name: _beside(value, _cells(original, columns, name)) for name, value in fields.items()}
    left = {column: _beside(cell, cell) for column, cell in original.items() if column not in columns}
    return {**shown, **left}


def _beside(value: object, original: str) -> Document:
    return {"value": value, "original": original}


def _columns_of(original: Mapping[str, str], snapshot: Snapshot) -> dict[str, str]:
    """Our field for each source column, as the import of its file mapped them."""
    columns: dict[str, str] = {}
    for source in snapshot.sources:
        for report in reports_of(source):
            columns.update({column: field for column, field in report["mapping"].items() if column in original})
    return columns


def _cells(original: Mapping[str, str], columns: Mapping[str, str], field: str) -> str:
    return " ".join(cell for column, cell in original.items() if columns.get(column) == field)


def _manual(snapshot: Snapshot, identifier: str) -> Document | None:
    manual = snapshot.manual(identifier) or next(iter(snapshot.manuals(identifier)), None)
    if manual is None:
        return None
    sections = [
        {
            "ref": section.ref,
            "heading": " > ".join(section.heading_path),
            "page": section.page,
            "page_label": section.page_label,
            "codes": list(section.codes),
            "body": section.body,
        }
        for section in snapshot.sections(manual.manual_id)
    ]
    return {**asdict(manual), "sections": sections}
