"""Markers become numbers, and what was marked stays marked."""

import pytest

from desktop.domain.answer import AnswerWarning, CheckedText, Citation, CitationKind, WarningKind
from desktop.domain.cited_text import NO_SOURCE, continued, numbered, without_markers

MANUAL, RECORD = "manual:FL-200-r3#5.2", "record:MR-0112"


def citation(n: int, ref: str, quote: str = "逆洗する") -> Citation:
    return Citation(n, CitationKind.MANUAL, ref, ref, quote)


def checked(text: str, *doubted: str, citations: tuple[Citation, ...] = ()) -> CheckedText:
    marked = tuple((text.index(word), text.index(word) + len(word)) for word in doubted)
    return CheckedText(text, marked, tuple(AnswerWarning(WarningKind.UNKNOWN_NAME, w) for w in doubted), citations)


def words(text: CheckedText) -> list[str]:
    return [text.text[start:end] for start, end in text.marked]


def test_each_marker_becomes_the_number_of_its_source() -> None:
    sources = (citation(4, MANUAL), citation(5, RECORD))
    text = checked(f"逆洗する[ref:{MANUAL}]。交換した[{RECORD}][ref: {MANUAL}]。", citations=sources)
    assert numbered(text, lambda n: f"[{n}]").text == "逆洗する[4]。交換した[5][4]。"


def test_the_same_number_twice_in_a_row_stands_once() -> None:
    text = checked(f"逆洗[ref:{MANUAL}][ref:{MANUAL}]、交換[ref:{MANUAL}]", citations=(citation(1, MANUAL),))
    assert numbered(text, lambda n: f"[{n}]").text == "逆洗[1]、交換[1]"


def test_a_source_that_is_none_is_said_to_be_none_and_stays_marked() -> None:
    text = checked("部品 ZZ-1 を交換[ref:manual:X#1]し EQ-9 を見る[ref:何か]。", "ZZ-1", "[ref:manual:X#1]", "EQ-9")
    shown = numbered(text, lambda n: f"[{n}]")
    assert shown.text == f"部品 ZZ-1 を交換{NO_SOURCE}し EQ-9 を見る{NO_SOURCE}。"
    assert words(shown) == ["ZZ-1", NO_SOURCE, "EQ-9"]


def test_marks_move_with_their_words_past_longer_and_shorter_numbers() -> None:
    text = checked(f"A-1[ref:{MANUAL}]B-2[ref:{RECORD}]C-3", "A-1", "B-2", "C-3", citations=(citation(1, MANUAL),))
    assert words(numbered(text, lambda n: f"[［{n}］](cite:{n})" * 3)) == ["A-1", "B-2", "C-3"]


def test_numbers_go_on_from_the_answers_and_the_same_words_keep_theirs() -> None:
    answer = (citation(1, MANUAL, "止める"), citation(2, MANUAL), citation(3, RECORD))
    text = checked("", citations=(citation(1, MANUAL), citation(2, "record:MR-9"), citation(3, MANUAL, "別の文")))
    assert [one.n for one in continued(text, answer).citations] == [2, 4, 5]
    assert [one.n for one in continued(text, ()).citations] == [1, 2, 3]


@pytest.mark.parametrize("cut", range(1, len(f"逆洗[ref:{MANUAL}]する。")))
def test_no_piece_of_a_marker_is_shown_while_text_streams(cut: int) -> None:
    whole = f"逆洗[ref:{MANUAL}]する。"
    shown, held = without_markers(whole[:cut])
    assert "ref" not in shown
    assert "[" not in shown
    assert shown + without_markers(held + whole[cut:])[0] == "逆洗する。"


def test_a_bracket_that_is_no_marker_is_shown_in_the_end() -> None:
    assert without_markers("表示 [E-12] です") == ("表示 [E-12] です", "")
    assert without_markers("[" + "長" * 300) == ("[" + "長" * 300, "")
