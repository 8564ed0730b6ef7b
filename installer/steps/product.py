"""What both installers, the launcher and the documents must agree on: names, ids, places, access lists, exit codes."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from steps.commands import BuildFailed

ROOT = Path(__file__).resolve().parents[2]
INSTALLER = ROOT / "installer"

FOLDER = "HozenNavi"
"""Folder name under Program Files and ProgramData, and the registry key under Software."""
NAME_JA = "保全ナビ"
NAME_BOTH = "保全ナビ (Hozen Navi)"
PUBLISHER = "Hozen Navi project"
WINDOW_EXE = "HozenNavi.exe"
CONSOLE_EXE = "hozen-navi.exe"
LINK_SCHEME = "hozen-navi"
OLDEST_WINDOWS_BUILD = 15063
"""Windows 10 1703: the first with icuuc.dll, which Qt 6.12 imports; LTSC 2016 (14393) hasn't it."""
NEEDED_MEGABYTES = 500
"""Free space asked for before the old version is touched: the program twice."""

PYTHON_TAG = "313"
PYTHON_VERSION = "3.13"

_NAMESPACE = uuid.UUID("5b0b3c1e-6f2c-4b7a-9a53-3d0f6a7c1e55")
"""Never change: every component and upgrade id derives from it, and an upgrade recognises the old version by them."""

# O:BA also takes the folder over from a user who made it first to slip in a policy of his own.
SHARED_ROOT_ACCESS = "O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"
"""%PROGRAMDATA%\\HozenNavi: administrators write (policy.toml), users read."""
SHARED_DATA_ACCESS = "O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;BU)"
"""…\\data: one journal for all Windows users of the PC, so users modify."""
SHARED_KEYS_ACCESS = (
    "O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;0x2;;;BU)(A;OICIIO;0x1200a9;;;OW)"
)
"""…\\keys: users read and add (the first start makes the key) but neither change nor delete one, not even their own
(OW: a file's owner could otherwise always rewrite its access list)."""


class ExitCode(IntEnum):
    """What setup.exe and uninstall.exe answer; 0 is success."""

    CANCELLED = 1
    ABORTED = 2
    NOT_ADMINISTRATOR = 30
    OTHER_KIND_PRESENT = 31
    STILL_RUNNING = 32
    WINDOWS_TOO_OLD = 33
    OLD_UNINSTALL_FAILED = 34
    PURGE_REFUSED = 35
    NEWER_PRESENT = 36
    INITIAL_DATA_NOT_READ = 37
    DISK_FULL = 38


@dataclass(frozen=True, slots=True)
class Version:
    """A release number of three parts, as an MSI compares them."""

    major: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, text: str) -> Version:
        """Of "1.2.3"; BuildFailed for anything an MSI could not order (a fourth part, letters, a part too large)."""
        match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})\.(\d{1,5})", text)
        if not match or int(match[1]) > 255 or int(match[2]) > 255 or int(match[3]) > 65535:
            raise BuildFailed(f"版は 255.255.65535 までの三つの数です / not a version an MSI can order: {text}")
        return cls(*map(int, match.groups()))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def commas(self) -> str:
        """The four numbers of a Windows version resource."""
        return f"{self.major},{self.minor},{self.patch},0"


def current_version() -> Version:
    """The version that the source tree names."""
    text = (ROOT / "desktop" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "([^"]+)"', text, re.MULTILINE)
    if match is None:
        raise BuildFailed("desktop/__init__.py names no __version__")
    return Version.parse(match[1])


def stable_id(name: str) -> str:
    """The same upper-case GUID for the same name in every build."""
    return str(uuid.uuid5(_NAMESPACE, name)).upper()


UPGRADE_CODE = stable_id("upgrade-code")
UNSENT_CHECK = "export check"
"""The console program's command whose exit code 0 says that deleting the data loses nothing (see README.md)."""
