"""Recognising people and secrets in any line of text, however they are written or escaped."""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

_SEVERAL = re.compile(r"[、,，・/／&＆;；+＋()（）|\n]+")
_PARTS = re.compile(r"[\s\u3000._-]+")
_NOT_A_WORD = re.compile(r"[\W_]+")
_KANA = re.compile(r"[ァ-ヶー]+")
_TITLES = "サン|サマ|クン|チャン|様|氏|君|殿|主任|班長|組長|係長|課長|部長|工場長|職長|リーダ"
_PARTICLES = "ガ|ハ|ノ|ヲ|ニ|ト|ヘ|モ|デ"
_DEPARTMENTS = frozenset({"保全", "設備", "製造", "生産", "工務", "品質", "技術", "施設", "現場"})
"""What stands in a ledger's owner column instead of a person; nobody is called so."""
_OLD_LETTERS = str.maketrans("髙﨑齋齊斉邊邉濵濱澤嶋嶌廣國櫻眞惠德瀨", "高崎斎斎斎辺辺浜浜沢島島広国桜真恵徳瀬")
_KATAKANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}
_ESCAPED_LETTER = re.compile(r"\\+[uU](?:0{4})?([0-9a-fA-F]{4})")
_ESCAPED_BYTES = re.compile(r"(?:\\+x[0-9a-fA-F]{2})+")
_ESCAPES_DEEP = 3
_SPREAD = r"[\W_]*"
_KANJI = "[\u3400-\u9fff々]"
_LEAST_LATIN = 3
_LONG_LATIN = 6
_LEAST_KANA = 2
_LEAST_SECRET = 6


class Names:
    """Knows whether a text tells of any of `people` (roster, workers, logins …)."""

    def __init__(self, people: Iterable[str]) -> None:
        inside: set[str] = set()
        apart: set[str] = set()
        for name in {one for cell in people for one in _SEVERAL.split(cell)}:
            parts = [part for part in _PARTS.split(_plain(name)) if part and part not in _DEPARTMENTS]
            for form in {*parts} if len(parts) < 2 else {*parts, "".join(parts), "".join(reversed(parts))}:
                (inside if _stands_out(form) else apart).add(re.escape(form))
            apart |= {_SPREAD.join(map(re.escape, order)) for order in (parts, parts[::-1]) if len(parts) > 1}
        self._inside = _any_of(inside)
        self._apart = _any_of(filter(None, map(_standing_alone, apart)))

    def told_in(self, text: str) -> bool:
        """Spaces, widths, kana, old letters, escapes and a wrong character set make no difference."""
        return any(self._told(_plain(view)) for view in views(text))

    def _told(self, plain: str) -> bool:
        return bool(self._apart.search(plain) or self._inside.search(_NOT_A_WORD.sub("", plain)))


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
            yield read.encode(mistaken, "ignore").decode("utf-8", "ignore")


def _unescaped(text: str) -> str:
    text = _ESCAPED_LETTER.sub(lambda found: chr(int(found[1], 16)), text)
    text = _ESCAPED_BYTES.sub(lambda found: _bytes_of(found[0]).decode("utf-8", "ignore"), text)
    return html.unescape(unquote(text, errors="ignore"))


def _bytes_of(escaped: str) -> bytes:
    return bytes(int(pair, 16) for pair in re.findall(r"x([0-9a-fA-F]{2})", escaped))


def _plain(text: str) -> str:
    """Width, case, kana and old letters folded; spaces stay, so that words can be told apart."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_KATAKANA).translate(_OLD_LETTERS)
    return "".join(one for one in folded if unicodedata.category(one) != "Cf")


def _stands_out(form: str) -> bool:
    """Whether these letters are nobody else's word, so that they count inside others too."""
    if form.isascii():
        return len(form) >= _LONG_LATIN and not form.isdigit()
    return len(form) > 2 if _KANA.fullmatch(form) else len(form) > 1


def _standing_alone(form: str) -> str:
    """How a form that could be part of another word is told from it; "" = by no means."""
    letters = form.replace(_SPREAD, "")
    if letters.isascii():
        return "" if len(letters) < _LEAST_LATIN or form.isdigit() else rf"(?<![a-z0-9]){form}(?![a-z0-9])"
    if _KANA.fullmatch(letters):
        after = rf"(?=$|[^ァ-ヶー]|{_PARTICLES}|{_TITLES})"
        return "" if len(letters) < _LEAST_KANA else rf"(?<![ァ-ヶー]){form}{after}"
    return rf"(?<!{_KANJI}){form}(?!{_KANJI})|{form}(?=\s*(?:{_TITLES}))"


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Matches nothing if there are none."""
    return re.compile("|".join(sorted(patterns, key=len, reverse=True)) or r"(?!)")
