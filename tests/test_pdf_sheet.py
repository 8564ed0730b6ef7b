"""Whatever people write comes out on paper, whole and readable, with a font of this PC or with the reader's own."""

import struct
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest

from desktop.pdf_sheet import FONTS, Part, Sheet, pdf

BUNDLED = Path(__file__).parent / "fonts/BIZUDPGothic-Regular-subset.ttf"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
WAYS = {"embedded": FONTS, "subset": ((BUNDLED, 0),), "reader's own": ()}


def sheet(*lines: tuple[str, str]) -> Sheet:
    return Sheet("保全依頼書", "WR-P07-0001", ("端末内承認",), "ライン3", "充填機", (Part("依頼", lines),), NOW)


def pages(body: bytes) -> list[str]:
    with pypdfium2.PdfDocument(body) as document:
        return ["".join(page.get_textpage().get_text_range().split()) for page in document]


@pytest.fixture(params=WAYS)
def fonts(request: pytest.FixtureRequest) -> tuple[tuple[Path, int], ...]:
    return WAYS[request.param]


def test_what_people_write_is_there_letter_by_letter(fonts: tuple[tuple[Path, int], ...]) -> None:
    (text,) = pages(
        pdf(sheet(("件名", "ライン3の充填機でE-12が出た <b>&amp;</b> 100%"), ("", "二行目\n三行目")), fonts)
    )
    assert "ライン3の充填機でE-12が出た<b>&amp;</b>100%" in text
    assert "二行目三行目" in text


@pytest.mark.parametrize("way", ["embedded", "reader's own"])
def test_rare_letters_of_names_and_units_are_there(way: str) -> None:
    (text,) = pages(pdf(sheet(("件名", "髙﨑①㈱㍉ﾊﾝｶｸ")), WAYS[way]))
    assert "髙﨑①㈱㍉ﾊﾝｶｸ" in text


def test_what_no_font_shows_is_told_by_its_number(fonts: tuple[tuple[Path, int], ...]) -> None:
    (text,) = pages(pdf(sheet(("件名", "😀\u202e\u200b\x85\u2028\ue000\x07。")), fonts))
    assert "〔U+1F600〕〔U+202E〕〔U+200B〕〔U+E000〕〔U+0007〕" in text


def test_a_text_of_any_length_goes_on_over_pages_and_nothing_of_it_is_cut(
    fonts: tuple[tuple[Path, int], ...],
) -> None:
    unbroken, lines = "A" * 12_000, "\n".join(f"行{number}" for number in range(300))
    told = pages(pdf(sheet(("内容", unbroken), ("", lines)), fonts))
    whole = "".join(told)
    assert whole.count("A") == len(unbroken)
    assert all(f"行{number}" in whole for number in range(300))
    assert [f"{number}/{len(told)}ページ" in page for number, page in enumerate(told, start=1)] == [True] * len(told)
    assert len(told) > 5


def test_the_same_sheet_gives_the_same_bytes_and_carries_its_own_date(fonts: tuple[tuple[Path, int], ...]) -> None:
    body = pdf(sheet(("件名", "同じ")), fonts)
    assert body == pdf(sheet(("件名", "同じ")), fonts)
    with pypdfium2.PdfDocument(body) as document:
        assert document.get_metadata_value("CreationDate") == "D:20261130090000+00'00'"
        assert document.get_metadata_value("Title") == "保全依頼書 WR-P07-0001"


def test_a_font_of_a_collection_is_embedded(tmp_path: Path) -> None:
    """Windows has its Japanese fonts in collections: several fonts in one file, each with its own table of offsets."""
    font, start = BUNDLED.read_bytes(), 12 + 2 * 4
    tables = int.from_bytes(font[4:6], "big")
    moved = bytearray(font)
    for entry in range(12, 12 + 16 * tables, 16):
        offset = int.from_bytes(font[entry + 8 : entry + 12], "big")
        moved[entry + 8 : entry + 12] = (offset + start).to_bytes(4, "big")
    head = b"ttcf" + struct.pack(">HHIII", 1, 0, 2, start, start)
    (tmp_path / "two.ttc").write_bytes(head + moved)
    body = pdf(sheet(("件名", "保全")), ((tmp_path / "two.ttc", 1),))
    assert b"BIZUDPGothic" in body
    assert "保全" in pages(body)[0]


def test_a_font_that_cannot_be_used_gives_way_to_the_next(tmp_path: Path) -> None:
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    fonts = ((tmp_path / "missing.ttc", 0), (tmp_path / "broken.ttf", 0), (BUNDLED, 0))
    assert b"BIZUDPGothic" in pdf(sheet(("件名", "保全")), fonts)
    assert b"HeiseiKakuGo-W5" in pdf(sheet(("件名", "保全")), fonts[:2])
