"""Whether a file was put there by the PC's administrators, and no one else can have changed it."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from desktop import paths

if sys.platform == "win32":
    _ADMINISTRATORS = ("S-1-5-32-544", "S-1-5-18")
    """The group and the system itself; GPO and installers write as either."""
    _SE_FILE_OBJECT = 1
    _OWNER = 0x1

    def from_administrators(file: Path) -> bool:
        """Owned by them, and this process (unless it is theirs) can't write it; a run from source trusts its own."""
        if paths.installation() is None:
            return True
        return owner(file) in _ADMINISTRATORS and (_is_administrators() or not _writable(file))

    def owner(file: Path) -> str:
        """The owner's SID as text, such as S-1-5-32-544; OSError if Windows doesn't tell."""
        security, kernel = ctypes.WinDLL("advapi32"), ctypes.WinDLL("kernel32")
        sid, descriptor, text = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_wchar_p()
        failed = security.GetNamedSecurityInfoW(
            ctypes.c_wchar_p(str(file)), _SE_FILE_OBJECT, _OWNER, ctypes.byref(sid), None, None, None,
            ctypes.byref(descriptor),
        )  # fmt: skip
        if failed:
            raise ctypes.WinError(failed)
        try:
            if not security.ConvertSidToStringSidW(sid, ctypes.byref(text)):
                raise ctypes.WinError()
            told = text.value or ""
            kernel.LocalFree(text)
            return told
        finally:
            kernel.LocalFree(descriptor)

    def _is_administrators() -> bool:
        return bool(ctypes.WinDLL("shell32").IsUserAnAdmin())

    def _writable(file: Path) -> bool:
        try:
            with file.open("r+b"):
                return True
        except OSError:
            return False
else:

    def from_administrators(file: Path) -> bool:
        """Owned by root or by us, and not writable by others."""
        status = file.stat()
        return status.st_uid in (0, os.getuid()) and not status.st_mode & 0o022
