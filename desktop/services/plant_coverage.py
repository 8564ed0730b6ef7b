"""Data health: what the plant's data lacks, line by line, before someone at a stopped machine finds out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.domain.ledger import Equipment, EquipmentStatus, Manual
from desktop.domain.text import fold_code
from desktop.store import snapshot_health
from desktop.store.snapshot import Snapshot

NO_LINE = "（ライン未記入）"
_HEADINGS = {
    "without_model": "型番がない設備",
    "without_manual": "マニュアルがない設備",
    "without_code_table": "コード表がない設備",
    "without_isolation_points": "遮断点が未登録の設備",
    "models_without_code_table": "コード表がない型番",
    "pages_without_text": "文字のないページ",
    "records_without_cause": "原因の記載がない記録",
    "records_of_unknown_machines": "台帳にない設備の記録",
}


@dataclass(slots=True)
class _Line:
    machines: int = 0
    records: int = 0
    records_without_cause: int = 0
    lacking: dict[str, list[str]] = field(default_factory=dict)

    def lack(self, what: str, equipment_id: str) -> None:
        self.lacking.setdefault(what, []).append(equipment_id)


def coverage(snapshot: Snapshot) -> dict[str, Any]:
    """Per line the machines (ids) that lack something, and over the whole plant what belongs to no line.

    Retired machines are not missed anything. `share` is the part of the machines that lack neither model, manual nor
    code table.
    """
    machines = [one for one in snapshot.all_equipment() if one.status is not EquipmentStatus.RETIRED]
    manuals = {one.equipment_id: snapshot.manuals(one.model) if one.model else () for one in machines}
    coded = {fold_code(model) for model in snapshot_health.coded_models(snapshot)}
    lines: dict[str, _Line] = {}
    for machine in machines:
        _judge(lines.setdefault(machine.line or NO_LINE, _Line()), machine, manuals[machine.equipment_id], coded)
    unknown = _count_records(snapshot, lines)
    return {
        "snapshot": snapshot.version,
        "data_as_of": snapshot.data_as_of.isoformat() if snapshot.data_as_of else None,
        "lines": [_shown(name, line) for name, line in sorted(lines.items())],
        "models_without_code_table": _uncoded_models(machines, coded),
        "pages_without_text": _pages(snapshot.manuals()),
        "records_of_unknown_machines": unknown,
    }


def coverage_csv(report: Mapping[str, Any]) -> str:
    """The same as a table of ライン, 項目, 対象, 件数; for Excel, so with a byte order mark."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["ライン", "項目", "対象", "件数"])
    writer.writerows(_rows(report))
    return "\ufeff" + out.getvalue()


def _judge(line: _Line, machine: Equipment, manuals: Iterable[Manual], coded: set[str]) -> None:
    line.machines += 1
    current = [manual for manual in manuals if not manual.old_revision]
    if not machine.model:
        line.lack("without_model", machine.equipment_id)
    if not current:
        line.lack("without_manual", machine.equipment_id)
    elif fold_code(machine.model) not in coded:
        line.lack("without_code_table", machine.equipment_id)
    if not machine.isolation_points:
        line.lack("without_isolation_points", machine.equipment_id)


def _count_records(snapshot: Snapshot, lines: Mapping[str, _Line]) -> list[dict[str, Any]]:
    """Records added up by line; those of machines that the ledger does not know come back."""
    unknown = []
    for counts in snapshot_health.record_counts(snapshot):
        machine = snapshot.equipment(counts.equipment_id)
        if machine is None:
            unknown.append({"equipment_id": counts.equipment_id, "records": counts.records})
        elif line := lines.get(machine.line or NO_LINE):
            line.records += counts.records
            line.records_without_cause += counts.without_cause
    return unknown


def _shown(name: str, line: _Line) -> dict[str, Any]:
    lacking = {what: line.lacking.get(what, []) for what in list(_HEADINGS)[:4]}
    bad = {one for what in ("without_model", "without_manual", "without_code_table") for one in lacking[what]}
    return {
        "line": name,
        "machines": line.machines,
        **lacking,
        "records": line.records,
        "records_without_cause": line.records_without_cause,
        "share": round(1 - len(bad) / line.machines, 3) if line.machines else None,
    }


def _uncoded_models(machines: Iterable[Equipment], coded: set[str]) -> list[str]:
    return sorted({one.model for one in machines if one.model and fold_code(one.model) not in coded})


def _pages(manuals: Iterable[Manual]) -> list[dict[str, Any]]:
    return [
        {"manual_id": one.manual_id, "title": one.title, "pages": list(one.pages_without_text), "n_pages": one.n_pages}
        for one in manuals
        if one.pages_without_text
    ]


def _rows(report: Mapping[str, Any]) -> Iterable[tuple[object, ...]]:
    for line in report["lines"]:
        for what in list(_HEADINGS)[:4]:
            for equipment_id in line[what]:
                yield line["line"], _HEADINGS[what], equipment_id, 1
        if line["records_without_cause"]:
            yield line["line"], _HEADINGS["records_without_cause"], "", line["records_without_cause"]
    for model in report["models_without_code_table"]:
        yield "", _HEADINGS["models_without_code_table"], model, 1
    for one in report["pages_without_text"]:
        yield "", _HEADINGS["pages_without_text"], one["title"], len(one["pages"])
    for one in report["records_of_unknown_machines"]:
        yield "", _HEADINGS["records_of_unknown_machines"], one["equipment_id"], one["records"]
