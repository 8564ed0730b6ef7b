"""What to do next: the best action not yet tried, and a repair request prefilled with what was."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.domain.answer import Answer, AnswerLine, RequestDraft
from desktop.domain.ledger import Equipment, EquipmentStatus
from desktop.domain.outcome import Outcome
from desktop.domain.text import fold
from desktop.domain.work_request import TITLE_LIMIT, Priority
from desktop.evidence import phrases
from desktop.evidence.compose_history import Past, failed_steps, untried
from desktop.evidence.fixed_words import (
    CLOSE_OUT,
    ENOUGH_TRIED,
    FOLLOW_STEPS,
    NOTHING_TO_DO,
    ONLY_REQUEST,
    REQUEST_MOVE,
)
from desktop.evidence.intent import tried_words
from desktop.evidence.making import Making
from desktop.evidence.subjects import Subject, name_of

FAILURES_ENOUGH = 3
_MOVES_SHOWN = 3
_ACTION = re.compile("「([^」]+)」（")
_STOPPED = re.compile("止マッ|止マリ|停止|動カナ|急|危険|漏レ")


def next_moves(pasts: Sequence[Past], steps: Sequence[AnswerLine], making: Making) -> tuple[AnswerLine, ...]:
    """Actions of this machine's history without those tried, then the manual's; after three failures the request."""
    context = making.context
    if any(trial.outcome is Outcome.FIXED for trial in context.trials):
        return (AnswerLine(CLOSE_OUT),)
    failed = failed_steps(context)
    if len(failed) >= FAILURES_ENOUGH:
        return (AnswerLine(ENOUGH_TRIED),)
    tried = (*failed, *tried_words(making.question))
    left = [remedy for past in pasts for remedy in untried(past.remedies, tried)][:_MOVES_SHOWN]
    moves = [
        AnswerLine(phrases.move(remedy, context.today), (making.citing.record(remedy.newest, remedy.action),))
        for remedy in left
    ]
    if steps and not moves:
        moves.append(AnswerLine(FOLLOW_STEPS))
    moves.append(AnswerLine(REQUEST_MOVE if moves else ONLY_REQUEST if tried else NOTHING_TO_DO))
    return tuple(moves)


def advised_in(answer: Answer) -> str:
    """The action that an answer put first, "" where it only pointed to the manual or the request."""
    first = answer.next_moves[0] if answer.next_moves else None
    action = _ACTION.match(first.text) if first and first.cites else None
    return action[1] if action else ""


def request_draft(told: Sequence[Subject], making: Making) -> RequestDraft | None:
    """What a request form starts with; None for a retired machine."""
    machine = making.machine
    if machine.status is EquipmentStatus.RETIRED:
        return None
    stopped = _STOPPED.search(fold(making.resolution.asked))
    priority = Priority.HIGH if stopped or len(failed_steps(making.context)) >= FAILURES_ENOUGH else Priority.MEDIUM
    return RequestDraft(machine.equipment_id, title_of(machine, told), _detail(making), priority)


def title_of(machine: Equipment, told: Sequence[Subject]) -> str:
    """The machine and its trouble, within what the shortest of the systems behind can hold."""
    what = "・".join(name_of(one.main) if one.code and one.main else one.title for one in told)
    return f"{machine.equipment_id} {machine.name} {what}"[:TITLE_LIMIT].strip()


def _detail(making: Making) -> str:
    tried = [phrases.trial_words(trial.step, trial.outcome) for trial in making.context.trials]
    tried += [phrases.tried_words(word) for word in tried_words(making.question)]
    sources = [phrases.source_words(citation) for citation in making.citing.citations]
    lines = (
        f"設備：{phrases.machine_words(making.machine)}",
        f"現象：{phrases.quoted(making.resolution.asked)}",
        f"試したこと：{'／'.join(tried) or 'なし'}",
        f"応急処置：{'上記のとおり' if tried else 'なし'}",
        f"根拠：{'／'.join(dict.fromkeys(sources)) or 'なし'}",
        *making.context.rules.brief(making.machine)[1:3],
    )
    return "\n".join(lines)
