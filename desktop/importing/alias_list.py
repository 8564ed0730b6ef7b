"""A plant's own column names, added to the shipped ones: which field each stands for, and what is wrong with a list."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from desktop import paths
from desktop.domain.safety_check import WORDS, form_faults

_NOISE = re.compile(r"[\s*＊※★☆●◎・:：._\-－]+")
_LISTS = ("names", "weak")
_FIELD: Mapping[str, Any] = {"names?": WORDS, "weak?": WORDS}


@dataclass(frozen=True, slots=True)
class Aliases:
    """One kind's column names: field -> keys that count in full, field -> keys that count only beside others."""

    names: Mapping[str, frozenset[str]]
    weak: Mapping[str, frozenset[str]]
    needed: tuple[frozenset[str], ...]


def column_key(name: str) -> str:
    """A column name as it is compared: NFKC, lower case, without spaces, line breaks and ornaments."""
    return _NOISE.sub("", unicodedata.normalize("NFKC", name).lower())


@cache
def shipped() -> Mapping[str, Any]:
    """The list that comes with the program, by kind."""
    return tomllib.loads(paths.resource("column_aliases.toml").read_text(encoding="utf-8"))


def aliases_of(kind: str, content: str) -> Aliases:
    """The shipped names of a kind and those of a plant's list (TOML; "" = it has none).

    A name that the plant gives to a field means that field, whatever the shipped list says of it.
    """
    table, own = shipped()[kind], _fields(tomllib.loads(content).get(kind, {}))
    claimed = {key for entry in own.values() for words in entry.values() for key in map(column_key, words)}

    def merged(what: str) -> dict[str, frozenset[str]]:
        return {
            field: frozenset(set(map(column_key, entry.get(what, ()))) - claimed)
            | frozenset(map(column_key, own.get(field, {}).get(what, ())))
            for field, entry in table["fields"].items()
        }

    return Aliases(merged("names"), merged("weak"), tuple(frozenset(group) for group in table["any"]))


def count(table: Mapping[str, Any]) -> int:
    """How many names a list gives."""
    entries = (entry for kind in table.values() for entry in _fields(kind).values())
    return sum(len(words) for entry in entries for words in entry.values())


def faults(table: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a parsed list, in words that name the place."""
    for kind, part in table.items():
        if kind not in shipped():
            yield f"[{kind}] という種類はありません（{'、'.join(shipped())}）"
        else:
            yield from _kind_faults(kind, part)
    if not any(True for part in table.values() for entry in _fields(part).values() for _ in _words(entry, *_LISTS)):
        yield "列名が一つもありません"


def _kind_faults(kind: str, part: Any) -> Iterator[str]:
    known = shipped()[kind]
    if not isinstance(part, Mapping) or not isinstance(part.get("fields"), Mapping):
        yield f"[{kind}.fields.…] がありません"
        return
    if unknown := part.keys() - {"any", "fields"}:
        yield f"[{kind}] の {'、'.join(sorted(unknown))} は使えない項目です"
    if "any" in part and part["any"] != known["any"]:
        yield f"[{kind}] の any（なくてはならない項目）は変えられません"
    for field, entry in part["fields"].items():
        if field not in known["fields"]:
            yield f"[{kind}] に項目 {field} はありません（{'、'.join(known['fields'])}）"
        yield from form_faults(entry, _FIELD, f"{kind}.fields.{field}")
    full = Counter(key for entry in _fields(part).values() for key in {key for _, key in _words(entry, "names")})
    yield from (f"[{kind}] で列名「{key}」が二つの項目にあります" for key, times in full.items() if key and times > 1)
    for entry in _fields(part).values():
        yield from (f"[{kind}] の列名「{word}」は記号だけです" for word, key in _words(entry, *_LISTS) if not key)


def _words(entry: Mapping[str, Any], *lists: str) -> Iterator[tuple[str, str]]:
    """Each well-formed name of a field, as written and as its key."""
    for words in map(entry.get, lists):
        for word in words if isinstance(words, list) else ():
            if isinstance(word, str):
                yield word, column_key(word)


def _fields(part: Any) -> Mapping[str, Mapping[str, Any]]:
    fields = part.get("fields") if isinstance(part, Mapping) else None
    found = fields.items() if isinstance(fields, Mapping) else ()
    return {field: entry for field, entry in found if isinstance(entry, Mapping)}
