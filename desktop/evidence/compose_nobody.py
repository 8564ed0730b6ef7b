"""The answer where no single machine is meant: a choice with the least that tells them apart, or none at all."""

from __future__ import annotations

from desktop.domain.answer import Answer, AnswerLine, AnswerStatus, Focus, Resolution
from desktop.evidence import phrases
from desktop.evidence.context import ComposeContext
from desktop.evidence.fixed_words import LAST_TIME, NO_EVIDENCE, NO_MACHINE, WHICH

PERHAPS = "もしかして"
_SHOWN = 12


def undecided(resolution: Resolution, context: ComposeContext, footer: str) -> Answer:
    """Several machines: a choice. None: what the ledger doesn't have, and suggestions labelled as such."""
    focus = resolution.focus
    if focus.candidates:
        return _choice(focus, footer, context)
    return Answer(
        AnswerStatus.NOT_FOUND,
        machine=tuple(
            AnswerLine(phrases.candidate_words(one, show=phrases.telling(focus.suggestions)), label=PERHAPS)
            for one in focus.suggestions
        ),
        summary=_missing(resolution),
        footer=footer,
        data_as_of=context.snapshot.data_as_of,
    )


def _choice(focus: Focus, footer: str, context: ComposeContext) -> Answer:
    shown = focus.candidates[:_SHOWN]
    fields = phrases.telling(shown)
    rest = len(focus.candidates) - len(shown)
    more = phrases.more_machines(rest) if rest else ""
    return Answer(
        AnswerStatus.NEEDS_CHOICE,
        machine=tuple(AnswerLine(phrases.candidate_words(one, show=fields), label="・") for one in shown),
        summary=f"{LAST_TIME if focus.carried_over and len(focus.candidates) == 1 else WHICH}{more}",
        footer=footer,
        data_as_of=context.snapshot.data_as_of,
    )


def _missing(resolution: Resolution) -> str:
    if resolution.focus.unresolved:
        names = "、".join(phrases.quoted(name) for name in resolution.focus.unresolved)
        return f"{names}は台帳にありません。{NO_EVIDENCE}"
    return NO_MACHINE
