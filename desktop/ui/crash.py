"""A bug costs a line in the log and a note on screen, not the window."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from PySide6.QtCore import QObject, Signal

from desktop.errors import KnownError
from desktop.workers.worker import failure_of

_log = logging.getLogger(__name__)


class CrashWatch(QObject):
    """`bug_told` carries a Failure: exceptions of slots and threads arrive on the thread they were raised on."""

    bug_told = Signal(object)

    def __init__(self, log: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._log_file = log
        self._faults: IO[str] | None = None
        with suppress(OSError):  # as without a log: what the window was opened for may still work
            self._faults = (log.parent / "faults.log").open("a", encoding="utf-8")
            faulthandler.enable(self._faults)
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def release(self) -> None:
        sys.excepthook, threading.excepthook = self._hooks
        faulthandler.disable()
        if self._faults is not None:
            self._faults.close()

    def _on_thread_exception(self, told: threading.ExceptHookArgs) -> None:
        if told.exc_value is not None:
            self._on_exception(told.exc_type, told.exc_value, told.exc_traceback)

    def _on_exception(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        _log.error("uncaught", exc_info=(kind, error, traceback))
        self.bug_told.emit(failure_of(KnownError("internal_error", log=str(self._log_file))))
