"""What goes to Windows is pinned, complete for what pyproject.toml asks, and names no index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
INSTALLER = ROOT / "installer"
WINDOWS_313 = {
    "implementation_name": "cpython",
    "os_name": "nt",
    "platform_machine": "AMD64",
    "platform_system": "Windows",
    "python_full_version": "3.13.2",
    "python_version": "3.13",
    "sys_platform": "win32",
}
_LOCKED = re.compile(r"([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}")


def locked() -> dict[str, Version]:
    lines = (INSTALLER / "requirements-win.lock").read_text(encoding="utf-8").splitlines()
    matches = [_LOCKED.fullmatch(line) for line in lines]
    assert None not in matches, "a line is not `name==version --hash=sha256:…`"
    return {match[1]: Version(match[2]) for match in matches if match}


def asked() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [Requirement(text) for text in project["dependencies"]]
    return [each for each in requirements if each.marker is None or each.marker.evaluate(WINDOWS_313)]


@pytest.mark.parametrize("requirement", asked(), ids=str)
def test_every_dependency_is_locked_in_a_version_it_allows(requirement: Requirement) -> None:
    version = locked().get(canonicalize_name(requirement.name))
    assert version is not None, "run `python installer/lock.py`"
    assert version in requirement.specifier, "run `python installer/lock.py`"


def test_the_windows_keyring_is_locked_and_the_linux_one_is_not() -> None:
    assert "pywin32-ctypes" in locked()
    assert not {"secretstorage", "jeepney"} & locked().keys()


@pytest.mark.parametrize("name", ["requirements-win.lock", "requirements-build.lock", "runtime.toml"])
def test_no_lock_names_an_index(name: str) -> None:
    text = (INSTALLER / name).read_text(encoding="utf-8")
    assert "find-links" not in text
    assert "://" not in text


def test_every_build_tool_is_pinned_by_hash() -> None:
    text = (INSTALLER / "requirements-build.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    unpinned = [line for line in text.splitlines() if line and "--hash=sha256:" not in line]
    assert not unpinned
