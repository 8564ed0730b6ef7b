"""The safety rules that hold for a plant: its own list where it has one, else the one that comes with the program."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from weakref import WeakKeyDictionary

from desktop import paths
from desktop.domain.safety import SafetyRules, read_rules
from desktop.store.snapshot import Snapshot

LIST_KIND = "safety_rule"


_known: WeakKeyDictionary[Snapshot, SafetyRules] = WeakKeyDictionary()


def rules_of(snapshot: Snapshot) -> SafetyRules:
    """A plant's list that can't be read is passed over: the shipped rules hold rather than none."""
    rules = _known.get(snapshot)
    if rules is None:
        content = snapshot.plant_list(LIST_KIND)
        rules = _known[snapshot] = (_parsed(content) if content else None) or shipped_rules()
    return rules


@cache
def shipped_rules() -> SafetyRules:
    return read_rules(tomllib.loads(paths.resource("safety_rules.toml").read_text(encoding="utf-8")))


def _parsed(content: str) -> SafetyRules | None:
    try:
        return read_rules(tomllib.loads(content))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, re.error):
        return None
