"""Secrets of a PC that all its Windows users share: one file a secret, sealed by Windows for this machine (DPAPI).

Any program on the PC can unseal; the folder's access list, which the installer sets, says whose programs may read, and
lets users add a secret but neither change nor delete one. A copied disk gives nothing away.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

from desktop.durable import synced

Seal = Callable[[bytes], bytes]


class MachineKeys:
    """What `desktop.credentials` needs of a keyring: `name`, `priority`, get_password, set_password (all OSError)."""

    name = "machine (DPAPI)"
    priority = 5.0

    def __init__(self, folder: Path, seal: Seal | None = None, unseal: Seal | None = None) -> None:
        self._folder = folder
        self._seal = seal or _seal
        self._unseal = unseal or _unseal

    def get_password(self, service: str, user: str) -> str | None:
        file = self._file(service, user)
        return self._unseal(file.read_bytes()).decode("utf-8") if file.exists() else None

    def set_password(self, service: str, user: str, secret: str) -> None:
        """Written through one handle, since users may add a file there but not rename one."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with synced(self._file(service, user).open("wb")) as opened:
            opened.write(self._seal(secret.encode("utf-8")))

    def _file(self, service: str, user: str) -> Path:
        return self._folder / f"{hashlib.sha256(f'{service}|{user}'.encode()).hexdigest()[:32]}.key"


if sys.platform == "win32":
    _FOR_THIS_MACHINE = 0x4
    _ASK_NOBODY = 0x1

    class _Blob(ctypes.Structure):
        _fields_ = (("size", ctypes.c_ulong), ("data", ctypes.c_void_p))

    def _seal(plain: bytes) -> bytes:
        return _through("CryptProtectData", plain)

    def _unseal(sealed: bytes) -> bytes:
        return _through("CryptUnprotectData", sealed)

    def _through(function: str, given: bytes) -> bytes:
        """One of the two DPAPI calls, which have the same seven arguments; OSError when Windows refuses."""
        buffer = ctypes.create_string_buffer(given, len(given))
        source = _Blob(len(given), ctypes.cast(buffer, ctypes.c_void_p).value)
        result = _Blob()
        call = getattr(ctypes.WinDLL("crypt32", use_last_error=True), function)
        flags = ctypes.c_ulong(_FOR_THIS_MACHINE | _ASK_NOBODY)
        if not call(ctypes.byref(source), None, None, None, None, flags, ctypes.byref(result)):
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            return ctypes.string_at(result.data or 0, result.size)
        finally:
            ctypes.WinDLL("kernel32").LocalFree(ctypes.c_void_p(result.data))
else:

    def _seal(_: bytes) -> bytes:
        raise OSError("only Windows seals for a machine")

    def _unseal(_: bytes) -> bytes:
        raise OSError("only Windows unseals for a machine")
