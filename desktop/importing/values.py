"""What a reader found, as JSON lines between the child process and us: plain data only, whatever the file held."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TextIO, TypeVar, Union, get_args, get_origin, get_type_hints

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part, Person


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A person of a roster file, and the PIN printed beside the name ("" = none)."""

    person: Person
    pin: str = ""


@dataclass(frozen=True, slots=True)
class Synonym:
    """A plant's word and what else people say for it."""

    word: str
    synonyms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlantList:
    """A list of the plant's own (column names, safety rules) as its file has it; `kind` is a Kind."""

    kind: str
    content: str


Value = Equipment | MaintenanceRecord | Part | OpenOrder | RosterRow | Synonym | PlantList | Manual | ManualSection
T = TypeVar("T")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def write_value(file: TextIO, value: Value) -> None:
    file.write(f'["{type(value).__name__}", {_encode(to_plain(value))}]\n')


def read_values(path: Path, kind: type[T]) -> Iterator[T]:
    """The values of one type in a child's output file, one at a time, in its order."""
    start = f'["{kind.__name__}", '
    build = _builder_of(kind)
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.startswith(start):
                yield build(json.loads(line)[1])


def to_plain(value: Any) -> Any:
    """A value as JSON can write it; a dataclass becomes the list of its fields."""
    return _writer_of(value)(value)


def from_plain(kind: type[T], plain: Any) -> T:
    """What `to_plain` wrote, as the type it was: our dataclasses, enums, dates, mappings and tuples of them."""
    built: T = _builder_of(kind)(plain)
    return built


def _same(value: Any) -> Any:
    return value


def _writer_of(value: Any) -> Callable[[Any], Any]:
    kind: Any = type(value)
    return _writer(kind)


def _builder_of(kind: Any) -> Callable[[Any], Any]:
    return _builder(kind)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], Any]:
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        return lambda value: [_writer_of(part)(part) for part in (getattr(value, name) for name in names)]
    if issubclass(kind, StrEnum):
        return str
    if issubclass(kind, date):
        return date.isoformat
    if issubclass(kind, tuple):
        return lambda value: [_writer_of(part)(part) for part in value]
    return dict if issubclass(kind, Mapping) else _same


@cache
def _builder(kind: Any) -> Callable[[Any], Any]:
    """The function that makes a plain value one of the type."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        build = _builder(next(part for part in get_args(kind) if part is not type(None)))
        return lambda plain: None if plain is None else build(plain)
    if origin is tuple:
        each = _builder(get_args(kind)[0])
        return tuple if each is _same else lambda plain: tuple(map(each, plain))
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        # Not strict: what an older version wrote lacks the last fields, which have defaults.
        parts = [_builder(hints[field.name]) for field in fields(kind)]
        return lambda plain: kind(*[part(item) for part, item in zip(parts, plain, strict=False)])
    if kind is date:
        return date.fromisoformat
    return kind if isinstance(kind, type) and issubclass(kind, StrEnum) else _same
