"""Saves a support bundle on a thread of its own, since its look at the network takes as long as it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.workers.worker import Bridge, Failure, Worker, failure_of


@dataclass(frozen=True, slots=True)
class BundleSaved:
    """`report`: `file`, `members`, `omitted` lines and the codes of what was `unread`."""

    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BundleFailed:
    failure: Failure


class BundleWorker:
    def __init__(self, save: Callable[[Path], Mapping[str, Any]]) -> None:
        self._save = save
        self._worker: Worker[Path] = Worker("bundle", self._handle)

    @property
    def bridge(self) -> Bridge:
        return self._worker.bridge

    def submit(self, file: Path) -> None:
        self._worker.put(file)

    def close(self, timeout: float = 3.0) -> bool:
        return self._worker.close(timeout)

    def _handle(self, file: Path) -> None:
        try:
            report = self._save(file)
        except Exception as error:  # noqa: BLE001  the border: saving may fail, the window may not
            self._worker.emit(BundleFailed(failure_of(error)))
        else:
            self._worker.emit(BundleSaved(report))
