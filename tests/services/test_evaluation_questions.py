"""A plant's own questions: JSON or a table, every misspelling refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.ledger import Role
from desktop.errors import KnownError
from desktop.services.evaluation_questions import (
    Expectation,
    Question,
    WantedSource,
    bundled,
    fingerprint,
    read_questions,
)


def write(tmp_path: Path, entries: Any) -> Path:
    file = tmp_path / "質問.json"
    file.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return file


def test_the_bundled_ones_are_many_with_many_traps() -> None:
    assert len(bundled()) >= 40
    assert sum(bool(one.traps) for one in bundled()) >= 15
    assert all(one.expect.status for one in bundled())


def test_json_needs_only_id_and_question(tmp_path: Path) -> None:
    entry = {
        "id": 7,
        "question": "E-12の意味は",
        "equipment": "EQ-003",
        "role": "保全",
        "expect": {
            "status": "answered",
            "cites": [{"model": "FL-200", "section": "5.2", "revision": "3", "page_label": None}],
            "safety": False,
        },
    }
    assert read_questions(write(tmp_path, [entry, {"id": "b", "question": "異音"}])) == (
        Question(
            "7",
            "E-12の意味は",
            Expectation("answered", cites=(WantedSource("FL-200", "5.2", "3", None),), safety=False),
            "EQ-003",
            Role.MAINTENANCE,
        ),
        Question("b", "異音"),
    )


def test_a_table_in_the_plants_own_encoding_does_too(tmp_path: Path) -> None:
    file = tmp_path / "質問.csv"
    file.write_bytes(
        "id,question,equipment,expected_equipment,status,answer_contains,safety,traps,note\r\n"
        "1,ライン3の充填機でE-12,,EQ-003,answered,OR-2210；90秒,はい,twin,\r\n"
        "2,異音がする,EQ-001,,,,,,メモ\r\n".encode("cp932")
    )
    assert read_questions(file) == (
        Question(
            "1",
            "ライン3の充填機でE-12",
            Expectation("answered", ("EQ-003",), contains=("OR-2210", "90秒"), safety=True),
            traps=("twin",),
        ),
        Question("2", "異音がする", Expectation(), "EQ-001"),
    )


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        ([], "質問がない"),
        ({"id": "a"}, "配列"),
        ([{"id": "a", "question": "x"}, {"id": "a", "question": "y"}], "重なって"),
        ([{"id": "a", "question": " "}], "1 件目"),
        ([{"id": "a", "question": "x"}, {"id": "b"}], "2 件目"),
        ([{"id": "a", "question": "x", "expect": {"must_contain": ["y"]}}], "must_contain"),
        ([{"id": "a", "question": "x", "expect": {"status": "ok"}}], "ok"),
        ([{"id": "a", "question": "x", "role": "社長"}], "社長"),
        (["x"], "1 件目"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, entries: Any, named: str) -> None:
    with pytest.raises(KnownError) as caught:
        read_questions(write(tmp_path, entries))
    assert caught.value.code == "questions_unreadable"
    assert named in str(caught.value.detail["reason"])


def test_a_missing_or_torn_file_is_named(tmp_path: Path) -> None:
    torn = tmp_path / "torn.json"
    torn.write_text('[{"id": ', encoding="utf-8")
    for file in (torn, tmp_path / "none.json"):
        with pytest.raises(KnownError) as caught:
            read_questions(file)
        assert caught.value.code == "questions_unreadable"


def test_the_fingerprint_tells_questions_and_right_answers_apart() -> None:
    one, other = Question("a", "x"), Question("a", "x", Expectation("answered"))
    assert fingerprint([one]) == fingerprint([Question("a", "x")])
    assert len({fingerprint([one]), fingerprint([other]), fingerprint([one, other])}) == 3
