"""Start-up: the commands, or with none the window."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.errors import KnownError

_log = logging.getLogger("desktop")


def main(arguments: Sequence[str] | None = None) -> int:
    """The program's exit code, as CONTRACT numbers them."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["_read"]:
        from desktop.importing import child

        return child.main(arguments[1:])
    try:
        from desktop import cli

        return cli.main(arguments, _open_window, _tell)
    except Exception:
        if sys.stderr is not None:
            raise  # somebody reads the traceback
        _tell(_bug(None))
        return 5


def _open_window(data_dir: Path | None, prefill: str) -> int:
    """Raises what app.main raises; a bug as internal_error, since nobody sees its traceback."""
    from desktop.errors import KnownError

    try:
        from desktop import app

        return app.main(data_dir, prefill)
    except KnownError:
        raise
    except Exception as error:
        raise _bug(data_dir) from error


def _bug(data_dir: Path | None) -> KnownError:
    """The exception being handled, in the log and by name."""
    from desktop import logs, paths
    from desktop.errors import KnownError
    from desktop.paths import DataDir

    log = logs.start(DataDir(data_dir or paths.default_data_dir()).logs)
    _log.exception("the window did not start")
    return KnownError("internal_error", log=str(log))


def _tell(error: KnownError) -> None:
    from desktop import start_failure

    start_failure.tell(error)


if __name__ == "__main__":
    sys.exit(main())
