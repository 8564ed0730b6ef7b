"""What stands behind a citation: the kept original at its page, or the words of section, record or ledger row."""

from __future__ import annotations

from desktop.domain.answer import Citation, CitationKind
from desktop.domain.ledger import Equipment, MaintenanceRecord
from desktop.services.station import Services
from desktop.workers.station import Source

_PDF = "application/pdf"


def source_of(citation: Citation, services: Services) -> Source:
    """The quotation alone, marked as such, where today's data has nothing behind the reference any more."""
    snapshot = services.plant().snapshot
    match citation.kind:
        case CitationKind.MANUAL:
            return _manual(citation, services)
        case CitationKind.RECORD:
            record = snapshot.record(citation.record_id or citation.ref.removeprefix("record:"))
            text = _record_words(record) if record else ""
        case CitationKind.LEDGER:
            machine = snapshot.equipment(citation.equipment_id or citation.ref.removeprefix("ledger:"))
            text = _machine_words(machine) if machine else ""
        case _:
            text = citation.quote
    return Source(citation.title, citation.quote, text=text, gone=not text)


def _manual(citation: Citation, services: Services) -> Source:
    snapshot = services.plant().snapshot
    section = snapshot.section(citation.ref)
    if section is None:
        return Source(citation.title, citation.quote, gone=True)
    manual = snapshot.manual(section.manual_id)
    kept = services.data.files / manual.file_sha256 if manual and manual.file_sha256 else None
    file = kept if kept and kept.exists() and manual and manual.media_type == _PDF else None
    text = "\n".join((" › ".join(section.heading_path), "", section.body))
    title = f"{manual.title}　{section.heading}" if manual else citation.title
    return Source(title, citation.quote, file, citation.page or section.page, citation.page_label, text)


def _record_words(record: MaintenanceRecord) -> str:
    minutes = f"{record.downtime_minutes}分" if record.downtime_minutes is not None else ""
    told = (
        ("記録番号", record.record_id),
        ("設備", record.equipment_id),
        ("日付", record.date.isoformat() if record.date else "日付なし"),
        ("コード", record.error_code),
        ("現象", record.symptom),
        ("原因", record.cause or "原因の記載なし"),
        ("処置", record.action),
        ("部品", record.parts),
        ("停止", minutes),
        ("担当", record.worker),
    )
    return "\n".join(f"{name}：{value}" for name, value in told if value)


def _machine_words(machine: Equipment) -> str:
    """The ledger's row as it was read."""
    return "\n".join(f"{column}：{cell}" for column, cell in machine.original.items() if cell)
