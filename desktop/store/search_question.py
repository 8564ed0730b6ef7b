"""What a search text asks for: codes, words with their synonyms, and the index terms of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from desktop.domain.text import CodeInText, find_codes, fold, level, shape
from desktop.store import search_terms

SYNONYM_WEIGHT = 0.8
LEARNED_WEIGHT = 0.6

_RUN = re.compile(
    r"(?P<latin>[a-z0-9]+(?:[._-][a-z0-9]+)*)|(?P<kata>[ァ-ヺ][ァ-ヺー]*)|(?P<kanji>[㐀-﫿々〇]+)|(?P<hira>[ぁ-ゖ][ぁ-ゖー]*)"
)
# Hiragana behind a kanji word that is over (a particle, する, ある, だ); any other is the word's own ending.
_NOT_ITS_ENDING = re.compile("[がをにはのでともへやかなださしすせあいうこそ]|から|まで|より|って|です|ます|ない")
_BEFORE_A_WORD = re.compile(
    "^(?:から|まで|より|では|には|とは|のは|のが|って|され|させ|られ|でき|ような|ように|してい|しま|[がをにはのでともへやかたてなしすれ])+"
)
_BEHIND_A_WORD = re.compile(
    "(?:ている|ていた|ています|てある|てしまう|てしまった|てしまいます|てください|ました|ません|ます|ですか|でしょうか|です|だった|なければ|"
    "すれば|どうすれば|すると|する|した|して|される|された|いい|よい|ない|たい|った|って|んだ|ある|いる|なる|なった|なり|"
    "まま|こと|もの|とき|ところ|ため|よう|そう|だけ|ください|どう|どこ|なぜ|いつ|どの|この|その|あの|これ|それ|"
    "[がをにはのでともへやかたてるだばすい])+$"
)
_EMPTY_WORDS = frozenset(("方法", "場合", "原因", "対処", "対策", "処置", "理由", *"何時事際件出教知良"))
_CODE_WORDS = frozenset(
    map(
        fold,
        ("アラーム", "エラー", "コード", "警報", "番号", "サブコード", "サブ", "ナンバー", "alarm", "error", "code"),
    )
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question: `text` plain, `written` as typed, `terms` its index terms.

    `others` mean the same (plain, as written, weight).
    """

    text: str
    written: str
    terms: frozenset[int] = frozenset()
    others: tuple[tuple[str, str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A search text, taken apart.

    `terms` are the index terms of its words, with a weight of 1 for what was typed, less for synonyms: they choose.
    `spelled` gives every term of the text, particles too, its letters as they are counted in a plain text: they rank.
    """

    codes: tuple[CodeInText, ...]
    words: tuple[Word, ...]
    terms: Mapping[int, float]
    spelled: Mapping[int, str]

    def __bool__(self) -> bool:
        return bool(self.codes or self.words)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A content word where it stands: `stem` is compared (okurigana cut to its first letter), `whole` looked up."""

    stem: str
    whole: str
    start: int
    end: int


def ask(text: str, synonyms: Mapping[str, tuple[str, ...]], learned: Mapping[str, tuple[str, ...]]) -> Question:
    """Takes a search text apart; `synonyms` and `learned` terms by folded word."""
    codes = find_codes(text)
    rest = shape(_without(text, codes))
    pieces = [piece for piece in _pieces(rest) if not (codes and level(piece.whole) in _CODE_WORDS)]
    words = tuple(
        {plain(one.stem): _word(one, synonyms, learned) for one in (*pieces, *_numbered(rest, pieces))}.values()
    )
    terms = dict.fromkeys(_spelled(_content(pieces)), 1.0)
    for word in words:
        for _, written, weight in word.others:
            for term in _spelled(shape(written)):
                terms.setdefault(term, weight)
    return Question(codes, words, terms, _spelled(rest) if words else {})


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that say something, as written but for width and case, without codes and bare numbers."""
    rest = shape(_without(text, find_codes(text)))
    return tuple(piece.whole for piece in _pieces(rest) if not piece.whole.isascii() and len(piece.whole) > 1)


def plain(shaped: str) -> str:
    """The form in which words are compared: folded, and without ー, which people leave out anywhere (コンベヤー)."""
    return level(shaped).replace("ー", "")


def _without(text: str, codes: Iterable[CodeInText]) -> str:
    for code in reversed(tuple(codes)):
        text = f"{text[: code.start]} {text[code.end :]}"
    return text


def _pieces(shaped: str) -> Iterator[_Piece]:
    """The content words of a shaped text: no particles, endings, question words or words that say nothing."""
    before: re.Match[str] | None = None
    runs = list(_RUN.finditer(shaped))
    for run, behind in pairwise((*runs, None)):
        assert run
        match run.lastgroup:
            case "kanji" if run[0] not in _EMPTY_WORDS:
                yield _kanji_piece(run, behind)
            case "hira" if not _is_ending(before, run):
                start = _prefix(run[0])
                word = _BEHIND_A_WORD.sub("", run[0][start:])
                if len(word) > 1:
                    yield _Piece(word, word, run.start() + start, run.start() + start + len(word))
            case "kata" | "latin" if len(run[0]) > 1 or run.lastgroup == "latin":
                yield _Piece(run[0], run[0], run.start(), run.end())
            case _:
                pass
        before = run


def _prefix(hiragana: str) -> int:
    found = _BEFORE_A_WORD.match(hiragana)
    return found.end() if found else 0


def _is_ending(kanji: re.Match[str] | None, hiragana: re.Match[str] | None) -> bool:
    """Whether hiragana is the ending of the kanji word right before it (詰|まり), not a word or particle of its own."""
    if not kanji or not hiragana or hiragana.lastgroup != "hira" or kanji.end() != hiragana.start():
        return False
    return kanji.lastgroup == "kanji" and not _NOT_ITS_ENDING.match(hiragana[0])


def _kanji_piece(kanji: re.Match[str], behind: re.Match[str] | None) -> _Piece:
    if behind is None or not _is_ending(kanji, behind):
        return _Piece(kanji[0], kanji[0], kanji.start(), kanji.end())
    ending = behind[0][:1] + _BEHIND_A_WORD.sub("", behind[0][1:])
    return _Piece(kanji[0] + behind[0][0], kanji[0] + ending, kanji.start(), behind.start() + 1)


def _numbered(shaped: str, pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Words with a number behind them as one (ジョイント3): the number alone says little, both together much."""
    for one, other in pairwise(pieces):
        if one.end == other.start and other.stem.isdigit() and not one.stem[-1].isascii():
            yield _Piece(one.stem + other.stem, shaped[one.start : other.end], one.start, other.end)


def _content(pieces: Iterable[_Piece]) -> str:
    """The pieces with nothing but a space where something was left out between them."""
    text, end = "", 0
    for piece in pieces:
        text += piece.stem if piece.start == end else f" {piece.stem}"
        end = piece.end
    return text


def _word(piece: _Piece, synonyms: Mapping[str, tuple[str, ...]], learned: Mapping[str, tuple[str, ...]]) -> Word:
    text = plain(piece.stem)
    others = {plain(shape(other)): (other, LEARNED_WEIGHT) for other in learned.get(level(piece.whole), ())}
    others |= {plain(shape(other)): (other, SYNONYM_WEIGHT) for other in _synonyms(piece, synonyms)}
    others.pop(text, None)
    weighted = tuple((other, written, weight) for other, (written, weight) in others.items())
    return Word(text, piece.whole, frozenset(_spelled(piece.stem)), weighted)


def _synonyms(piece: _Piece, synonyms: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Other words for a piece, for the noun that its stem begins (詰ま|った: 詰まり), for a word that is part of it."""
    folded, stem = level(piece.whole), level(piece.stem)
    yield from synonyms.get(folded, ())
    if "ぁ" <= piece.stem[-1] <= "ゖ" and len(piece.stem) > 1:
        for word, others in synonyms.items():
            if word != folded and word.startswith(stem) and len(word) == len(stem) + 1:
                yield from (other[:-1] if _ends_alike(other, word) else other for other in others)
    if len(folded) >= 4:
        for word, others in synonyms.items():
            if len(word) > 1 and word != folded and (folded.startswith(word) or folded.endswith(word)):
                yield from (folded.replace(word, other) for other in others)


def _ends_alike(other: str, word: str) -> bool:
    return fold(other)[-1:] == word[-1] and len(other) > 2


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
                found[search_terms.single(first)] = level(first)
    found |= {search_terms.word_term(word): word for word in re.findall("[a-z0-9]+", text)}
    return found
