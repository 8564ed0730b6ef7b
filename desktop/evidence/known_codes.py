"""The error codes that one model's manuals print."""

from __future__ import annotations

from desktop.domain.ledger import Equipment
from desktop.domain.text import fold_code
from desktop.evidence.claims import keys_of
from desktop.evidence.papers import sections_of
from desktop.evidence.words import near
from desktop.store.snapshot import Snapshot

_CLOSE = 3


def revision_with(key: str, machine: Equipment, snapshot: Snapshot) -> str:
    """The old revision of this model's manual that alone has the name; "" where a current one has it or none has."""
    manuals = snapshot.manuals(machine.model) if machine.model else ()
    if not any(manual.old_revision for manual in manuals):
        return ""
    having = [
        manual
        for manual in manuals
        if any(key in keys_of(section.body).codes for section in sections_of(snapshot, manual.manual_id))
    ]
    return having[0].revision if having and all(manual.old_revision for manual in having) else ""


def codes_like(key: str, machine: Equipment, snapshot: Snapshot) -> tuple[str, ...]:
    """Codes of this model that differ from the key by a slip of the eye or the finger, as printed, nearest first."""
    if not machine.model:
        return ()
    sections = (one for manual in snapshot.manuals(machine.model) for one in sections_of(snapshot, manual.manual_id))
    known = {fold_code(code): code for section in sections for code in section.codes}
    return tuple(known[one] for one in near(key, known, _CLOSE))
