"""Which revision of a manual stands for one machine: the newer supersedes the older only where both apply to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from desktop.domain.ledger import Equipment, Manual
from desktop.domain.text import fold_code, shape
from desktop.evidence import phrases


class Standing(StrEnum):
    """CURRENT answers; OLD is cited only as 旧版; UNCERTAIN asks to check the machine; FOREIGN is for others."""

    CURRENT = "current"
    OLD = "old"
    UNCERTAIN = "uncertain"
    FOREIGN = "foreign"


_REVISION = re.compile(r"(?:改訂|改定|rev\.?)\s?(?:第)?([0-9]{1,3})(?![0-9])")
_PARTS = re.compile(r"\d+|[^\d]+")


def standings(manuals: Sequence[Manual], machine: Equipment) -> Mapping[str, Standing]:
    """The standing of each of one model's manuals, by manual id."""
    return {manual.manual_id: _standing(manual, manuals, machine) for manual in manuals}


def told_of_another(question: str, manuals: Sequence[Manual]) -> str:
    """That the question names a revision (改訂2の手順) other than the ones shown; "" where it does not."""
    shown = tuple(dict.fromkeys(one.revision for one in manuals if one.revision and not one.old_revision))
    asked = _REVISION.search(shape(question))
    if asked is None or not shown or asked[1] in map(shape, shown):
        return ""
    return phrases.other_revision(asked[1], shown)


def applies(manual: Manual, machine: Equipment) -> bool | None:
    """Whether the manual is for this machine; None where its own words don't tell."""
    to = manual.applies_to
    if any(fold_code(one) == machine.folded for one in to.equipment_ids):
        return True
    if to.serial_from or to.serial_to:
        return _in_range(machine.serial, to.serial_from, to.serial_to)
    if to.equipment_ids:
        return False
    model = fold_code(machine.model)
    if to.series:
        return True if any(model.startswith(fold_code(one)) for one in to.series) else None
    return None


def _standing(manual: Manual, manuals: Sequence[Manual], machine: Equipment) -> Standing:
    fits = applies(manual, machine)
    if fits is False:
        return Standing.FOREIGN
    if not manual.old_revision:
        return Standing.UNCERTAIN if fits is None and manual.applies_to.known else Standing.CURRENT
    newer = [_standing(one, manuals, machine) for one in manuals if not one.old_revision]
    if Standing.CURRENT in newer:
        return Standing.OLD
    return Standing.UNCERTAIN if Standing.UNCERTAIN in newer or not newer else Standing.CURRENT


def _in_range(serial: str, first: str, last: str) -> bool | None:
    if not any(char.isdigit() for char in serial):
        return None
    key = _natural(serial)
    return (not first or _natural(first) <= key) and (not last or key <= _natural(last))


def _natural(serial: str) -> tuple[tuple[int, str], ...]:
    """Numbers compared as numbers, so that F2-99 stands before F2-0100."""
    parts = _PARTS.findall(shape(serial).replace(" ", "").replace("-", ""))
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)
