"""Our own two programs: the window's launcher and the console's, cross-compiled from one source."""

from __future__ import annotations

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


def _compile(program: Path, work: Path, version: Version, kind: list[str]) -> None:
    resource = work / f"{program.stem}.res.o"
    texts = {"VERSION_TEXT": str(version), "FILE_NAME": program.name}
    named = [f"-DVERSION_COMMAS={version.commas}", *(f'-D{name}=\\"{text}\\"' for name, text in texts.items())]
    windres = find(f"{_TOOLCHAIN}-windres", "binutils-mingw-w64-x86-64")
    run([windres, "-c", "65001", *named, "-O", "coff", "-I", SOURCE, SOURCE / "launcher.rc", resource], cwd=SOURCE)
    gcc = find(f"{_TOOLCHAIN}-gcc", "gcc-mingw-w64-x86-64-win32")
    library = f'-DPYTHON_DLL=L"python{PYTHON_TAG}.dll"'
    flags = ["-O2", "-s", "-Wall", "-Wextra", "-Werror", "-municode", *kind, library, _LINKER]
    run([gcc, *flags, "-o", program, SOURCE / "launcher.c", resource])
