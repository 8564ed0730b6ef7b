"""The proxy that Windows finds by a script (PAC, WPAD), asked of WinHTTP; other platforms have none to ask."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable
from ctypes import wintypes
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

_NO_PROXY = 1
_AUTO_DETECT = 1
_CONFIG_URL = 2
_BY_DHCP_AND_DNS = 3
_NAMED_PROXY = 3
_NO_SCRIPT_IN_THIS_NETWORK = 12180
_SCRIPT_NOT_FETCHED = frozenset({12002, 12007, 12029, 12030, 12167, _NO_SCRIPT_IN_THIS_NETWORK})
_ENTRY = re.compile(r"(?:(?P<scheme>[a-z]+)=)?(?:https?://)?(?P<place>[^;\s=]+)")


class _UserConfig(ctypes.Structure):
    _fields_ = (
        ("auto_detect", wintypes.BOOL),
        ("script", wintypes.LPWSTR),
        ("proxy", wintypes.LPWSTR),
        ("bypass", wintypes.LPWSTR),
    )


class _Options(ctypes.Structure):
    _fields_ = (
        ("flags", wintypes.DWORD),
        ("detect", wintypes.DWORD),
        ("script", wintypes.LPCWSTR),
        ("reserved_pointer", ctypes.c_void_p),
        ("reserved", wintypes.DWORD),
        ("log_on", wintypes.BOOL),
    )


class _Found(ctypes.Structure):
    _fields_ = (("access", wintypes.DWORD), ("proxy", wintypes.LPWSTR), ("bypass", wintypes.LPWSTR))


class Outcome(Enum):
    NO_SCRIPT = auto()
    DIRECT = auto()
    PROXY = auto()
    UNREACHABLE = auto()
    NOTHING = auto()  # it answers, but with nothing that can be used


@dataclass(frozen=True, slots=True)
class Answer:
    """What the script says: `proxy` is a URL; `script` is its address, "" = found by WPAD; `said` are its own words."""

    outcome: Outcome
    script: str = ""
    proxy: str | None = None
    said: str = ""


if sys.platform == "win32":
    _last_error = ctypes.get_last_error
else:

    def _last_error() -> int:
        return 0


def find(url: str, winhttp: Any = None) -> str | None:
    """The proxy's URL for `url`, or None: go directly. May take seconds when the script has to be found first."""
    return ask(url, winhttp).proxy


def ask(url: str, winhttp: Any = None, last_error: Callable[[], int] = _last_error) -> Answer:
    """What the user's script says of `url`; may take seconds.

    WinHTTP's own words are a list like "proxy:8080" or "http=a:80;https=b:80"; the first that fits counts.
    """
    if winhttp is None:
        if sys.platform != "win32":
            return Answer(Outcome.NO_SCRIPT)
        winhttp = ctypes.WinDLL("winhttp", use_last_error=True)
    winhttp.WinHttpOpen.restype = ctypes.c_void_p
    user = _UserConfig()
    known = bool(winhttp.WinHttpGetIEProxyConfigForCurrentUser(ctypes.byref(user)))
    if known and not user.script and not user.auto_detect:
        return Answer(Outcome.NO_SCRIPT)
    session = winhttp.WinHttpOpen("HozenNavi", _NO_PROXY, None, None, 0)
    if not session:
        return Answer(Outcome.NO_SCRIPT)
    flags = (_CONFIG_URL if user.script else 0) | (_AUTO_DETECT if user.auto_detect or not known else 0)
    options = _Options(flags, _BY_DHCP_AND_DNS if flags & _AUTO_DETECT else 0, user.script or None, None, 0, 1)
    found = _Found()
    try:
        answered = winhttp.WinHttpGetProxyForUrl(
            ctypes.c_void_p(session), url, ctypes.byref(options), ctypes.byref(found)
        )
        error = 0 if answered else last_error()
    finally:
        winhttp.WinHttpCloseHandle(ctypes.c_void_p(session))
    return _answer(user.script or "", found, url) if answered else _failure(user.script or "", error)


def _answer(script: str, found: _Found, url: str) -> Answer:
    if found.access != _NAMED_PROXY:
        return Answer(Outcome.DIRECT, script)
    said = found.proxy or ""
    proxy = _first(said, "https" if url.startswith("https:") else "http")
    return Answer(Outcome.PROXY if proxy else Outcome.NOTHING, script, proxy, said)


def _failure(script: str, error: int) -> Answer:
    if not script and error == _NO_SCRIPT_IN_THIS_NETWORK:
        return Answer(Outcome.NO_SCRIPT)
    outcome = Outcome.UNREACHABLE if error in _SCRIPT_NOT_FETCHED else Outcome.NOTHING
    return Answer(outcome, script, said=f"WinHTTP {error}")


def _first(said: str, scheme: str) -> str | None:
    for entry in _ENTRY.finditer(said):
        if entry["scheme"] in (None, scheme):
            return f"http://{entry['place']}"
    return None
