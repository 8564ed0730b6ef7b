"""Sources inside a model's text: `[ref:…]` as it is written, a number as it is shown."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from desktop.domain.answer import CheckedText, Citation

MARKER = re.compile(r"\[(?:ref:([^\[\]]+)|((?:manual|record|ledger|note|part):[^\[\]]+))\]")
NO_SOURCE = "［根拠なし］"

_UNFINISHED = re.compile(r"\[[^\[\]\n]{0,200}$")


def ref_of(found: re.Match[str]) -> str:
    """The reference that a match of MARKER holds."""
    return (found[1] or found[2]).strip()


def continued(checked: CheckedText, earlier: Sequence[Citation]) -> CheckedText:
    """The citations numbered on from those of an answer, one of the same words of the same source as there."""
    numbers = {(one.ref, one.quote): one.n for one in earlier}
    free = itertools.count(max(numbers.values(), default=0) + 1)
    citations = tuple(replace(one, n=numbers.get((one.ref, one.quote)) or next(free)) for one in checked.citations)
    return replace(checked, citations=citations)


def numbered(checked: CheckedText, mark: Callable[[int], str]) -> CheckedText:
    """The text with `mark(n)` of its citation for each marker, NO_SOURCE for one that cites nothing known.

    The same number twice in a row stands once; `marked` and `forbidden` spans move with their words.
    """
    numbers: dict[str, int] = {}
    for citation in checked.citations:
        numbers.setdefault(citation.ref, citation.n)
    swaps = tuple(_swaps(checked.text, numbers, mark))

    def moved(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        there = ((_moved(start, swaps), _moved(end, swaps)) for start, end in spans)
        return tuple((start, end) for start, end in there if start < end)

    text = _swapped(checked.text, swaps)
    return replace(checked, text=text, marked=moved(checked.marked), forbidden=moved(checked.forbidden))


def without_markers(text: str) -> tuple[str, str]:
    """What may be shown of a text still being written, and an end that may yet become a marker."""
    unfinished = _UNFINISHED.search(text)
    whole = text[: unfinished.start()] if unfinished else text
    return MARKER.sub("", whole), text[len(whole) :]


@dataclass(frozen=True, slots=True)
class _Swap:
    """[start, end) of the text gives way to `by`."""

    start: int
    end: int
    by: str


def _swaps(text: str, numbers: dict[str, int], mark: Callable[[int], str]) -> Iterator[_Swap]:
    last_end, last_number = -1, 0
    for found in MARKER.finditer(text):
        number = numbers.get(ref_of(found), 0)
        repeated = number and number == last_number and found.start() == last_end
        by = "" if repeated else mark(number) if number else NO_SOURCE
        yield _Swap(found.start(), found.end(), by)
        last_end, last_number = found.end(), number


def _swapped(text: str, swaps: tuple[_Swap, ...]) -> str:
    pieces, last = [], 0
    for swap in swaps:
        pieces += [text[last : swap.start], swap.by]
        last = swap.end
    return "".join((*pieces, text[last:]))


def _moved(place: int, swaps: tuple[_Swap, ...]) -> int:
    """Where a place of the text is afterwards; one inside a marker is at the end of what took its place."""
    shift = 0
    for swap in swaps:
        if swap.start >= place:
            break
        if place < swap.end:
            return swap.start + shift + len(swap.by)
        shift += len(swap.by) - (swap.end - swap.start)
    return place + shift
