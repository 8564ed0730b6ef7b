"""Which machines of the ledger a few words mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from desktop.domain.ledger import Equipment
from desktop.domain.text import find_codes, fold_code, shape
from desktop.store.search_question import plain
from desktop.store.search_rank import stands
from desktop.store.snapshot import Snapshot

_NEAR_SCORE = 0.5
_PART_OF_A_FIELD = 0.9
_ALIKE = 0.5
_WORTH_SHOWING = 0.6
_SEPARATORS = re.compile(r"[\s、。,・/()（）「」?？!！]+|の")
_SEGMENT = re.compile(
    "[0-9]+号機?|[ァ-ヺ]+[0-9]+(?![0-9a-z])|[a-z0-9]+(?:[-._][a-z0-9]+)*|[ァ-ヺ]+|[㐀-﫿々]+(?:[0-9]+(?![0-9a-z]))?"
)
_LETTERS = re.compile("[^0-9.]*")


@dataclass(frozen=True, slots=True)
class EquipmentHit:
    """`near` = not every word fits: a suggestion to show, never to take; `why` the words that fit."""

    equipment: Equipment
    score: float
    why: str
    near: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of a query: `spellings` are itself and its synonyms, plain; `key` its form as an id or model."""

    text: str
    spellings: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A machine as it is searched: `fields` plain, `whole` all of them, `keys` its id, model and serial as codes."""

    equipment: Equipment
    fields: frozenset[str]
    names: tuple[frozenset[str], ...]
    keys: frozenset[str]
    whole: str


class EquipmentSearch:
    """The ledger prepared once; a query then costs a few passes over it in memory."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def find(self, query: str) -> tuple[EquipmentHit, ...]:
        """Machines with all words of the query, in the ledger's order; only if there are none, those that fit best.

        Of the nearest, too, every number of the query must fit (another line or id is another machine), but for error
        codes, which say nothing of the machine.
        """
        shaped = shape(_joined(query))
        words = [self._word(plain(word)) for word in _SEPARATORS.split(shaped) if word]
        if found := self._with_all(words):
            return found
        segments = [self._word(segment) for segment in self._segments(plain(_SEPARATORS.sub(" ", shaped)))]
        return self._with_all(segments) or self._nearest(segments)

    def _with_all(self, words: Sequence[_Word]) -> tuple[EquipmentHit, ...]:
        rows = self._rows if words else ()
        for word in words:
            rows = [row for row in rows if _fits(word, row)]
        why = " ".join(word.text for word in words)
        hits = [EquipmentHit(row.equipment, _exactness(words, row), why) for row in rows]
        return tuple(sorted(hits, key=lambda hit: -hit.score))

    def _nearest(self, words: Sequence[_Word]) -> tuple[EquipmentHit, ...]:
        numbers = [word for word in words if any(map(str.isdigit, word.text)) and not self._is_error_code(word)]
        others = [word for word in words if not any(map(str.isdigit, word.text))]
        hits = []
        for row in self._rows if others else ():
            fitting = [word.text for word in numbers if _fits(word, row)]
            likeness = [(word.text, _likeness(word, row)) for word in others]
            if len(fitting) < len(numbers) or max(share for _, share in likeness) < _ALIKE:
                continue
            total = len(fitting) + sum(share for _, share in likeness)
            why = " ".join((*fitting, *(text for text, share in likeness if share >= _ALIKE)))
            hits.append(EquipmentHit(row.equipment, round(_NEAR_SCORE * total / len(words), 3), why, near=True))
        best = max((hit.score for hit in hits), default=0.0)
        return tuple(sorted((hit for hit in hits if hit.score >= _WORTH_SHOWING * best), key=lambda hit: -hit.score))

    def _is_error_code(self, word: _Word) -> bool:
        """Whether a word with a number names no machine: a known code, or one that begins like no id or model."""
        if not word.key.isascii():
            return False
        return bool(self._snapshot.code_owners(word.key)) or _letters(word.key) not in self._beginnings

    def _segments(self, text: str) -> Iterator[str]:
        """A query without spaces cut at the names that the ledger knows, the rest where the script changes."""
        for name in self._vocabulary:
            if name in text and stands(name, text):
                text = text.replace(name, f"\n{name.replace(' ', chr(0))}\n")
        for piece in text.split("\n"):
            if (name := piece.replace("\0", " ").strip()) in self._vocabulary:
                yield name
            else:
                yield from (match[0] for match in _SEGMENT.finditer(piece))

    def _word(self, text: str) -> _Word:
        others = (plain(shape(other)) for other in self._snapshot.synonyms().get(text, ()))
        return _Word(text, tuple(dict.fromkeys((text, *others))), fold_code(text))

    @cached_property
    def _rows(self) -> Sequence[_Row]:
        return [_row(one) for one in self._snapshot.all_equipment()]

    @cached_property
    def _vocabulary(self) -> Mapping[str, None]:
        """Lines, names, ids and models of more than one letter, the longest first."""
        known = {name for row in self._rows for name in row.fields if len(name) > 1}
        return dict.fromkeys(sorted(known, key=lambda name: (-len(name), name)))

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(_letters(key) for row in self._rows for key in row.keys)


def _joined(query: str) -> str:
    """A query in which ids typed with spaces (eq 003) are one word."""
    for code in reversed(find_codes(query)):
        query = f"{query[: code.start]}{''.join(code.text.split())}{query[code.end :]}"
    return query


def _row(one: Equipment) -> _Row:
    names = [plain(shape(name)) for name in (one.name, *one.nicknames) if name]
    fields = [*names, *(plain(shape(text)) for text in (one.equipment_id, one.model, one.line, one.location) if text)]
    others = [plain(shape(text)) for text in (one.owner, one.maker, one.serial) if text]
    keys = frozenset(fold_code(text) for text in (one.equipment_id, one.model, one.serial) if text)
    return _Row(one, frozenset(fields), tuple(map(_pairs, names)), keys, "\n".join((*fields, *others)))


def _fits(word: _Word, row: _Row) -> bool:
    return word.key in row.keys or any(text in row.whole and stands(text, row.whole) for text in word.spellings)


def _exactness(words: Iterable[_Word], row: _Row) -> float:
    whole = all(word.key in row.keys or not row.fields.isdisjoint(word.spellings) for word in words)
    return 1.0 if whole else _PART_OF_A_FIELD


def _likeness(word: _Word, row: _Row) -> float:
    """0 to 1: 1 where the word stands in the row, else the share of pairs it has in common with the nearest name."""
    if _fits(word, row):
        return 1.0
    pairs = _pairs(word.text)
    return max((len(pairs & name) / max(min(len(pairs), len(name)), 1) for name in row.names), default=0.0)


def _pairs(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 2] for at in range(len(text) - 1))


def _letters(key: str) -> str:
    found = _LETTERS.match(key)
    return found[0] if found else ""
