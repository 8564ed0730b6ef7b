"""The safety rules that come with the program."""

from __future__ import annotations

import tomllib
from functools import cache

from desktop import paths
from desktop.domain.safety import SafetyRules, read_rules


@cache
def shipped_rules() -> SafetyRules:
    return read_rules(tomllib.loads(paths.resource("safety_rules.toml").read_text(encoding="utf-8")))
