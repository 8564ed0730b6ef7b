"""Headings by their look alone: 第1章, 1.2, ■, 【】, Chapter 3, and the lines that only look like one."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MARK_LEVEL = 7
_LONGEST = 60
_CHAPTER = re.compile(r"第?[ ]?([0-9一二三四五六七八九十]+)[ ]?(編|部|章|節|項)(?:[ .:：]|(?=\S))[ ]*(.*)$")
_CHAPTER_LEVELS = {"編": 1, "部": 1, "章": 1, "節": 2, "項": 3}
_LATIN = re.compile(
    r"(?:chapter|section|part|appendix|annex)[ ]+([0-9]{1,3}|[A-Z]|[IVX]+)\b[ .:-]*(.*)$", re.IGNORECASE
)
_APPENDIX = re.compile(r"(付録|附録|別紙|別表|添付資料?)[ ]?([0-9A-Z一二三四五六七八九十]{0,3})(?:[ .:：、]+(.*)|$)")
_DOTTED = re.compile(r"(\d{1,2}(?:[.．-]\d{1,2}){1,4})[.．]?(?:[ ]+|(?=[^\d\s.,%~～°℃]))(\S.*)$")
_SINGLE = re.compile(r"(\d{1,2})[.．]?[ ]+(\S.*)$")
_MARK = re.compile(r"[■◆□◇▼▶][ ]*(\S.*)$")
_BRACKET = re.compile(r"[【〔《［][^】〕》］]{1,30}[】〕》］]$")
_TOC = re.compile(r"(?:[.…・‥·。][ ]?){3,}\s*\S{0,8}$")
_SENTENCE = re.compile(r"[。、]|(?:です|ます|する|こと|ください|下さい)[。.]?$|[a-z)][.!;]$")
_UNITS = re.compile(
    r"(?:mm|cm|m|kg|g|[km]?pa|v|a|hz|w|kw|l|ml|%|℃|h|min|s|ms|rpm)(?![a-z])"
    r"|(?:度|秒|分|時間|回|本|個|枚|台|年|月|日|人|件|か所|箇所)(?:[のをにでとはが、。以未超程]|間|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HeadingLine:
    """A line taken for a heading: its level (1 = chapter), its number ("5.2", "" when it has none)."""

    level: int
    number: str
    text: str


def heading_line(line: str, *, single_numbers: bool = False) -> HeadingLine | None:
    """The heading that a whole line is; bare "1 概要" only where the document numbers its chapters that way."""
    text = " ".join(line.split())
    shaped = unicodedata.normalize("NFKC", text)
    if not shaped or len(shaped) > _LONGEST or is_contents_line(shaped):
        return None
    return _chapter(shaped, text) or _numbered(shaped, text, single_numbers) or _marked(shaped, text)


def heading_number(text: str) -> str:
    """The number a heading begins with: 5.2, 5 (of 第5章), A (of 付録A); "" without one."""
    shaped = unicodedata.normalize("NFKC", " ".join(text.split()))
    for pattern, group in ((_CHAPTER, 1), (_LATIN, 1), (_APPENDIX, 2), (_DOTTED, 1), (_SINGLE, 1)):
        if found := pattern.match(shaped):
            return found[group].replace("．", ".")
    return ""


def is_contents_line(text: str) -> bool:
    """A line of a table of contents: dot leaders before a page number."""
    return bool(_TOC.search(text))


def _chapter(shaped: str, text: str) -> HeadingLine | None:
    if (found := _CHAPTER.match(shaped)) and (shaped.startswith("第") or found[3]) and not _SENTENCE.search(shaped):
        return HeadingLine(_CHAPTER_LEVELS[found[2]], found[1], text)
    if (found := _LATIN.match(shaped)) and not shaped.endswith("."):
        return HeadingLine(1 if not shaped.lower().startswith("section") else 2, found[1], text)
    if (found := _APPENDIX.match(shaped)) and not _SENTENCE.search(shaped):
        return HeadingLine(1, found[2], text)
    return None


def _numbered(shaped: str, text: str, single_numbers: bool) -> HeadingLine | None:
    if (found := _DOTTED.match(shaped)) and not _SENTENCE.search(shaped) and not _UNITS.match(found[2]):
        number = re.sub("[．-]", ".", found[1])
        return HeadingLine(1 + number.count("."), number, text)
    if single_numbers and (found := _SINGLE.match(shaped)) and not _SENTENCE.search(shaped):
        return None if _UNITS.match(found[2]) or len(found[2]) > 30 else HeadingLine(1, found[1], text)
    return None


def _marked(shaped: str, text: str) -> HeadingLine | None:
    if (found := _MARK.match(shaped)) and len(found[1]) <= 40 and not found[1].endswith("。"):
        return HeadingLine(MARK_LEVEL, "", text)
    return HeadingLine(MARK_LEVEL + 1, "", text) if _BRACKET.match(shaped) else None
