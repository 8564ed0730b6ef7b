"""The manual's part of an answer: what it means, why, and what to do, in its own words and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from desktop.domain.answer import AnswerLine, AnswerWarning, WarningKind
from desktop.domain.ledger import ManualSection
from desktop.evidence import phrases, ranking
from desktop.evidence.anatomy import Item, Label, anatomy, table_cells
from desktop.evidence.citing import Citing
from desktop.evidence.making import Making
from desktop.evidence.quotes import stands_in
from desktop.evidence.ranking import Wanted
from desktop.evidence.subjects import Subject
from desktop.evidence.words import squeeze

_MOST_LINES = 6
_QUANTITY = re.compile(r"\d")


def meaning_of(section: ManualSection) -> str:
    """What the section says its code means, first sentence only; "" where it doesn't say."""
    said = anatomy(section).of(Label.MEANING)
    return re.split(r"(?<=。)", said[0].text)[0] if said else ""


def cause_lines(section: ManualSection, citing: Citing) -> tuple[AnswerLine, ...]:
    items = anatomy(section).of(Label.CAUSE)
    return _lines(section, items, citing)


def step_lines(subject: Subject, making: Making) -> tuple[tuple[AnswerLine, ...], tuple[AnswerWarning, ...]]:
    """The steps of the section that answers; for symptoms, its rows and sentences that speak of them.

    Steps that a safety rule forbids are withheld, with a warning.
    """
    lines: list[AnswerLine] = []
    warnings: list[AnswerWarning] = []
    for section, items in _chosen(subject, making.asked):
        allowed = tuple(item for item in items if making.context.rules.refusal(item.text) is None)
        lines += _lines(section, allowed, making.citing)
        if len(allowed) < len(items):
            warnings.append(AnswerWarning(WarningKind.SAFETY, phrases.withheld(section), section.ref))
    return tuple(lines), tuple(warnings)


def telling_lines(
    sections: Iterable[ManualSection], asked: Wanted, *, quantity: bool
) -> list[tuple[ManualSection, Item]]:
    """The statements that hold most of the asked words, best first; for a quantity, only those with a number."""
    scored = []
    for place, section in enumerate(sections):
        for order, (_, item) in enumerate(anatomy(section).items):
            share = _share(f"{section.heading} {item.text}" if table_cells(item.text) else item.text, asked)
            if share and not (quantity and not _QUANTITY.search(item.text)):
                scored.append(((-share, place, order), section, item))
    scored.sort(key=lambda one: one[0])
    best = scored[0][0][0] if scored else 0.0
    return [(section, item) for rank, section, item in scored if rank[0] <= best * 0.8][:_MOST_LINES]


def _chosen(subject: Subject, asked: Wanted) -> Sequence[tuple[ManualSection, tuple[Item, ...]]]:
    section = subject.main
    if section is None:
        return ()
    if subject.by_symptom:
        return _for_symptoms(subject, asked)
    steps = anatomy(section).steps
    return ((section, steps),) if steps else ()


def _for_symptoms(subject: Subject, asked: Wanted) -> Sequence[tuple[ManualSection, tuple[Item, ...]]]:
    """The steps of the best section; where it has none (or is a table of symptoms), what it says of the words."""
    chosen = []
    for section in subject.sections[:2]:
        rows = tuple(item for _, item in anatomy(section).items if table_cells(item.text) and _share(item.text, asked))
        steps = rows or anatomy(section).steps
        if not steps and section is subject.sections[0]:
            steps = tuple(item for _, item in anatomy(section).items if not table_cells(item.text))[:_MOST_LINES]
        if steps:
            chosen.append((section, steps))
            break
    return chosen


def _share(text: str, asked: Wanted) -> float:
    form = squeeze(text)
    held = sum(any(ranking.stem(one) in form for one in (word, *others)) for word, others in asked.words)
    return held / len(asked.words) if asked.words else 0.0


def _lines(section: ManualSection, items: Sequence[Item], citing: Citing) -> tuple[AnswerLine, ...]:
    """One citation for all where they stand together in the source, else one each."""
    whole = "\n".join(f"{item.label} {item.text}".strip() for item in items)
    together = bool(items) and stands_in(whole, section.body)
    return tuple(
        AnswerLine(item.text, (citing.section(section, whole if together else item.text),), item.label)
        for item in items
    )
