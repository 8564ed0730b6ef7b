"""Which sources the last installers were built from, and with what result."""

from __future__ import annotations

import hashlib
import subprocess
import tomllib
from pathlib import Path

from steps.product import INSTALLER, ROOT, Version

LAST_BUILD = INSTALLER / "last-build.toml"
_INPUTS = ("desktop", "resources", "data/sample", "installer", "pyproject.toml", "LICENSE")
_NOT_INPUTS = ("installer/README.md", "installer/last-build.toml", "installer/changed.py", "installer/deploy/")


def inputs_digest() -> str:
    """One hash over every tracked file that goes into the installers or builds them."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--", *_INPUTS], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    digest = hashlib.sha256()
    for name in sorted(name for name in listed.split("\0") if name and not name.startswith(_NOT_INPUTS)):
        file = ROOT / name
        if file.is_file():
            digest.update(name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def last_inputs() -> str:
    """The digest that last-build.toml names; "" when nothing was built yet."""
    if not LAST_BUILD.exists():
        return ""
    return str(tomllib.loads(LAST_BUILD.read_text(encoding="utf-8"))["inputs"])


def write_last_build(version: Version, smoke: str, out: Path, installed: int) -> None:
    """last-build.toml anew."""
    lines = [
        "# Written by `build.py --record`; changed.py compares `inputs` with the tree.",
        f'inputs = "{inputs_digest()}"',
        f'version = "{version}"',
        f'smoke = "{smoke}"',
        f"installed_bytes = {installed}",
        "",
        "[bytes]",
        *(f'"{file.name}" = {file.stat().st_size}' for file in sorted(out.glob("HozenNavi-*-x64*"))),
        "",
    ]
    LAST_BUILD.write_text("\n".join(lines), encoding="utf-8", newline="\n")


def write_checksums(out: Path) -> None:
    """SHA256SUMS of everything in `out`, as sha256sum -c reads it."""
    files = sorted(file for file in out.iterdir() if file.is_file() and file.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")
