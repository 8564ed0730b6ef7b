"""Qt's translation sources compiled to what Qt reads."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from steps.commands import BuildFailed, find, run

_DEBIAN = Path("/usr/lib/qt6/bin/lrelease")


def compile_all(folder: Path, library: Path) -> list[Path]:
    """Every .ts of `folder` replaced by its .qm; on Windows with the lrelease.exe of the unpruned `library`."""
    sources = sorted(folder.glob("*.ts"))
    if not sources:
        return []
    program = _lrelease(library)
    compiled = []
    for source in sources:
        target = source.with_suffix(".qm")
        run([program, "-silent", "-removeidentical", source, "-qm", target])
        if not target.exists() or target.stat().st_size == 0:
            raise BuildFailed(f"{source.name} gave no translation")
        source.unlink()
        compiled.append(target)
    return compiled


def _lrelease(library: Path) -> Path:
    if sys.platform == "win32":
        return library / "PySide6" / "lrelease.exe"
    if _DEBIAN.exists():
        return _DEBIAN
    named = shutil.which("lrelease") or shutil.which("pyside6-lrelease")
    return Path(named) if named else find("lrelease", "qt6-l10n-tools")
