"""The manual's part of an answer: what it means, why, and what to do, in its own words and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from desktop.domain.answer import AnswerLine, AnswerWarning, WarningKind
from desktop.domain.ledger import ManualSection
from desktop.evidence import phrases, ranking
from desktop.evidence.anatomy import Item, Label, anatomy, is_row
from desktop.evidence.citing import Citing
from desktop.evidence.making import Making
from desktop.evidence.quotes import stands_in
from desktop.evidence.ranking import Wanted
from desktop.evidence.subjects import Subject
from desktop.evidence.words import squeeze

_MOST_LINES = 6
_PART = 0.3
_QUANTITY = re.compile(r"(?<![A-Za-z0-9.\-])\d|(?<![A-Za-z])(?:AC|DC|M)\d")  # RV-200 is no number


def meaning_of(section: ManualSection) -> str:
    """What the section says its code means, first sentence only; "" where it doesn't say."""
    said = anatomy(section).of(Label.MEANING)
    return re.split(r"(?<=。)", said[0].text)[0] if said else ""


def cause_lines(subject: Subject, making: Making) -> tuple[AnswerLine, ...]:
    """The causes; where a code's section says neither meaning, cause nor what to do in so many words, all it says."""
    section = subject.main
    if section is None:
        return ()
    items = anatomy(section).of(Label.CAUSE)
    if subject.code and not items and not anatomy(section).steps and not meaning_of(section):
        items = tuple(item for item in _statements(section) if making.context.rules.refusal(item.text) is None)
    return _lines(section, items, making.citing)


def step_lines(subject: Subject, making: Making) -> tuple[tuple[AnswerLine, ...], tuple[AnswerWarning, ...]]:
    """The steps of the section that answers; for symptoms, its rows and sentences that speak of them.

    Steps that a safety rule forbids are withheld, with a warning.
    """
    chosen = _chosen(subject, making.asked)
    if chosen is None:
        return (), ()
    section, items = chosen
    allowed = tuple(item for item in items if making.context.rules.refusal(item.text) is None)
    withheld = AnswerWarning(WarningKind.SAFETY, phrases.withheld(section), section.ref)
    return _lines(section, allowed, making.citing), (withheld,) if len(allowed) < len(items) else ()


def telling_lines(
    sections: Iterable[ManualSection], asked: Wanted, *, quantity: bool
) -> list[tuple[ManualSection, Item]]:
    """The statements that hold most of the asked words, best first; for a quantity, only those with a number."""
    scored = []
    for place, section in enumerate(sections):
        for order, (_, item) in enumerate(anatomy(section).items):
            share = _share(f"{section.heading} {item.text}" if is_row(item.text) else item.text, asked)
            if share and not (quantity and not _QUANTITY.search(item.text)):
                scored.append(((-share, not _begins(item.text, asked), place, order), section, item))
    scored.sort(key=lambda one: one[0])
    best = scored[0][0][0] if scored else 0.0
    return [(section, item) for rank, section, item in scored if rank[0] <= best * 0.8][:_MOST_LINES]


def _chosen(subject: Subject, asked: Wanted) -> tuple[ManualSection, tuple[Item, ...]] | None:
    """The section that answers, and what of it: its steps; for symptoms, rather the rows that speak of them."""
    if subject.by_symptom:
        return _for_symptoms(subject, asked)
    section = subject.main
    if section is None:
        return None
    if steps := anatomy(section).steps:
        return section, steps
    return next(((one, _statements(one)) for one in subject.sections if not one.codes), None)


def _for_symptoms(subject: Subject, asked: Wanted) -> tuple[ManualSection, tuple[Item, ...]] | None:
    """What the best sections say of the words: rows of a table, steps, sentences, in this order."""
    for section in subject.sections[:2]:
        items = tuple(item for _, item in anatomy(section).items)
        speaking = tuple(item for item in items if _share(item.text, asked))
        rows = tuple(item for item in speaking if is_row(item.text))
        if found := rows or anatomy(section).steps or speaking or _statements(section):
            return section, found[:_MOST_LINES] if not anatomy(section).steps else found
    return None


def _statements(section: ManualSection) -> tuple[Item, ...]:
    """What stands in a section without steps, from its beginning."""
    return tuple(item for _, item in anatomy(section).items)[:_MOST_LINES]


def _share(text: str, asked: Wanted) -> float:
    """How much of the asked words a statement holds, a long word also in part (電源 for 電源電圧)."""
    fields = ((squeeze(text), 1.0),)
    shares = (max(ranking.support(one, fields, least=_PART) for one in (word, *others)) for word, others in asked.words)
    return sum(shares) / len(asked.words) if asked.words else 0.0


def _begins(text: str, asked: Wanted) -> bool:
    """Whether a statement is about the word: 電源 三相 AC200V for 電源電圧."""
    return any(squeeze(text)[:2] == squeeze(word)[:2] for word, _ in asked.words)


def _lines(section: ManualSection, items: Sequence[Item], citing: Citing) -> tuple[AnswerLine, ...]:
    """One citation for all where they stand together in the source, else one each."""
    whole = "\n".join(f"{item.label} {item.text}".strip() for item in items)
    together = bool(items) and stands_in(whole, section.body)
    return tuple(
        AnswerLine(item.text, (citing.section(section, whole if together else item.text),), item.label)
        for item in items
    )
