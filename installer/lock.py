"""Writes requirements-win.lock (and requirements-build.lock) anew: `python installer/lock.py [--upgrade]`.

Without --upgrade the versions stay as they are wherever pyproject.toml still allows them.
"""

from __future__ import annotations

import argparse
import sys

from steps import tools
from steps.commands import BuildFailed
from steps.product import INSTALLER


def main() -> int:
    """Prints how many packages are locked; 1 with a sentence when they can't be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="the newest versions that pyproject.toml allows")
    upgrade = parser.parse_args().upgrade
    cache = INSTALLER / "cache"
    try:
        tools.enter_environment(cache)
        from steps import wheels

        with tools.only_build(cache):
            print(f"{wheels.lock_windows(cache / 'lock', upgrade)} packages in {wheels.LOCK.name}")
            wheels.lock_build_tools(upgrade)
    except BuildFailed as failure:
        print(f"NOT LOCKED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
