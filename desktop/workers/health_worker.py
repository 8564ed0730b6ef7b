"""Sees to the station's health by the hour, on a thread of its own that nobody waits for."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from desktop.errors import KnownError

_AFTER_START = 10.0  # seconds; the first question comes first
_HOUR = 3600.0
_PAUSE = 60.0
_log = logging.getLogger(__name__)


class HealthWorker:
    """A round soon after the start, then one an hour by the wall clock: a PC that slept is a minute late, not an hour.

    Whatever a round meets is logged; the next comes all the same.
    """

    def __init__(
        self,
        tend: Callable[[], None],
        *,
        after_start: float = _AFTER_START,
        pause: float = _PAUSE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._tend = tend
        self._after_start = after_start
        self._pause = pause
        self._clock = clock
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="health", daemon=True)
        self._thread.start()

    def close(self, timeout: float = 3.0) -> bool:
        """True when the thread has ended within `timeout` seconds."""
        self._closing.set()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        if self._closing.wait(self._after_start):
            return
        self._round()
        last = self._clock()
        while not self._closing.wait(self._pause):
            if not 0 <= self._clock() - last < _HOUR:
                self._round()
                last = self._clock()

    def _round(self) -> None:
        try:
            self._tend()
        except KnownError as error:
            _log.warning("the hourly round ended early: %s", error)
        except Exception:  # noqa: BLE001  the border: a round may fail, the next is tried
            _log.exception("the hourly round failed")
