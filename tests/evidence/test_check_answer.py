"""A composed answer with one id, page, digit or quotation changed never passes; unchanged it always does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.answer import Answer, AnswerBlock, AnswerLine, Citation
from desktop.evidence.check_answer import AnswerCheck, check_answer
from tests.evidence.conftest import Ask, Asked

QUESTIONS = (
    ("ライン3の充填機でE-12が出た", "", None),
    ("EQ-001でE-12。前回はどうやって直した？", "", None),
    ("EQ-003でE-99が出た", "保全", None),
    ("ライン3の充填機でAL-205", "保全", None),
    ("ライン2の検査機で803が出た", "", None),
    ("ライン3のコンベヤから異音", "", None),
    ("EQ-003のOリングの部品番号と在庫は？", "", None),
    ("ライン3の充填機、安全カバーのインターロックを短絡して動かしたい", "", None),
    ("充填機でE-12", "", None),
    ("E-12の意味は？", "", "EQ-003"),
    ("EQ-003でE-05が何度も出る。前はどうした？", "", None),
    ("ライン3の充填機の清掃の依頼を出して", "", None),
)


def other_digits(text: str) -> Iterator[str]:
    for place, char in enumerate(text):
        if char.isdigit() and char.isascii():
            yield f"{text[:place]}{(int(char) + 1) % 10}{text[place + 1 :]}"


def changed_words(quote: str) -> Iterator[str]:
    """A paraphrase: one character of the quotation is another."""
    for place in {0, len(quote) // 2, len(quote) - 1} if quote else ():
        yield f"{quote[:place]}鬱{quote[place + 1 :]}"


def changed_lines(line: AnswerLine) -> Iterator[AnswerLine]:
    yield from (replace(line, text=text) for text in other_digits(line.text))
    yield from (replace(line, label=label) for label in other_digits(line.label))
    start, end = line.text.find("「"), line.text.find("」")
    if 0 <= start < end:
        for quote in changed_words(line.text[start + 1 : end]):
            yield replace(line, text=f"{line.text[: start + 1]}{quote}{line.text[end:]}")
    yield from (replace(line, cites=(n + 90,)) for n in line.cites)


def changed_citations(one: Citation) -> Iterator[Citation]:
    yield replace(one, page=(one.page or 0) + 1)
    yield replace(one, page_label="9-9")
    yield replace(one, revision="9")
    yield from (replace(one, ref=ref) for ref in other_digits(one.ref))
    yield from (replace(one, quote=quote) for quote in (*other_digits(one.quote), *changed_words(one.quote)))
    yield from (replace(one, title=title) for title in other_digits(one.title))
    yield from (replace(one, record_id=text) for text in other_digits(one.record_id or ""))
    yield from (replace(one, equipment_id=text) for text in other_digits(one.equipment_id or ""))


def changed_blocks(block: AnswerBlock) -> Iterator[AnswerBlock]:
    yield from (replace(block, subject=text) for text in other_digits(block.subject))
    yield from (replace(block, conclusion=line) for line in changed_lines(block.conclusion))
    for name in ("causes", "steps", "history", "same_model", "parts"):
        lines = getattr(block, name)
        for place, line in enumerate(lines):
            for other in changed_lines(line):
                yield replace(block, **{name: (*lines[:place], other, *lines[place + 1 :])})


def mutants(answer: Answer) -> Iterator[Answer]:
    def each(name: str, values: tuple[Any, ...], change: Any) -> Iterator[Answer]:
        for place, value in enumerate(values):
            for other in change(value):
                yield replace(answer, **{name: (*values[:place], other, *values[place + 1 :])})

    yield from each("citations", answer.citations, changed_citations)
    yield from each("blocks", answer.blocks, changed_blocks)
    yield from each("machine", answer.machine, changed_lines)
    yield from each("next_moves", answer.next_moves, changed_lines)
    yield from each("safety", answer.safety, other_digits)
    yield from each("lockout", answer.lockout, other_digits)
    yield from each(
        "warnings", answer.warnings, lambda one: (replace(one, text=text) for text in other_digits(one.text))
    )
    yield from (replace(answer, summary=text) for text in other_digits(answer.summary))
    yield from (replace(answer, footer=text) for text in other_digits(answer.footer))
    if draft := answer.request_draft:
        yield from (replace(answer, request_draft=replace(draft, detail=text)) for text in other_digits(draft.detail))
        yield from (replace(answer, request_draft=replace(draft, title=text)) for text in other_digits(draft.title))
        yield from (
            replace(answer, request_draft=replace(draft, equipment_id=text))
            for text in other_digits(draft.equipment_id)
        )


def passes(got: Asked, answer: Answer) -> bool:
    return not check_answer(answer, got.resolution, got.evidence, got.context)


@pytest.mark.parametrize(("question", "role", "preset"), QUESTIONS)
def test_every_changed_id_page_digit_and_quotation_fires(
    ask: Ask, question: str, role: str, preset: str | None
) -> None:
    got = ask(question, role=role, preset=preset)
    assert passes(got, got.answer)
    check = AnswerCheck(got.resolution, got.evidence, got.context)
    changed = list(mutants(got.answer))
    assert len(changed) > 3
    unseen = [one for one in changed if not check.findings(one)]
    assert [_difference(got.answer, one) for one in unseen] == []


def test_another_machines_record_never_stands_as_this_ones(ask: Ask) -> None:
    got = ask("ライン2の検査機で803が出た")
    (block,) = got.answer.blocks
    (twin,) = block.same_model
    unlabelled = replace(twin, text=twin.text.removeprefix("別設備 "))
    answer = replace(got.answer, blocks=(replace(block, same_model=(unlabelled,)),))
    assert not passes(got, answer)
    as_own = replace(block, same_model=(), history=(*block.history, unlabelled))
    assert not passes(got, replace(got.answer, blocks=(as_own,)))


WORDS = (
    *(
        "EQ-003",
        "EQ-007",
        "EQ-016",
        "EQ-019",
        "EQ-012",
        "ライン3の充填機",
        "E-12",
        "E-13",
        "E-99",
        "AL-205",
        "803",
        "異音",
        "漏れ",
    ),
    *(
        "Oリング",
        "在庫",
        "の履歴",
        "の意味",
        "は？",
        "清掃したが直らない",
        "依頼して",
        "インターロックを短絡",
        "トルクはいくつ",
        "、",
        "。",
    ),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), min_size=1, max_size=6),
    st.sampled_from(["", "保全"]),
)
def test_whatever_is_asked_the_answer_stands_the_check(ask: Ask, pieces: list[str], role: str) -> None:
    got = ask("".join(pieces), role=role)
    assert check_answer(got.answer, got.resolution, got.evidence, got.context) == ()
    assert all(citation.verified for citation in got.answer.citations)


def _difference(left: Answer, right: Answer) -> str:
    for name in left.__slots__:
        if getattr(left, name) != getattr(right, name):
            return f"{name}: {getattr(right, name)}"[:600]
    return ""
