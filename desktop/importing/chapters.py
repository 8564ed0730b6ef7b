"""Which lines with a bare number before them ("2 仕様", "2. 軸受を交換") are chapters, and which are numbered steps."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.importing.headings import MARK_LEVEL, HeadingLine, heading_line

_BARE = re.compile(r"[(（]?(\d{1,2})(?:[.．、)）]|(?=[ ]))[ ]*\S")
_INTRODUCES = re.compile(
    r"(?:[:：]|^[■◆□◇▼▶【〔《［\s]*(?:処置|処置方法|手順|作業手順|復旧|復旧方法|復旧手順|解除方法|対処|対処方法|対策|点検|remedy|action"
    r"|procedure|steps|solution|reset)[】〕》］]?)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line by what its number says: `bare` (2), `dotted` (2.1), neither for another heading; `at` counts lines."""

    at: int
    bare: int = 0
    dotted: str = ""
    with_dot: bool = False
    may_be_chapter: bool = False
    introduced: bool = False
    followed: bool = False


def chapter_lines(lines: Sequence[str]) -> frozenset[int]:
    """Places of the bare-numbered lines that are chapters; none in a document that has no "1.1" or has 第1章.

    A chapter is followed by its own first section (2 → 2.1), or goes on from the last chapter and has text of its own.
    A line of a list that began at 1 is a step: a step taken for a chapter would be cut out of its remedy.
    """
    numbered = _numbered(lines)
    spelled = any(not one.bare and not one.dotted for one in numbered)
    if spelled or not any(one.dotted for one in numbered):
        return frozenset()
    return _Walk(numbered, lines).chapters()


class _Walk:
    """Through the numbered lines in order: the chapter we are in, and the list of steps that is open."""

    def __init__(self, numbered: Sequence[_Numbered], lines: Sequence[str]) -> None:
        self._numbered, self._lines = numbered, lines
        self._chapter = 0
        self._step: _Numbered | None = None

    def chapters(self) -> frozenset[int]:
        found = set()
        for place, one in enumerate(self._numbered):
            if one.dotted:
                self._chapter, self._step = int(one.dotted.split(".")[0]), None
            elif self._is_chapter(place, one):
                found.add(one.at)
                self._chapter, self._step = one.bare, None
            else:
                self._step = one
        return frozenset(found)

    def _is_chapter(self, place: int, one: _Numbered) -> bool:
        if not one.may_be_chapter or one.introduced or self._is_next_line_of_list(one):
            return False
        if self._opens(place, one):
            return True
        in_list = self._step is not None and one.bare == self._step.bare + 1 and one.with_dot == self._step.with_dot
        return not in_list and one.followed and one.bare == self._chapter + 1

    def _is_next_line_of_list(self, one: _Numbered) -> bool:
        step = self._step
        if step is None or one.bare != step.bare + 1 or one.with_dot != step.with_dot:
            return False
        return not any(line.strip() == "" for line in self._lines[step.at + 1 : one.at]) and one.at == step.at + 1

    def _opens(self, place: int, one: _Numbered) -> bool:
        """Its first section comes before any other line of its number or the next."""
        for later in self._numbered[place + 1 :]:
            if later.dotted:
                return later.dotted == f"{one.bare}.1"
            if later.bare in (one.bare, one.bare + 1):
                return False
        return False


def _numbered(lines: Sequence[str]) -> list[_Numbered]:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    found = []
    for order, at in enumerate(filled):
        shaped = unicodedata.normalize("NFKC", " ".join(lines[at].split()))
        heading = heading_line(lines[at], single_numbers=True)
        if heading and (not heading.number or heading.level >= MARK_LEVEL):
            continue
        bare = None if heading and "." in heading.number else _BARE.match(shaped)
        if bare:
            before = lines[filled[order - 1]] if order else ""
            after = lines[filled[order + 1]] if order + 1 < len(filled) else ""
            found.append(_bare(at, bare, heading, before, after))
        elif heading:
            found.append(_Numbered(at, dotted=heading.number if "." in heading.number else ""))
    return found


def _bare(at: int, bare: re.Match[str], heading: HeadingLine | None, before: str, after: str) -> _Numbered:
    shaped = unicodedata.normalize("NFKC", " ".join(after.split()))
    return _Numbered(
        at,
        bare=int(bare[1]),
        with_dot=not bare[0][len(bare[1]) :].startswith(" "),
        may_be_chapter=heading is not None,
        introduced=bool(_INTRODUCES.search(unicodedata.normalize("NFKC", before))),
        followed=bool(shaped) and not _BARE.match(shaped),
    )
