"""The proxy that Windows finds by a script (PAC, WPAD), asked of WinHTTP; other platforms have none to ask."""

from __future__ import annotations

import ctypes
import re
import sys
from ctypes import wintypes
from typing import Any

_NO_PROXY = 1
_AUTO_DETECT = 1
_CONFIG_URL = 2
_BY_DHCP_AND_DNS = 3
_NAMED_PROXY = 3
_ENTRY = re.compile(r"(?:(?P<scheme>https?)=)?(?:https?://)?(?P<place>[^;\s=]+)")


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


def find(url: str, winhttp: Any = None) -> str | None:
    """The proxy's URL for `url`, or None: go directly. May take seconds when the script has to be found first.

    WinHTTP's own words are a list like "proxy:8080" or "http=a:80;https=b:80"; the first that fits counts.
    """
    if winhttp is None:
        if sys.platform != "win32":
            return None
        winhttp = ctypes.WinDLL("winhttp")
    winhttp.WinHttpOpen.restype = ctypes.c_void_p
    user = _UserConfig()
    known = bool(winhttp.WinHttpGetIEProxyConfigForCurrentUser(ctypes.byref(user)))
    if known and not user.script and not user.auto_detect:
        return None
    session = winhttp.WinHttpOpen("HozenNavi", _NO_PROXY, None, None, 0)
    if not session:
        return None
    flags = (_CONFIG_URL if user.script else 0) | (_AUTO_DETECT if user.auto_detect or not known else 0)
    options = _Options(flags, _BY_DHCP_AND_DNS if flags & _AUTO_DETECT else 0, user.script or None, None, 0, 1)
    found = _Found()
    try:
        answered = winhttp.WinHttpGetProxyForUrl(
            ctypes.c_void_p(session), url, ctypes.byref(options), ctypes.byref(found)
        )
    finally:
        winhttp.WinHttpCloseHandle(ctypes.c_void_p(session))
    if not answered or found.access != _NAMED_PROXY:
        return None
    return _first(found.proxy or "", "https" if url.startswith("https:") else "http")


def _first(said: str, scheme: str) -> str | None:
    for entry in _ENTRY.finditer(said):
        if entry["scheme"] in (None, scheme):
            return f"http://{entry['place']}"
    return None
