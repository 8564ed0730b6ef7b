"""Lines that are headings, and lines that only look like one."""

from __future__ import annotations

import pytest

from desktop.importing.headings import heading_line, heading_number


@pytest.mark.parametrize(
    ("line", "level", "number"),
    [
        ("第1章 概要", 1, "1"), ("第１２章　エラー一覧", 1, "12"), ("第三章 安全", 1, "三"), ("第2節 点検", 2, "2"),
        ("1.2 仕様", 2, "1.2"), ("1．2．3　調整", 3, "1.2.3"), ("5-2 詰まり", 2, "5.2"), ("1.2概要", 2, "1.2"),
        ("Chapter 3 Safety", 1, "3"), ("付録A 部品表", 1, "A"), ("■作業前", 7, ""), ("【点検】", 8, ""),
        ("1.2 本体", 2, "1.2"),
    ],
)  # fmt: skip
def test_a_heading(line: str, level: int, number: str) -> None:
    found = heading_line(line)
    assert found
    assert (found.level, found.number) == (level, number)


@pytest.mark.parametrize(
    "line",
    [
        "", "1. 停止し、2.1の遮断を行う。", "2.5 mm以下", "0.45～0.55MPaであること。", "1.1 概要 ………… 3",
        "■部品は必ず交換してください。",
        "第1章を読んでください。", "2026.7.1", "(1) 押す", "【危険】触れるな", "1,850kg", "E-12 詰まり",
    ],
)  # fmt: skip
def test_no_heading(line: str) -> None:
    assert heading_line(line) is None


def test_bare_numbers_only_where_the_document_numbers_so() -> None:
    assert heading_line("1 概要") is None
    assert heading_line("1 概要", single_numbers=True)
    assert heading_line("3 本のボルトを外す", single_numbers=True) is None
    assert heading_number("第5章 エラー別処置") == "5"
    assert heading_number("5.2 E-12 詰まり") == "5.2"
    assert heading_number("はじめに") == ""
