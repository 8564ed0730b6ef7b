"""Whether the installers must be built again: exit code 0 if anything in them changed since last-build.toml, else 1."""

from __future__ import annotations

import sys

from steps.record import inputs_digest, last_inputs


def main() -> int:
    """Prints which, for the log."""
    changed = inputs_digest() != last_inputs()
    print(
        "installer inputs changed since the last recorded build" if changed else "installer inputs are those last built"
    )
    return 0 if changed else 1


if __name__ == "__main__":
    sys.exit(main())
