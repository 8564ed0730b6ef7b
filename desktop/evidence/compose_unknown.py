"""Where nothing fits: what is missing, what exists instead, whom to call; no invented remedy, no dead end."""

from __future__ import annotations

from desktop.domain.answer import AnswerLine
from desktop.evidence import phrases
from desktop.evidence.fixed_words import NO_EVIDENCE
from desktop.evidence.known_codes import codes_like, revision_with
from desktop.evidence.making import Making
from desktop.evidence.subjects import Subject, name_of

_LAST_RECORDS = 5

Lines = tuple[AnswerLine, ...]


def unknown_lines(subject: Subject, making: Making) -> tuple[AnswerLine, Lines, Lines]:
    """(conclusion, this machine's last records, other models that have the code), as far as the person may see them."""
    machine, context = making.machine, making.context
    said = _what_is_missing(subject, making)
    if not context.knows_maintenance:
        return AnswerLine(f"{said}{NO_EVIDENCE}連絡先：{phrases.phones(machine)}。"), (), ()
    conclusion = AnswerLine(f"{said}連絡先：{phrases.phones(machine)}。")
    return conclusion, _last_records(making), _elsewhere(subject, making)


def _what_is_missing(subject: Subject, making: Making) -> str:
    if subject.code is None:
        return phrases.nothing_of(making.machine)
    if revision := revision_with(subject.code.key, making.machine, making.context.snapshot):
        return phrases.only_in_old(making.machine, subject.code.text, revision)
    missing = phrases.no_such_code(making.machine, subject.code.text)
    if subject.code.owners:
        return f"{missing}{phrases.of_other_models(subject.code)}"
    return f"{missing}{phrases.near_codes(codes_like(subject.code.key, making.machine, making.context.snapshot))}"


def _last_records(making: Making) -> Lines:
    allowed = [one for one in making.evidence.records() if making.context.rules.refusal(one.action) is None]
    return tuple(
        AnswerLine(phrases.plain_record(one), (making.citing.record(one, one.action or one.symptom),))
        for one in allowed[:_LAST_RECORDS]
    )


def _elsewhere(subject: Subject, making: Making) -> Lines:
    return tuple(
        AnswerLine(
            phrases.on_other_model(section.models[0], name_of(section)),
            (making.citing.section(section, name_of(section)),),
        )
        for section in subject.elsewhere
        if section.models
    )
