"""A sheet of titled parts as an A4 PDF; the only place that writes one."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from html import escape
from io import BytesIO
from pathlib import Path

from reportlab.lib.colors import HexColor, black
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, HRFlowable, PageTemplate, Paragraph, Spacer

_WINDOWS_FONTS = Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts"
_LINUX_FONTS = Path("/usr/share/fonts")
FONTS: tuple[tuple[Path, int], ...] = (
    (_WINDOWS_FONTS / "YuGothM.ttc", 0),
    (_WINDOWS_FONTS / "meiryo.ttc", 0),
    (_WINDOWS_FONTS / "msgothic.ttc", 0),
    (_LINUX_FONTS / "opentype/ipafont-gothic/ipag.ttf", 0),
    (_LINUX_FONTS / "opentype/ipaexfont-gothic/ipaexg.ttf", 0),
    (_LINUX_FONTS / "truetype/fonts-japanese-gothic.ttf", 0),
    (_LINUX_FONTS / "ipa-gothic/ipag.ttf", 0),
)
"""Japanese fonts to embed, the best first, each with its place in a collection."""
_READERS_FONT = "HeiseiKakuGo-W5"  # not embedded: every reader of Japanese PDFs has one to show in its place
_LAST_OF_READERS = 0xFFFF  # its encoding has two bytes
_MARGIN = 18 * mm
_LABEL = 30 * mm
_GREY = HexColor("#555555")
_GAPS = re.compile(r"^ | (?= )")
_PIECE = 5000  # characters of one line set as one paragraph: what is set again at a page's end stays short


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and the lines below it, each a label ("" = none) and its text, which may have several lines."""

    heading: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """`name` and `number` say which paper it is, `marks` what must be seen first, `line` and `machine` where.

    `at` is the file's own date, so that the same sheet gives the same bytes.
    """

    name: str
    number: str
    marks: tuple[str, ...]
    line: str
    machine: str
    parts: tuple[Part, ...]
    at: datetime


def pdf(sheet: Sheet, fonts: Sequence[tuple[Path, int]] = FONTS) -> bytes:
    """The whole sheet, on as many pages as it takes; the first of `fonts` that is here is embedded."""
    font = _font(tuple(fonts))
    _, pages = _built(sheet, font, 0)
    return _built(sheet, font, pages)[0]


@cache
def _font(fonts: tuple[tuple[Path, int], ...]) -> str:
    """The name under which the font is known from now on."""
    for file, place in fonts:
        try:
            name = f"{file.stem}-{place}"
            pdfmetrics.registerFont(TTFont(name, str(file), subfontIndex=place))
        except (OSError, TTFError):  # not here, or one that may not be embedded
            continue
        return name
    pdfmetrics.registerFont(UnicodeCIDFont(_READERS_FONT))
    return _READERS_FONT


def _built(sheet: Sheet, font: str, pages: int) -> tuple[bytes, int]:
    """The PDF whose footers say `pages`, and how many pages it has."""
    out = BytesIO()
    document = BaseDocTemplate(
        out,
        pagesize=A4,
        title=f"{sheet.name} {sheet.number}",
        author="",
        creator="Hozen Navi",
        invariant=1,
        leftMargin=_MARGIN,
        rightMargin=_MARGIN,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN,
    )
    frame = Frame(_MARGIN, _MARGIN, document.width, document.height, leftPadding=0, rightPadding=0)
    footer = partial(_footer, sheet=sheet, font=font, pages=pages)
    document.addPageTemplates(PageTemplate(frames=[frame], onPage=footer))
    document.build(_story(sheet, font))
    return out.getvalue(), document.page


def _footer(canvas: Canvas, document: BaseDocTemplate, *, sheet: Sheet, font: str, pages: int) -> None:
    canvas.setDateFormatter(lambda *_: f"D:{sheet.at.astimezone(UTC):%Y%m%d%H%M%S}+00'00'")
    canvas.setFont(font, 8)
    canvas.setFillColor(_GREY)
    canvas.drawString(_MARGIN, 10 * mm, "　".join((sheet.name, sheet.number, *sheet.marks)))
    canvas.drawRightString(A4[0] - _MARGIN, 10 * mm, f"{document.page} / {pages} ページ")


def _story(sheet: Sheet, font: str) -> list[Flowable]:
    style = partial(ParagraphStyle, fontName=font, wordWrap="CJK", bulletFontName=font, splitLongWords=1)
    story: list[Flowable] = []
    if sheet.marks:
        marked = style(
            "marks", fontSize=12, leading=16, borderWidth=1, borderColor=black, borderPadding=3, spaceAfter=8
        )
        story += _set("　".join(sheet.marks), marked)
    story += _set(f"{sheet.name}　{sheet.number}", style("number", fontSize=16, leading=22))
    story += _set(sheet.line, style("line", fontSize=26, leading=32))
    story += _set(sheet.machine, style("machine", fontSize=14, leading=19, spaceAfter=4))
    heading = style("heading", fontSize=11, leading=15, spaceBefore=9, spaceAfter=2, keepWithNext=1)
    plain = style("plain", fontSize=10.5, leading=15)
    beside = style("beside", parent=plain, leftIndent=_LABEL, bulletIndent=0, bulletFontSize=9, bulletColor=_GREY)
    for part in sheet.parts:
        rule = HRFlowable(width="100%", thickness=0.5, color=_GREY, spaceAfter=3)
        rule.keepWithNext = True
        story += [*_set(part.heading, heading), rule]
        for label, text in part.lines:
            story += _set(text, beside if label else plain, label)
    story.append(Spacer(1, 1))
    return story


def _set(text: str, style: ParagraphStyle, label: str = "") -> list[Flowable]:
    """The text line by line, its spaces kept, `label` beside the first."""
    lines = [_visible(line.expandtabs(4), style.fontName) for line in text.splitlines()] or [""]
    pieces = [line[at : at + _PIECE] for line in lines for at in range(0, len(line) or 1, _PIECE)]
    return [
        Paragraph(_markup(piece) or "&nbsp;", style, bulletText=label if label and number == 0 else None)
        for number, piece in enumerate(pieces)
    ]


def _visible(line: str, font: str) -> str:
    """The line with what this font can't show, and what nobody could see, by its number in Unicode."""
    return "".join(one if _shows(font, one) else f"〔U+{ord(one):04X}〕" for one in line)


@cache
def _shows(font: str, character: str) -> bool:
    if unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn"):
        return False
    if font == _READERS_FONT:
        return ord(character) <= _LAST_OF_READERS
    return ord(character) in pdfmetrics.getFont(font).face.charToGlyph


def _markup(line: str) -> str:
    return _GAPS.sub("\u00a0", escape(line, quote=False))
