"""What IT must hear of, in the Windows Event Log: source HozenNavi, and the number of an HN code as the event's id.

Only an installation for all users has the source; everywhere else, and beside it, the same lines go to the log file.
"""

from __future__ import annotations

import ctypes
import logging
import os
import re
import sys
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType

from desktop.errors import KnownError, for_it, hn, sentence
from desktop.logs import LOG_NAME, redact

SOURCE = "HozenNavi"
STARTED, ENDED, GONE = 900, 901, 902  # beside the HN numbers of errors: never changed, never given another meaning
_LONGEST = 8000  # characters; Windows takes 31,839
_PROFILES = r"[A-Z]:[\\/]Users[\\/][^\\/\r\n\"]+"
_log = logging.getLogger(__name__)


class Severity(IntEnum):
    """As Windows numbers them."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 4


Report = Callable[[int, Severity, str], None]
_LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING, Severity.INFORMATION: logging.INFO}


class EventLog:
    """`report` takes number, severity and text, and raises OSError where it can't."""

    def __init__(self, report: Report | None = None) -> None:
        self._report = report or _report

    def write(self, number: int, severity: Severity, text: str) -> None:
        """One entry under its number, "HN-900 …"; no secret and no profile path goes with it, no refusal comes back."""
        told = _without_persons(redact(f"HN-{number:03} {text}"))[:_LONGEST]
        _log.log(_LEVELS[severity], "event: %s", told)
        try:
            self._report(number, severity, told)
        except OSError as error:
            _log.warning("the Event Log took no entry: %s", error)

    def tell(self, error: KnownError, *more: str) -> None:
        """An error under its own number: what people are told, what IT is to do, and `more`."""
        text = "\n".join((sentence(error), for_it(error).partition(" ")[2], *more))
        self.write(number_of(error.code), Severity.ERROR, text)

    def watch_bugs(self) -> logging.Handler:
        """From now on the first line of the log with a traceback from a place is an event; stopped by removing it."""
        watch = _BugWatch(self)
        logging.getLogger("desktop").addHandler(watch)
        return watch


def number_of(code: str) -> int:
    """102 of the code that people know as HN-102."""
    return int(hn(code).removeprefix("HN-"))


class _BugWatch(logging.Handler):
    """Every border that catches a bug logs its traceback, so this hears of all of them."""

    def __init__(self, events: EventLog) -> None:
        super().__init__(logging.ERROR)
        self._events = events
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        _, error, traceback = record.exc_info or (None, None, None)
        if error is None or isinstance(error, KnownError):
            return
        place = f"{_place(traceback)} {type(error).__name__}"
        if place not in self._told:
            self._told.add(place)
            self._events.tell(KnownError("internal_error", log=LOG_NAME), place)


def _place(traceback: TracebackType | None) -> str:
    """Module and line where it happened, in our code if that is anywhere on the way; words of an error may be anyone's.

    "" without a traceback.
    """
    place = ""
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if module.startswith("desktop") or not place.startswith("desktop"):
            place = f"{module}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place


def _without_persons(text: str) -> str:
    """A profile's path has a person's name in it."""
    own = os.environ.get("USERPROFILE")
    places = f"{_PROFILES}|{re.escape(own)}" if own else _PROFILES
    return re.sub(places, lambda _: "%USERPROFILE%", text, flags=re.IGNORECASE)


if sys.platform == "win32":
    import winreg

    _KEY = rf"SYSTEM\CurrentControlSet\Services\EventLog\Application\{SOURCE}"

    def _report(number: int, severity: Severity, text: str) -> None:
        if not _is_registered():
            return
        advapi = ctypes.WinDLL("advapi32", use_last_error=True)
        advapi.RegisterEventSourceW.restype = ctypes.c_void_p
        source = ctypes.c_void_p(advapi.RegisterEventSourceW(None, SOURCE))
        if not source:
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            strings = (ctypes.c_wchar_p * 1)(text)
            kind, category, count = ctypes.c_ushort(severity), ctypes.c_ushort(0), ctypes.c_ushort(1)
            event, raw = ctypes.c_ulong(number), ctypes.c_ulong(0)
            if not advapi.ReportEventW(source, kind, category, event, None, count, raw, strings, None):
                raise ctypes.WinError(ctypes.get_last_error())
        finally:
            advapi.DeregisterEventSource(source)

    def _is_registered() -> bool:
        """Without its source an entry would be there, but Windows could not show its text."""
        try:
            winreg.CloseKey(winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _KEY))
        except OSError:
            return False
        return True
else:

    def _report(_number: int, _severity: Severity, _text: str) -> None:
        """No Event Log here."""
