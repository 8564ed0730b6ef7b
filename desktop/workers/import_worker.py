"""Reads plant data in on a thread of its own, since it takes minutes where a query takes moments."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.workers.commands import ImportFiles
from desktop.workers.worker import Bridge, Failure, Worker, failure_of

Import = Callable[[ImportFiles, Callable[[str], None], threading.Event], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ImportProgress:
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """`report` as CONTRACT writes it."""

    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportFailed:
    failure: Failure


class ImportWorker:
    def __init__(self, import_files: Import) -> None:
        self._import = import_files
        self._cancelled = threading.Event()
        self._worker: Worker[ImportFiles] = Worker("import", self._handle)

    @property
    def bridge(self) -> Bridge:
        return self._worker.bridge

    def submit(self, command: ImportFiles) -> None:
        self._worker.put(command)

    def close(self, timeout: float = 3.0) -> bool:
        self._cancelled.set()
        return self._worker.close(timeout)

    def _handle(self, command: ImportFiles) -> None:
        try:
            report = self._import(command, self._progress, self._cancelled)
        except Exception as error:  # noqa: BLE001  the border: an import may fail, the window may not
            self._worker.emit(ImportFailed(failure_of(error)))
        else:
            self._worker.emit(Imported(report))

    def _progress(self, text: str) -> None:
        self._worker.emit(ImportProgress(text))
