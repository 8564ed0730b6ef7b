"""Full jitter, from a second to a quarter of an hour."""

from datetime import timedelta

import pytest

from desktop.sync.backoff import LONGEST, delay


@pytest.mark.parametrize(
    ("failures", "ceiling"),
    [(1, 1), (2, 2), (3, 4), (10, 512), (11, 900), (12, 900), (10_000, 900)],
)
def test_the_ceiling_doubles_up_to_a_quarter_of_an_hour(failures: int, ceiling: int) -> None:
    assert delay(failures, lambda: 0.5) == timedelta(seconds=ceiling / 2)
    assert delay(failures, lambda: 0.999999) < timedelta(seconds=ceiling) <= LONGEST


def test_it_is_drawn_and_never_quite_nothing() -> None:
    assert delay(5, lambda: 0.0) == timedelta(milliseconds=1)
    assert len({delay(8) for _ in range(20)}) > 10
