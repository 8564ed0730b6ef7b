"""What was done before: this machine's actions ranked by what stayed away, then its twins', labelled as others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from desktop.domain.answer import AnswerLine, AnswerWarning, WarningKind
from desktop.domain.history import Remedy, action_key
from desktop.domain.ledger import MaintenanceRecord
from desktop.domain.outcome import Outcome
from desktop.evidence import phrases
from desktop.evidence.context import ComposeContext
from desktop.evidence.fixed_words import BY_SYMPTOM, IN_THE_SYMPTOM
from desktop.evidence.intent import work_key
from desktop.evidence.making import Making
from desktop.evidence.subjects import Subject
from desktop.evidence.troubles import remedies_of, tells_in_words

_TWINS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Past:
    """A subject's history: what may be recommended, how many records a safety rule forbids to follow."""

    remedies: tuple[Remedy, ...]
    forbidden: int
    total: int

    @property
    def best(self) -> Remedy | None:
        return self.remedies[0] if self.remedies else None


def past_of(records: Iterable[MaintenanceRecord], context: ComposeContext) -> Past:
    """The actions of these records, each judged over every record of the same machine and trouble.

    Forbidden actions are left out of the ranking; their records still count as the trouble's return.
    """
    matched = tuple(records)
    ranked = remedies_of(matched, context.snapshot, context.today)
    allowed = tuple(one for one in ranked if context.rules.refusal(one.action) is None)
    forbidden = sum(context.rules.refusal(one.action) is not None for one in matched if one.action.strip())
    return Past(allowed, forbidden, len(matched) - forbidden)


def history_lines(subject: Subject, past: Past, making: Making) -> tuple[AnswerLine, ...]:
    return tuple(
        AnswerLine(
            phrases.remedy_row(remedy, making.context.today, matched=_matched(subject, remedy)),
            (making.citing.record(remedy.newest, remedy.action),),
        )
        for remedy in past.remedies
    )


def twin_lines(subject: Subject, past: Past, making: Making) -> tuple[AnswerLine, ...]:
    """Only where this machine's own history proves nothing."""
    if past.best and past.best.proven:
        return ()
    lines = []
    for equipment_id, records in records_by_machine(subject.twins).items():
        machine = making.context.snapshot.equipment(equipment_id)
        best = past_of(records, making.context).best
        if machine and best:
            text = phrases.twin_row(machine, best, making.context.today)
            lines.append(AnswerLine(text, (making.citing.record(best.newest, best.action),)))
    return tuple(lines[:_TWINS_SHOWN])


def records_by_machine(records: Iterable[MaintenanceRecord]) -> dict[str, list[MaintenanceRecord]]:
    by_machine: dict[str, list[MaintenanceRecord]] = defaultdict(list)
    for record in records:
        by_machine[record.equipment_id].append(record)
    return by_machine


def forbidden_text(past: Past) -> str:
    return f"安全規則が禁じる処置の記録が{past.forbidden}件あります。案内には使いません。" if past.forbidden else ""


def forbidden_warning(past: Past) -> tuple[AnswerWarning, ...]:
    return (AnswerWarning(WarningKind.SAFETY, text),) if (text := forbidden_text(past)) else ()


def untried(remedies: Iterable[Remedy], tried: Iterable[str]) -> tuple[Remedy, ...]:
    """Those that nobody says to have tried: neither as a step told of, nor in the words of the question."""
    told = tuple(tried)
    return tuple(
        one
        for one in remedies
        if not any(_same(key(one.action), key(text)) for key in (action_key, work_key) for text in told)
    )


def failed_steps(context: ComposeContext) -> tuple[str, ...]:
    return tuple(trial.step for trial in context.trials if trial.outcome is not Outcome.FIXED)


def _same(action: str, told: str) -> bool:
    return bool(told) and (action in told or told in action)


def _matched(subject: Subject, remedy: Remedy) -> str:
    """How records got here that the code in the log does not vouch for."""
    if not any(map(tells_in_words, remedy.records)):
        return phrases.of_code(remedy.newest) if subject.by_symptom else ""
    return BY_SYMPTOM if subject.by_symptom else IN_THE_SYMPTOM
