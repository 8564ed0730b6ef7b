"""A release that bumps one of its places must bump all of them."""

import re
import tomllib
from pathlib import Path

from desktop import RELEASED, __version__

ROOT = Path(__file__).parents[1]


def test_version_and_day_are_those_of_the_newest_entry_of_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d[^]]*)\] - (.+)$", changelog, re.MULTILINE)
    assert newest is not None
    assert newest.groups() == (__version__, RELEASED)


def test_the_distribution_carries_the_program_s_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
