"""What a search text asks for: codes, words with their synonyms, and the index terms of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from desktop.domain.text import CodeInText, find_codes, fold, level, shape
from desktop.store import search_terms

SYNONYM_WEIGHT = 0.8
LEARNED_WEIGHT = 0.5

_RUN = re.compile(
    r"(?P<latin>[a-z0-9]+(?:[._-][a-z0-9]+)*)|(?P<kata>[ァ-ヺ][ァ-ヺー]*)|(?P<kanji>[㐀-﫿々〇]+)|(?P<hira>[ぁ-ゖ][ぁ-ゖー]*)"
)
# Hiragana that begins after a kanji word when that word is over (a particle, する, ある, だ), not its own ending.
_ENDED = re.compile("[がをにはのでともへやかなださしすせあいうこそ]|から|まで|より|って|です|ます|ない")
_PARTICLES = re.compile("^(?:から|まで|より|では|には|とは|のは|のが|って|が|を|に|は|の|で|と|も|へ|や|か|た|て|な)+")
_ENDINGS = re.compile(
    "(?:ている|ていた|ています|てある|てしまう|てしまった|てしまいます|てください|ました|ません|ます|ですか|でしょうか|です|だった|"
    "すれば|どうすれば|すると|する|した|して|される|された|いい|よい|ない|たい|った|って|んだ|ある|いる|なる|なった|"
    "まま|こと|もの|とき|ところ|ため|よう|そう|だけ|ください|どう|どこ|なぜ|いつ|どの|この|その|あの|これ|それ|[がをにはのでともへやかたてるだ])+$"
)
_EMPTY_WORDS = frozenset("方法,場合,原因,対処,対策,処置,理由,何,時,事,際,件,出,教,知".split(","))
_CODE_WORDS = frozenset(
    map(fold, "アラーム,エラー,コード,警報,番号,サブコード,サブ,ナンバー,no,alarm,error,code".split(","))
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question, plain; `others` mean the same by (plain form, as written, weight)."""

    text: str
    weight: float
    others: tuple[tuple[str, str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A search text, taken apart. `terms` are index terms with a weight of 1 for what was typed, less for synonyms.

    `spelled` gives each typed term its text, as it is counted in a folded text without ー.
    """

    codes: tuple[CodeInText, ...]
    words: tuple[Word, ...]
    terms: Mapping[int, float]
    spelled: Mapping[int, str]

    def __bool__(self) -> bool:
        return bool(self.codes or self.words)


def ask(
    text: str, synonyms: Mapping[str, tuple[str, ...]], learned: Mapping[str, Mapping[str, float]] | None = None
) -> Question:
    """Takes a search text apart; `synonyms` and `learned` by folded word."""
    codes = find_codes(text)
    rest = shape(_without(text, codes))
    found = dict.fromkeys(_words(rest))
    if codes:
        found = {word: None for word in found if word not in _CODE_WORDS}
    words = tuple(_with_others(word, synonyms, learned or {}) for word in found)
    spelled = _spelled(rest) if words else {}
    terms = dict.fromkeys(spelled, 1.0)
    for word in words:
        for _, written, weight in word.others:
            for term in _spelled(shape(written)):
                terms.setdefault(term, weight)
    return Question(codes, words, terms, spelled)


def plain(shaped: str) -> str:
    """The form in which words are compared: folded, and without ー, which people leave out anywhere (コンベヤー)."""
    return level(shaped).replace("ー", "")


def _without(text: str, codes: Iterable[CodeInText]) -> str:
    for code in reversed(tuple(codes)):
        text = f"{text[: code.start]} {text[code.end :]}"
    return text


def _words(shaped: str) -> Iterator[str]:
    """The content words of a shaped text in order; a word with a number behind it also as one (ジョイント3)."""
    runs = list(_RUN.finditer(shaped))
    for at, run in enumerate(runs):
        behind = runs[at + 1] if at + 1 < len(runs) and runs[at + 1].start() == run.end() else None
        match run.lastgroup:
            case "hira":
                word = _ENDINGS.sub("", _PARTICLES.sub("", run[0] if at == 0 else _after(runs[at - 1], run)))
                if len(word) > 1:
                    yield level(word)
            case "kanji":
                yield from _kanji_words(run[0], behind)
            case "latin" if at and runs[at - 1].lastgroup in ("kata", "kanji") and runs[at - 1].end() == run.start():
                if not run[0].isdigit():
                    yield run[0]
            case _:
                if len(run[0]) > 1 or run.lastgroup == "latin":
                    yield level(run[0])
        if behind and run.lastgroup in ("kata", "kanji") and behind[0].isdigit():
            yield level(run[0]) + behind[0]


def _after(kanji: re.Match[str], hiragana: re.Match[str]) -> str:
    """A run of hiragana without the ending that it lends to the kanji before it."""
    belongs = kanji.lastgroup == "kanji" and kanji.end() == hiragana.start() and not _ENDED.match(hiragana[0])
    return "" if belongs else hiragana[0]


def _kanji_words(kanji: str, behind: re.Match[str] | None) -> Iterator[str]:
    if kanji in _EMPTY_WORDS:
        return
    goes_on = behind and behind.lastgroup == "hira" and not _ENDED.match(behind[0])
    yield level(kanji + behind[0][0]) if behind and goes_on else kanji


def _with_others(
    word: str, synonyms: Mapping[str, tuple[str, ...]], learned: Mapping[str, Mapping[str, float]]
) -> Word:
    others = {plain(shape(other)): (other, SYNONYM_WEIGHT) for other in synonyms.get(word, ())}
    for other in learned.get(word, {}):
        others.setdefault(plain(shape(other)), (other, LEARNED_WEIGHT))
    text = word.replace("ー", "")
    others.pop(text, None)
    weight = 1.0 if len(text) == 1 else float(min(len(text), 4))
    return Word(text, weight, tuple((folded, written, factor) for folded, (written, factor) in others.items()))


def _spelled(shaped: str) -> dict[int, str]:
    """The terms of a shaped text with their letters: pairs, single letters that are no hiragana, Latin words."""
    text = shaped.replace("ー", "")
    found: dict[int, str] = {}
    for first, second in pairwise((*text, " ")):
        if search_terms.is_letter(first):
            term = search_terms.pair(first, second)
            if term & 0xFFFF:
                found[term] = chr(term >> 16) + chr(term & 0xFFFF)
            if not "ぁ" <= first <= "ゖ":
                found[search_terms.single(first)] = first
    found |= {search_terms.word_term(word): word for word in re.findall("[a-z0-9]+", text)}
    return found
