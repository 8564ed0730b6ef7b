"""How well a section or record answers a question, scored exactly on its text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from desktop.store.search_question import Question, Word, plain

# Where a code stands says how surely the text is about it: heading or code column, a heading's bare number, body.
CODE_SCORES = {3: 1.0, 2: 0.9, 1: 0.6}
FAMILY_SCORE = 0.7
"""A code asked for without its subcode (8011), found with one (8011[15])."""

_K1 = 1.2
_B = 0.75
_WORDS_SCORE = 0.75
_HEADING_SCORE = 0.2
_HEADING_WEIGHT = 0.5
_OLD_REVISION = 0.5
_BESIDE_A_CODE = 0.8
_LETTER_OF_A_WORD = 0.6
_CODE_WEIGHT = 1000
_LATIN = re.compile("[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may answer: `heading` and `body` as shaped, `code_score` and `code` as the code index found them."""

    number: int
    heading: str
    body: str
    code_score: float = 0.0
    code: str = ""
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with support in its text: `score` 0 to 1, `why` the code or words through which it was found."""

    number: int
    score: float
    why: str
    order: float


def rank(
    question: Question, candidates: Sequence[Candidate], frequencies: Mapping[int, int] | None = None, count: int = 0
) -> list[Ranked]:
    """The candidates with support, best first; scores never rise down the list.

    `frequencies` says in how many of `count` texts each term stands; without it the candidates are the whole.
    """
    texts = [_Text(one) for one in candidates]
    shares = [[_share(word, text) for word in question.words] for text in texts]
    if frequencies is None:
        frequencies = {term: _standing_in(spelling, texts) for term, spelling in question.spelled.items()}
        count = len(texts)
    rarities = {
        spelling: rarity(df, count) for term, spelling in question.spelled.items() if (df := frequencies.get(term, 0))
    }
    word_weights = [_word_weight(word, rarities, count) for word in question.words]
    average = sum(text.length for text in texts) / max(len(texts), 1)
    found = [
        one
        for text, shared in zip(texts, shares, strict=True)
        if (one := _ranked(question, text, _Coverage.of(question.words, word_weights, shared, text), rarities, average))
    ]
    found.sort(key=lambda one: one.order, reverse=True)
    lowest = accumulate((one.score for one in found), min)
    return [one if one.score == score else replace(one, score=score) for one, score in zip(found, lowest, strict=True)]


def rarity(df: int, count: int) -> float:
    """The weight of a term that stands in df of count texts (BM25's idf)."""
    return math.log(1 + (count - min(df, count) + 0.5) / (df + 0.5))


def _word_weight(word: Word, rarities: Mapping[str, float], count: int) -> float:
    """A word counts as its rarest part does; one with a part that stands nowhere counts most."""
    pairs = [word.text[at : at + 2] for at in range(max(len(word.text) - 1, 1))]
    parts = _LATIN.findall(word.text) if word.text.isascii() else pairs
    known = [rarities[part] for part in parts if part in rarities]
    return max(known) if len(known) == len(parts) else rarity(0, count)


class _Text:
    """One candidate, folded once; heading words count twice."""

    __slots__ = ("_latin", "candidate", "heading", "length", "whole")

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        folded = plain(f"{candidate.heading}\n{candidate.body}")  # shaped texts have no line breaks of their own
        self.heading = folded.partition("\n")[0] if candidate.heading else ""
        self.whole = f"{self.heading}\n{folded}"
        self.length = len(self.whole)
        self._latin: Counter[str] | None = None

    @property
    def latin(self) -> Counter[str]:
        """How often each Latin word or number stands in it; few questions ask for any."""
        if self._latin is None:
            self._latin = Counter(_LATIN.findall(self.whole))
        return self._latin

    def count(self, spelling: str) -> int:
        return self.latin[spelling] if spelling.isascii() else self.whole.count(spelling)


def _standing_in(spelling: str, texts: Sequence[_Text]) -> int:
    if spelling.isascii():
        return sum(spelling in text.latin for text in texts)
    return sum(spelling in text.whole for text in texts)


def _ranked(
    question: Question, text: _Text, words: _Coverage, rarities: Mapping[str, float], average: float
) -> Ranked | None:
    candidate = text.candidate
    if not words.through and not candidate.code_score:
        return None
    bm25 = sum(
        weight * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * text.length / average))
        for spelling, weight in rarities.items()
        if (count := text.count(spelling))
    )
    score = _WORDS_SCORE * words.share + _HEADING_SCORE * words.in_heading
    if candidate.code_score:
        score = min(1.0, candidate.code_score + 0.05 * words.share)
    elif question.codes:
        score *= _BESIDE_A_CODE
    by_words = bm25 * words.share * (1 + _HEADING_WEIGHT * words.in_heading)
    order = _CODE_WEIGHT * candidate.code_score + by_words * (_OLD_REVISION if candidate.behind else 1)
    if candidate.behind and candidate.code_score:
        order -= _CODE_WEIGHT / 2  # whatever the current revision says of the code comes first
    why = " ".join(filter(None, (candidate.code, *words.through)))
    return Ranked(candidate.number, round(score, 3), why, order)


@dataclass(frozen=True, slots=True)
class _Coverage:
    """How much of a question's words a text has, 0 to 1, by their rarity, and through what."""

    share: float
    in_heading: float
    through: tuple[str, ...]

    @staticmethod
    def of(
        words: Sequence[Word], weights: Sequence[float], shared: Sequence[tuple[float, str]], text: _Text
    ) -> _Coverage:
        total = sum(weights) or 1.0
        covered = sum(weight * share for weight, (share, _) in zip(weights, shared, strict=True))
        heading = sum(
            weight
            for word, weight, (share, _) in zip(words, weights, shared, strict=True)
            if share and stands(word.text, text.heading)
        )
        return _Coverage(covered / total, heading / total, tuple(through for _, through in shared if through))


def _share(word: Word, text: _Text) -> tuple[float, str]:
    """How much of a word a text has, and through what: itself, a synonym (漏れ→リーク), or most of its pairs."""
    if stands(word.text, text.whole):
        return 1.0, word.written
    for folded, written, weight in word.others:
        if stands(folded, text.whole):
            return weight, f"{word.written}→{written}"
    if _is_inflected(word) and word.text[0] in text.whole:
        return _LETTER_OF_A_WORD, word.written[0]
    pairs = {word.text[at : at + 2] for at in range(len(word.text) - 1)}
    if len(pairs) < 3 or word.text.isascii():
        return 0.0, ""
    share = sum(pair in text.whole for pair in pairs) / len(pairs)
    return (share * 0.7, f"≒{word.written}") if share >= 0.6 else (0.0, "")


def _is_inflected(word: Word) -> bool:
    """A kanji with its ending (高い, 切れる): the kanji alone (高すぎる, 切断) is most of it."""
    return len(word.text) == 2 and "一" <= word.text[0] <= "鿿" and "ぁ" <= word.written[1:2] <= "ゖ"


def stands(word: str, text: str) -> bool:
    """Whether a word stands in a text; one that begins or ends with letters or digits of Latin, only as a whole."""
    if not (word[0].isascii() or word[-1].isascii()):
        return word in text
    at = text.find(word)
    while at >= 0:
        before, behind = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (_joins(before, word[0]) or _joins(word[-1], behind)):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(one: str, other: str) -> bool:
    return one.isascii() and one.isalnum() and other.isascii() and other.isalnum()
