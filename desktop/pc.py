"""What Windows says of this PC: whose profile this is, where folders really lie, and which programs hold a file."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from ctypes import wintypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEMPORARY_PROFILE = 0x1
"""A flag of GetProfileType: what is written is gone after signing out."""
_MORE_THAN_ASKED_FOR = 234
_KEY_LENGTH = 33


@dataclass(frozen=True, slots=True)
class WindowsFacts:
    """`data` and `local_app_data` are the places that paths lead to in the end, UNC where that is on a server;
    `..._remote` = Windows calls their drive a network drive. `profile_flags` are GetProfileType's; `former_profile` is
    the folder of a profile that Windows put aside (ProfileList, .bak), "" = none.
    """

    profile: str
    profile_flags: int
    former_profile: str
    local_app_data: str
    local_app_data_remote: bool
    data: str
    data_remote: bool


class _Process(ctypes.Structure):
    _fields_ = (
        ("pid", wintypes.DWORD),
        ("started_low", wintypes.DWORD),
        ("started_high", wintypes.DWORD),
        ("name", wintypes.WCHAR * 256),
        ("service", wintypes.WCHAR * 64),
        ("kind", ctypes.c_int),
        ("status", wintypes.ULONG),
        ("session", wintypes.DWORD),
        ("restartable", wintypes.BOOL),
    )


def holders(files: Sequence[Path], manager: Any = None) -> tuple[str, ...]:
    """The programs other than this one that have one of `files` open, as Windows' Restart Manager names them; none
    where it doesn't say (another system, a driver, a scan that is over)."""
    if manager is None:
        if sys.platform != "win32":
            return ()
        manager = ctypes.WinDLL("rstrtmgr")
    session, key = wintypes.DWORD(), ctypes.create_unicode_buffer(_KEY_LENGTH)
    if manager.RmStartSession(ctypes.byref(session), 0, key):
        return ()
    try:
        named = (ctypes.c_wchar_p * len(files))(*map(str, files))
        if manager.RmRegisterResources(session, len(files), named, 0, None, 0, None):
            return ()
        return _names(manager, session)
    finally:
        manager.RmEndSession(session)


def _names(manager: Any, session: wintypes.DWORD) -> tuple[str, ...]:
    needed, room, reasons = wintypes.UINT(), wintypes.UINT(0), wintypes.DWORD()
    processes = (_Process * 0)()
    while True:
        answer = manager.RmGetList(session, ctypes.byref(needed), ctypes.byref(room), processes, ctypes.byref(reasons))
        if answer != _MORE_THAN_ASKED_FOR:
            break
        room = wintypes.UINT(needed.value)
        processes = (_Process * needed.value)()
    if answer:
        return ()
    others = (process.name for process in processes[: room.value] if process.pid != os.getpid())
    return tuple(dict.fromkeys(others))


if sys.platform == "win32":
    import winreg

    _READ_AND_WRITE, _SHARING_ALL, _EXISTING = 0xC0000000, 0x7, 3
    _NO_HANDLE = ctypes.c_void_p(-1).value
    _PROFILES = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList"
    _NETWORK_DRIVE = 4

    def facts(data: Path) -> WindowsFacts | None:
        """What Windows says of the person's profile and of where `data` lies."""
        profile, local = os.environ.get("USERPROFILE", ""), os.environ.get("LOCALAPPDATA", "")
        flags = wintypes.DWORD()
        ctypes.WinDLL("userenv").GetProfileType(ctypes.byref(flags))
        return WindowsFacts(
            profile=profile,
            profile_flags=flags.value,
            former_profile=_former(profile),
            local_app_data=str(Path(local).resolve()) if local else "",
            local_app_data_remote=bool(local) and _is_remote(Path(local)),
            data=str(data.resolve()),
            data_remote=_is_remote(data),
        )

    def refusal(file: Path) -> int:
        """Windows' number for what keeps `file` from being opened for writing, which open() doesn't pass on; 0 =
        nothing does now."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateFileW.restype = ctypes.c_void_p
        handle = kernel.CreateFileW(
            ctypes.c_wchar_p(str(file)), _READ_AND_WRITE, _SHARING_ALL, None, _EXISTING, 0, None
        )
        if handle == _NO_HANDLE:
            return ctypes.get_last_error()
        kernel.CloseHandle(ctypes.c_void_p(handle))
        return 0

    def _is_remote(path: Path) -> bool:
        kernel = ctypes.WinDLL("kernel32")
        drives = {path.absolute().drive, path.resolve().drive}
        return any(kernel.GetDriveTypeW(ctypes.c_wchar_p(f"{drive}\\")) == _NETWORK_DRIVE for drive in drives)

    def _former(profile: str) -> str:
        """The folder of the profile that this one stands in for; "" also where the registry doesn't say."""
        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _PROFILES) as profiles:
                sids = [winreg.EnumKey(profiles, number) for number in range(winreg.QueryInfoKey(profiles)[0])]
                folders = {sid: _folder(profiles, sid) for sid in sids}
        except OSError:
            return ""
        mine = (sid for sid, folder in folders.items() if folder.lower() == profile.lower())
        return next((folders[f"{sid}.bak"] for sid in mine if f"{sid}.bak" in folders), "")

    def _folder(profiles: winreg.HKEYType, sid: str) -> str:
        try:
            with winreg.OpenKey(profiles, sid) as entry:
                return os.path.expandvars(str(winreg.QueryValueEx(entry, "ProfileImagePath")[0]))
        except OSError:
            return ""
else:

    def facts(data: Path) -> WindowsFacts | None:  # noqa: ARG001
        """None: only Windows has such profiles and drives."""
        return None

    def refusal(file: Path) -> int:  # noqa: ARG001
        """0: only Windows refuses to open a file that another program keeps."""
        return 0
