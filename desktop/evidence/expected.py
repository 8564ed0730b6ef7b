"""The phrases with facts that an answer may hold, made from the evidence and the ledger without looking at it."""

from __future__ import annotations

from collections.abc import Iterator

from desktop.domain.answer import Evidence, Resolution
from desktop.domain.history import Remedy, reliability
from desktop.domain.ledger import Equipment
from desktop.domain.text import code_matches
from desktop.evidence import fixed_words, phrases
from desktop.evidence.anatomy import Label, anatomy
from desktop.evidence.compose_history import forbidden_text, past_of, records_by_machine
from desktop.evidence.compose_moves import title_of
from desktop.evidence.context import ComposeContext
from desktop.evidence.intent import tried_words
from desktop.evidence.known_codes import codes_like, revision_with
from desktop.evidence.revisions import told_of_another
from desktop.evidence.subjects import Subject, absent_parts, name_of, subjects


def expected_phrases(resolution: Resolution, evidence: Evidence, context: ComposeContext) -> frozenset[str]:
    focus = resolution.focus
    found: set[str] = set(fixed_words.ALL)
    for machines in (focus.candidates, focus.suggestions):
        found |= {phrases.candidate_words(one, show=phrases.telling(machines)) for one in machines}
    found |= {phrases.quoted(name) for name in focus.unresolved}
    if focus.equipment:
        found |= set(_of_machine(focus.equipment, resolution, evidence, context))
        for subject in subjects(resolution, evidence):
            found |= {phrases.nothing_on(subject.title), phrases.quoted(subject.title), *_of_subject(subject, context)}
    for ban in context.rules.bans:
        found |= {f"{ban.refusal}（{ban.source}）", phrases.refusal_warning(ban)}
    return frozenset(filter(None, found))


def expected_titles(resolution: Resolution, evidence: Evidence, context: ComposeContext) -> frozenset[str]:
    """What blocks, and the request that may follow, can be called."""
    told = subjects(resolution, evidence)
    banned = [Subject(ban.name, None) for ban in context.rules.bans]
    titles = {one.title for one in (*told, *banned)}
    if machine := resolution.focus.equipment:
        titles |= {title_of(machine, told), *(title_of(machine, (one,)) for one in banned)}
    return frozenset(titles)


def footer_of(machine: Equipment | None, context: ComposeContext) -> str:
    """The line under every answer: how old its data is, which revisions, that no model wrote it."""
    snapshot = context.snapshot
    manuals = snapshot.manuals(machine.model) if machine and machine.model else ()
    current = [manual for manual in manuals if not manual.old_revision]
    return phrases.footer(snapshot.published.date(), current, snapshot.data_as_of, sample=context.sample)


def _of_machine(
    machine: Equipment, resolution: Resolution, evidence: Evidence, context: ComposeContext
) -> Iterator[str]:
    yield from (phrases.machine_words(machine), phrases.status_words(machine), phrases.no_manual(machine))
    yield from (phrases.nothing_of(machine), phrases.phones(machine), phrases.unsure_manual(machine))
    yield from map(phrases.withheld, evidence.sections())
    yield phrases.ledger_fact(machine, resolution.question)
    yield from map(phrases.open_words, phrases.all_told(context.open_requests, evidence.open_orders))
    yield from map(phrases.note_words, context.notes)
    yield from map(phrases.part_row, evidence.parts)
    yield from map(phrases.plain_record, evidence.records())
    yield told_of_another(resolution.question, context.snapshot.manuals(machine.model)) if machine.model else ""
    yield from map(phrases.whole_record, evidence.records())
    yield from (phrases.not_in_ledger(one.text) for one in resolution.absent)
    brief = context.rules.brief(machine)
    yield from (*brief, f"{brief[2]}（{brief[3]}）", *context.rules.lockout(machine))
    yield phrases.quoted(resolution.asked)
    yield from (phrases.trial_words(trial.step, trial.outcome) for trial in context.trials)
    yield from map(phrases.tried_words, tried_words(resolution.question))
    for section in evidence.sections():
        yield from (phrases.caution_words(section, item.text) for item in anatomy(section).of(Label.SAFETY))
    for part in absent_parts(resolution):
        yield from (phrases.no_such_part(part.text), phrases.near_codes(part.suggestions))
    for code in resolution.codes:
        yield from (phrases.no_such_code(machine, code.text), phrases.of_other_models(code))
        if revision := revision_with(code.key, machine, context.snapshot):
            yield phrases.only_in_old(machine, code.text, revision)
        if not any(code_matches(printed, code.key) for one in evidence.sections() for printed in one.codes):
            yield phrases.near_codes(codes_like(code.key, machine, context.snapshot))


def _matches(remedy: Remedy) -> tuple[str, ...]:
    return "", phrases.of_code(remedy.newest), fixed_words.BY_SYMPTOM, fixed_words.IN_THE_SYMPTOM


def _of_subject(subject: Subject, context: ComposeContext) -> Iterator[str]:
    past = past_of(subject.records, context)
    for remedy in past.remedies:
        yield from (phrases.best_words(remedy, context.today), phrases.move(remedy, context.today))
        yield from (phrases.remedy_row(remedy, context.today, matched=one) for one in _matches(remedy))
    yield phrases.reliability_words(reliability(subject.records))
    yield phrases.most_frequent(subject.records)
    yield forbidden_text(past)
    for equipment_id, records in records_by_machine(subject.twins).items():
        twin, best = context.snapshot.equipment(equipment_id), past_of(records, context).best
        if twin and best:
            yield phrases.twin_row(twin, best, context.today)
    yield from (phrases.on_other_model(one.models[0], name_of(one)) for one in subject.elsewhere if one.models)
