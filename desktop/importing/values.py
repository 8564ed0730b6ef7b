"""What a reader found, as JSON lines between the child process and us: plain data only, whatever the file held."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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


Value = Equipment | MaintenanceRecord | Part | OpenOrder | RosterRow | Synonym | Manual | ManualSection
T = TypeVar("T")


def write_value(file: TextIO, value: Value) -> None:
    file.write(json.dumps([type(value).__name__, to_plain(value)], ensure_ascii=False) + "\n")


def read_values(path: Path, kind: type[T]) -> Iterator[T]:
    """The values of one type in a child's output file, one at a time, in its order."""
    start = f'["{kind.__name__}", '
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.startswith(start):
                yield from_plain(kind, json.loads(line)[1])


def to_plain(value: Any) -> Any:
    """A value as JSON can write it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    match value:
        case StrEnum():
            return value.value
        case date():
            return value.isoformat()
        case tuple() | list():
            return [to_plain(item) for item in value]
        case Mapping():
            return {str(key): to_plain(item) for key, item in value.items()}
    return value


@cache
def _hints(kind: type[Any]) -> Mapping[str, Any]:
    return get_type_hints(kind)


def from_plain(kind: Any, plain: Any) -> Any:
    """What `to_plain` wrote, as the type it was; only our own dataclasses, enums, dates and tuples of them."""
    if plain is None or kind in (str, int, bool, float):
        return plain
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return from_plain(next(part for part in get_args(kind) if part is not type(None)), plain)
    if origin is tuple:
        return tuple(from_plain(get_args(kind)[0], item) for item in plain)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: from_plain(hints[name], item) for name, item in plain.items()})
    if kind is date:
        return date.fromisoformat(plain)
    return kind(plain) if isinstance(kind, type) and issubclass(kind, StrEnum) else dict(plain)
