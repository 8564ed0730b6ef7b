"""An older version of the same program, for the upgrade: other version numbers, and a file the new one drops."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from steps import compiled, msi, nsis, stage
from steps.product import Version

VERSION = Version(0, 0, 1)
DROPPED = "app/dropped-later.txt"


def build(program: Path, cache: Path, out: Path) -> tuple[Path, Path]:
    """Its MSI and setup.exe in `out`."""
    older = cache / "older"
    shutil.rmtree(older, ignore_errors=True)
    shutil.copytree(program, older)
    source = older / "app" / "desktop" / "__init__.py"
    text = re.sub(
        r'^__version__ = "[^"]+"', f'__version__ = "{VERSION}"', source.read_text("utf-8"), flags=re.MULTILINE
    )
    source.write_text(text, encoding="utf-8", newline="\n")
    compiled.compile_beside(older / "app", [source])
    (older / DROPPED).write_text("an upgrade removes this file\n", encoding="utf-8")
    stage.settle_times(older)
    out.mkdir(parents=True, exist_ok=True)
    package, setup = out / f"HozenNavi-{VERSION}-x64.msi", out / f"HozenNavi-{VERSION}-x64-setup.exe"
    msi.build(older, cache, VERSION, package)
    nsis.build(older, cache, VERSION, setup, solid=False, signer=None)
    shutil.rmtree(older)
    return package, setup
