"""The Windows wheels: locked by hash, installed as they are, and cut down to what the program uses."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

from steps import tools
from steps.commands import pip, run
from steps.product import INSTALLER, PYTHON_VERSION, ROOT

LOCK = INSTALLER / "requirements-win.lock"
_LINE = re.compile(r"^(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})$", re.MULTILINE)
PLATFORM = ["--platform", "win_amd64", "--python-version", PYTHON_VERSION, "--implementation", "cp"]

QT_MODULES = ("Core", "Gui", "Widgets", "Svg", "SvgWidgets", "PrintSupport", "Network", "Pdf", "PdfWidgets")
"""What desktop/ui imports, and what those import (the import closure proves it)."""
_QT_FILE = re.compile(rf"Qt6?({'|'.join(QT_MODULES)})\.(pyd|dll)|pyside6\.abi3\.dll|\w+\.py")
_RUNTIME_FILE = re.compile(r"(msvcp140(_[12])?|vcruntime140(_1)?)\.dll")
_QT_FOLDERS = ("support", "plugins", "translations")
_QT_PLUGINS = (
    "platforms/qwindows.dll",
    "platforms/qoffscreen.dll",
    "styles/*",
    "imageformats/qgif.dll",
    "imageformats/qico.dll",
    "imageformats/qjpeg.dll",
    "imageformats/qsvg.dll",
    "imageformats/qwebp.dll",
    "iconengines/qsvgicon.dll",
    "networkinformation/*",
)
_QT_TRANSLATIONS = ("qtbase_ja.qm", "qtbase_en.qm")
_NEVER_USED = ("*.pyi", "*.pyc", "*.lib", "*.h", "py.typed", "*.exe")
"""Type stubs, link libraries, and the tools that wheels bring along: nothing executable but our two launchers."""
_UNUSED_FOLDERS = (
    "bin",
    "include",
    "Scripts",
    "_duckdb-stubs",
    "pypdfium2_cli",
    "apsw/sqlite_extra_binaries",
    "apsw/tests",
    "reportlab/fonts",
    "reportlab/graphics",
    "shiboken6/lib",
)
_UNUSED_FILES = (
    "PySide6/support/auto_property_helper.py",
    "PySide6/support/qml_component_helper.py",
    "apsw/mcall.py",
    "reportlab/lib/codecharts.py",
    "reportlab/lib/corp.py",
)
"""Helpers of QML and of charts, which aren't here, and a script that runs when imported."""
_PILLOW_FILE = re.compile(
    r"(__init__|ExifTags|Image|ImageMode|TiffTags|_binary|_deprecate|_util|_version)\.py|_imaging\.\S+\.(pyd|so)"
)
"""What `from PIL import Image` takes, which reportlab can't start without; no picture is ever read."""
_INSTALL_MARKS = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD")
"""Of every *.dist-info: what pip notes about this installation, and a file list that pruning made untrue."""


def lock_windows(work: Path, upgrade: bool) -> int:
    """Write requirements-win.lock from pyproject.toml: versions as Windows resolves them, each with its wheel's hash.

    uv resolves, because pip evaluates markers on the machine it runs on and would lock Linux's keyring parts.
    Returns the number of packages.
    """
    resolved = work / "resolved.txt"
    resolved.parent.mkdir(parents=True, exist_ok=True)
    if not upgrade and LOCK.exists():
        shutil.copyfile(LOCK, resolved)
    wanted = ["--python-platform", "x86_64-pc-windows-msvc", "--only-binary", ":all:"]
    _resolve(ROOT / "pyproject.toml", resolved, wanted, upgrade)
    downloads = resolved.with_name("wheels")
    shutil.rmtree(downloads, ignore_errors=True)
    fetch = ["--no-deps", "--require-hashes", "--only-binary", ":all:", *PLATFORM]
    pip("download", "-q", *fetch, "-d", downloads, "-r", resolved)
    lines = [_line(wheel) for wheel in downloads.iterdir()]
    LOCK.write_text("".join(sorted(lines)), encoding="utf-8", newline="\n")
    return len(lines)


def lock_build_tools(upgrade: bool) -> None:
    """Write requirements-build.lock from requirements-build.in, for Linux and Windows alike."""
    _resolve(INSTALLER / "requirements-build.in", tools.LOCK, ["--universal"], upgrade)


def locked(lock: Path = LOCK) -> dict[str, tuple[str, str]]:
    """Version and wheel hash of every package in the lock."""
    return {found[1]: (found[2], found[3]) for found in _LINE.finditer(lock.read_text(encoding="utf-8"))}


def canonical(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def install(to: Path, cache: Path) -> None:
    """Every locked wheel unpacked into `to`, hashes checked."""
    shutil.rmtree(to, ignore_errors=True)
    options = ["--no-compile", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--cache-dir", cache / "pip"]
    pip("install", "-q", *options, *PLATFORM, "--target", to, "-r", LOCK)


def prune(library: Path) -> None:
    """Leave out what nothing imports; licences and package metadata stay."""
    for folder in _UNUSED_FOLDERS:
        shutil.rmtree(library / folder, ignore_errors=True)
    for name in _UNUSED_FILES:
        (library / name).unlink(missing_ok=True)
    _prune_qt(library / "PySide6")
    _prune_pillow(library / "PIL")
    for file in [file for file in library.rglob("*") if file.is_file()]:
        unused = any(fnmatch.fnmatch(file.name, pattern) for pattern in _NEVER_USED)
        mark = file.parent.suffix == ".dist-info" and file.name in _INSTALL_MARKS
        c_runtime = file.parent.name == "shiboken6" and file.suffix == ".dll" and not _of_shiboken(file.name)
        if unused or mark or c_runtime:
            file.unlink()
    _remove_empty_folders(library)


def _resolve(source: Path, lock: Path, wanted: list[str], upgrade: bool) -> None:
    plain = ["--no-annotate", "--no-header", "--generate-hashes", "--python-version", PYTHON_VERSION, "-q"]
    upgraded = ["--upgrade"] if upgrade else []
    run([sys.executable, "-m", "uv", "pip", "compile", *plain, *wanted, *upgraded, source, "-o", lock])


def _prune_qt(pyside: Path) -> None:
    for entry in list(pyside.iterdir()):
        if entry.is_dir() and entry.name not in _QT_FOLDERS:
            shutil.rmtree(entry)
        elif entry.is_file() and not (_QT_FILE.fullmatch(entry.name) or _RUNTIME_FILE.fullmatch(entry.name)):
            entry.unlink()
    plugins = pyside / "plugins"
    for file in [file for file in plugins.rglob("*") if file.is_file()]:
        relative = file.relative_to(plugins).as_posix()
        if not any(fnmatch.fnmatch(relative, pattern) for pattern in _QT_PLUGINS):
            file.unlink()
    for file in list((pyside / "translations").iterdir()):
        if file.name not in _QT_TRANSLATIONS:
            file.unlink()


def _prune_pillow(pillow: Path) -> None:
    for file in [file for file in pillow.iterdir() if not _PILLOW_FILE.fullmatch(file.name)]:
        file.unlink()


def _of_shiboken(name: str) -> bool:
    return name == "shiboken6.abi3.dll" or _RUNTIME_FILE.fullmatch(name) is not None


def _remove_empty_folders(top: Path) -> None:
    for folder, _, _ in os.walk(top, topdown=False):
        if not any(Path(folder).iterdir()):
            Path(folder).rmdir()


def _line(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{canonical(name)}=={version} --hash=sha256:{digest}\n"
