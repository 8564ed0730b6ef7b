"""Where the result of a build goes, and which sources the last one was built from."""

from __future__ import annotations

import fnmatch
import hashlib
import shutil
import subprocess
import tomllib
from pathlib import Path

from steps.commands import BuildFailed
from steps.product import INSTALLER, ROOT, Version

CHECKSUMS = "SHA256SUMS"
RESERVATIONS = "NOT-FOR-PLANTS.txt"
_RESULTS = ("HozenNavi-*", "largest.txt", "vulnerabilities.json", "window-*.png", CHECKSUMS, RESERVATIONS)
"""The names of what builds put there; anything else in the folder is somebody's own."""
_INCOMING = ".incoming"
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


def require_replaceable(out: Path) -> None:
    """BuildFailed if `out` is a file, or a folder that holds anything but an earlier build's result."""
    if out.exists() and not out.is_dir():
        raise BuildFailed(f"{out} is a file; --out names a folder")
    strange = sorted(entry.name for entry in out.glob("*") if not _is_result(entry))
    if strange:
        raise BuildFailed(f"{out} holds what no build put there ({', '.join(strange[:3])}): name another folder")


def publish(result: Path, out: Path) -> None:
    """Put every file of `result` into `out` in place of an earlier build's, which stays if they do not fit there."""
    require_replaceable(out)
    incoming = out / _INCOMING
    shutil.rmtree(incoming, ignore_errors=True)
    try:
        shutil.copytree(result, incoming)
        (out / CHECKSUMS).unlink(missing_ok=True)  # a folder without it is not whole
        for earlier in [entry for entry in out.iterdir() if entry != incoming]:
            earlier.unlink()
        for file in sorted(incoming.iterdir(), key=lambda file: file.name == CHECKSUMS):
            file.rename(out / file.name)
        incoming.rmdir()
    except OSError as error:
        raise BuildFailed(f"{out} cannot be filled ({error}); the result is in {result}") from error


def write_reservations(result: Path, reasons: list[str]) -> list[str]:
    """The reasons why a build is not for plants, kept beside it; no file when there is none."""
    if reasons:
        lines = ["Not for plants / 工場へは配らないでください:", *(f"- {reason}" for reason in reasons), ""]
        (result / RESERVATIONS).write_text("\n".join(lines), encoding="utf-8", newline="\n")
    return reasons


def write_checksums(out: Path) -> None:
    """SHA256SUMS of everything in `out`, as sha256sum -c reads it."""
    files = sorted(file for file in out.iterdir() if file.is_file() and file.name != CHECKSUMS)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (out / CHECKSUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


def _is_result(entry: Path) -> bool:
    if entry.is_dir():
        return entry.name == _INCOMING
    return any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in _RESULTS)
