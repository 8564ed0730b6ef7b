"""How long to wait before the next try."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

FIRST = timedelta(seconds=1)
LONGEST = timedelta(minutes=15)
_LEAST = timedelta(milliseconds=1)


def delay(failures: int, draw: Callable[[], float] = random.random) -> timedelta:
    """Full jitter after so many failures in a row (from 1): anything up to 1 s, 2 s, 4 s … 15 min.

    `draw` gives a number in [0, 1). Never quite nothing, so that a round ends.
    """
    ceiling = min(LONGEST, FIRST * (1 << min(failures - 1, 20)))
    return max(_LEAST, ceiling * draw())
