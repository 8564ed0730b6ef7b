"""What the program folder contains: packages and native libraries with version, licence, hash and licence texts."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from typing import Any

import pefile

from steps.commands import BuildFailed
from steps.product import INSTALLER
from steps.wheels import LOCK

TEXTS = INSTALLER / "licences"
_LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|AUTHORS).*", re.I)


@dataclass(frozen=True, slots=True)
class Component:
    """One part that someone else wrote; `sha256` is its wheel's, `where` its files in the program folder."""

    name: str
    version: str
    licence: str
    kind: str
    sha256: str = ""
    where: str = ""
    texts: tuple[Path, ...] = ()


def of(program: Path, python_version: str) -> list[Component]:
    """Every component of a staged program folder, by name; BuildFailed for one without a licence or its text."""
    known = tomllib.loads((TEXTS / "components.toml").read_text(encoding="utf-8"))
    hashes = locked_hashes()
    packages = [_package(folder, known, hashes) for folder in sorted((program / "lib").glob("*.dist-info"))]
    versions = {package.name: package.version for package in packages}
    python = Component(
        "CPython", python_version, "PSF-2.0", "framework", where="runtime", texts=(program / "runtime" / "LICENSE.txt",)
    )
    native = [_native(program, entry, versions) for entry in known["native"]]
    return [python, *packages, *native]


def locked_hashes() -> dict[str, tuple[str, str]]:
    """Version and wheel hash of every package in the lock."""
    pattern = re.compile(r"^(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})$", re.MULTILINE)
    return {match[1]: (match[2], match[3]) for match in pattern.finditer(LOCK.read_text(encoding="utf-8"))}


def canonical(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _package(folder: Path, known: dict[str, Any], hashes: dict[str, tuple[str, str]]) -> Component:
    metadata = Parser().parsestr((folder / "METADATA").read_text(encoding="utf-8"), headersonly=True)
    name = canonical(metadata["Name"])
    licence = known["python"].get(name) or metadata["License-Expression"] or metadata["License"]
    own = [TEXTS / text for text in known["text"].get(name, [])]
    shipped = [file for file in sorted(folder.rglob("*")) if file.is_file() and _is_licence(folder, file)]
    if not licence or not (own or shipped):
        raise BuildFailed(f"{name} names no licence or carries no text: add it to installer/licences/components.toml")
    version, digest = hashes[name]
    texts = tuple(own or shipped)
    return Component(name, version, licence, "library", digest, "lib, lib.zip", texts)


def _is_licence(folder: Path, file: Path) -> bool:
    return "licenses" in file.relative_to(folder).parts or _LICENCE_FILE.fullmatch(file.name) is not None


def _native(program: Path, entry: dict[str, Any], versions: dict[str, str]) -> Component:
    package = entry.get("version_of")
    version = versions[package] if package else file_version(program / entry["version_in"])
    return Component(entry["name"], version, entry["licence"], "library", where=entry["where"])


def file_version(file: Path) -> str:
    """The version in a program file's resources, as Explorer shows it."""
    with pefile.PE(str(file), fast_load=True) as image:
        image.parse_data_directories(directories=[pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
        fixed = image.VS_FIXEDFILEINFO[0]
        high, low = fixed.FileVersionMS, fixed.FileVersionLS
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"
