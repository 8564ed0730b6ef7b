"""Whether every DLL that the program needs is in its folder or belongs to Windows itself.

A smoke run under wine can't show a missing C runtime: wine brings its own.
"""

from __future__ import annotations

from pathlib import Path

import pefile

from steps.commands import BuildFailed
from steps.product import INSTALLER
from steps.signatures import program_files

ALLOWED = INSTALLER / "windows-dlls.txt"
_X64 = 0x8664
_TABLES = ("DIRECTORY_ENTRY_IMPORT", "DIRECTORY_ENTRY_DELAY_IMPORT")


def check(folder: Path) -> dict[str, list[str]]:
    """Windows' own DLLs that are used, each with its users; BuildFailed for one that neither we nor Windows bring."""
    programs = program_files(folder)
    shipped = {file.name.lower() for file in programs}
    allowed = _allowed()
    used: dict[str, list[str]] = {}
    missing = []
    for file in programs:
        for name in imported(file):
            if name in shipped:
                continue
            used.setdefault(name, []).append(file.relative_to(folder).as_posix())
            if name not in allowed and not name.startswith("api-ms-win-"):
                missing.append(f"{name} wanted by {file.relative_to(folder).as_posix()}")
    if missing:
        raise BuildFailed("not shipped, and not in installer/windows-dlls.txt:\n" + "\n".join(sorted(missing)))
    return dict(sorted(used.items()))


def imported(file: Path) -> list[str]:
    """The names of the DLLs that a 64-bit PE file imports, at load time or later, in lower case."""
    with pefile.PE(str(file), fast_load=True) as image:
        if image.FILE_HEADER.Machine != _X64:
            raise BuildFailed(f"{file.name} is not a 64-bit program")
        wanted = [pefile.DIRECTORY_ENTRY[f"IMAGE_{table}"] for table in _TABLES]
        image.parse_data_directories(directories=wanted)
        entries = [entry for table in _TABLES for entry in getattr(image, table, [])]
        return sorted({entry.dll.decode("ascii").lower() for entry in entries})


def _allowed() -> set[str]:
    lines = ALLOWED.read_text(encoding="utf-8").splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""}
