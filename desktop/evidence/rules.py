"""The safety rules that hold for a plant: its own list where it has one, else the one that comes with the program."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from desktop import paths
from desktop.domain.safety import SafetyRules, read_rules
from desktop.domain.safety_check import faults
from desktop.store.snapshot import Snapshot

LIST_KIND = "safety_rule"


_known: WeakKeyDictionary[Snapshot, SafetyRules] = WeakKeyDictionary()


def rules_of(snapshot: Snapshot) -> SafetyRules:
    """The plant's list, which never refuses less than the shipped one.

    An import takes no list that can't be read; should a snapshot hold one all the same (made by another version), the
    shipped rules stand in, and every safety block says so.
    """
    rules = _known.get(snapshot)
    if rules is None:
        content = snapshot.plant_list(LIST_KIND)
        rules = _known[snapshot] = _plants_own(content) if content else shipped_rules()
    return rules


@cache
def shipped_rules() -> SafetyRules:
    return read_rules(tomllib.loads(paths.resource("safety_rules.toml").read_text(encoding="utf-8")))


def _plants_own(content: str) -> SafetyRules:
    table = _parsed(content)
    if table is None or any(faults(table)):
        return replace(shipped_rules(), stand_in=True)
    return read_rules(table).with_bans_of(shipped_rules())


def _parsed(content: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
