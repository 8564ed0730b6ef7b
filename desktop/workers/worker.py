"""A long-lived thread with a queue of commands in and one signal of results out."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from desktop.errors import KnownError
from desktop.logs import LOG_NAME

_log = logging.getLogger(__name__)
Job = TypeVar("Job")


@dataclass(frozen=True, slots=True)
class Failure:
    """A KnownError as a value that threads may hand on: the code of its sentence and all that fills it."""

    code: str
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def error(self) -> KnownError:
        return KnownError(self.code, **self.detail)


def failure_of(error: Exception) -> Failure:
    """Of a known error; anything else is our bug, logged whole and named as such."""
    if not isinstance(error, KnownError):
        _log.error("a worker's command failed", exc_info=error)
        error = KnownError("internal_error", log=LOG_NAME)
    where = {"file": error.file, "row": error.row, "column": error.column}
    return Failure(error.code, {**error.detail, **{key: value for key, value in where.items() if value is not None}})


class Bridge(QObject):
    """Lives in the UI thread; emitted from a worker. Connect only bound slots of UI objects to it."""

    happened = Signal(object)


class Worker(Generic[Job]):
    """Not a QThread: one that still runs when the interpreter ends aborts the process, a daemon thread does not."""

    def __init__(self, name: str, handle: Callable[[Job], None]) -> None:
        self.bridge = Bridge()
        self._handle = handle
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        self._jobs.put(job)

    def emit(self, happening: object) -> None:
        self.bridge.happened.emit(happening)

    def close(self, timeout: float = 3.0) -> bool:
        """No further command is taken; True when the thread has ended within `timeout` seconds."""
        self._jobs.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._handle(job)
