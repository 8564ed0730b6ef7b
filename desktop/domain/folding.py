"""One folding for what is stored and what is typed, with the way back to the source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

# Look-alikes of "-" that NFKC leaves alone; only between ASCII alphanumerics do they mean a hyphen,
# because ー and 一 are letters of Japanese words (センサー, 一次).
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u2043\u2500\u2501\u31d0"
_HYPHEN_BETWEEN = re.compile(f"(?<=[0-9a-z])[ ]?[{_DASHES}\u30fc\uff70\u4e00-]+[ ]?(?=[0-9a-z])")
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
_LOOKALIKES = str.maketrans(
    "〜∼⌀∅ø✕×≧≦∕⁄髙﨑德濵濱邊邉齋齊戶點國嶋槗靑黑增眞塚內圓廣壓變體實檢驗轉斷發效數應龍瀧澤條壞續繼縣團圖對觸濕滿ヶヵゖゕ",
    "~~φφφxx≥≤//高崎徳浜浜辺辺斎斉戸点国島橋青黒増真塚内円広圧変体実検験転断発効数応竜滝沢条壊続継県団図対触湿満ケカケカ",
)
_LOOKALIKES |= {first + i: ord("1") + i for first in (0x2776, 0x2780) for i in range(9)}  # ❶ ➀
_ANY_LOOKALIKE = re.compile(f"[{''.join(map(chr, _LOOKALIKES))}]")
_HIRAGANA = {code: code + 0x60 for code in range(0x3041, 0x3097)} | {0x309D: 0x30FD, 0x309E: 0x30FE}
_VA = re.compile("[ヴゔ]([ァィェォぁぃぇぉ]?)")
_VA_ROW = dict(zip("ァィェォぁぃぇぉ", "バビベボバビベボ", strict=True)) | {"": "ブ"}
# A long vowel that ends a katakana word (センサーが) or a kana word as a whole (せんさー); judged before hiragana
# becomes katakana, else the particle would look like the word going on.
# The literal ー stands first because the whole plant is folded: the engine then jumps from one to the next.
_LONG_END = re.compile("ー(?<=[ァ-ヺぁ-ゖー][ァ-ヺ]ー)(?![ァ-ヺー])|ー(?<=[ァ-ヺぁ-ゖー][ぁ-ゖ]ー)(?![ァ-ヺーぁ-ゖ])")
_SPACES = re.compile(r"\s+")
_CODE_SEPARATORS = re.compile(rf"[\s\-_./\[\]()#:{_DASHES}]+")
# Characters before which NFKC never joins to the left; everything else stays with what stands before it.
_CLUSTER_START = (
    "\\x00-\\x7f\u00a0-\u00ff\u0370-\u0481\u2000-\u20cf\u2100-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u30ff"
    "\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff9d\uffe0-\uffee\U0001d400-\U0001d7ff\U0001f100-\U0001f2ff\U00020000-\U0003ffff"
)
_CLUSTER = re.compile(f"[{_CLUSTER_START}]?[^{_CLUSTER_START}]*", re.DOTALL)


def fold(text: str) -> str:
    """The search form of free text: NFKC, lower case, hyphens inside codes, kana and long vowels levelled."""
    return level(shape(text))


def fold_code(text: str) -> str:
    """The key of one code or id: letters and digits joined, later groups by '.'.

    E-12, E12, e 12 and Ｅ－１２ give e12; AB12-345-A gives ab12.345.a; 8003[4] gives 8003.4; no letters or digits, "".
    """
    return key_of(shape(text))


def key_of(shaped: str) -> str:
    """fold_code of a text that already has its shape."""
    groups = [group for group in _CODE_SEPARATORS.split(shaped) if group]
    head = ""
    while groups and (not head or head.isalpha()):
        head += groups.pop(0)
    return ".".join((head, *groups))


def shape(text: str) -> str:
    """The part of folding that keeps words readable: NFKC, lower case, look-alikes, single spaces, hyphens in codes."""
    text = _alike(_compat(_INVISIBLE.sub("", text)))
    return _HYPHEN_BETWEEN.sub("-", _SPACES.sub(" ", text))


def level(shaped: str) -> str:
    """The rest of folding, of a text that has its shape: kana as katakana, ヴ as ブ, no long vowel at a word's end."""
    return _LONG_END.sub("", _VA.sub(_va_row, shaped)).translate(_HIRAGANA).strip()


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with its way back: `origin[i]` is where the i-th character began in the source.

    `origin` is one longer than `text`; its last entry is where the folded part of the source ended.
    """

    text: str
    origin: tuple[int, ...]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Where [start, end) of the folded text stands in the source; `end` beyond `start`."""
        first = self.origin[start]
        return first, next((place for place in self.origin[end:] if place > first), self.origin[-1])


def fold_with_origin(text: str) -> Folded:
    """fold(text) together with the source position of each of its characters."""
    shaped = shape_with_origin(text)
    levelled = _levelled(shaped)
    head = len(levelled.text) - len(levelled.text.lstrip())
    tail = len(levelled.text.rstrip())
    return Folded(levelled.text[head:tail], levelled.origin[head : max(head, tail) + 1])


def shape_with_origin(text: str) -> Folded:
    """shape(text) together with the source position of each of its characters."""
    seen = [position for position, char in enumerate(text) if not _INVISIBLE.match(char)]
    visible = _INVISIBLE.sub("", text)
    chars: list[str] = []
    origin: list[int] = []
    for cluster in _CLUSTER.finditer(visible):
        if cluster[0]:
            made = _alike(_compat(cluster[0]))
            chars.append(made)
            origin.extend([seen[cluster.start()]] * len(made))
    whole = Folded("".join(chars), (*origin, len(text)))
    spaced = _replaced(whole, _SPACES, lambda _: " ")
    return _replaced(spaced, _HYPHEN_BETWEEN, lambda _: "-")


def _levelled(shaped: Folded) -> Folded:
    without_va = _replaced(shaped, _VA, _va_row)
    short = _replaced(without_va, _LONG_END, lambda _: "")
    return Folded(short.text.translate(_HIRAGANA), short.origin)


def _va_row(match: re.Match[str]) -> str:
    return _VA_ROW[match[1]]


def _compat(text: str) -> str:
    if text.isascii():
        return text.lower()
    return _nfkc(_nfkc(text).casefold())


def _nfkc(text: str) -> str:
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


def _alike(text: str) -> str:
    return text.translate(_LOOKALIKES) if _ANY_LOOKALIKE.search(text) else text


def _replaced(folded: Folded, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]) -> Folded:
    pieces: list[str] = []
    origin: list[int] = []
    done = 0
    for match in pattern.finditer(folded.text):
        made = replacement(match)
        pieces += folded.text[done : match.start()], made
        origin += folded.origin[done : match.start()]
        origin += [folded.origin[match.start()]] * len(made)
        done = match.end()
    return Folded("".join((*pieces, folded.text[done:])), (*origin, *folded.origin[done:]))
