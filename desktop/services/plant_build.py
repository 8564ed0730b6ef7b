"""What was read put into the builder: sources, machines, manuals with their revisions, records with their machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.importing.request import Kind
from desktop.importing.values import PlantList, RosterRow, Synonym, read_values
from desktop.services.plant_merge import Machines, marked_old, renamed, superseded
from desktop.services.plant_reading import ReadFile
from desktop.services.plant_sources import lists_of, remembered
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_builder import Difference, SnapshotBuilder

_MOST_NAMED = 20


@dataclass(slots=True)
class Built:
    """What building found out: the roster, warnings by file (source id), manuals whose originals are to be kept.

    `lists_changed` is how the plant's own lists differ from those before, by kind.
    """

    roster: list[RosterRow] = field(default_factory=list)
    warnings: dict[str, list[str]] = field(default_factory=dict)
    originals: list[ReadFile] = field(default_factory=list)
    lists_changed: dict[str, Difference] = field(default_factory=dict)

    def warn(self, file: ReadFile, text: str) -> None:
        self.warnings.setdefault(file.source_id, []).append(text)


def fill(builder: SnapshotBuilder, previous: Snapshot | None, files: Sequence[ReadFile]) -> Built:
    """Everything but publishing. `previous` None = start from nothing."""
    built = Built()
    fresh = [file for file in files if file.outcome]
    lists = _last_lists(fresh, built)
    replaced = {file.source_id for file in fresh} | _moved(previous, fresh) | _outdated(previous, lists)
    if previous:
        builder.keep_from(previous, replaced)
    manuals = _Manuals(previous, replaced)
    for file in fresh:
        _add_lists(builder, file, built)
        manuals.take(file, built)
    manuals.add_all(builder)
    _add_plant_lists(builder, previous, lists, built)
    _add_records(builder, previous, fresh, built)
    for file in fresh:
        assert file.outcome
        builder.add_source(remembered(file.order.path, file.sha256, file.order.request, file.outcome.reports))
    return built


def _moved(previous: Snapshot | None, fresh: Sequence[ReadFile]) -> set[str]:
    """Sources whose file is gone and whose bytes are now read from another place: the same file, moved or renamed."""
    hashes = {file.sha256 for file in fresh}
    return {
        source.source_id
        for source in (previous.sources if previous else ())
        if source.sha256 in hashes and not Path(source.path).exists()
    }


def _last_lists(fresh: Sequence[ReadFile], built: Built) -> dict[str, tuple[ReadFile, PlantList]]:
    """The plant's own lists by kind; of two files with the same one the latter holds, which the former is told."""
    lists: dict[str, tuple[ReadFile, PlantList]] = {}
    for file in fresh:
        for one in file.lists():
            if one.kind in lists:
                built.warn(lists[one.kind][0], f"同じ種類の一覧が {file.order.path.name} にもあり、そちらを使います。")
            lists[one.kind] = (file, one)
    return lists


def _outdated(previous: Snapshot | None, lists: Mapping[str, object]) -> set[str]:
    """Sources that gave a list which another file now gives: a plant has one of each."""
    return {source.source_id for source in (previous.sources if previous else ()) if lists_of(source) & lists.keys()}


def _add_plant_lists(
    builder: SnapshotBuilder,
    previous: Snapshot | None,
    lists: Mapping[str, tuple[ReadFile, PlantList]],
    built: Built,
) -> None:
    for kind, (file, one) in lists.items():
        builder.add_plant_list(file.source_id, kind, one.content)
        before = previous.plant_list(kind) if previous else None
        if before is None:
            built.lists_changed[kind] = Difference(added=(kind,))
        elif before != one.content:
            built.lists_changed[kind] = Difference(changed=(kind,))
        if kind == Kind.ALIAS and before != one.content and previous:
            built.warn(file, "これから読む表に使います。すでに読んだ表には import --refresh で効きます。")


def _add_lists(builder: SnapshotBuilder, file: ReadFile, built: Built) -> None:
    assert file.outcome
    values, source = file.outcome.values_file, file.source_id
    builder.add_equipment(source, read_values(values, Equipment))
    builder.add_parts(source, read_values(values, Part))
    builder.add_open_orders(source, read_values(values, OpenOrder))
    builder.add_synonyms(source, ((one.word, *one.synonyms) for one in read_values(values, Synonym)))
    built.roster += read_values(values, RosterRow)


def _add_records(builder: SnapshotBuilder, previous: Snapshot | None, fresh: Sequence[ReadFile], built: Built) -> None:
    """Records last, when every machine is known; ones of unknown machines are kept and told."""
    machines = {machine.folded: machine for machine in (previous.all_equipment() if previous else ())}
    for file in fresh:
        assert file.outcome
        machines |= {machine.folded: machine for machine in read_values(file.outcome.values_file, Equipment)}
    for file in fresh:
        assert file.outcome
        ledger = Machines(machines.values())
        records = read_values(file.outcome.values_file, MaintenanceRecord)
        builder.add_records(file.source_id, ledger.settled(records, _name_columns(file.reports())))
        if ledger.unknown:
            named = "、".join(name or "（空欄）" for name, _ in ledger.unknown.most_common(_MOST_NAMED))
            built.warn(file, f"台帳にない設備の記録が{ledger.unknown.total()}件あります：{named}")


def _name_columns(reports: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Which columns give the machine's name and line in a source of records."""
    columns = {field: column for report in reports for column, field in report["mapping"].items()}
    return columns.get("equipment_name", ""), columns.get("line", "")


class _Manuals:
    """The manuals of one build: ids unique over all sources, old revisions told from what else there is."""

    def __init__(self, previous: Snapshot | None, replaced: set[str]) -> None:
        self._previous = previous
        placed = previous.placed_manuals if previous else ()
        self._owners = {one.manual.manual_id: one.source_id for one in placed}
        self._kept = {one.manual.manual_id: one.manual for one in placed if one.source_id not in replaced}
        self._new: dict[str, tuple[ReadFile, Manual]] = {}

    def take(self, file: ReadFile, built: Built) -> None:
        assert file.outcome
        for manual in read_values(file.outcome.values_file, Manual):
            manual_id = self._free_id(manual)
            if manual_id is None:
                built.warn(file, "同じ内容のマニュアルがすでにあります。こちらは取り込みません。")
                continue
            self._new[manual_id] = (file, replace(manual, manual_id=manual_id))
            built.originals.append(file)

    def add_all(self, builder: SnapshotBuilder) -> None:
        everything = [*self._kept.values(), *(manual for _, manual in self._new.values())]
        old = superseded(everything)
        for manual_id, (file, manual) in self._new.items():
            assert file.outcome
            sections = read_values(file.outcome.values_file, ManualSection)
            builder.add_manual(file.source_id, *marked_old(*renamed(manual, sections, manual_id), old[manual_id]))
        for manual_id, manual in self._kept.items():
            if old[manual_id] != manual.old_revision and self._previous:
                sections = iter(self._previous.sections(manual_id))
                builder.add_manual(self._owners[manual_id], *marked_old(manual, sections, old[manual_id]))

    def _free_id(self, manual: Manual) -> str | None:
        """The manual's id, with a number if another source has it; None if that other one is the same file."""
        others = {**self._kept, **{manual_id: other for manual_id, (_, other) in self._new.items()}}
        if any(other.file_sha256 == manual.file_sha256 for other in others.values()):
            return None
        number, manual_id = 1, manual.manual_id
        while manual_id in others:
            number += 1
            manual_id = f"{manual.manual_id}-{number}"
        return manual_id
