"""The claims in a text that can be looked up: names, quotations, quantities, dates, pages, revisions, sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from desktop.domain.cited_text import MARKER, ref_of
from desktop.domain.folding import shape_with_origin
from desktop.domain.text import find_codes


class ClaimKind(StrEnum):
    REF = "ref"
    CODE = "code"
    QUOTE = "quote"
    QUANTITY = "quantity"
    DATE = "date"
    PAGE = "page"
    REVISION = "revision"
    SECTION = "section"


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing said, at [start, end) of the text; `key` is the form in which it is compared."""

    kind: ClaimKind
    text: str
    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text with its claims; places count in the whole text."""

    text: str
    start: int
    claims: tuple[Claim, ...]


_END = re.compile(r"[。！？!?\n]+")
_QUOTES = re.compile('「([^」]{2,})」|『([^』]{2,})』|“([^”]{2,})”|"([^"\n]{2,})"')
_UNITS = (
    "mm|cm|μm|m/s|m/分|m|kpa|mpa|pa|bar|kgf|kgf/cm2|n・m|n·m|nm|n|kg|mg|g|ml|l/min|l|℃|度|kw|kv|ma|v|a|w|hz|khz|rpm|"
    "r/min|%|秒|分|時間|週間|日|か月|ケ月|カ月|年|回転|回|件|個|本|台|枚|箇所|か所|倍|ppm"
)
_QUANTITY = re.compile(rf"(?<![0-9a-z.,/\-])(\d+(?:,\d{{3}})*(?:\.\d+)?)\s?({_UNITS})(?![a-z])(?!目|号)")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?!\d)")
_ERA = re.compile(r"(?:令和|r)\s?(\d{1,2}|元)[年.](\d{1,2})[月.](\d{1,2})日?")
_DAY = re.compile(r"(?<![\d./年])(\d{1,2})[/月](\d{1,2})日?(?![\d/])")
_RATIO = re.compile(r"再発なし\s?(\d+)/(\d+)")
_PAGE = re.compile(
    r"(?:p\.?\s?|ページ\s?|頁\s?)(\d{1,4}(?:-\d{1,4})?)(?![\d.])|(?<![\d.\-])(\d{1,4}(?:-\d{1,4})?)\s?(?:ページ|頁)"
)
_REVISION = re.compile(
    r"(?:改訂|(?<![a-z])rev(?:ision)?\.?)\s?([0-9]+(?:\.[0-9]+)*|[a-z])版?(?![0-9a-z])|第\s?([0-9]+)\s?版"
)
_SECTION = re.compile(r"(?<![\d.\-/a-z])(\d{1,2}(?:\.\d{1,2}){1,3})(?![\d.]*\d)(?:\s?(?:節|項|章))?")


def sentences(text: str) -> Iterator[Sentence]:
    """Sentences in order, each with everything in it that can be looked up; references are taken out first."""
    start = 0
    for stop in (*_END.finditer(text), None):
        end = stop.end() if stop else len(text)
        if text[start:end].strip():
            yield Sentence(text[start:end], start, tuple(_claims(text[start:end], start)))
        start = end


@dataclass(frozen=True, slots=True)
class Keys:
    """All that one source text bears out, in the form in which claims are compared (0.20 MPa and 0.2MPa are one)."""

    codes: frozenset[str]
    quantities: frozenset[str]
    dates: frozenset[str]
    sections: frozenset[str]


@lru_cache(maxsize=1024)
def keys_of(text: str) -> Keys:
    """The keys of a source's whole text; section numbers and quantities may overlap, so every reading counts."""
    claims = tuple(_numbers(text))

    def of(kind: ClaimKind) -> frozenset[str]:
        return frozenset(claim.key for claim in claims if claim.kind is kind)

    codes = frozenset(code.key for code in find_codes(text))
    return Keys(codes, of(ClaimKind.QUANTITY), of(ClaimKind.DATE), of(ClaimKind.SECTION))


def day_keys(day: date) -> frozenset[str]:
    """The ways in which a day may be said: with and without its year."""
    return frozenset({day.isoformat(), f"{day.month}-{day.day}"})


def _claims(text: str, offset: int) -> Iterator[Claim]:
    masked = text
    for match in MARKER.finditer(text):
        ref = ref_of(match)
        yield Claim(ClaimKind.REF, ref, ref, offset + match.start(), offset + match.end())
        masked = _masked(masked, match.start(), match.end())
    for match in _QUOTES.finditer(masked):
        words = next(filter(None, match.groups()))
        yield Claim(ClaimKind.QUOTE, words, words, offset + match.start(), offset + match.end())
    for claim in _numbers(masked):
        masked = _masked(masked, claim.start, claim.end)
        yield Claim(claim.kind, claim.text, claim.key, offset + claim.start, offset + claim.end)
    for code in find_codes(masked):
        yield Claim(ClaimKind.CODE, code.text, code.key, offset + code.start, offset + code.end)


def _numbers(text: str) -> Iterator[Claim]:
    """Dates first, so that their parts are not read as something else."""
    shaped = shape_with_origin(text)
    taken: list[tuple[int, int]] = []
    for kind, pattern, key in _NUMBERS:
        for match in pattern.finditer(shaped.text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            start, end = shaped.source_span(*match.span())
            yield Claim(kind, text[start:end].strip(), key(match), start, end)


def _masked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _iso(match: re.Match[str]) -> str:
    return f"{int(match[1]):04d}-{int(match[2]):02d}-{int(match[3]):02d}"


def _era(match: re.Match[str]) -> str:
    year = 1 if match[1] == "元" else int(match[1])
    return f"{2018 + year:04d}-{int(match[2]):02d}-{int(match[3]):02d}"


def _day(match: re.Match[str]) -> str:
    return f"{int(match[1])}-{int(match[2])}"


def _quantity(match: re.Match[str]) -> str:
    unit = match[2].replace("·", "・")
    return f"{float(match[1].replace(',', '')):g}{'n・m' if unit == 'nm' else unit}"


def _first_group(match: re.Match[str]) -> str:
    return str(next(filter(None, match.groups())))


def _ratio(match: re.Match[str]) -> str:
    return f"{int(match[1])}/{int(match[2])}"


_NUMBERS = (
    (ClaimKind.QUANTITY, _RATIO, _ratio),
    (ClaimKind.DATE, _ISO, _iso),
    (ClaimKind.DATE, _ERA, _era),
    (ClaimKind.PAGE, _PAGE, _first_group),
    (ClaimKind.REVISION, _REVISION, _first_group),
    (ClaimKind.QUANTITY, _QUANTITY, _quantity),
    (ClaimKind.DATE, _DAY, _day),
    (ClaimKind.SECTION, _SECTION, _first_group),
)
