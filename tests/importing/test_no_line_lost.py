"""Every line of a manual is in one of its sections, and a numbered step stays in its remedy, in every format."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest

from desktop import paths
from desktop.errors import KnownError
from desktop.importing.blocks import Page
from desktop.importing.file_type import find_type
from desktop.importing.manuals import ReadManual, read_document
from desktop.importing.pdf import read_pdf
from desktop.importing.pdf_blocks import PdfPage, document_blocks
from desktop.importing.pdf_lines import Line
from desktop.importing.plain_text import line_blocks
from desktop.importing.request import ReadRequest
from desktop.importing.sections import Piece, cut

FILES = Path(__file__).parent / "files"
SAMPLES = sorted((paths.sample_plant() / "manuals").iterdir())

INTRODUCTIONS = ("処置：", "処置", "手順", "■処置", "【復旧手順】", "Remedy:", "Procedure:", "次のとおり行う。")
STEPS = {
    "dot": ("1. 停止し、遮断する", "2. 軸受を交換", "3. 低速で運転", "4. 記録"),
    "space": ("1 停止し、遮断する", "2 軸受を交換", "3 低速で運転", "4 記録"),
    "english": ("1. Stop and lock out.", "2. Replace the bearing", "3. Run at low speed.", "4. Sign the log"),
    "two": ("1. 停止", "2. 軸受を交換"),
    "continued": ("1. 停止する", "　主幹を切る", "2. 軸受を交換", "　専用工具を使う", "3. 戻す", "　締める"),
}


def manual_lines(introduction: str, steps: tuple[str, ...], gap: bool) -> list[str]:
    """Three chapters; the steps stand where the next chapter's number would be the next step's."""
    blank = [""] if gap else []
    return [
        "1 概要", "1.1 用途", "本文です。", "1.2 AL-10 軸受", introduction, *steps, *blank,
        "1.3 AL-11 過熱", introduction, *steps, *blank,
        "2 点検", "2.1 日常", "毎日見る。", introduction, *steps, *blank,
        "2.2 月例", "月に一度。", *blank,
    ]  # fmt: skip


def plain(text: str) -> str:
    return re.sub(r"[\s|]+", "", text)


def lost(lines: list[str], pieces: list[Piece] | tuple[Piece, ...], title: str = "") -> list[str]:
    """Source lines that are in no section's path or body, spaces aside."""
    kept = plain("\n".join("\n".join((*piece.heading_path, piece.body)) for piece in pieces) + title)
    return [line for line in lines if plain(line) not in kept]


@pytest.mark.parametrize("gap", [True, False])
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("introduction", INTRODUCTIONS)
@pytest.mark.parametrize("as_pdf", [False, True])
def test_steps_stay_in_their_section(introduction: str, steps: str, gap: bool, as_pdf: bool) -> None:
    lines = manual_lines(introduction, STEPS[steps], gap)
    pages = [PdfPage(1, "", tuple(Line(line, 10.0, 50, 200, 700.0) for line in lines if line), 842.0, drawn=True)]
    pieces = cut(list(document_blocks(pages, {}) if as_pdf else line_blocks(lines)), frozenset())
    assert lost(lines, pieces) == []
    for heading, chapter in (("1.2 AL-10", "1 概要"), ("1.3 AL-11", "1 概要"), ("2.1 日常", "2 点検")):
        mine = [piece for piece in pieces if any(heading in name for name in piece.heading_path)]
        assert {piece.heading_path[0] for piece in mine} == {chapter}
        assert plain("".join(STEPS[steps])) in plain("".join(piece.body for piece in mine))


def test_chapters_without_sections_are_still_chapters() -> None:
    lines = ["1 概要", "本文です。", "2 仕様", "2.1 電源", "AC200V", "3 保守", "毎日見る。", "4. 予備", "棚にある。"]
    pieces = cut(line_blocks(lines), frozenset())
    assert [piece.heading_path for piece in pieces] == [
        ("1 概要",), ("2 仕様", "2.1 電源"), ("3 保守",), ("4. 予備",),
    ]  # fmt: skip


def test_bigger_type_makes_a_numbered_line_a_heading() -> None:
    body = [Line(f"本文の行{number}です。", 10.0, 50, 200, 400.0) for number in range(10)]
    lines = [Line("3. 保守", 14.0, 50, 200, 700.0), *body, Line("1. 止める", 10.0), Line("2. 外す", 10.0)]
    blocks = list(document_blocks([PdfPage(1, "", tuple(lines), 842.0, drawn=True)], {}))
    assert [block.text for block in blocks if block.level] == ["3. 保守"]
    assert blocks[-1].text.endswith("1. 止める\n2. 外す")


LINES = manual_lines("処置：", STEPS["dot"], gap=True)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def write_docx(file: Path) -> None:
    paragraphs = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in LINES)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types"/>')
        relation = f'<Relationship Id="r1" Type="{OFFICE}" Target="word/document.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{PACKAGE}/relationships">{relation}</Relationships>')
        body = f'<w:document xmlns:w="{WORD}"><w:body>{paragraphs}</w:body></w:document>'
        archive.writestr("word/document.xml", body)


def write_pdf(file: Path) -> None:
    """English, because the standard fonts have no kanji."""
    pdf = pdfium.PdfDocument.new()
    page = pdf.new_page(595, 842)
    font = raw.FPDFText_LoadStandardFont(pdf.raw, b"Helvetica")
    for number, line in enumerate(ENGLISH):
        text = raw.FPDFPageObj_CreateTextObj(pdf.raw, font, 10.0)
        wide = (line + "\0").encode("utf-16-le")
        raw.FPDFText_SetText(text, (raw.FPDF_WCHAR * (len(wide) // 2)).from_buffer_copy(wide))
        raw.FPDFPageObj_Transform(text, 1, 0, 0, 1, 50, 740 - 15 * number)
        raw.FPDFPage_InsertObject(page.raw, text)
    page.gen_content()
    pdf.save(file)
    raw.FPDFFont_Close(font)
    pdf.close()


ENGLISH = [
    "1 Overview", "1.1 Use", "This machine fills.", "1.2 AL-10 Bearing", "Remedy:", *STEPS["english"],
    "1.3 AL-11 Heat", "Remedy:", *STEPS["english"], "2 Checks", "2.1 Daily", "Look at it.",
]  # fmt: skip


FORMATS = {
    "m.txt": lambda file: file.write_text("\n".join(LINES), encoding="utf-8"),
    "m.md": lambda file: file.write_text(
        "\n\n".join(LINES) + "\n\n<div>札を掛ける。</div>\n\n![図1 弁](x.png)\n", encoding="utf-8"
    ),
    "m.html": lambda file: file.write_text(
        "<html><body>" + "".join(f"<p>{line}</p>" for line in LINES)
        + "<table><caption>表1 締付</caption><tr><td>M8</td><td>25Nm</td></tr></table></body></html>",
        encoding="utf-8",
    ),
    "m.docx": write_docx,
    "m.pdf": write_pdf,
}  # fmt: skip
MORE = {"m.md": ["札を掛ける。", "図1 弁"], "m.html": ["表1 締付", "M8", "25Nm"]}


def read(path: Path) -> ReadManual:
    return read_document(path, find_type(path), ReadRequest())


@pytest.mark.parametrize("name", FORMATS)
def test_no_line_of_any_format_is_lost(tmp_path: Path, name: str) -> None:
    FORMATS[name](tmp_path / name)
    manual = read(tmp_path / name)
    lines = ENGLISH if name == "m.pdf" else [line for line in LINES if line]
    assert lost([*lines, *MORE.get(name, [])], manual.sections) == []


@pytest.mark.parametrize("path", [*SAMPLES, *FILES.glob("*.pdf")], ids=lambda p: p.name)
def test_no_line_of_the_files_we_have_is_lost(path: Path) -> None:
    """What stands on every page (running heads, page numbers) is left out on purpose; a title names the manual."""
    try:
        manual = read(path)
    except KnownError:
        pytest.skip("made to be refused: test_cases tells of it")
    lines = source_lines(path)
    assert lines
    assert lost(lines, manual.sections, manual.title) == []


def source_lines(path: Path) -> list[str]:
    if path.suffix == ".pdf":
        document = read_pdf(path, "", lambda _done, _all: None)
        frame = frame_of(document.pages)
        return [line for page in document.pages for line in page.text.split("\n") if shape(line) not in frame]
    text = path.read_text(encoding="utf-8")
    body = text.split("\n---\n", 1)[1] if text.startswith("---\n") else text
    marks = re.compile(r"^[#>\s]+|\{#[^}]*\}|^\s*[-*]\s+|\*\*|`|^[\s|:-]+$|<!--.*?-->")
    return [line for raw_line in body.split("\n") if (line := marks.sub("", raw_line).strip())]


def shape(line: str) -> str:
    return re.sub(r"\d+", "#", plain(line))


def frame_of(pages: Sequence[Page]) -> set[str]:
    """Shapes of the first and last lines that many pages share, and of bare page numbers."""
    texts = [page.text.split("\n") for page in pages]
    edges = Counter(shape(line) for lines in texts for line in {*lines[:2], *lines[-2:]})
    return {name for name, count in edges.items() if count >= 3} | {"#", "#-#", "-#-", "i", "ii", "iii", ""}
