"""What one import brings together: machines for records that name them loosely, revisions that replace others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from desktop.domain.ledger import AppliesTo, Equipment, MaintenanceRecord, Manual, ManualSection
from desktop.domain.text import fold, fold_code
from desktop.importing.front_matter import revision_key, series_key


class Machines:
    """The ledger as records refer to it: by id in any form, else by name (with the line, if several have it)."""

    def __init__(self, machines: Iterable[Equipment]) -> None:
        self._by_id: dict[str, str] = {}
        self._by_name: dict[tuple[str, str], set[str]] = {}
        for machine in machines:
            self._by_id[machine.folded] = machine.equipment_id
            for name in (machine.name, *machine.nicknames):
                for line in ("", fold(machine.line)):
                    self._by_name.setdefault((fold(name), line), set()).add(machine.equipment_id)
        self.unknown: Counter[str] = Counter()

    def settled(self, records: Iterable[MaintenanceRecord], names: tuple[str, str]) -> Iterator[MaintenanceRecord]:
        """Records under the ledger's own id; those of no known machine as written, and counted in `unknown`.

        `names` are the source's columns for the machine's name and line.
        """
        for record in records:
            known = self._by_id.get(fold_code(record.equipment_id)) if record.equipment_id else None
            known = known or self._named(record, names)
            if known is None:
                written = record.equipment_id or record.original.get(names[0], "")
                self.unknown[written] += 1
                known = written
            yield record if known == record.equipment_id else replace(record, equipment_id=known)

    def _named(self, record: MaintenanceRecord, names: tuple[str, str]) -> str | None:
        name = fold(record.original.get(names[0], "") or record.equipment_id)
        line = fold(record.original.get(names[1], ""))
        found = self._by_name.get((name, line), set()) if name else set()
        return next(iter(found)) if len(found) == 1 else None


def superseded(manuals: Sequence[Manual]) -> dict[str, bool]:
    """manual_id -> whether a newer revision of the same manual replaces it (or it said so of itself).

    A newer revision replaces an older one only where both have the same title, share a model and apply to the same
    machines; where that is unknown of one of them, both stay.
    """
    groups: dict[tuple[str, str], list[Manual]] = {}
    for manual in manuals:
        for model in manual.models:
            groups.setdefault((fold_code(model), series_key(manual.title)), []).append(manual)
    return {manual.manual_id: manual.old_revision or _replaced(manual, groups) for manual in manuals}


def marked_old(manual: Manual, sections: Iterable[ManualSection], old: bool) -> tuple[Manual, Iterator[ManualSection]]:
    """The manual and its sections with the flag."""
    return replace(manual, old_revision=old), (replace(section, old_revision=old) for section in sections)


def renamed(
    manual: Manual, sections: Iterable[ManualSection], manual_id: str
) -> tuple[Manual, Iterator[ManualSection]]:
    """The same manual under another id, refs included."""

    def moved() -> Iterator[ManualSection]:
        for section in sections:
            name = section.ref.partition("#")[2]
            yield replace(section, manual_id=manual_id, ref=f"manual:{manual_id}#{name}")

    return replace(manual, manual_id=manual_id), moved()


def _replaced(manual: Manual, groups: dict[tuple[str, str], list[Manual]]) -> bool:
    key = revision_key(manual.revision)
    return any(
        revision_key(other.revision) > key and _covers(other.applies_to, manual.applies_to)
        for model in manual.models
        for other in groups[fold_code(model), series_key(manual.title)]
        if key and other.manual_id != manual.manual_id
    )


def _covers(newer: AppliesTo, older: AppliesTo) -> bool:
    """Both unknown, or both the same, or the newer for the whole model."""
    if newer == older or (newer.known and newer.series and not newer.equipment_ids):
        return True
    return not newer.known and not older.known
