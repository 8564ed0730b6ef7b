"""Rounds soon after the start and by the hour of the wall clock, whatever a round meets."""

import queue
import threading

import pytest

from desktop.errors import KnownError
from desktop.workers.health_worker import HealthWorker

HOUR = 3600.0


class WallClock:
    """Tells the times given, one a call, then stands."""

    def __init__(self, *times: float) -> None:
        self._left = list(times)
        self.told_all = threading.Event()

    def __call__(self) -> float:
        if len(self._left) == 1:
            self.told_all.set()
            return self._left[0]
        return self._left.pop(0)


def rounds_by(clock: WallClock) -> int:
    """How many there were when the clock has told all its times."""
    done: list[int] = []
    worker = HealthWorker(lambda: done.append(1), after_start=0, pause=0.001, clock=clock)
    assert clock.told_all.wait(10)
    assert worker.close()
    return len(done)


def test_one_round_at_the_start_and_none_within_the_hour() -> None:
    assert rounds_by(WallClock(0, 60, 120, HOUR - 1)) == 1


def test_the_next_round_an_hour_after_the_last() -> None:
    assert rounds_by(WallClock(0, 60, HOUR, HOUR + 1, HOUR + 60, 2 * HOUR)) == 2
    assert rounds_by(WallClock(0, HOUR, HOUR, 2 * HOUR, 2 * HOUR, 2 * HOUR)) == 3


def test_a_pc_that_slept_through_hours_is_looked_at_when_it_wakes() -> None:
    assert rounds_by(WallClock(0, 60, 30 * HOUR, 30 * HOUR, 30 * HOUR)) == 2


def test_a_clock_set_back_does_not_stop_the_rounds() -> None:
    assert rounds_by(WallClock(5 * HOUR, 60, 61, 62)) == 2


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        (KnownError("journal_busy", file="x"), "ended early: journal_busy"),
        (ZeroDivisionError(), "the hourly round failed"),
    ],
)
def test_a_failed_round_is_logged_and_the_next_comes(
    error: Exception, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    rounds: queue.SimpleQueue[int] = queue.SimpleQueue()

    def tend() -> None:
        rounds.put(1)
        raise error

    worker = HealthWorker(tend, after_start=0, pause=0.001, clock=WallClock(0, HOUR, HOUR))
    for _ in range(2):
        rounds.get(timeout=10)
    assert worker.close()
    assert logged in caplog.text


def test_a_window_closed_at_once_waits_for_nothing() -> None:
    worker = HealthWorker(lambda: pytest.fail("no round"))
    assert worker.close()
