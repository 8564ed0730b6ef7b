"""What one check of `doctor` says, and which of several causes is the worst."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from desktop.errors import KnownError, exit_code, for_it, hn, sentence

_ONLY_WARNINGS = 1
_HEAVIEST_FIRST = (5, 3, 4)


class State(StrEnum):
    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, for people; `cause` is what is wrong where the state is WARNING or FAILED."""

    state: State
    text: str
    cause: KnownError | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One finding under its name; `code`, its number `hn` and IT's line `for_it` are "" where nothing is wrong."""

    name: str
    state: State
    text: str
    code: str = ""
    hn: str = ""
    for_it: str = ""


def ok(text: str) -> Finding:
    return Finding(State.OK, text)


def note(text: str) -> Finding:
    return Finding(State.NOTE, text)


def warning(cause: KnownError) -> Finding:
    """Works today; somebody should see to it."""
    return Finding(State.WARNING, sentence(cause), cause)


def failed(cause: KnownError, more: str = "") -> Finding:
    """Doesn't work; `more` stands behind the sentence."""
    return Finding(State.FAILED, sentence(cause) + more, cause)


def check(name: str, found: Finding) -> Check:
    if found.cause is None:
        return Check(name, found.state, found.text)
    return Check(name, found.state, found.text, found.cause.code, hn(found.cause.code), for_it(found.cause))


def worst(found: Iterable[Finding]) -> Finding | None:
    """What to see to first: a failure before a warning; among failures a bug of ours (exit code 5), then what stays
    broken until somebody mends it (3), then what is out of reach and may come back by itself (4); among equals the
    first. None = nothing is wrong.
    """
    return min((one for one in found if one.cause is not None), key=_place, default=None)


def exit_of(found: Finding | None) -> int:
    """0 = nothing is wrong, 1 = only warnings, else 3, 4 or 5 as CONTRACT numbers what failed."""
    if found is None or found.cause is None:
        return 0
    return _ONLY_WARNINGS if found.state is State.WARNING else max(min(_HEAVIEST_FIRST), exit_code(found.cause))


def _place(found: Finding) -> tuple[bool, int]:
    return found.state is State.WARNING, _HEAVIEST_FIRST.index(exit_of(found)) if found.state is State.FAILED else 0
