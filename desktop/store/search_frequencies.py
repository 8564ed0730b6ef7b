"""In how many texts each index term stands: read once, kept as two flat arrays (8 bytes a term)."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable


class Frequencies:
    """Document frequencies by term; of a single letter nearly so: those of all pairs that begin with it, added up."""

    def __init__(self, rows: Iterable[tuple[int, int]], count: int) -> None:
        """`rows` are (term, df) by rising term; `count` is how many texts there are."""
        self.count = count
        self._terms, self._dfs = array("I"), array("I")
        for term, df in rows:
            self._terms.append(term)
            self._dfs.append(df)

    def of(self, terms: Iterable[int]) -> dict[int, int]:
        """The frequencies of those terms that stand anywhere."""
        return {term: df for term in terms if (df := self._single(term) if is_single(term) else self._exact(term))}

    def _exact(self, term: int) -> int:
        place = bisect_left(self._terms, term)
        return self._dfs[place] if place < len(self._terms) and self._terms[place] == term else 0

    def _single(self, term: int) -> int:
        first, last = bisect_left(self._terms, term), bisect_left(self._terms, term + 0x1_0000)
        return min(self.count, sum(self._dfs[first:last]))


def is_single(term: int) -> bool:
    """Whether a term is a letter by itself, for which the index has only pairs."""
    return term >= 0x3000_0000 and not term & 0xFFFF
