"""A text in the form that names are looked for in, and what of it is left when the names are taken out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from desktop.domain.text import fold, fold_with_origin, shape

Span = tuple[int, int]

_PARTICLE = re.compile(
    r"[\s、。，．・,!！?？:：;；「」『』()（）\[\]~…]+"
    r"|(?<=[ぁ-ん])の(?=[一-龠々ァ-ヴa-z0-9])"
    r"|(?<=[一-龠々ァ-ヴー])(?:さ?れ|し)て[ぁ-ん]*(?=[一-龠々ァ-ヴ])"
    r"|(?<=[一-龠々ァ-ヴーa-z0-9])(?:からの|から|まで|では|には|って|という|との|での|(?<![上下広繋曲拡膨転剥])が|[をにでのはもへ]|(?<!落)と)"
)
_CHATTER = re.compile(
    "どう(?:すれば|したら|しよう|やって|なの|する|した|やる|なってる)?(?:いい|よい|良い|の)?(?:です)?か?|教えて|下さい|ください|くれ|おしえて"
    "|(?:出し|作っ|やっ)て(?:おいて|いて|くれ)?|おいて|ので|知りたい|見たい|確認したい|欲しい|ほしい|お願い(?:します)?|頼む"
    "|(?:の|ん)(?:です|だ)(?:が|けど|よ|か)?$|(?:でしょう|です|ます|ました|ません)か?|(?:が)?(?:出|で)(?:た|る|て(?:い?る|いて|る|ます|ました)?|ました|ます)"
    "|(?<=[一-龠々ァ-ヴーa-z0-9])し(?:た|て(?:い?る|います|いて)?|ました|ます)"
    "|(?:起き|発生し|なっ)(?:た|て(?:い?る|います|いて)?|ました|ます)|する|発生|起きる|なる|ある|あり|いる"
    "|(?:直ら|治ら|変わら)(?:ない|なかった|なくて|ん|ず)|(?:だめ|ダメ|駄目)(?:だった|だ|です)?(?:ので|が|けど)?|それ(?:と|に)も?"
    "|(?:みたい|らしい|ようだ|かも|しまう|しまった|ところ|とき|こと|もの|やつ|ほう|さっき|それ|これ|この|その|あの|今|いま|急に|また|突然|すぐ)"
    "|(?:何|なに|なん|なぜ|どこ|どれ|いつ|誰|いくつ|いくら|何回|何件|何個)"
    "|(?:直し方|直す|直し|治し|対処法?|処置|対策|対応|方法|やり方|手順|意味|原因|理由|前回|過去|履歴|記録|実績|以前|(?<![一-龠])前(?![一-龠]))"
    "|一番多い(?:故障|トラブル)?|(?<![一-龠々ァ-ヴー])(?:故障|トラブル|最近|保全)(?![一-龠々ァ-ヴー])"
    "|(?:エラーコード|エラー|アラーム|コード|異常コード|番号|alarm|error)"
    "|(?:保全依頼|修理依頼|依頼|登録|起票|承認済み?)|至急|早急に?|よろしく|宜しく|だから|なので"
)
_LEFT_OVER = re.compile("^(?:から|まで|[がをにでのはもへと])(?=[一-龠々ァ-ヴa-z0-9])")
_SHORT = 5  # characters of a word in which one slip is as much as one can know it by
_MANY = 2_000
_WORD_CHARS = re.compile("[一-龠々ァ-ヴa-zA-Z0-9]")
_EMPTY = frozenset(
    re.split(
        "・",
        "いちばん・一番・ように・よう・まま・など・とても・ずっと・ちょっと・いつも・たまに・どうも・やっぱり・かなり・まだ・もう・なかなか"
        "・それで・念のため・一応・とりあえず"
        "・したが・したけど・したけれど・したのに・しても・やったが・やったけど"
        "・たい・ない・って・から・ので・けど・だけ・ため・たら・れば・その後・同じ・同時・明日・今日・昨日・至急・早く・本当・大丈夫・可能"
        "・機械・設備・装置・件・多い・保全・作業・整備",
    )
)


@dataclass(frozen=True, slots=True)
class Squeezed:
    """A text folded and without spaces; `origin` leads back to the source, `loose` are places where a space stood."""

    source: str
    text: str
    origin: tuple[int, ...]
    loose: frozenset[int]

    def source_span(self, start: int, end: int) -> Span:
        """Where [start, end) stands in the source, without spaces at its end."""
        first, last = self.origin[start], self.origin[end]
        return first, first + len(self.source[first:last].rstrip())

    def find(self, alias: str) -> Iterator[Span]:
        """Where a squeezed name stands as a word of its own: not inside a longer number, Latin or katakana word."""
        start = self.text.find(alias)
        while start >= 0:
            end = start + len(alias)
            if self._is_edge(start) and self._is_edge(end):
                yield start, end
            start = self.text.find(alias, start + 1)

    def _is_edge(self, place: int) -> bool:
        if place in self.loose or not 0 < place < len(self.text):
            return True
        left, right = (_script(self.source[self.origin[at]]) for at in (place - 1, place))
        return not (left == right and left in ("latin", "katakana"))


def squeeze(text: str) -> str:
    """A name's search form: folded, without spaces."""
    return fold(text).replace(" ", "")


def bigrams(text: str) -> frozenset[str]:
    form = squeeze(text)
    return frozenset(form[at : at + 2] for at in range(len(form) - 1))


def squeezed(source: str) -> Squeezed:
    folded = fold_with_origin(source)
    kept = [at for at, char in enumerate(folded.text) if char != " "]
    loose = frozenset(new for new, at in enumerate(kept) if at and folded.text[at - 1] == " ")
    origin = (*(folded.origin[at] for at in kept), folded.origin[-1])
    return Squeezed(source, "".join(folded.text[at] for at in kept), origin, loose)


def without(text: str, spans: Iterable[Span]) -> str:
    """The text with a mark where the spans stood, after which a particle is still one."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} ー{text[end:]}"
    return text


def segments(text: str) -> tuple[str, ...]:
    """Content words in reading order: cut at particles and punctuation, chatter left out."""
    pieces = (piece for part in _PARTICLE.split(shape(text)) for piece in _CHATTER.split(part))
    bare = (_LEFT_OVER.sub("", piece.strip()) for piece in pieces)
    return tuple(dict.fromkeys(piece for piece in bare if _tells_something(piece)))


def near(word: str, known: Mapping[str, object], limit: int = 3) -> tuple[str, ...]:
    """Known words within a spelling slip of this one (one edit up to five characters, two beyond), nearest first.

    Among very many known words (numbers of ten thousand machines) two edits lead anywhere, so only one counts.
    """
    once = sorted(other for other in _one_edit(word, known) if other in known and other != word)
    if len(once) >= limit or len(word) <= _SHORT or len(known) > _MANY:
        return tuple(once[:limit])
    twice = (other for other in known if abs(len(other) - len(word)) <= 2 and edits(word, other, 2) == 2)
    return (*once, *sorted(twice))[:limit]


def _one_edit(word: str, known: Iterable[str]) -> set[str]:
    """Everything one insertion, deletion, replacement or swap away, in the letters of the known words."""
    letters = frozenset("".join(known))
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {f"{left}{right[1:]}" for left, right in cuts if right}
    found |= {f"{left}{right[1]}{right[0]}{right[2:]}" for left, right in cuts if len(right) > 1}
    found |= {f"{left}{letter}{right[1:]}" for left, right in cuts if right for letter in letters}
    return found | {f"{left}{letter}{right}" for left, right in cuts for letter in letters}


def edits(left: str, right: str, reach: int) -> int:
    """Edits (insert, delete, replace, swap neighbours) from left to right; `reach` + 1 where it takes more."""
    before: Sequence[int] = []
    row: Sequence[int] = range(len(right) + 1)
    for i, a in enumerate(left, start=1):
        earlier, before, row_now = before, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(before[j] + 1, row_now[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row_now.append(cost)
        if min(row_now) > reach:
            return reach + 1
        row = row_now
    return min(row[-1], reach + 1)


def _tells_something(piece: str) -> bool:
    """Also single kanji (弁, 軸) and words in hiragana alone (ずれる)."""
    if len(piece) == 1:
        return "一" <= piece <= "龠"
    if piece in _EMPTY:
        return False
    return bool(_WORD_CHARS.search(piece)) or len(piece) > 2 or piece == "もれ"


def _script(char: str) -> str:
    char = unicodedata.normalize("NFKC", char)[:1]
    if char.isascii() and char.isalnum():
        return "latin"
    if "ァ" <= char <= "ヺ" or char == "ー":
        return "katakana"
    return "other"
