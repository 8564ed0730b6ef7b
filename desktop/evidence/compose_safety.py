"""The safety lines and step 0 of an answer, and the answer to a wish that is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.domain.answer import (
    Answer,
    AnswerBlock,
    AnswerLine,
    AnswerStatus,
    AnswerWarning,
    WarningKind,
)
from desktop.domain.ledger import ManualSection
from desktop.domain.safety import Ban
from desktop.domain.text import fold
from desktop.evidence import phrases
from desktop.evidence.anatomy import Label, anatomy
from desktop.evidence.compose_block import Told
from desktop.evidence.compose_moves import request_draft
from desktop.evidence.fixed_words import CHOOSE_FIRST, INSTEAD
from desktop.evidence.intent import Intent
from desktop.evidence.making import Making
from desktop.evidence.subjects import Subject

Texts = tuple[str, ...]

_OPERATING = re.compile(
    "(?:起動|始動|立チ?上ゲ|運転開始|停止|運転|電源投入)(?:ト(?:停止|起動))?(?:ノ|スル)?(?:手順|方法|ヤリ方|仕方|順番|順序)"
    "|(?:start|starting|start-?up|shut-?down|stop)(?: |-)?(?:up )?(?:procedure|steps|sequence)"
    "|how (?:do|can|to) (?:i |we |you )?(?:start|stop) "
)
# What operating has in it of the words of work without hands on the machine.
_BY_ITSELF = re.compile(
    "cip洗浄|自動洗浄|(?:カバ|扉|ドア|蓋|フタ)(?:ガ|ヲ|ハ|ノ)?(?:全テ|スベテ)?(?:閉|シメ|シマ|付イ)"
)


def safety_lines(
    told: Sequence[Subject], blocks: Sequence[Told], moves: Sequence[AnswerLine], making: Making
) -> tuple[Texts, Texts]:
    """(at most four lines, step 0 in full): where the question or anything shown to do implies work; else nothing."""
    if making.intent is not Intent.MEND or not any(one.answered for one in blocks):
        return (), ()
    if not _means_work(blocks, moves, making):
        return (), ()
    return brief_with_caution(told, making), making.context.rules.lockout(making.machine)


def _means_work(blocks: Sequence[Told], moves: Sequence[AnswerLine], making: Making) -> bool:
    """Whether hands are put on the machine; starting and stopping it by its controls alone is none."""
    shown = [line.text for one in blocks for line in (one.block.conclusion, *one.block.steps, *one.block.history)]
    shown += [line.text for one in blocks if not one.block.steps for line in one.block.causes]
    shown += [line.text for line in moves]
    said = fold("\n".join((making.question, *shown)))
    if _OPERATING.search(fold(making.question)) and not making.resolution.codes:
        said = _BY_ITSELF.sub(" ", said)
    return making.context.rules.implies_work(said)


def request_safety(making: Making) -> tuple[Texts, Texts]:
    """The same for a bare request: where the work it asks for is named."""
    rules = making.context.rules
    if not rules.implies_work(making.question):
        return (), ()
    return rules.brief(making.machine), rules.lockout(making.machine)


def brief_with_caution(told: Sequence[Subject], making: Making) -> Texts:
    """The rules' lines, the last one giving way to the manual's own caution where it has one."""
    energies, isolation, order, rules = making.context.rules.brief(making.machine)
    cautions = [phrases.caution_words(section, text) for section, text in filter(None, map(caution_of, told))]
    if not cautions:
        return energies, isolation, order, rules
    return energies, isolation, f"{order}（{rules}）", " ".join(dict.fromkeys(cautions))


def caution_of(subject: Subject) -> tuple[ManualSection, str] | None:
    """The main section's own safety note."""
    section = subject.main
    notes = anatomy(section).of(Label.SAFETY) if section else ()
    return (section, notes[0].text) if section and notes else None


def refused(ban: Ban, making: Making | None, footer: str) -> Answer:
    """What is never given: said plainly, with the manual's own prohibition, and the request instead."""
    warning = AnswerWarning(WarningKind.SAFETY, phrases.refusal_warning(ban), ban.name)
    summary = f"{ban.refusal}（{ban.source}）。{INSTEAD if making else CHOOSE_FIRST}"
    if making is None:
        return Answer(AnswerStatus.REFUSED, summary=summary, footer=footer, warnings=(warning,))
    prohibition = _prohibition(ban, making)
    return Answer(
        AnswerStatus.REFUSED,
        equipment=making.machine,
        machine=(AnswerLine(phrases.machine_words(making.machine)),),
        summary=summary,
        safety=making.context.rules.brief(making.machine),
        blocks=(AnswerBlock(ban.name, prohibition),) if prohibition else (),
        request_draft=request_draft((Subject(ban.name, None),), making),
        footer=footer,
        citations=making.citing.citations,
        warnings=(warning,),
        band=making.evidence.band,
    )


def _prohibition(ban: Ban, making: Making) -> AnswerLine | None:
    """What this machine's manual itself says against it."""
    rules = making.context.rules
    for section in making.evidence.sections():
        for _, item in anatomy(section).items:
            if rules.prohibits(ban, item.text):
                cite = making.citing.section(section, item.text)
                return AnswerLine(f"マニュアルの注意：{phrases.quoted(item.text)}", (cite,))
    return None
