"""Every bundled question answered right with no model, every trap passed, and the check silent."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.domain.answer import Answer, CitationKind
from desktop.domain.text import shape
from desktop.evidence.check_answer import check_answer
from desktop.evidence.compose_text import markdown
from tests.evidence.conftest import Ask, Asked, bundled_questions

QUESTIONS = bundled_questions()


def asked(ask: Ask, question: dict[str, Any]) -> Asked:
    return ask(question["question"], role=question.get("role", ""), preset=question.get("equipment"))


def text_of(answer: Answer) -> str:
    return "".join(markdown(answer).split())


@pytest.mark.parametrize("question", QUESTIONS, ids=[one["id"] for one in QUESTIONS])
def test_a_bundled_question_is_answered_right(ask: Ask, question: dict[str, Any]) -> None:
    got, expect = asked(ask, question), question["expect"]
    answer, focus = got.answer, got.resolution.focus
    text = text_of(answer)
    assert answer.status == expect["status"], text
    assert [focus.equipment.equipment_id] if focus.equipment else expect["equipment"] == []
    assert sorted(one.equipment_id for one in focus.candidates) == expect["candidates"]
    for wanted in expect["answer_contains"]:
        assert "".join(wanted.split()) in text, wanted
    for unwanted in expect["answer_must_not_contain"]:
        assert "".join(unwanted.split()) not in text, unwanted
    if expect["safety"] is not None:
        assert bool(answer.lockout) is expect["safety"]
        assert bool(answer.safety) is expect["safety"]
    assert_cites(answer, expect["cites"], got)
    assert_owner(answer, expect["records_of"])


def assert_cites(answer: Answer, wanted: list[dict[str, Any]], got: Asked) -> None:
    cited = {
        (section.models[0], section.heading_path, citation.revision, citation.page_label)
        for citation in answer.citations
        if citation.kind is CitationKind.MANUAL and (section := got.context.snapshot.section(citation.ref)) is not None
    }
    for one in wanted:
        assert any(
            model == one["model"]
            and any(shape(heading).startswith(f"{one['section']} ") for heading in headings)
            and (revision, label) == (one["revision"], one["page_label"])
            for model, headings, revision, label in cited
        ), (one, cited)


def assert_owner(answer: Answer, owner: str | None) -> None:
    """Another machine's record stands only in a line that says so."""
    others = {one.n for one in answer.citations if one.record_id and owner and one.equipment_id != owner}
    for line in answer.lines():
        if others & set(line.cites):
            assert "別設備" in line.text
    if owner:
        assert any(one.equipment_id == owner for one in answer.citations if one.record_id)


@pytest.mark.parametrize("question", QUESTIONS, ids=[one["id"] for one in QUESTIONS])
def test_the_check_never_fires_on_an_unchanged_answer(ask: Ask, question: dict[str, Any]) -> None:
    got = asked(ask, question)
    assert check_answer(got.answer, got.resolution, got.evidence, got.context) == ()
    assert all(citation.verified for citation in got.answer.citations)


def test_the_block_fires_where_work_is_meant_and_nowhere_else(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    marked = [one for one in QUESTIONS if one["expect"]["safety"] is not None]
    fired = {one["id"]: bool(asked(ask, one).answer.lockout) for one in marked}
    work = [one["id"] for one in marked if one["expect"]["safety"]]
    rest = [one["id"] for one in marked if not one["expect"]["safety"]]
    with capsys.disabled():
        rates = [f"{sum(fired[i] for i in ids)}/{len(ids)}" for ids in (work, rest)]
        print(f"\nlock-out: {rates[0]} on work, {rates[1]} elsewhere")
    assert all(fired[i] for i in work)
    assert not any(fired[i] for i in rest)
