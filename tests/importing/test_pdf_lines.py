"""Lines of a page mended and joined."""

from __future__ import annotations

from desktop.importing.pdf_blocks import PdfPage, document_blocks
from desktop.importing.pdf_frame import unframed
from desktop.importing.pdf_lines import Line, joined_lines


def test_words_cut_at_a_line_end_are_whole_again() -> None:
    lines = [Line("dolor sit amet, consectetuer adip\x02"), Line("iscing elit."), Line("a\x02b")]
    assert [line.text for line in joined_lines(lines)] == ["dolor sit amet, consectetuer adipiscing elit.", "ab"]


def test_letters_set_one_a_line_become_a_line() -> None:
    lines = [Line(letter) for letter in "縦書き"] + [Line("横書きの行"), Line("12"), Line("3")]
    assert [line.text for line in joined_lines(lines)] == ["縦書き", "横書きの行", "12", "3"]


def page(number: int, *lines: Line) -> PdfPage:
    return PdfPage(number, "", lines, 842.0, drawn=True)


def test_lines_that_run_to_the_edge_go_on_and_steps_do_not() -> None:
    full, short = {"left": 50.0, "right": 500.0}, {"left": 50.0, "right": 200.0}
    lines = [
        Line("製品は製品タンク、供給ポンプ、供給フィルタの順に流れま", 10.0, top=700, **full),
        Line("す。", 10.0, top=680, **short),
        Line("The pump is driven by the main", 10.0, top=660, **full),
        Line("motor.", 10.0, top=640, **short),
        Line("(1) 機械を停止し、主幹ブレーカを切り、札を掛ける", 10.0, top=620, **full),
        Line("(2) 残圧を抜く", 10.0, top=600, **short),
    ]
    filler = [Line(f"本文{number}です。", 10.0, top=500, **short) for number in range(20)]
    text = next(document_blocks([page(1, *lines, *filler)], {})).text
    assert text.startswith(
        "製品は製品タンク、供給ポンプ、供給フィルタの順に流れます。\nThe pump is driven by the main motor.\n"
        "(1) 機械を停止し、主幹ブレーカを切り、札を掛ける\n(2) 残圧を抜く\n"
    )


def test_running_heads_and_printed_numbers_leave_the_text_and_give_labels() -> None:
    pages = [
        page(
            number,
            Line("取扱説明書 第3版", 8.0, 50, 200, 820.0),
            Line(f"本文{number}", 10.0, 50, 200, 400.0),
            Line(f"- {number + 10} -", 8.0, 280, 300, 20.0),
        )
        for number in range(1, 6)
    ]
    framed = unframed(pages)
    assert [line.text for one in framed.pages for line in one.lines] == [f"本文{number}" for number in range(1, 6)]
    assert framed.labels == {number: str(number + 10) for number in range(1, 6)}


def test_sizes_make_headings_where_there_are_no_bookmarks() -> None:
    body = [Line(f"本文の行{number}です。", 10.0, 50, 200, 400.0) for number in range(10)]
    blocks = list(document_blocks([page(1, Line("安全のために", 16.0, 50, 200, 700.0), *body)], {}))
    assert (blocks[0].kind, blocks[0].text, blocks[0].level) == ("heading", "安全のために", 1)
