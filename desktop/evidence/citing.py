"""The numbered sources of one answer, in the order in which its lines call on them."""

from __future__ import annotations

from desktop.domain.answer import Citation, CitationKind
from desktop.domain.ledger import Equipment, MaintenanceRecord, ManualSection, Part
from desktop.domain.machine_note import MachineNote
from desktop.evidence.quotes import bare
from desktop.store.snapshot import Snapshot


class Citing:
    """Gives every (source, quotation) its number; the same one twice keeps its number."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._cited: dict[tuple[str, str], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        return tuple(self._cited.values())

    def section(self, section: ManualSection, quote: str) -> int:
        manual = self._snapshot.manual(section.manual_id)
        title = f"{manual.title if manual else section.manual_id} {section.heading}".strip()
        return self._number(
            Citation(
                self._next,
                CitationKind.MANUAL,
                section.ref,
                title,
                quote,
                page=section.page,
                page_label=section.page_label,
                revision=section.revision or None,
            )
        )

    def record(self, record: MaintenanceRecord, quote: str) -> int:
        day = record.date.isoformat() if record.date else "日付なし"
        return self._number(
            Citation(
                self._next,
                CitationKind.RECORD,
                record.ref,
                f"保全記録 {record.record_id} {day} {record.equipment_id}",
                quote,
                record_id=record.record_id,
                equipment_id=record.equipment_id,
            )
        )

    def part(self, part: Part) -> int:
        title = f"部品表 {part.part_number}"
        return self._number(
            Citation(self._next, CitationKind.LEDGER, part_ref(part), title, part.name or part.part_number)
        )

    def ledger(self, machine: Equipment, entry: str) -> int:
        """An entry of the machine's row, as `phrases.ledger_fact` words it."""
        title = f"設備台帳 {machine.equipment_id}"
        ref = ledger_ref(machine)
        cited = Citation(self._next, CitationKind.LEDGER, ref, title, entry, equipment_id=machine.equipment_id)
        return self._number(cited)

    def note(self, note: MachineNote) -> int:
        title = f"現場メモ {note.author}"
        return self._number(
            Citation(self._next, CitationKind.NOTE, note.ref, title, note.text, equipment_id=note.equipment_id)
        )

    @property
    def _next(self) -> int:
        return len(self._cited) + 1

    def _number(self, citation: Citation) -> int:
        return self._cited.setdefault((citation.ref, bare(citation.quote)), citation).n


def ledger_ref(machine: Equipment) -> str:
    return f"ledger:{machine.equipment_id}"


def part_ref(part: Part) -> str:
    return f"part:{part.part_number}"
