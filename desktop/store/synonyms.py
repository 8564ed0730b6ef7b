"""Words that mean the same on a shop floor: the shipped list, and groups as a table by word."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cache

from desktop import paths
from desktop.domain.text import fold

FILE = "synonyms.csv"


@cache
def shipped() -> tuple[tuple[str, ...], ...]:
    """The groups of resources/synonyms.csv: one group a line, the words in its cells; # begins a remark."""
    with paths.resource(FILE).open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return tuple(tuple(word.strip() for word in row if word.strip()) for row in csv.reader(lines))


def by_word(groups: Iterable[Iterable[str]]) -> Mapping[str, tuple[str, ...]]:
    """By folded word every other word of its groups, as written, in order of the groups."""
    others: dict[str, dict[str, str]] = {}
    for group in groups:
        folded = {fold(word): word for word in group}
        for word in folded:
            known = others.setdefault(word, {})
            for other, written in folded.items():
                if other != word:
                    known.setdefault(other, written)
    return {word: tuple(known.values()) for word, known in others.items()}
