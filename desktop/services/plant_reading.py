"""The files of an import, each read in the child unless nothing about it changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.domain.ledger import Equipment
from desktop.errors import KnownError
from desktop.importing.reader import Outcome, ReaderProcess
from desktop.importing.request import Kind, ReadRequest
from desktop.importing.values import read_values
from desktop.services.plant_files import sha256_of, source_id
from desktop.services.plant_sources import reports_of, unchanged
from desktop.store.snapshot_builder import Source

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Order:
    """One file and how to read it."""

    path: Path
    request: ReadRequest


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What became of an order: `outcome` (read now), `kept` (as before), or `error`."""

    order: Order
    sha256: str = ""
    outcome: Outcome | None = None
    kept: Source | None = None
    error: KnownError | None = None

    @property
    def source_id(self) -> str:
        return source_id(self.order.path)

    @property
    def is_new_ledger(self) -> bool:
        return bool(self.outcome) and any(report["kind"] == Kind.LEDGER for report in self.reports())

    def reports(self) -> Sequence[Mapping[str, Any]]:
        if self.outcome:
            return self.outcome.reports
        return reports_of(self.kept) if self.kept else []


def read_all(
    orders: Sequence[Order],
    before: Mapping[str, Source],
    known_models: Iterable[str],
    work: Path,
    progress: Progress,
    cancelled: Callable[[], bool],
) -> list[ReadFile]:
    """Every order in turn; `before` are the remembered sources by id. KnownError only import_cancelled."""
    models = dict.fromkeys(known_models)
    files = []
    with ReaderProcess(cancelled) as reader:
        for number, order in enumerate(orders):
            if cancelled():
                raise KnownError("import_cancelled")
            progress(order.path.name, number / len(orders))
            within = _Share(progress, order.path.name, number, len(orders))
            file = _read(
                reader, order, before.get(source_id(order.path)), tuple(models), work / f"{number}.jsonl", within
            )
            files.append(file)
            if file.outcome and file.is_new_ledger:
                machines = read_values(file.outcome.values_file, Equipment)
                models.update(dict.fromkeys(machine.model for machine in machines if machine.model))
    return files


def _read(
    reader: ReaderProcess,
    order: Order,
    before: Source | None,
    models: tuple[str, ...],
    out: Path,
    progress: Callable[[int, int], None],
) -> ReadFile:
    try:
        sha256 = sha256_of(order.path)
        if before and unchanged(before, sha256, order.request):
            return ReadFile(order, sha256, kept=before)
        outcome = reader.read(order.path, replace(order.request, known_models=models), out, progress)
    except KnownError as error:
        if error.code == "import_cancelled":
            raise
        return ReadFile(order, error=error)
    return ReadFile(order, sha256, outcome)


@dataclass(frozen=True, slots=True)
class _Share:
    """A file's pages as its share of the whole."""

    progress: Progress
    name: str
    number: int
    files: int

    def __call__(self, done: int, total: int) -> None:
        self.progress(self.name, (self.number + (done / total if total else 0.0)) / self.files)
