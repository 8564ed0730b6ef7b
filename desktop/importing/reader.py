"""The parent's side of reading: one child for many files, replaced when a file crashes or hangs it."""

from __future__ import annotations

import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from desktop import paths
from desktop.errors import KnownError
from desktop.importing.request import ReadRequest
from desktop.importing.values import to_plain

_log = logging.getLogger(__name__)
_START_SECONDS = 60.0
_SILENCE_SECONDS = 10.0
_SILENCE_SECONDS_A_MEGABYTE = 2.0
_OCR_SECONDS = 120.0
_POLL_SECONDS = 0.1
_TAIL = 4_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """A file that was read: its reports as JSON, its values in `values_file` (values.read_values)."""

    reports: tuple[Mapping[str, Any], ...]
    values_file: Path


def inspect(path: Path, request: ReadRequest) -> dict[str, Any]:
    """CONTRACT's inspect JSON of one file, read in a child. KnownErrors of the readers."""
    with ReaderProcess() as reader:
        return reader.inspect(path, request)


class ReaderProcess:
    """Reads files one after the other in a child process; use it in a `with`.

    A file that crashes the child raises KnownError file_reader_died, one that makes it fall silent for ten seconds (and
    two a megabyte) file_reader_hung; the next file gets a new child. `cancelled()` true ends it: import_cancelled.
    """

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._cancelled = cancelled
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drop()

    def read(
        self,
        path: Path,
        request: ReadRequest,
        values_file: Path,
        progress: Callable[[int, int], None] = lambda _d, _t: None,
    ) -> Outcome:
        """`progress(done, total)` counts pages, or rows with total 0."""
        done = self._ask("read", path, request, values_file, progress)
        return Outcome(tuple(done), values_file)

    @property
    def pid(self) -> int | None:
        """The child's process number, None while there is none."""
        return self._child.pid if self._child else None

    def inspect(self, path: Path, request: ReadRequest) -> dict[str, Any]:
        shown: dict[str, Any] = self._ask("inspect", path, request, Path(), lambda _d, _t: None)
        return shown

    def _ask(self, task: str, path: Path, request: ReadRequest, out: Path, progress: Callable[[int, int], None]) -> Any:
        patience = _SILENCE_SECONDS + _SILENCE_SECONDS_A_MEGABYTE * _megabytes(path) + _OCR_SECONDS * request.ocr
        child = self._ready_child()
        child.send(
            {"task": task, "path": str(path.absolute()), "request": to_plain(request), "out": str(out.absolute())}
        )
        while True:
            answer = self._answer(child, path, patience)
            if "progress" in answer:
                progress(*answer["progress"])
            elif "failed" in answer:
                raise _known(answer["failed"])
            else:
                return answer["done"]

    def _ready_child(self) -> _Child:
        """The running child, or a new one once it has said that it is ready."""
        if self._child is None:
            self._child = _Child()
            self._answer(self._child, Path(), _START_SECONDS)
        return self._child

    def _answer(self, child: _Child, path: Path, patience: float) -> Any:
        deadline = time.monotonic() + patience
        while True:
            try:
                answer = child.answers.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if self._cancelled():
                    self._drop()
                    raise KnownError("import_cancelled") from None
                if time.monotonic() < deadline:
                    continue
                self._drop()
                raise KnownError("file_reader_hung", file=path.name, seconds=round(patience)) from None
            if answer is None:
                _log.error("reading %s ended its process: %s", path.name, child.last_words())
                self._drop()
                raise KnownError("file_reader_died", file=path.name)
            return json.loads(answer)

    def _drop(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """One child process, a thread that hands on its answers (None = it ended), and one that keeps its last words."""

    def __init__(self) -> None:
        self.answers: queue.Queue[bytes | None] = queue.Queue()
        self._words = b""
        self._process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._threads = [
            threading.Thread(target=work, name=f"reader-{work.__name__}", daemon=True)
            for work in (self._hear, self._overhear)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, task: Mapping[str, Any]) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(task).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            _log.warning("the reading process is gone")

    def end(self) -> None:
        self._process.kill()
        for thread in self._threads:
            thread.join()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                _close(stream)

    def last_words(self) -> str:
        self._threads[1].join(timeout=1)
        return self._words.decode("utf-8", "replace")

    def _hear(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def _overhear(self) -> None:
        assert self._process.stderr
        while words := os.read(self._process.stderr.fileno(), _TAIL):
            self._words = (self._words + words)[-_TAIL:]


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        _log.debug("a pipe was gone already")


def _command() -> list[str]:
    """An installed program calls itself; else this Python, without looking for modules in the current directory."""
    if installed := paths.installation():
        return [str(installed.console_program), "_read"]
    return [sys.executable, "-P", "-m", "desktop.importing.child"]


def _environment() -> dict[str, str]:
    """Ours, with the place of this package first, so that the child finds the same one."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _megabytes(path: Path) -> float:
    try:
        return path.stat().st_size / 1e6
    except OSError:
        return 0.0


def _known(failed: Mapping[str, Any]) -> KnownError:
    where = {name: failed[name] for name in ("file", "row", "column")}
    return KnownError(failed["code"], **where, **failed["detail"])
