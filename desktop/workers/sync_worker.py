"""Sends what waits, again and again, on a thread of its own; the window only hears how it went."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from desktop.workers.station import SyncRound
from desktop.workers.worker import Bridge, Failure, failure_of

_AFTER_FAILURE = 30.0  # seconds; the outbox keeps its own backoff, this only paces the asking


@dataclass(frozen=True, slots=True)
class Synced:
    round: SyncRound


@dataclass(frozen=True, slots=True)
class SyncFailed:
    failure: Failure


class SyncWorker:
    """A round at start, at each wake, and whenever the last round said that the next is due."""

    def __init__(self, sync: Callable[[], SyncRound]) -> None:
        self._bridge = Bridge()
        self._sync = sync
        self._woken = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._loop, name="sync", daemon=True)
        self._thread.start()

    @property
    def bridge(self) -> Bridge:
        return self._bridge

    def wake(self) -> None:
        """Something new waits to be sent."""
        self._woken.set()

    def close(self, timeout: float = 3.0) -> bool:
        self._closing = True
        self._woken.set()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while not self._closing:
            self._woken.clear()
            self._woken.wait(self._round())

    def _round(self) -> float:
        try:
            done = self._sync()
        except Exception as error:  # noqa: BLE001  the border: a round may fail, the next is tried
            self._bridge.happened.emit(SyncFailed(failure_of(error)))
            return _AFTER_FAILURE
        self._bridge.happened.emit(Synced(done))
        return done.next_in
