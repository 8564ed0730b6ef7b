"""What became of a step someone tried."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The value is the word on screen."""

    FIXED = "直った"
    NOT_FIXED = "直らない"
    UNABLE = "できない"


@dataclass(frozen=True, slots=True)
class Trial:
    """One step of an answer and what it led to; `step` is its text as shown, `ref` its first source ("" = none)."""

    step: str
    outcome: Outcome
    ref: str = ""
