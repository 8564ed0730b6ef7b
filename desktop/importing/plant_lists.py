"""A plant's own lists as TOML files: column names, safety rules; told by their content and tried before use."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from desktop import paths
from desktop.domain import safety_check
from desktop.domain.safety import read_rules
from desktop.errors import KnownError
from desktop.importing import alias_list
from desktop.importing.encodings import find_encoding
from desktop.importing.mapping_file import MAPPING_KEYS
from desktop.importing.request import FileReport, Kind
from desktop.importing.values import PlantList

_LARGEST = 1 << 20
_MOST_FAULTS = 5
_OF_SAFETY = frozenset({"work", "lockout", "ban", "energy", "no_energy", "harmless", "source", "revised"})


def read_list(path: Path, kind: Kind) -> tuple[PlantList | None, FileReport]:
    """The list and the report of it; None for a column mapping, which is no data of its own.

    KnownError list_unreadable (no TOML), list_foreign (neither list), list_senseless (what is wrong, the first few).
    """
    content, encoding = _text(path)
    try:
        table = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise KnownError("list_unreadable", file=path.name, reason=str(error)) from error
    kind = _kind_of(table) if kind is Kind.AUTO else kind
    match kind:
        case Kind.ALIAS:
            found, entries = alias_list.faults(table), alias_list.count
        case Kind.SAFETY_RULE:
            found, entries = _safety_faults(table), _count_rules
        case _ if table.keys() and table.keys() <= MAPPING_KEYS:
            told = "列の対応表です。データとしては読みません。使うには --mapping で指定してください。"
            return None, FileReport(str(path), Kind.AUTO, encoding=encoding, warnings=(told,))
        case _:
            raise KnownError("list_foreign", file=path.name, keys="、".join(islice(map(str, table), 10)) or "－")
    if wrong := list(islice(found, _MOST_FAULTS)):
        raise KnownError("list_senseless", file=path.name, reason="。".join(wrong))
    return PlantList(kind.value, content), FileReport(str(path), kind, encoding=encoding, accepted=entries(table))


def _text(path: Path) -> tuple[str, str]:
    if path.stat().st_size > _LARGEST:
        raise KnownError("list_unreadable", file=path.name, reason=f"{_LARGEST >> 20} MB を超えています")
    encoding = find_encoding(path).name
    return path.read_text(encoding=encoding).removeprefix("\ufeff"), encoding


def _kind_of(table: Mapping[str, Any]) -> Kind:
    """By what stands in it: kinds with `fields` are column names, lock-out steps or bans are safety rules."""
    if any(isinstance(part, Mapping) and "fields" in part for part in table.values()):
        return Kind.ALIAS
    return Kind.SAFETY_RULE if len(table.keys() & _OF_SAFETY) > 1 else Kind.AUTO


def _safety_faults(table: Mapping[str, Any]) -> Iterator[str]:
    """Of its form; only a well-formed list is tried, together with what is always refused."""
    if found := list(safety_check.faults(table)):
        yield from found
        return
    shipped = read_rules(tomllib.loads(paths.resource("safety_rules.toml").read_text(encoding="utf-8")))
    yield from safety_check.senseless(read_rules(table).with_bans_of(shipped))


def _count_rules(table: Mapping[str, Any]) -> int:
    return len(table["lockout"]) + len(table["energy"]) + len(table["ban"])
