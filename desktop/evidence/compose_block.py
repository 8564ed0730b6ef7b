"""One code or symptom of an answer: conclusion, causes, steps, history, twins, parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from desktop.domain.answer import AnswerBlock, AnswerLine, AnswerWarning, Band, Evidence, WarningKind
from desktop.domain.history import reliability
from desktop.domain.ledger import MaintenanceRecord, Part
from desktop.domain.text import fold_code
from desktop.evidence import phrases
from desktop.evidence.citing import Citing
from desktop.evidence.compose_history import Past, forbidden_warning, history_lines, past_of, twin_lines
from desktop.evidence.compose_steps import cause_lines, meaning_of, step_lines, telling_lines
from desktop.evidence.compose_unknown import unknown_lines
from desktop.evidence.fixed_words import FORBIDDEN_RECORD, NO_PART
from desktop.evidence.intent import Intent, asks_for_part
from desktop.evidence.making import Making
from desktop.evidence.revisions import Standing, standings
from desktop.evidence.subjects import Subject, absent_parts, name_of
from desktop.evidence.words import squeeze

_FACTS = (Intent.FACT, Intent.PARTS)
_COLUMN_WORDS = frozenset(("部品", "在庫", "棚", "品番", "数量", "予備品", "何個", "部品番号"))
_RECORDS_TOLD = 10
_EXPLAINED = (Intent.MEND, Intent.MEANING)


@dataclass(frozen=True, slots=True)
class Told:
    """A block with what the rest of the answer needs of it: `heading` in few words, whether it answers.

    `by_ledger`: its conclusion is the ledger's own entry, so it stands however weak the rest of the evidence is.
    """

    block: AnswerBlock
    heading: str
    answered: bool
    past: Past
    warnings: tuple[AnswerWarning, ...] = ()
    by_ledger: bool = False


def block_of(subject: Subject, making: Making) -> Told:
    """Everything this machine's papers say of one subject; what they don't have is said, never filled in."""
    if subject.number is not None:
        return _by_number(subject, making)
    if making.intent in _FACTS and subject.by_symptom:
        return _facts(subject, making)
    if not subject.known:
        return _unknown(subject, making)
    if making.intent is Intent.HISTORY and subject.code is None and not making.asked:
        return _whole_history(subject, making)
    past = past_of(subject.records, making.context)
    conclusion = _conclusion(subject, past, making)
    causes = cause_lines(subject, making) if making.intent in _EXPLAINED else ()
    steps, warnings = step_lines(subject, making) if making.intent is Intent.MEND else ((), ())
    warnings = (*warnings, *forbidden_warning(past), *_revision_warning(subject, making))
    if making.intent is Intent.MEANING:
        block = AnswerBlock(subject.title, conclusion, causes=causes)
        return Told(block, _heading(subject), answered=True, past=past, warnings=warnings)
    history = history_lines(subject, past, making)
    if making.intent is Intent.HISTORY:
        history = _records_told(subject, making)
    twins = twin_lines(subject, past, making)
    parts = _part_lines(_parts_named(subject, past, making.evidence), making.citing)
    if not parts and asks_for_part(making.question):
        parts = (AnswerLine(NO_PART),)
    block = AnswerBlock(subject.title, conclusion, steps, history, past.total, twins, parts, causes)
    return Told(block, _heading(subject), answered=True, past=past, warnings=warnings)


def bare_request(subject: Subject, making: Making) -> Told:
    """A request and nothing else: no paper was asked, so none is quoted; a machine that can't have one says so."""
    block = AnswerBlock(subject.title, AnswerLine(phrases.no_request(making.machine)))
    return Told(block, phrases.quoted(subject.title), answered=False, past=past_of((), making.context))


def _conclusion(subject: Subject, past: Past, making: Making) -> AnswerLine:
    """What it is called, what it means, and what this machine's history says: as short as it can be."""
    words, cites = _named(subject, making)
    if making.intent is Intent.HISTORY:
        words.append(phrases.reliability_words(reliability(subject.records)))
    if past.best and making.intent is not Intent.MEANING:
        words.append(phrases.best_words(past.best, making.context.today))
        cites.append(making.citing.record(past.best.newest, past.best.action))
    return AnswerLine(" ".join(words), tuple(dict.fromkeys(cites)))


def _named(subject: Subject, making: Making) -> tuple[list[str], list[int]]:
    machine, section = making.machine, subject.main
    if section is not None:
        name, meaning = name_of(section), meaning_of(section) if subject.code else ""
        told = bool(meaning) and squeeze(meaning) not in squeeze(name)
        words = [f"{phrases.quoted(name)}：{phrases.quoted(meaning)}" if told else phrases.quoted(name)]
        return words, [making.citing.section(section, meaning if told else name)]
    if not machine.model or not making.context.snapshot.manuals(machine.model):
        return [phrases.no_manual(machine)], []
    return [phrases.no_such_code(machine, subject.code.text)] if subject.code else [], []


def _by_number(subject: Subject, making: Making) -> Told:
    """The record, order or request itself, all that stands in it."""
    past = past_of((), making.context)
    none = AnswerLine(phrases.nothing_of(making.machine))
    for record in subject.records:
        if making.context.rules.refusal(record.action) is not None:
            line = AnswerLine(FORBIDDEN_RECORD, (making.citing.record(record, record.symptom.strip()),))
        else:
            quote = record.action.strip() or record.symptom.strip()
            line = AnswerLine(phrases.whole_record(record), (making.citing.record(record, quote),))
        return Told(AnswerBlock(subject.title, line), phrases.quoted(subject.title), answered=True, past=past)
    known = phrases.all_told(making.context.open_requests, making.evidence.open_orders)
    key = subject.number.key if subject.number else ""
    told = next((AnswerLine(phrases.open_words(one)) for one in known if fold_code(one.number) == key), None)
    block = AnswerBlock(subject.title, told or none)
    return Told(block, phrases.quoted(subject.title), answered=told is not None, past=past)


def _whole_history(subject: Subject, making: Making) -> Told:
    """All that was done to the machine: how often, which codes most, and the records themselves, newest first."""
    lines = _records_told(subject, making)
    total = len(_allowed(subject, making))
    told = f"{phrases.reliability_words(reliability(subject.records))}{phrases.most_frequent(subject.records)}"
    block = AnswerBlock(subject.title, AnswerLine(told), history=lines, history_total=total)
    warnings = forbidden_warning(past_of(subject.records, making.context))
    none = past_of((), making.context)
    return Told(block, phrases.quoted(subject.title), answered=True, past=none, warnings=warnings)


def _allowed(subject: Subject, making: Making) -> list[MaintenanceRecord]:
    return [one for one in subject.records if making.context.rules.refusal(one.action) is None]


def _records_told(subject: Subject, making: Making) -> tuple[AnswerLine, ...]:
    """The records themselves, newest first: when, what, who."""
    newest = sorted(_allowed(subject, making), key=lambda one: (one.date or date.min, one.record_id), reverse=True)
    return tuple(
        AnswerLine(phrases.plain_record(one), (making.citing.record(one, one.action.strip() or one.symptom.strip()),))
        for one in newest[:_RECORDS_TOLD]
    )


def _facts(subject: Subject, making: Making) -> Told:
    """A question for a value, a place or a part: the statements that hold its words, and nothing to do."""
    asked = making.asked
    if making.intent is Intent.PARTS:
        asked = replace(asked, words=[one for one in asked.words if one[0] not in _COLUMN_WORDS])
    found = telling_lines(subject.sections, asked, quantity=True) if making.intent is Intent.FACT else []
    found = found or telling_lines(subject.sections, asked, quantity=False)
    ledger = phrases.ledger_fact(making.machine, making.question)
    entry = [AnswerLine(ledger, (making.citing.ledger(making.machine, ledger),))] if ledger else []
    if ledger and making.evidence.band is Band.LOW:
        found = []
    telling = [AnswerLine(item.text, (making.citing.section(section, item.text),)) for section, item in found]
    parts = _part_lines(making.evidence.parts, making.citing) if making.intent is Intent.PARTS else ()
    lines = [*entry, *parts[:1], *telling]
    past = past_of((), making.context)
    if absent := absent_parts(making.resolution):
        words = "".join(phrases.no_such_part(one.text) + phrases.near_codes(one.suggestions) for one in absent)
        return Told(
            AnswerBlock(subject.title, AnswerLine(words)), phrases.quoted(subject.title), answered=False, past=past
        )
    if not lines:
        told = f"{phrases.nothing_of(making.machine)}連絡先：{phrases.phones(making.machine)}。"
        block = AnswerBlock(subject.title, AnswerLine(told))
        return Told(block, phrases.quoted(subject.title), answered=False, past=past)
    first, *rest = lines
    block = AnswerBlock(
        subject.title, first, parts=parts[1:] if parts and first is parts[0] else parts, causes=tuple(rest)
    )
    return Told(block, phrases.quoted(subject.title), answered=True, past=past, by_ledger=bool(ledger))


def _unknown(subject: Subject, making: Making) -> Told:
    conclusion, history, elsewhere = unknown_lines(subject, making)
    block = AnswerBlock(subject.title, conclusion, history=history, history_total=len(history), same_model=elsewhere)
    return Told(block, phrases.nothing_on(subject.title), answered=False, past=past_of((), making.context))


def _parts_named(subject: Subject, past: Past, evidence: Evidence) -> tuple[Part, ...]:
    """Parts that the section or the actions of this subject name by number."""
    papers = [subject.main.body] if subject.main else []
    papers += [record.parts for remedy in past.remedies for record in remedy.records]
    text = squeeze(" ".join(papers))
    return tuple(part for part in evidence.parts if squeeze(part.part_number) in text)


def _part_lines(parts: tuple[Part, ...], citing: Citing) -> tuple[AnswerLine, ...]:
    return tuple(AnswerLine(phrases.part_row(part), (citing.part(part),)) for part in parts)


def _revision_warning(subject: Subject, making: Making) -> tuple[AnswerWarning, ...]:
    section, machine = subject.main, making.machine
    if section is None:
        return ()
    standing = standings(making.context.snapshot.manuals(machine.model), machine).get(section.manual_id)
    if standing is not Standing.UNCERTAIN:
        return ()
    return (AnswerWarning(WarningKind.OLD_REVISION, phrases.unsure_manual(machine), section.ref),)


def _heading(subject: Subject) -> str:
    return phrases.quoted(name_of(subject.main) if subject.code and subject.main else subject.title)
