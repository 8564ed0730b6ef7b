"""Our own two programs: the window's launcher and the console's, cross-compiled from one source."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from steps.commands import find, run
from steps.product import CONSOLE_EXE, INSTALLER, PYTHON_TAG, WINDOW_EXE, Version

SOURCE = INSTALLER / "launcher"
_TOOLCHAIN = "x86_64-w64-mingw32"
_LINKER = "-Wl,--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp"
"""Address randomisation and no-execute as an audit expects; no time stamp, so that builds compare equal."""


def build(to: Path, work: Path, version: Version) -> None:
    """Both programs compiled into `to`."""
    _compile(to / WINDOW_EXE, work, version, ["-mwindows"])
    _compile(to / CONSOLE_EXE, work, version, ["-mconsole", "-DCONSOLE"])


def _windres() -> Path:
    """MSYS2's mingw calls it by its plain name."""
    plain = shutil.which("windres") if sys.platform == "win32" else None
    return Path(plain) if plain else find(f"{_TOOLCHAIN}-windres", "binutils-mingw-w64-x86-64")


def _compile(program: Path, work: Path, version: Version, kind: list[str]) -> None:
    resource = work / f"{program.stem}.res.o"
    # A header, not -D: quotes on windres's command line go through one shell more on Windows than on Linux.
    texts = {"VERSION_COMMAS": version.commas, "VERSION_TEXT": f'"{version}"', "FILE_NAME": f'"{program.name}"'}
    header = "".join(f"#define {name} {text}\n" for name, text in texts.items())
    (work / "launcher_version.h").write_text(header, encoding="ascii")
    places = ["-I", SOURCE, "-I", work.resolve()]
    run([_windres(), "-c", "65001", "-O", "coff", *places, SOURCE / "launcher.rc", resource], cwd=SOURCE)
    gcc = find(f"{_TOOLCHAIN}-gcc", "gcc-mingw-w64-x86-64-win32")
    library = f'-DPYTHON_DLL=L"python{PYTHON_TAG}.dll"'
    flags = ["-O2", "-s", "-Wall", "-Wextra", "-Werror", "-municode", *kind, library, _LINKER]
    run([gcc, *flags, "-o", program, SOURCE / "launcher.c", resource])
