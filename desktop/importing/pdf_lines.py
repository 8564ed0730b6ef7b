"""The lines of a PDF page: text mended, with size and place."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

_HYPHENATED = re.compile("[\x02\ufffe](?:\r\n|\r|\n)?")
_LINE_END = re.compile("\r\n|\r|\n")
# Fonts that map a kanji to its radical's code point; the supplement's have no NFKC form.
_SUPPLEMENT = zip(
    "⺟⻑⻘⻝⻄⻲⻤⻩⻫⻭⻯⺠⻁⻆⻅⻉⺩⻌⻎⻏⻖", "母長青食西亀鬼黄斉歯竜民虎角見刂王辶辶阝阝", strict=True
)
_RADICALS = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)} | {
    ord(radical): kanji for radical, kanji in _SUPPLEMENT
}
_LETTERS_EACH = 2
_FEWEST_SCATTERED = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One line; sizes and places in points, `top` from the page's lower edge; 0.0 where the page doesn't tell."""

    text: str
    size: float = 0.0
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0


def page_lines(page: pdfium.PdfPage) -> list[Line]:
    """Lines in the order the page draws them; words cut at a line end and letters set one a line put together."""
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range()
        count = textpage.count_chars()
        placed = len(text) == count
        lines, start = [], 0
        for end, following in [*((found.start(), found.end()) for found in _LINE_END.finditer(text)), (len(text),) * 2]:
            if text[start:end].strip():
                lines.append(_line(textpage, text[start:end], start) if placed else Line(text[start:end]))
            start = following
    finally:
        textpage.close()
    return joined_lines(lines)


def joined_lines(lines: list[Line]) -> list[Line]:
    """Lines as pdfium gives them, mended: hyphenated words, scattered letters, radicals."""
    return [_mended(line) for line in _gathered(_unhyphenated(lines))]


def mended(text: str) -> str:
    """Radicals turned into the kanji they stand for, control characters taken out."""
    text = text.translate(_RADICALS).replace("\xa0", " ")
    return "".join(letter for letter in text if letter == "\t" or unicodedata.category(letter) != "Cc")


def _mended(line: Line) -> Line:
    return Line(mended(line.text).rstrip(), line.size, line.left, line.right, line.top)


def _line(textpage: pdfium.PdfTextPage, text: str, start: int) -> Line:
    first = start + len(text) - len(text.lstrip())
    last = start + len(text.rstrip()) - 1
    left, _, top = _box(textpage, first)
    _, right, _ = _box(textpage, last)
    return Line(text, round(raw.FPDFText_GetFontSize(textpage.raw, first), 1), left, right, top)


def _box(textpage: pdfium.PdfTextPage, index: int) -> tuple[float, float, float]:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(textpage.raw, index, left, right, bottom, top)
    return left.value, right.value, top.value


def _unhyphenated(lines: list[Line]) -> list[Line]:
    """A word cut at a line's end moves whole onto that line."""
    whole: list[Line] = []
    for line in lines:
        text = _HYPHENATED.sub("", line.text)
        if whole and whole[-1].text.endswith("\x02"):
            before = whole.pop()
            line = Line(before.text[:-1] + text.lstrip(), before.size, before.left, line.right, before.top)
        elif line.text.endswith(("\x02", "\ufffe")):
            line = Line(text + "\x02", line.size, line.left, line.right, line.top)
        else:
            line = Line(text, line.size, line.left, line.right, line.top)
        whole.append(line)
    return whole


def _gathered(lines: list[Line]) -> list[Line]:
    """Text set vertically or at an angle comes one or two letters a line: such runs become one line."""
    gathered: list[Line] = []
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and _scattered(line.text):
            run.append(line)
            continue
        if len(run) >= _FEWEST_SCATTERED:
            gathered.append(
                Line("".join(part.text.strip() for part in run), run[0].size, run[0].left, run[-1].right, run[0].top)
            )
        else:
            gathered += run
        run = []
        if line is not None:
            gathered.append(line)
    return gathered


def _scattered(text: str) -> bool:
    stripped = text.strip()
    return len(stripped) <= _LETTERS_EACH and not any(letter.isdigit() for letter in stripped)
