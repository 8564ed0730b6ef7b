"""What is remembered of an imported file, so that it can be read again the same way, or left alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.importing.request import LIST_KINDS, TABLE_KINDS, ReadRequest
from desktop.importing.values import from_plain, to_plain
from desktop.services.plant_files import source_id
from desktop.store.snapshot_builder import Source

# Raised when a reader changes what it makes of a file: every source is then read anew.
READER = "3"
_REQUEST, _READER, _COUNTS, _ALIASES = "@request", "@reader", "@reports", "@aliases"


def remembered(path: Path, sha256: str, request: ReadRequest, reports: Sequence[Mapping[str, Any]]) -> Source:
    """The source as the snapshot keeps it; passwords and the ledger's models are not part of it."""
    kinds = list(dict.fromkeys(report["kind"] for report in reports))
    mapping = {column: field for report in reports for column, field in report["mapping"].items()}
    settings = {
        _REQUEST: _settled(request),
        _READER: READER,
        _COUNTS: json.dumps(_brief(reports), ensure_ascii=False),
        _ALIASES: _digest(request.aliases) if any(kind in TABLE_KINDS for kind in kinds) else "",
    }
    return Source(source_id(path), str(path), ",".join(kinds), sha256, {**mapping, **settings}, datetime.now(UTC))


def unchanged(source: Source | None, sha256: str, request: ReadRequest) -> bool:
    """Whether the same bytes were already read the same way; a table also by the same column names."""
    if source is None or source.sha256 != sha256:
        return False
    by_names = any(kind in TABLE_KINDS for kind in source.kind.split(","))
    return (
        source.mapping.get(_REQUEST) == _settled(request)
        and source.mapping.get(_READER) == READER
        and (not by_names or source.mapping.get(_ALIASES, "") == _digest(request.aliases))
    )


def lists_of(source: Source) -> frozenset[str]:
    """Which of the plant's own lists the source gave."""
    return frozenset(source.kind.split(",")) & {kind.value for kind in LIST_KINDS}


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
    settled = replace(request, password="", known_models=(), rows=None, aliases="")
    return json.dumps(to_plain(settled), ensure_ascii=False)


def _digest(aliases: str) -> str:
    return hashlib.sha256(aliases.encode()).hexdigest()[:16] if aliases else ""


def _brief(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**report, "rows": []} for report in reports]
