"""Which of a table's columns are ours, of which kind, and how sure that is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache

from desktop.importing.alias_list import Aliases, aliases_of, column_key
from desktop.importing.request import TABLE_KINDS, Kind

_AFTER = re.compile(r"[(（\[［【<].*?[)）\]］】>]")
_WEAK = 0.4
_OWN_BONUS = 0.6


_PLANTS_OWN: ContextVar[str] = ContextVar("plants_own", default="")


@dataclass(frozen=True, slots=True)
class Guess:
    """The kind a header was taken for: `fields` by column index, `score` to compare, `confidence` 0..1 to show."""

    kind: Kind
    fields: Mapping[int, str]
    score: float
    confidence: float


@contextmanager
def plants_own(content: str) -> Iterator[None]:
    """Within it a plant's column names (TOML; "" = none) count beside the shipped ones."""
    token = _PLANTS_OWN.set(content)
    try:
        yield
    finally:
        _PLANTS_OWN.reset(token)


def unit_of(name: str) -> str:
    """What stands in parentheses after a column name: 停止時間(分) -> 分."""
    found = re.search(r"[(\[【]([^)\]】]*)[)\]】]", unicodedata.normalize("NFKC", name))
    return found[1].strip() if found else ""


def recognise(columns: Sequence[str], kind: Kind = Kind.AUTO) -> Guess | None:
    """The best kind for these column names (or `kind` itself), None if its needed fields are not there."""
    kinds = TABLE_KINDS if kind is Kind.AUTO else (kind,)
    guesses = [guess for each in kinds if (guess := _guess(columns, each))]
    return max(guesses, key=lambda guess: guess.score, default=None)


def known_columns(columns: Sequence[str]) -> int:
    """How many of the names mean something in full to any one kind; finds a header among other rows."""
    keys = {key for name in columns for key in _keys(name)}
    return max(sum(bool(keys & names) for names in aliases(kind).names.values()) for kind in TABLE_KINDS)


def fields_of(kind: Kind) -> tuple[str, ...]:
    return tuple(aliases(kind).names)


def missing_fields(kind: Kind, fields: Mapping[int, str]) -> tuple[str, ...]:
    """One name for each needed group that no column gives."""
    have = set(fields.values())
    return tuple("・".join(sorted(group)) for group in aliases(kind).needed if not group & have)


def aliases(kind: Kind) -> Aliases:
    return _aliases(kind, _PLANTS_OWN.get())


@lru_cache(maxsize=4 * len(TABLE_KINDS))
def _aliases(kind: Kind, content: str) -> Aliases:
    return aliases_of(kind.value, content)


def _own_keys(kind: Kind) -> frozenset[str]:
    """Names that only this kind has."""
    return _keys_of_kind_alone(kind, _PLANTS_OWN.get())


@lru_cache(maxsize=4 * len(TABLE_KINDS))
def _keys_of_kind_alone(kind: Kind, content: str) -> frozenset[str]:
    keys = {one: frozenset().union(*_aliases(one, content).names.values()) for one in TABLE_KINDS}
    return keys[kind].difference(*(others for one, others in keys.items() if one is not kind))


def _guess(columns: Sequence[str], kind: Kind) -> Guess | None:
    known = aliases(kind)
    fields: dict[int, str] = {}
    score = 0.0
    for table, worth in ((known.names, 1.0), (known.weak, _WEAK)):
        for index, name in enumerate(columns):
            field = _free_field(name, table, known.needed, fields.values()) if index not in fields else None
            if field:
                fields[index] = field
                score += worth + (_OWN_BONUS if _keys(name) & _own_keys(kind) else 0.0)
    strong = sum(bool(_field(columns[index], known.names)) for index in fields)
    have = set(fields.values())
    if strong < 2 or any(not group & have for group in known.needed):
        return None
    named = sum(bool(name.strip()) for name in columns)
    sure = sum(any(_field(columns[i], known.names) == f for i, f in fields.items() if f in g) for g in known.needed)
    confidence = 0.6 * sure / len(known.needed) + 0.4 * len(fields) / max(1, named)
    return Guess(kind, dict(sorted(fields.items())), score, round(min(1.0, confidence), 2))


def _field(name: str, table: Mapping[str, frozenset[str]]) -> str | None:
    """The field whose alias the name is: as a whole first, then without what stands in parentheses."""
    for key in _keys_in_order(name):
        for field, names in table.items():
            if key in names:
                return field
    return None


def _free_field(
    name: str, table: Mapping[str, frozenset[str]], needed: Sequence[frozenset[str]], taken: Collection[str]
) -> str | None:
    """A field the name can mean that no column gives yet; a needed one first: 管理番号 beside No is the machine's."""
    for key in _keys_in_order(name):
        meant = [field for field, names in table.items() if key in names]
        if free := [field for field in meant if field not in taken]:
            return next((field for field in free if any(field in group for group in needed)), free[0])
        if meant:
            return None
    return None


def _keys_in_order(name: str) -> tuple[str, ...]:
    whole = column_key(name)
    short = column_key(_AFTER.sub("", name))
    return (whole, short) if short and short != whole else (whole,)


def _keys(name: str) -> frozenset[str]:
    return frozenset(key for key in _keys_in_order(name) if key)
