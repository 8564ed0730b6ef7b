"""Start-up: the commands, or with none the window; every crash leaves a trace in the log."""

from __future__ import annotations

import faulthandler
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop import logs, paths


def main(arguments: Sequence[str] | None = None) -> int:
    """The program's exit code, as CONTRACT numbers them."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["_read"]:
        from desktop.importing import child

        return child.main(arguments[1:])
    from desktop import cli
    from desktop.cli import frame

    if sys.stderr is not None:
        faulthandler.enable()
    try:
        return cli.main(arguments, _open_window)
    except Exception:  # the process's own border: a bug must end in exit code 5, its traceback only in the log
        log = logs.start(paths.DataDir(paths.default_data_dir()).logs)
        logging.getLogger("desktop").exception("internal error in %s", arguments[:1])
        return frame.report_bug(log, as_json="--json" in arguments)


def _open_window(data_dir: Path | None) -> int:
    from desktop import app

    return app.main(data_dir)


if __name__ == "__main__":
    sys.exit(main())
