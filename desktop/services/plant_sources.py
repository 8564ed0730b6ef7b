"""What is remembered of an imported file, so that it can be read again the same way, or left alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.importing.request import ReadRequest
from desktop.importing.values import from_plain, to_plain
from desktop.services.plant_files import source_id
from desktop.store.snapshot_builder import Source

# Raised when a reader changes what it makes of a file: every source is then read anew.
READER = "1"
_REQUEST, _READER, _COUNTS = "@request", "@reader", "@reports"


def remembered(path: Path, sha256: str, request: ReadRequest, reports: Sequence[Mapping[str, Any]]) -> Source:
    """The source as the snapshot keeps it; passwords and the ledger's models are not part of it."""
    kinds = list(dict.fromkeys(report["kind"] for report in reports))
    mapping = {column: field for report in reports for column, field in report["mapping"].items()}
    settings = {
        _REQUEST: _settled(request),
        _READER: READER,
        _COUNTS: json.dumps(_brief(reports), ensure_ascii=False),
    }
    return Source(source_id(path), str(path), ",".join(kinds), sha256, {**mapping, **settings}, datetime.now(UTC))


def unchanged(source: Source | None, sha256: str, request: ReadRequest) -> bool:
    """Whether the same bytes were already read the same way."""
    return (
        source is not None
        and source.sha256 == sha256
        and source.mapping.get(_REQUEST) == _settled(request)
        and source.mapping.get(_READER) == READER
    )


def request_of(source: Source) -> ReadRequest:
    """How the source was read."""
    request: ReadRequest = from_plain(ReadRequest, json.loads(source.mapping.get(_REQUEST) or "[]"))
    return request


def names_machines_loosely(source: Source) -> bool:
    """Whether its records say which machine only by name, so that a changed ledger may settle them anew."""
    return "equipment_name" in source.mapping.values() and "equipment_id" not in source.mapping.values()


def reports_of(source: Source) -> list[dict[str, Any]]:
    """What the last reading reported, without its rows."""
    reports: list[dict[str, Any]] = json.loads(source.mapping.get(_COUNTS) or "[]")
    return reports


def _settled(request: ReadRequest) -> str:
    settled = replace(request, password="", known_models=(), rows=None)
    return json.dumps(to_plain(settled), ensure_ascii=False)


def _brief(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**report, "rows": []} for report in reports]
