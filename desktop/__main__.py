"""Start-up: the commands, or with none the window."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """The program's exit code, as CONTRACT numbers them."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["_read"]:
        from desktop.importing import child

        return child.main(arguments[1:])
    from desktop import cli

    return cli.main(arguments, _open_window)


def _open_window(data_dir: Path | None, prefill: str) -> int:
    from desktop import app

    return app.main(data_dir, prefill)


if __name__ == "__main__":
    sys.exit(main())
