"""Pages that are only pictures: named, and read by OCR only when asked, and marked."""

from __future__ import annotations

from pathlib import Path

import pypdfium2 as pdfium
import pytest

from desktop import paths
from desktop.errors import KnownError
from desktop.importing import ocr, pdf
from desktop.importing.blocks import BlockKind
from desktop.importing.file_type import FileType
from desktop.importing.inspection import inspect_file
from desktop.importing.manuals import manual_values, read_document
from desktop.importing.ocr import lines_of
from desktop.importing.pdf import read_pdf
from desktop.importing.pdf_lines import Line, mended
from desktop.importing.request import ReadRequest

MANUAL = paths.sample_plant() / "manuals" / "fl200_r3.pdf"


@pytest.fixture
def half_scanned(tmp_path: Path) -> Path:
    """Three pages: one of text, one that is a picture of a page, one that is blank."""
    source, target = pdfium.PdfDocument(MANUAL), pdfium.PdfDocument.new()
    target.import_pages(source, [13])
    bitmap = source[9].render(scale=2)
    image = pdfium.PdfImage.new(target)
    image.set_bitmap(bitmap)
    image.set_matrix(pdfium.PdfMatrix().scale(595, 842))
    page = target.new_page(595, 842)
    page.insert_obj(image)
    page.gen_content()
    target.new_page(595, 842)
    file = tmp_path / "FL-200_scan.pdf"
    target.save(file)
    for opened in (target, source):
        opened.close()
    return file


def test_pages_without_text_are_named_and_blank_ones_are_not(half_scanned: Path) -> None:
    shown = inspect_file(half_scanned, ReadRequest())
    assert shown["pages_without_text"] == [2]
    assert not shown["needs_ocr"]
    assert any("2（1/3ページ）" in warning for warning in shown["warnings"])


def test_ocr_is_asked_for_and_its_text_is_marked(half_scanned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [Line("4.1 エラー一覧", 0.0, 20, 200, 700.0), Line("E-01 制御電源異常", 0.0, 20, 200, 650.0)]
    monkeypatch.setattr(pdf, "require_ocr", lambda: None)
    monkeypatch.setattr(pdf, "picture_lines", lambda _page: lines)
    manual = read_document(half_scanned, FileType.PDF, ReadRequest(ocr=True))
    _, sections = manual_values(manual, half_scanned.name, "0")
    marked = {section.heading: section.read_by_ocr for section in sections}
    assert marked["4.1 エラー一覧"]
    assert not marked["5.2 E-12 充填ノズル詰まり"]
    assert manual.pages_without_text == (2,)
    assert any("OCR" in warning for warning in manual.warnings)


def test_without_the_extra_it_says_so(half_scanned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "find_spec", lambda _name: None)
    with pytest.raises(KnownError, match="ocr_missing"):
        read_document(half_scanned, FileType.PDF, ReadRequest(ocr=True))


def test_a_real_picture_with_the_real_engine(half_scanned: Path) -> None:
    pytest.importorskip("rapidocr")
    manual = read_document(half_scanned, FileType.PDF, ReadRequest(ocr=True))
    assert "充填ノズル詰まり" in manual.pages[1].text


def test_pieces_side_by_side_are_one_line() -> None:
    def box(left: float, top: float) -> list[list[float]]:
        return [[left, top], [left + 80, top], [left + 80, top + 20], [left, top + 20]]

    lines = lines_of([box(300, 102), box(10, 100), box(10, 140)], ["充填ノズル詰まり", "E-12", "次"], 842.0)
    assert [line.text for line in lines] == ["E-12 充填ノズル詰まり", "次"]
    assert lines[0].top > lines[1].top


def test_headings_come_from_the_bookmarks_and_heads_and_feet_are_left_out() -> None:
    document = read_pdf(MANUAL, "", lambda _done, _total: None)
    headings = [(block.text, block.level, block.page) for block in document.blocks if block.kind is BlockKind.HEADING]
    assert ("第5章 エラー別処置", 1, 12) in headings
    assert ("5.2 E-12 充填ノズル詰まり", 2, 14) in headings
    text = "\n".join(block.text for block in document.blocks)
    assert "FL-200 取扱説明書 改訂3" not in text
    assert document.pages[13].text.startswith("FL-200 取扱説明書 改訂3")


def test_kangxi_radicals_and_control_characters_are_mended() -> None:
    assert mended("⼀⼆⽇⻑い\x00\x02停⽌") == "一二日長い停止"
