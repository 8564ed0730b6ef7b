"""One folding for what is stored and what is typed; codes and ids as keys of their own."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Look-alikes of "-" that NFKC leaves alone; only between ASCII alphanumerics do they mean a hyphen,
# because ー and 一 are letters of Japanese words (センサー, 一次).
_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u2043\u2500\u2501\u30fc\uff70\u4e00\u31d0"
_HYPHEN_BETWEEN = re.compile(f"(?<=[0-9a-z])[ ]?[{_HYPHENS}-]+[ ]?(?=[0-9a-z])")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_LOOKALIKES = str.maketrans(
    "〜∼⌀∅ø✕×≧≦∕⁄髙﨑德濵濱邊邉齋齊戶點國ヶヵ",
    "~~φφφxx≥≤//高崎徳浜浜辺辺斎斉戸点国ケカ",
)
_HIRAGANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_VA = re.compile("ヴ([ァィェォ]?)")
_VA_ROW = {"ァ": "バ", "ィ": "ビ", "ェ": "ベ", "ォ": "ボ", "": "ブ"}
_LONG_END = re.compile("(?<=[ァ-ヺ]{2})ー(?![ァ-ヺー])")
_SPACES = re.compile(r"\s+")


def fold(text: str) -> str:
    """The search form of free text: NFKC, lower case, hyphens inside codes, kana and long vowels levelled."""
    text = _shape(text)
    text = _VA.sub(lambda match: _VA_ROW[match[1]], text.translate(_HIRAGANA))
    return _LONG_END.sub("", text).strip()


def fold_code(text: str) -> str:
    """The key of one code or id: letters and digits joined, later groups by '.'; E-12, E12 and Ｅ－１２ give e12."""
    shaped = _shape(text).replace(" ", "")
    head, *rest = [group for group in re.split(r"[-_./]", shaped) if group]
    if rest and head.isalpha():
        head, *rest = head + rest[0], *rest[1:]
    return ".".join((head, *rest))


@dataclass(frozen=True, slots=True)
class CodeInText:
    """A code-like word: `text` as written at [start, end) of the source, `key` as fold_code gives it."""

    text: str
    key: str
    start: int
    end: int


def _shape(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).lower().translate(_LOOKALIKES)
    return _HYPHEN_BETWEEN.sub("-", _SPACES.sub(" ", text))
