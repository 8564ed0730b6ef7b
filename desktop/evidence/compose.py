"""The answer made of quotations, with no model: machine, conclusion, safety, steps, history, parts, next move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from desktop.domain.answer import (
    Answer,
    AnswerLine,
    AnswerStatus,
    AnswerWarning,
    Band,
    Evidence,
    MentionKind,
    Resolution,
    WarningKind,
)
from desktop.domain.ledger import Equipment, EquipmentStatus
from desktop.evidence import check_answer, phrases, ranking
from desktop.evidence.citing import Citing
from desktop.evidence.compose_block import Told, bare_request, block_of
from desktop.evidence.compose_moves import next_moves, request_draft
from desktop.evidence.compose_nobody import undecided
from desktop.evidence.compose_safety import refused, request_safety, safety_lines
from desktop.evidence.context import ComposeContext
from desktop.evidence.expected import footer_of
from desktop.evidence.fixed_words import (
    ASK_ON,
    ASK_WHAT,
    CALL_MAINTENANCE,
    CLOSE_OUT,
    DRAFTED,
    FIXED,
    NEAR_ONLY,
    NOT_BY_WORDS,
    NOTHING_TO_DO,
)
from desktop.evidence.intent import Intent, asks_for_request, claims_approval, intent_of, says_fixed
from desktop.evidence.making import Making
from desktop.evidence.revisions import told_of_another
from desktop.evidence.subjects import only_a_request, subjects

__all__ = ("ComposeContext", "compose")


def compose(resolution: Resolution, evidence: Evidence, context: ComposeContext) -> Answer:
    """What is known about the question, in DESIGN's order; every citation that the check vouches for is `verified`."""
    ban = context.rules.refusal(resolution.question)
    machine = resolution.focus.equipment
    if ban is not None:
        making = making_of(machine, resolution, evidence, context) if machine else None
        answer = refused(ban, making, footer_of(machine, context))
    elif machine is None:
        answer = undecided(resolution, context, footer_of(None, context))
    elif resolution.about and says_fixed(resolution.question):
        answer = _closed_out(machine, making_of(machine, resolution, evidence, context))
    else:
        answer = _about(machine, resolution, evidence, context)
    return check_answer.verified(answer, resolution, evidence, context)


def _about(machine: Equipment, resolution: Resolution, evidence: Evidence, context: ComposeContext) -> Answer:
    making = making_of(machine, resolution, evidence, context)
    told = subjects(resolution, evidence)
    head = machine_lines(making)
    bare = only_a_request(resolution)
    blocks = [bare_request(one, making) if bare else _with_band(block_of(one, making), evidence.band) for one in told]
    answered = any(one.answered for one in blocks)
    moves: tuple[AnswerLine, ...] = ()
    only_numbers = all(one.number is not None for one in told)
    if not answered and not bare:
        moves = (AnswerLine(_where_nothing_fits(making)),)
    elif making.intent is Intent.MEND and not only_numbers and not bare:
        steps = [line for one in blocks for line in one.block.steps]
        moves = next_moves([one.title for one in told], [one.past for one in blocks], steps, making)
    safety, lockout = request_safety(making) if bare else safety_lines(told, blocks, moves, making)
    if only_numbers:
        safety, lockout = (), ()
    wants = asks_for_request(resolution.question) and machine.status is not EquipmentStatus.RETIRED
    return Answer(
        status=_status(wants=wants, answered=answered),
        equipment=machine,
        machine=head,
        summary=_summary(blocks, resolution.question, wants=wants),
        safety=safety,
        lockout=lockout,
        blocks=tuple(one.block for one in blocks),
        next_moves=moves,
        request_draft=request_draft(told, making),
        footer=footer_of(machine, context),
        data_as_of=context.snapshot.data_as_of,
        citations=making.citing.citations,
        warnings=_warnings(blocks, making),
        band=evidence.band,
        open_requests=phrases.under_way(context.open_requests, evidence.open_orders),
        notes=tuple(note for note in context.notes if note.counts_on(context.today)),
    )


def _warnings(blocks: Sequence[Told], making: Making) -> tuple[AnswerWarning, ...]:
    of_blocks = dict.fromkeys(warning for one in blocks for warning in one.warnings)
    return (*_unknown_numbers(making.resolution), *_other_revision(making), *of_blocks)


def _other_revision(making: Making) -> tuple[AnswerWarning, ...]:
    """A revision that the question names and that the manual shown is not."""
    model = making.machine.model
    text = told_of_another(making.question, making.context.snapshot.manuals(model)) if model else ""
    return (AnswerWarning(WarningKind.OLD_REVISION, text),) if text else ()


def _where_nothing_fits(making: Making) -> str:
    """Never a dead end: what to say next, or whom to turn to."""
    if not making.asked:
        return ASK_WHAT
    return CALL_MAINTENANCE if making.machine.status is EquipmentStatus.RETIRED else NOTHING_TO_DO


def _unknown_numbers(resolution: Resolution) -> tuple[AnswerWarning, ...]:
    """Numbers of records, orders and requests that nobody has, named beside a machine that is known."""
    kinds = (MentionKind.RECORD, MentionKind.REQUEST)
    names = dict.fromkeys(one.text for one in resolution.absent if one.kind in kinds)
    return tuple(AnswerWarning(WarningKind.UNKNOWN_NAME, phrases.not_in_ledger(name), name) for name in names)


def _closed_out(machine: Equipment, making: Making) -> Answer:
    """It works again: nothing more to repair, only to write down."""
    return Answer(
        AnswerStatus.ANSWERED,
        equipment=machine,
        machine=machine_lines(making),
        summary=FIXED,
        next_moves=(AnswerLine(CLOSE_OUT), AnswerLine(ASK_ON)),
        footer=footer_of(machine, making.context),
        data_as_of=making.context.snapshot.data_as_of,
        citations=making.citing.citations,
    )


def making_of(machine: Equipment, resolution: Resolution, evidence: Evidence, context: ComposeContext) -> Making:
    codes = {code.key: code.text for code in resolution.codes}
    asked = ranking.wanted(codes, resolution.symptoms, context.snapshot.synonyms())
    intent = intent_of(resolution.question, has_trouble=bool(resolution.codes or resolution.symptoms))
    return Making(machine, resolution, intent, asked, evidence, Citing(context.snapshot), context)


def machine_lines(making: Making) -> tuple[AnswerLine, ...]:
    """The machine, line first; then its state, what is under way, and what the paper doesn't know."""
    context = making.context
    lines = [AnswerLine(phrases.machine_words(making.machine))]
    if status := phrases.status_words(making.machine):
        lines.append(AnswerLine(status))
    lines += [
        AnswerLine(phrases.open_words(one))
        for one in phrases.under_way(context.open_requests, making.evidence.open_orders)
    ]
    lines += [
        AnswerLine(phrases.note_words(note), (making.citing.note(note),))
        for note in context.notes
        if note.counts_on(context.today)
    ]
    return tuple(lines)


def _with_band(told: Told, band: Band) -> Told:
    """An answer from weak evidence says so first."""
    if not told.answered or told.by_ledger or band is not Band.LOW:
        return told
    conclusion = replace(told.block.conclusion, text=f"{NEAR_ONLY}{told.block.conclusion.text}")
    return replace(told, block=replace(told.block, conclusion=conclusion))


def _status(*, wants: bool, answered: bool) -> AnswerStatus:
    if wants:
        return AnswerStatus.AWAITING_APPROVAL
    return AnswerStatus.ANSWERED if answered else AnswerStatus.NOT_FOUND


def _summary(blocks: Sequence[Told], question: str, *, wants: bool) -> str:
    """The one line that is read first."""
    if wants:
        return f"{DRAFTED}{NOT_BY_WORDS if claims_approval(question) else ''}"
    if len(blocks) == 1:
        return blocks[0].block.conclusion.text
    return " ／ ".join(one.heading for one in blocks)
