"""What to do next: the best action not yet tried, and a repair request prefilled with what was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from desktop.domain.answer import Answer, AnswerLine, RequestDraft
from desktop.domain.history import Remedy
from desktop.domain.ledger import Equipment, EquipmentStatus
from desktop.domain.outcome import Outcome
from desktop.domain.text import fold
from desktop.domain.work_request import TITLE_LIMIT, Priority
from desktop.evidence import phrases
from desktop.evidence.compose_history import Past, failed_steps, untried
from desktop.evidence.fixed_words import (
    CALL_MAINTENANCE,
    CLOSE_OUT,
    ENOUGH_TRIED,
    FOLLOW_STEPS,
    NOTHING_TO_DO,
    ONLY_REQUEST,
    REQUEST_MOVE,
)
from desktop.evidence.intent import tried_words
from desktop.evidence.making import Making
from desktop.evidence.subjects import REQUEST, Subject, name_of

FAILURES_ENOUGH = 3
_MOVES_SHOWN = 3
_ACTION = re.compile("「([^」]+)」（")
_STOPPED = re.compile("止マッ|止マリ|停止|動カナ|急|危険|漏レ")


def next_moves(
    titles: Sequence[str], pasts: Sequence[Past], steps: Sequence[AnswerLine], making: Making
) -> tuple[AnswerLine, ...]:
    """Actions of this machine's history without those tried, then the manual's; after three failures the request."""
    context = making.context
    if any(trial.outcome is Outcome.FIXED for trial in context.trials):
        return (AnswerLine(CLOSE_OUT),)
    failed = failed_steps(context)
    if len(failed) >= FAILURES_ENOUGH and making.machine.status is not EquipmentStatus.RETIRED:
        return (AnswerLine(ENOUGH_TRIED),)
    tried = (*failed, *tried_words(making.question))
    left = [(titles[place], untried(past.remedies, tried)) for place, past in enumerate(pasts)]
    moves = [
        AnswerLine(
            phrases.move(remedy, context.today),
            (making.citing.record(remedy.newest, remedy.action),),
            title if len(pasts) > 1 else "",
        )
        for title, remedy in _in_turns(left)
    ]
    if steps and not moves:
        moves.append(AnswerLine(FOLLOW_STEPS))
    if making.machine.status is EquipmentStatus.RETIRED:
        return (*moves, AnswerLine(CALL_MAINTENANCE))
    return (*moves, AnswerLine(REQUEST_MOVE if moves else ONLY_REQUEST if tried else NOTHING_TO_DO))


def _in_turns(left: Sequence[tuple[str, Sequence[Remedy]]]) -> list[tuple[str, Remedy]]:
    """The best of every code before the second of any, at least one a code."""
    turns = zip_longest(*([(title, one) for one in remedies] for title, remedies in left))
    return [one for turn in turns for one in turn if one][: max(_MOVES_SHOWN, len(left))]


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
    troubles = [one for one in told if one.number is None] or told
    what = "・".join(name_of(one.main) if one.code and one.main else _trouble(one) for one in troubles)
    return f"{machine.equipment_id} {machine.name} {what}"[:TITLE_LIMIT].strip()


def _trouble(subject: Subject) -> str:
    """Words of a question that name no trouble (「どうすれば」 alone) are no title."""
    return subject.title if subject.named else REQUEST


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
