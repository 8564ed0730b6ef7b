"""Sets the sample plant's two PDF manuals from their texts (needs reportlab and IPAexGothic, not product dependencies).

Run `python data/source/build_manuals.py [ipaexg.ttf]`; the same input gives the same bytes. The font comes from
Debian's fonts-ipaexfont-gothic; the IPA Font License v1.0 allows a subset to be embedded in a document.

Text format: `@doc header|company`, `@page label`, `@cover model|title|revision`, `@boxes a>b|c>d` (a block diagram),
`# ` chapter, `## ` section, `! ` warning, `|a|b` table row (the first of a block is its head), anything else a line.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib.colors import HexColor, black
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

SOURCE = Path(__file__).resolve().parent
TARGET = SOURCE.parent / "sample" / "manuals"
FONT_FILE = Path("/usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf")
FONT = "IPAexGothic"
WIDTH, HEIGHT = A4
LEFT, RIGHT, TOP = 22 * mm, WIDTH - 20 * mm, HEIGHT - 32 * mm
BODY, LEADING = 10.5, 17.0
WARNING = HexColor("#B00020")
RULE = HexColor("#888888")
ROMAN = ("i", "ii", "iii", "iv", "v")


@dataclass(slots=True)
class Page:
    """One printed page: its label and the lines that stand on it."""

    label: str
    lines: list[str] = field(default_factory=list)


class Typesetter:
    """Draws one manual, line by line, from the top of each page."""

    def __init__(self, target: Path, header: str, company: str) -> None:
        self.canvas = Canvas(str(target), pagesize=A4, invariant=1)
        self.header = header
        self.canvas.setTitle(header)
        self.canvas.setAuthor(company)
        self.canvas.setCreator("Hozen Navi sample plant")
        self.y = TOP
        self.prefix: str | None = None

    def page(self, number: int, page: Page) -> None:
        """Draws a page; `number` counts from 0."""
        self._label(number, page.label)
        self.y = TOP
        self._frame(page.label)
        rows: list[list[str]] = []
        for line in [*page.lines, ""]:
            if line.startswith("|"):
                rows.append(line[1:].split("|"))
                continue
            if rows:
                self._table(rows)
                rows = []
            self._line(line)
        if self.y < 22 * mm:
            raise ValueError(f"page {page.label} of {self.header} is too full")
        self.canvas.showPage()

    def _label(self, number: int, label: str) -> None:
        prefix = label.rpartition("-")[0]
        if prefix == self.prefix:
            return
        self.prefix = prefix
        if prefix:
            self.canvas.addPageLabel(number, style="ARABIC", start=1, prefix=f"{prefix}-")
        else:
            self.canvas.addPageLabel(number, style="ROMAN_LOWER", start=ROMAN.index(label) + 1)

    def _frame(self, label: str) -> None:
        canvas = self.canvas
        canvas.setFont(FONT, 8)
        canvas.setFillColor(RULE)
        canvas.drawString(LEFT, HEIGHT - 16 * mm, self.header)
        canvas.drawCentredString(WIDTH / 2, 12 * mm, label)
        canvas.setStrokeColor(RULE)
        canvas.line(LEFT, HEIGHT - 18 * mm, RIGHT, HEIGHT - 18 * mm)
        canvas.setFillColor(black)

    def _line(self, line: str) -> None:
        match line.split(" ", 1):
            case ["@cover", rest]:
                self._cover(rest)
            case ["@boxes", rest]:
                self._boxes(rest)
            case ["#", rest]:
                self._heading(rest, 17, 0)
            case ["##", rest]:
                self.y -= 5
                self._heading(rest, 13, 1)
            case ["!", rest]:
                self.canvas.setFillColor(WARNING)
                self._text(rest)
                self.canvas.setFillColor(black)
            case _:
                self._text(line)

    def _heading(self, text: str, size: float, level: int) -> None:
        self.canvas.bookmarkHorizontalAbsolute(text, self.y + size)
        self.canvas.addOutlineEntry(text, text, level, closed=False)
        self.canvas.setFont(FONT, size)
        self.canvas.drawString(LEFT, self.y, text)
        self.y -= size + 8

    def _text(self, text: str) -> None:
        indent = 12 if re.match(r"\(.\)|\d\)|・", text) else 0
        if not text:
            self.y -= LEADING / 2
            return
        if pdfmetrics.stringWidth(text, FONT, BODY) > RIGHT - LEFT - indent:
            raise ValueError(f"line too long for the page: {text}")
        self.canvas.setFont(FONT, BODY)
        self.canvas.drawString(LEFT + indent, self.y, text)
        self.y -= LEADING

    def _table(self, rows: list[list[str]]) -> None:
        widths = [max(pdfmetrics.stringWidth(row[i], FONT, 9.5) for row in rows) + 14 for i in range(len(rows[0]))]
        scale = min(1.0, (RIGHT - LEFT) / sum(widths))
        if scale < 1.0:
            raise ValueError(f"table too wide: {rows[0]}")
        canvas, row_height = self.canvas, 16.0
        top = self.y + 11
        canvas.setFillColor(HexColor("#E8ECF0"))
        canvas.rect(LEFT, top - row_height, sum(widths), row_height, stroke=0, fill=1)
        canvas.setFillColor(black)
        canvas.setFont(FONT, 9.5)
        for index, row in enumerate(rows):
            x = LEFT
            for cell, width in zip(row, widths, strict=True):
                canvas.drawString(x + 5, self.y, cell)
                canvas.rect(x, top - (index + 1) * row_height, width, row_height, stroke=1, fill=0)
                x += width
            self.y -= row_height
        self.y -= 8

    def _cover(self, rest: str) -> None:
        model, title, revision = rest.split("|")
        self.y -= 60 * mm
        for text, size in ((model, 40), (title, 22), (revision, 15)):
            self.canvas.setFont(FONT, size)
            self.canvas.drawString(LEFT, self.y, text)
            self.y -= size + 14
        self.y -= 20 * mm

    def _boxes(self, rest: str) -> None:
        self.canvas.setFont(FONT, 9)
        for row in rest.split("|"):
            x = LEFT
            names = row.split(">")
            for index, name in enumerate(names):
                self.canvas.rect(x, self.y - 10, 110, 26, stroke=1, fill=0)
                self.canvas.drawCentredString(x + 55, self.y, name)
                if index + 1 < len(names):
                    self.canvas.line(x + 110, self.y + 3, x + 140, self.y + 3)
                x += 140
            self.y -= 40


def read_source(path: Path) -> tuple[str, str, list[Page]]:
    """Header line, company and pages of one manual's text."""
    header = company = ""
    pages: list[Page] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@doc "):
            header, company = line[5:].split("|")
        elif line.startswith("@page "):
            pages.append(Page(line[6:]))
        else:
            pages[-1].lines.append(line)
    return header, company, pages


def main() -> None:
    """Writes every PDF manual into data/sample/manuals."""
    font = Path(sys.argv[1]) if len(sys.argv) > 1 else FONT_FILE
    pdfmetrics.registerFont(TTFont(FONT, str(font)))
    TARGET.mkdir(parents=True, exist_ok=True)
    for path in sorted(SOURCE.glob("*.txt")):
        header, company, pages = read_source(path)
        typesetter = Typesetter(TARGET / f"{path.stem}.pdf", header, company)
        for number, page in enumerate(pages):
            typesetter.page(number, page)
        typesetter.canvas.save()


if __name__ == "__main__":
    main()
