"""Recognising people and secrets in any line of text, however they are written or escaped."""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from urllib.parse import unquote

_SEVERAL = re.compile(r"[、,，・/／&＆;；+＋()（）|\n]+")
_PARTS = re.compile(r"[\s\u3000._-]+")
_NOT_A_WORD = re.compile(r"[\W_]+")
_KANA = re.compile(r"[ァ-ヶー]+")
_TITLES = "サン|サマ|クン|チャン|様|氏|君|殿|主任|班長|組長|係長|課長|部長|工場長|職長|リーダ"
_PARTICLES = "ガ|ハ|ノ|ヲ|ニ|ト|ヘ|モ|デ"
_DEPARTMENTS = frozenset({"保全", "設備", "製造", "生産", "工務", "品質", "技術", "施設", "現場"})
"""What stands in a ledger's owner column instead of a person; nobody is called so."""
_SAME_LETTERS = {
    **str.maketrans("髙﨑齋齊斉邊邉濵濱澤嶋嶌廣國櫻眞惠德瀨", "高崎斎斎斎辺辺浜浜沢島島広国桜真恵徳瀬"),
    **{code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)},
}
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)
_ESCAPED_LETTER = re.compile(r"\\+[uU](?:0{4})?([0-9a-fA-F]{4})")
_ESCAPED_BYTES = re.compile(r"(?:\\+x[0-9a-fA-F]{2})+")
_ESCAPES_DEEP = 3
_LATIN = re.compile(r"[a-z0-9]+")
_KANJI = re.compile("[\u3400-\u9fff々]")
_AFTER_KANA = re.compile(rf"$|{_PARTICLES}|{_TITLES}")
_BEFORE_TITLE = re.compile(rf"\s*(?:{_TITLES})")
_LEAST_LATIN = 3
_LONG_LATIN = 6
_SHORT_KANA = 2
_WORDS_OF_A_NAME = 4
_LEAST_SECRET = 6


class Names:
    """Knows whether a text tells of any of `people` (roster, workers, logins …), be they thousands."""

    def __init__(self, people: Iterable[str]) -> None:
        forms = {form for cell in people for name in _SEVERAL.split(cell) for form in _forms(name)}
        self._latin = frozenset(form for form in forms if form.isascii() and len(form) >= _LEAST_LATIN)
        self._initials = frozenset(form[0] for form in self._latin)
        self._kana = frozenset(form for form in forms if _KANA.fullmatch(form) and len(form) == _SHORT_KANA)
        self._kanji = frozenset(form for form in forms if len(form) == 1 and _KANJI.fullmatch(form))
        self._inside: dict[str, set[str]] = {}
        for form in filter(_stands_out, forms):
            self._inside.setdefault(form[:2], set()).add(form)

    def told_in(self, text: str) -> bool:
        """Spaces, widths, kana, old letters, escapes and a wrong character set make no difference."""
        return any(map(self._told, {_plain(view) for view in views(text)}))

    def _told(self, plain: str) -> bool:
        return (
            self._has_inside(_NOT_A_WORD.sub("", plain))
            or self._has_latin(plain)
            or (not plain.isascii() and (self._has_kana(plain) or self._has_kanji(plain)))
        )

    def _has_inside(self, squeezed: str) -> bool:
        """A form that is nobody else's word, wherever it stands."""
        beginnings = {one + other for one, other in pairwise(squeezed)}.intersection(self._inside)
        return any(form in squeezed for beginning in beginnings for form in self._inside[beginning])

    def _has_latin(self, plain: str) -> bool:
        """A word, or a few in a row, that make up a form."""
        words = _LATIN.findall(plain)
        return any(
            "".join(words[at : at + count]) in self._latin
            for at, word in enumerate(words)
            if word[0] in self._initials
            for count in range(1, _WORDS_OF_A_NAME + 1)
        )

    def _has_kana(self, plain: str) -> bool:
        """A short form by itself, or before a particle or a title."""
        runs = (found[0] for found in _KANA.finditer(plain))
        return any(run[:_SHORT_KANA] in self._kana and _AFTER_KANA.match(run, _SHORT_KANA) for run in runs)

    def _has_kanji(self, plain: str) -> bool:
        """One letter that no other kanji touches, or before a title."""
        return any(
            one in self._kanji
            and (
                not (_KANJI.match(plain, at + 1) or (at and _KANJI.match(plain, at - 1)))
                or _BEFORE_TITLE.match(plain, at + 1)
            )
            for at, one in enumerate(plain)
        )


class Secrets:
    """Knows the keyring's own values."""

    def __init__(self, values: Iterable[str]) -> None:
        known = {value for value in values if len(value) >= _LEAST_SECRET}
        self._any = _any_of(re.escape(form) for value in known for form in (value, _base64(value)))

    def told_in(self, text: str) -> bool:
        return any(self._any.search(view) for view in (*views(text), "".join(text.split())))


def _base64(value: str) -> str:
    """As a header has it; the end depends on what follows."""
    return base64.b64encode(value.encode()).decode().rstrip("=")[:-1]


def views(text: str) -> Iterator[str]:
    """The text as it stands, and what it says once escapes are undone or its bytes are read as they were meant."""
    yield text
    read = text
    for _ in range(_ESCAPES_DEEP):
        before, read = read, _unescaped(read)
        if read == before:
            break
        yield read
        yield unquote(before, encoding="cp932", errors="ignore")
    if not read.isascii():
        for mistaken in ("cp932", "latin-1"):
            meant = read.encode(mistaken, "ignore").decode("utf-8", "ignore")
            if not meant.isascii():
                yield meant


def _unescaped(text: str) -> str:
    text = _ESCAPED_LETTER.sub(lambda found: chr(int(found[1], 16)), text)
    text = _ESCAPED_BYTES.sub(lambda found: _bytes_of(found[0]).decode("utf-8", "ignore"), text)
    return html.unescape(unquote(text, errors="ignore"))


def _bytes_of(escaped: str) -> bytes:
    return bytes(int(pair, 16) for pair in re.findall(r"x([0-9a-fA-F]{2})", escaped))


def _plain(text: str) -> str:
    """Width, case, kana and old letters folded; spaces stay, so that words can be told apart."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SAME_LETTERS)
    return _UNSEEN.sub("", folded)


def _forms(name: str) -> Iterator[str]:
    """The name in one word, in either order, and each of its parts; what is only digits is a number of nobody's."""
    parts = [_NOT_A_WORD.sub("", part) for part in _PARTS.split(_plain(name))]
    parts = [part for part in parts if part and part not in _DEPARTMENTS]
    yield from (part for part in parts if len(parts) == 1 or not part.isdigit())
    if len(parts) > 1:
        yield from ("".join(parts), "".join(reversed(parts)))


def _stands_out(form: str) -> bool:
    """Whether these letters are nobody else's word, so that they count inside others too."""
    if form.isascii():
        return len(form) >= _LONG_LATIN and not form.isdigit()
    return len(form) > _SHORT_KANA if _KANA.fullmatch(form) else len(form) > 1


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Matches nothing if there are none."""
    return re.compile("|".join(sorted(patterns, key=len, reverse=True)) or r"(?!)")
