"""Every bundled question answered right with no model, every trap passed, and the check silent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.evidence.check_answer import check_answer
from desktop.services.evaluation_questions import Question, bundled
from desktop.services.evaluation_verdict import MissKind, misses, said_by_program
from desktop.store.snapshot import Snapshot
from tests.evidence.conftest import Ask, Asked

QUESTIONS = bundled()
IDS = [one.question_id for one in QUESTIONS]


def asked(ask: Ask, question: Question) -> Asked:
    return ask(question.text, role=question.role or "", preset=question.equipment_id or None)


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_a_bundled_question_is_answered_right(ask: Ask, plant: Snapshot, question: Question) -> None:
    got = asked(ask, question)
    assert misses(question.expect, said_by_program(got.answer, got.resolution.focus, plant)) == ()


@pytest.mark.parametrize(
    ("answered", "judged_as", "kinds"),
    [
        ("Q01", "Q03", {MissKind.MACHINE, MissKind.WORDS, MissKind.OWNER}),
        ("Q02", "Q10", {MissKind.MACHINE}),
        ("Q05", "Q01", {MissKind.WORDS, MissKind.SAFETY, MissKind.OWNER}),
        ("Q11", "Q01", {MissKind.MACHINE, MissKind.WORDS, MissKind.SOURCE, MissKind.OWNER}),
        ("Q44", "Q01", {MissKind.STATUS, MissKind.PROPOSAL}),
        ("Q37", "Q41", {MissKind.STATUS}),
    ],
)
def test_the_judge_finds_another_questions_answer_wrong(
    ask: Ask, plant: Snapshot, answered: str, judged_as: str, kinds: set[MissKind]
) -> None:
    by_id = dict(zip(IDS, QUESTIONS, strict=True))
    got = asked(ask, by_id[answered])
    found = misses(by_id[judged_as].expect, said_by_program(got.answer, got.resolution.focus, plant))
    assert kinds <= {miss.kind for miss in found}


def test_another_machines_record_needs_its_label(ask: Ask, plant: Snapshot) -> None:
    got = asked(ask, QUESTIONS[0])
    said = said_by_program(got.answer, got.resolution.focus, plant)
    wrong = replace(said, unlabelled=said.unlabelled | {"EQ-001"})
    assert [miss.kind for miss in misses(QUESTIONS[0].expect, wrong)] == [MissKind.OWNER]


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_the_check_never_fires_on_an_unchanged_answer(ask: Ask, question: Question) -> None:
    got = asked(ask, question)
    assert check_answer(got.answer, got.resolution, got.evidence, got.context) == ()
    assert all(citation.verified for citation in got.answer.citations)


def test_the_block_fires_where_work_is_meant_and_nowhere_else(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    marked = [one for one in QUESTIONS if one.expect.safety is not None]
    fired = {one.question_id: bool(asked(ask, one).answer.lockout) for one in marked}
    work = [one.question_id for one in marked if one.expect.safety]
    rest = [one.question_id for one in marked if not one.expect.safety]
    with capsys.disabled():
        rates = [f"{sum(fired[i] for i in ids)}/{len(ids)}" for ids in (work, rest)]
        print(f"\nlock-out: {rates[0]} on work, {rates[1]} elsewhere")
    assert all(fired[i] for i in work)
    assert not any(fired[i] for i in rest)
