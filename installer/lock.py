"""Writes requirements-win.lock (and requirements-build.lock) anew: `python installer/lock.py [--upgrade]`.

Without --upgrade the versions stay as they are wherever pyproject.toml still allows them.
"""

from __future__ import annotations

import sys

from steps import tools
from steps.product import INSTALLER


def main() -> int:
    """Prints how many packages are locked."""
    tools.enter_environment(INSTALLER / "cache")
    from steps import wheels

    upgrade = "--upgrade" in sys.argv[1:]
    print(f"{wheels.lock_windows(upgrade)} packages in {wheels.LOCK.name}")
    wheels.lock_build_tools(upgrade)
    return 0


if __name__ == "__main__":
    sys.exit(main())
