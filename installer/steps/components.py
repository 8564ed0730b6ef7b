"""What the program folder contains: packages and native libraries with version, licence, hash and licence texts."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from typing import Any

import pefile

from steps.commands import BuildFailed
from steps.product import INSTALLER
from steps.wheels import canonical, locked

TEXTS = INSTALLER / "licences"
_LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|AUTHORS).*", re.I)


@dataclass(frozen=True, slots=True)
class Component:
    """One part that someone else wrote; `sha256` is its wheel's, `where` its files in the program folder.

    `version` is empty where the file does not tell it, `cpe` names it for a vulnerability database, `texts_of` names
    the part whose licence texts hold its own too, and `inside` is what its makers say is compiled into it.
    """

    name: str
    version: str
    licence: str
    kind: str
    sha256: str = ""
    where: str = ""
    texts: tuple[Path, ...] = ()
    cpe: str = ""
    texts_of: str = ""
    inside: tuple[Component, ...] = ()


def of(program: Path, python_version: str) -> list[Component]:
    """Every component of a staged program folder, by name; BuildFailed for one without a licence or its text."""
    known = tomllib.loads((TEXTS / "components.toml").read_text(encoding="utf-8"))
    hashes = locked()
    packages = [_package(folder, known, hashes) for folder in sorted((program / "lib").glob("*.dist-info"))]
    python = Component(
        "CPython",
        python_version,
        "PSF-2.0",
        "framework",
        where="runtime",
        texts=(program / "runtime" / "LICENSE.txt",),
        cpe=f"cpe:2.3:a:python:python:{python_version}:*:*:*:*:*:*:*",
    )
    parts = {canonical(part.name): part for part in [python, *packages]}
    return [*parts.values(), *(_native(program, entry, parts) for entry in known["native"])]


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
    return Component(name, version, licence, "library", digest, "lib, lib.zip", texts, inside=_inside(folder))


def _inside(folder: Path) -> tuple[Component, ...]:
    """The Rust crates that a wheel's own bill lists; other libraries stand in components.toml, with their licences."""
    found = {}
    for bill in sorted((folder / "sboms").glob("*.json")):
        for entry in json.loads(bill.read_text(encoding="utf-8")).get("components", []):
            if entry.get("purl", "").startswith("pkg:cargo/") and entry.get("scope") != "excluded":
                [licence] = entry["licenses"]
                text = licence.get("expression") or licence["license"].get("id") or licence["license"]["name"]
                found[entry["name"], entry["version"]] = Component(entry["name"], entry["version"], text, "library")
    return tuple(found.values())


def _is_licence(folder: Path, file: Path) -> bool:
    return "licenses" in file.relative_to(folder).parts or _LICENCE_FILE.fullmatch(file.name) is not None


def _native(program: Path, entry: dict[str, Any], parts: dict[str, Component]) -> Component:
    version, name, texts = _native_version(program, entry, parts), entry["name"], entry["texts"]
    if isinstance(texts, str) and texts not in parts:
        raise BuildFailed(f"{name} takes its licence text from {texts}, which is not here: see components.toml")
    own = () if isinstance(texts, str) else tuple(TEXTS / text for text in texts)
    see = parts[texts].name if isinstance(texts, str) else ""
    cpe = entry["cpe"].format(version=version) if version and "cpe" in entry else ""
    return Component(name, version, entry["licence"], "library", where=entry["where"], texts=own, cpe=cpe, texts_of=see)


def _native_version(program: Path, entry: dict[str, Any], parts: dict[str, Component]) -> str:
    if "version_of" in entry:
        return parts[entry["version_of"]].version
    if "version_in" not in entry:
        return ""
    file = program / entry["version_in"]
    if not file.exists():
        raise BuildFailed(f"{entry['version_in']} is not there: correct installer/licences/components.toml")
    if "pattern" not in entry:
        return file_version(file)
    # A later build of a library may tell its version in other words; an entry without one is still an entry.
    found = {match.decode("ascii") for match in re.findall(entry["pattern"].encode("ascii"), file.read_bytes())}
    return found.pop() if len(found) == 1 else ""


def file_version(file: Path) -> str:
    """The version in a program file's resources, as Explorer shows it."""
    with pefile.PE(str(file), fast_load=True) as image:
        image.parse_data_directories(directories=[pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
        fixed = image.VS_FIXEDFILEINFO[0]
        high, low = fixed.FileVersionMS, fixed.FileVersionLS
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"
