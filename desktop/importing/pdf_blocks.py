"""A PDF's lines as blocks: which are headings, which are one paragraph, which are rows of a code table."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from desktop.domain.text import find_codes, fold
from desktop.importing.blocks import Block, BlockKind, heading, text_block
from desktop.importing.chapters import chapter_lines
from desktop.importing.headings import MARK_LEVEL, heading_line, is_contents_line
from desktop.importing.pdf_lines import Line

_BIGGER = 1.12
_LONGEST_HEADING = 60
_FEWEST_ROWS = 3
_FEWEST_BOOKMARKS = 3
_FEWEST_FOR_EDGE = 20
_CONTENTS = re.compile(r"(?:目次|もくじ|contents|tableofcontents)$")
_ENDS_WITH_PAGE = re.compile(r"[\s.…・]\S{0,2}\d{1,4}$")
_STARTS_ANEW = re.compile(
    r"[(（\[]?[\da-zA-Zアイウエオ①-⑳][)）\].．、]|[・●○■□◆◇※＊*\-–►▶【(（「]|第\d+[章節]|危険|警告|注意|\d+(?:\.\d+)+\s"
)
_ENDED = re.compile(r"[。．.!?！？:：;；」』】)）]$")


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page's lines; `height` 0 where places don't count (turned pages); `drawn` = something is on it."""

    number: int
    label: str
    lines: tuple[Line, ...]
    height: float
    drawn: bool
    by_ocr: bool = False


def document_blocks(pages: Sequence[PdfPage], outline: Mapping[int, Mapping[str, int]]) -> Iterator[Block]:
    """Blocks in reading order. With bookmarks the headings are theirs; else sizes and numbering tell."""
    sizes = _Sizes(pages)
    marked = sum(map(len, outline.values())) >= _FEWEST_BOOKMARKS
    chapters = frozenset() if marked else chapter_lines([line.text for page in pages for line in page.lines])
    contents, at = False, -1
    for page in pages:
        contents = contents and _is_contents(page)
        body: list[Line] = []
        for line in page.lines:
            at += 1
            contents = contents or bool(_CONTENTS.match(fold(line.text).replace(" ", "")))
            level = _bookmarked(line, outline.get(page.number, {})) if marked else _looks(line, sizes, at in chapters)
            level = level or _marked(line)
            if level is None or (contents and not _CONTENTS.match(fold(line.text).replace(" ", ""))):
                body.append(line)
                continue
            yield from _body(body, page.number, sizes.edge)
            body = []
            yield heading(line.text, level, page.number)
        yield from _body(body, page.number, sizes.edge)


class _Sizes:
    """A document's measures: the body's type size, headings' from the biggest down, the right `edge` of its text."""

    def __init__(self, pages: Sequence[PdfPage]) -> None:
        counted: Counter[float] = Counter()
        for page in pages:
            for line in page.lines:
                counted[line.size] += len(line.text)
        self.body = max(counted, key=lambda size: counted[size], default=0.0)
        bigger = sorted((size for size in counted if self.body and size >= self.body * _BIGGER), reverse=True)
        rights = sorted(line.right for page in pages for line in page.lines if line.size == self.body)
        self.edge = rights[int(len(rights) * 0.98)] if len(rights) >= _FEWEST_FOR_EDGE else 0.0
        self._ranks = {size: min(rank, 4) for rank, size in enumerate(bigger, start=1)}

    def rank(self, line: Line) -> int | None:
        return self._ranks.get(line.size)


def _bookmarked(line: Line, titles: Mapping[str, int]) -> int | None:
    return titles.get(fold(line.text)) if titles else None


def _looks(line: Line, sizes: _Sizes, is_chapter: bool) -> int | None:
    found = heading_line(line.text, single_numbers=is_chapter)
    if found and found.level < MARK_LEVEL and (not line.size or line.size >= sizes.body * 0.99):
        return found.level
    rank = sizes.rank(line)
    text = line.text.strip()
    if rank and 1 < len(text) <= _LONGEST_HEADING and not text.endswith(("。", "、")) and any(map(str.isalpha, text)):
        return rank
    return None


def _marked(line: Line) -> int | None:
    found = heading_line(line.text)
    return found.level if found and found.level >= MARK_LEVEL else None


def _is_contents(page: PdfPage) -> bool:
    """A further page of a table of contents: most lines end with a page number."""
    ending = sum(bool(_ENDS_WITH_PAGE.search(line.text)) or is_contents_line(line.text) for line in page.lines)
    return ending * 2 > len(page.lines)


def _body(lines: list[Line], page: int, edge: float) -> Iterator[Block]:
    """Text between two headings, code tables in it as tables."""
    plain: list[Line] = []
    position = 0
    while position < len(lines):
        rows = _code_rows(lines, position)
        if len(rows) < _FEWEST_ROWS:
            plain.append(lines[position])
            position += 1
            continue
        head = plain.pop() if plain and _is_table_head(plain[-1].text) else None
        if plain:
            yield text_block(_paragraphs(plain, edge), page)
            plain = []
        yield _table(head.text if head else "", rows, page)
        position += len(rows)
    if plain:
        yield text_block(_paragraphs(plain, edge), page)


def _code_rows(lines: list[Line], start: int) -> list[str]:
    """The run of lines from `start` that each begin with a code and go on with words."""
    rows = []
    for line in lines[start:]:
        text = line.text.strip()
        code = next(iter(find_codes(text)), None)
        if code is None or code.start != 0 or len(text) <= code.end + 1 or text[code.end] not in " \u3000\t":
            break
        rows.append(text)
    return rows


def _is_table_head(text: str) -> bool:
    cells = text.split()
    return 2 <= len(cells) <= 8 and len(text) <= _LONGEST_HEADING and not _ENDED.search(text) and not find_codes(text)


def _table(head: str, rows: list[str], page: int) -> Block:
    """Cells by spaces where every row has as many as the head, else the code and the rest."""
    names = head.split() or ["コード", "内容"]
    cells = [tuple(row.split(None, len(names) - 1)) for row in rows]
    if any(len(row) != len(names) for row in cells):
        names = [names[0], "内容"]
        cells = [tuple(row.split(None, 1)) for row in rows]
    return Block(BlockKind.TABLE, "\n".join([head, *rows] if head else rows), rows=(tuple(names), *cells), page=page)


def _paragraphs(lines: list[Line], edge: float) -> str:
    """Lines that run to the right edge and go on below become one; Japanese joins without a space."""
    text = lines[0].text
    for before, line in pairwise(lines):
        goes_on = edge > 0 and before.size > 0 and before.right >= edge - 1.5 * before.size
        if goes_on and not _ENDED.search(before.text) and not _STARTS_ANEW.match(line.text.lstrip()):
            text += ("" if _wide(text[-1:]) or _wide(line.text[:1]) else " ") + line.text.lstrip()
        else:
            text += "\n" + line.text
    return text


def _wide(letter: str) -> bool:
    return bool(letter) and unicodedata.east_asian_width(letter) in "WFA"
