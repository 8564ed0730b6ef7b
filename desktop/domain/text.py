"""Words and codes in plant texts: one folding for what is stored and what is typed, codes as keys of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from desktop.domain.folding import Folded, fold, fold_code, fold_with_origin, key_of, level, shape, shape_with_origin

__all__ = (
    "CodeInText",
    "Folded",
    "PrintedCode",
    "code_keys",
    "code_matches",
    "find_codes",
    "fold",
    "fold_code",
    "fold_with_origin",
    "level",
    "printed_code",
    "shape",
)

_ANNOUNCED_BY = (
    "(?:アラーム|エラー|異常|警報|警告|故障|ワーニング|フォルト|alarm|error|err|fault|warning|コード|code)"
    r"(?:コード|番号|ナンバー|code|number|no\.?)?"
)
_BEFORE = re.compile(rf"{_ANNOUNCED_BY}[ は:#.=「『\"'(\[-]*$")
_AFTER = re.compile(
    "(?:番|号)?(?:」|』|\"|')?[ のを]*(?:アラーム|エラー|異常|警報|コード|alarm|error|が ?(?:出|で|発|表示|点|消))"
)
_WORD = "[a-z0-9]+(?:[-._][a-z0-9]+)*"
_CODE = re.compile(
    rf"""(?<![a-z0-9])(?!(?<=\d/)\d)(?:
      (?P<spaced>(?!(?:of|in|to|no|at|on|by|is|for|and|or|the|step|page|line|fig|ver|rev|day|max|min|pi|tel|fax)[ ])
        [a-z]{{1,4}}[ ]\d{{1,5}}(?:[-._][a-z0-9]+)*)
    | (?P<sub>\d{{2,6}}[ ]?(?:の?サブ(?:コード)?|sub-?(?:code)?)[ :.]*\d{{1,4}})
    | (?P<bracket>{_WORD}[ ]?\[[0-9x][0-9x ~,-]{{0,11}}\])
    | (?P<word>{_WORD})
    )(?![a-z0-9])""",
    re.VERBOSE,
)
# Where a code may begin. It spares the large pattern the plain words of a text: most of the time of indexing.
_START = re.compile(r"(?<![a-z0-9])(?:[a-z]*[0-9]|[a-z]+(?:[-._\[]|[ ](?=[0-9\[])))")
_QUANTITY = re.compile(
    r"\d[\d.,/x-]*(?:[munpk]?[mglasvwf]|cm|k[gvw]a?|[mkh]?pa|[kmg]?hz|rpm|r/min|min|ms|sec|h|hr|n|nm|mah?|[kmg]b"
    r"|c|%|bar|psi|deg|st|nd|rd|th|inch|in|ft|φ|m/s|l/min|cc|pcs|v(?:ac|dc))|(?:ac|dc)\d+v?|\d+x\d+|phi\d+"
)
_DATE = re.compile(r"[mtshr]\d{1,2}\.\d{1,2}\.\d{1,2}|\d{4}[-.]\d{1,2}(?:[-.]\d{1,2})?")
_PART_DIGITS = re.compile(r"[1-9]\d{2,}(?:-\d{2,})+")
_WORDS_ONLY = re.compile("[a-z._-]+")
_DIGITS_ONLY = re.compile("[0-9._-]+")
_COUNTED = re.compile(
    "[ ]?(?:回|件|個|台|秒|分|時|日|月|年|名|人|つ|箇所|か所|カ所|ケ所|枚|本|度|%|ライン|号機|階|ページ|章)"
)
_SUB_WORD = re.compile(r"[ ]?(?:の?サブ(?:コード)?|sub-?(?:code)?)[ :.]*")


@dataclass(frozen=True, slots=True)
class CodeInText:
    """A code-like word: `text` as written at [start, end) of the source, `key` as fold_code gives it.

    Error codes, machine ids, models and part numbers look alike; the caller tells them apart by looking `key` up.
    `announced` = the words beside it (アラーム, エラー, …が出た) say that it is an error code.
    """

    text: str
    key: str
    start: int
    end: int
    announced: bool = False


def find_codes(text: str) -> tuple[CodeInText, ...]:
    """Every code-like word of a text, in order, never overlapping.

    Letters with digits in any width, hyphen or single space (E-12, ｅ 12, FL-200, AB12-345-A), subcodes (8003[4],
    4430 サブコード 6) and hyphenated part digits (4711-0815). A bare number counts only where it is announced
    (アラーム 27, 52が出て止まった, エラーコード1) or is the whole text. Quantities and dates never count.
    """
    shaped = shape_with_origin(text)
    return tuple(_in_source(text, shaped, *found) for found in _found(shaped.text))


def code_keys(shaped: str) -> tuple[str, ...]:
    """The keys of find_codes in order, without places, of a text that already has its `shape`; repeats stay."""
    return tuple(key for _, key in _found(shaped))


def _in_source(source: str, shaped: Folded, match: re.Match[str], key: str) -> CodeInText:
    start, end = shaped.source_span(match.start(), match.end())
    span = source[start:end]
    end -= len(span) - len(span.rstrip())
    return CodeInText(source[start:end], key, start, end, _is_announced(match))


def _found(text: str) -> Iterator[tuple[re.Match[str], str]]:
    whole = text.strip()
    done = 0
    for start in _START.finditer(text):
        match = _CODE.match(text, start.start()) if start.start() >= done else None
        if not match:
            continue
        written, kind, done = match[0], match.lastgroup, match.end()
        if kind == "sub":
            yield match, key_of(_SUB_WORD.sub(".", written))
        elif kind != "word" or _is_code(match, whole):
            yield match, key_of(written)


def _is_announced(match: re.Match[str]) -> bool:
    before = _BEFORE.search(match.string, max(0, match.start() - 24), match.start())
    return bool(before or _AFTER.match(match.string, match.end()))


def _is_code(match: re.Match[str], whole: str) -> bool:
    written = match[0]
    if written.isdigit():
        said = len(written) <= 6 and (written == whole or _is_announced(match))
        return said and not _COUNTED.match(match.string, match.end())
    if _WORDS_ONLY.fullmatch(written) or _DATE.fullmatch(written):
        return False
    if _DIGITS_ONLY.fullmatch(written):
        return bool(_PART_DIGITS.fullmatch(written))
    return not _QUANTITY.fullmatch(written) or _is_announced(match)


@dataclass(frozen=True, slots=True)
class PrintedCode:
    """A code as a manual prints it: plain `keys`, and `ranges` where it stands for several (8011[23 - 54], 2xxx).

    `heads` are the literal beginnings of the ranges, so that an index can find the few that may match a key.
    """

    keys: tuple[str, ...]
    ranges: tuple[CodeRange, ...] = ()

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.head for one in self.ranges))

    def matches(self, key: str) -> bool:
        return key in self.keys or any(one.matches(key) for one in self.ranges)


@dataclass(frozen=True, slots=True)
class CodeRange:
    """Keys `head` + number between `low` and `high` (inclusive) + `tail`; `width` digits, 0 = any."""

    head: str
    low: int
    high: int
    width: int = 0

    def matches(self, key: str) -> bool:
        rest = key.removeprefix(self.head)
        if (rest == key and self.head) or not rest.isascii() or not rest.isdigit():
            return False
        return (not self.width or len(rest) == self.width) and self.low <= int(rest) <= self.high


_IN_BRACKETS = re.compile(rf"({_WORD})[ ]?\[ ?([0-9x*]+(?: ?[-~,] ?[0-9x*]+)*) ?\]")
_WILDCARD = re.compile(r"([a-z]*[-. ]?\d*)([x*?□○◯]{1,5})")
_FROM_TO = re.compile(rf"({_WORD})(?: ?(?:~|\.\.|から) ?|-)({_WORD})")
_LISTED = re.compile(r" ?[,、/・;] ?")
_STEM = re.compile(r"([a-z]+)\d+")
_LETTERS_DIGITS = re.compile(r"(.*?)(\d+)")


@lru_cache(maxsize=4096)
def printed_code(printed: str) -> PrintedCode:
    """What codes a printed one stands for: plain, list (E-12、E-13), range (E-12〜E-15, 8003[100 - 111]), wildcard."""
    keys: list[str] = []
    ranges: list[CodeRange] = []
    shaped = shape(printed).strip()
    whole = _IN_BRACKETS.fullmatch(shaped)
    letters = ""
    for one in [shaped] if whole else _LISTED.split(shaped):
        found = tuple(_ranges(one))
        ranges += found
        if not found and (key := fold_code(one)):
            keys.append(letters + key if key.isdigit() else key)  # E-12/13 lists E-12 and E-13
            stem = _STEM.fullmatch(keys[-1])
            letters = stem[1] if stem else ""
    return PrintedCode(tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(ranges)))


def code_matches(printed: str, key: str) -> bool:
    """Whether a code as printed (ranges and wildcards included) stands for this key (of fold_code)."""
    return printed_code(printed).matches(key)


def _ranges(shaped: str) -> Iterator[CodeRange]:
    if match := _IN_BRACKETS.fullmatch(shaped):
        yield from _bracket_ranges(fold_code(match[1]), match[2])
    elif (match := _WILDCARD.fullmatch(shaped)) and (match[1][-1:].isdigit() or match[1][-1:] == "-"):
        yield CodeRange(fold_code(match[1]), 0, 10 ** len(match[2]) - 1, width=len(match[2]))
    elif match := _FROM_TO.fullmatch(shaped):
        yield from _from_to(fold_code(match[1]), fold_code(match[2]), hyphen="~" not in shaped)


def _bracket_ranges(head: str, inside: str) -> Iterator[CodeRange]:
    for item in inside.replace(" ", "").split(","):
        if not item.strip("x*"):
            yield CodeRange(f"{head}.", 0, 10**6)
            continue
        low, _, high = item.replace("~", "-").partition("-")
        if high.isdigit() and low.isdigit():
            yield CodeRange(f"{head}.", int(low), int(high))
            if len(low) == len(high) == 1:  # 80[1-5] is also written for 801 to 805
                yield CodeRange(head, int(low), int(high), width=1)


def _from_to(low: str, high: str, *, hyphen: bool) -> Iterator[CodeRange]:
    first, last = _LETTERS_DIGITS.fullmatch(low), _LETTERS_DIGITS.fullmatch(high)
    if not first or not last or (last[1] not in ("", first[1])) or (hyphen and not (first[1] and last[1])):
        return
    if int(first[2]) < int(last[2]):
        yield CodeRange(first[1], int(first[2]), int(last[2]), width=len(first[2]) if first[2][0] == "0" else 0)
