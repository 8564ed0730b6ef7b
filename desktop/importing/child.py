"""The reading child process: one task a line in, progress and one result a line out.

`python -m desktop.importing.child`, or a frozen program's `_read`. A hostile file may crash or hang this process; it
costs a message. Nothing but plain JSON leaves it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from desktop.errors import KnownError
from desktop.importing.inspection import inspect_file
from desktop.importing.read import read_file
from desktop.importing.request import ReadRequest
from desktop.importing.values import from_plain, write_value

MEMORY_LIMIT = 2 * 1024 * 1024 * 1024
OCR_MEMORY_LIMIT = 6 * 1024 * 1024 * 1024
CPU_SECONDS_A_FILE = 1_800


def main(argv: Sequence[str] = ()) -> int:
    """Serves tasks from standard input until it closes; `argv` is empty. Libraries that print do so to stderr."""
    assert not argv
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    _limit_memory(MEMORY_LIMIT)
    _say(answers, {"ready": True})
    for line in sys.stdin.buffer:
        _limit_time()
        _say(answers, _served(json.loads(line), answers))
    return 0


def _served(task: dict[str, Any], answers: TextIO) -> dict[str, Any]:
    path = Path(task["path"])
    request: ReadRequest = from_plain(ReadRequest, task["request"])
    _limit_memory(OCR_MEMORY_LIMIT if request.ocr else MEMORY_LIMIT)
    try:
        if task["task"] == "inspect":
            return {"done": inspect_file(path, request)}
        with Path(task["out"]).open("w", encoding="utf-8", newline="\n") as out:
            reports = read_file(
                path,
                request,
                lambda value: write_value(out, value),
                lambda done, total: _say(answers, {"progress": [done, total]}),
            )
        return {"done": [report.to_json() for report in reports]}
    except KnownError as error:
        return _failure(error)
    except MemoryError:
        return _failure(KnownError("file_needs_too_much_memory", file=path.name))
    except OSError as error:
        return _failure(KnownError("file_unreadable", file=path.name, reason=error.strerror or str(error)))


def _failure(error: KnownError) -> dict[str, Any]:
    detail = {name: value if isinstance(value, int) else str(value) for name, value in error.detail.items()}
    return {
        "failed": {"code": error.code, "file": error.file, "row": error.row, "column": error.column, "detail": detail}
    }


def _say(answers: TextIO, message: dict[str, Any]) -> None:
    """Lone surrogates, which a file may hold and UTF-8 may not, go out escaped."""
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if sys.platform == "win32":

    def _limit_memory(_size: int) -> None:
        """Windows has no such call; the parent's clock is the limit."""

    def _limit_time() -> None:
        """Windows has no such call; the parent's clock is the limit."""
else:
    import resource

    def _limit_memory(size: int) -> None:
        _lower(resource.RLIMIT_AS, size)
        _lower(resource.RLIMIT_CORE, 0)

    def _limit_time() -> None:
        """The kernel ends this process when its parent is no longer there to do so."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + CPU_SECONDS_A_FILE)

    def _lower(limit: int, value: int) -> None:
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
