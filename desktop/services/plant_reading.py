"""The files of an import, each read in the child unless nothing about it changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.domain.ledger import Equipment
from desktop.errors import KnownError
from desktop.importing.reader import Outcome, ReaderProcess
from desktop.importing.request import LIST_KINDS, Kind, ReadRequest
from desktop.importing.values import PlantList, read_values
from desktop.services.plant_files import LIST_SUFFIX, sha256_of, source_id
from desktop.services.plant_sources import reports_of, unchanged
from desktop.store.snapshot_builder import Source

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Order:
    """One file and how to read it."""

    path: Path
    request: ReadRequest

    @property
    def may_be_list(self) -> bool:
        """Whether it may hold column names, by which the tables after it are read."""
        return self.request.kind in LIST_KINDS or self.path.suffix.lower() == LIST_SUFFIX

    def knowing(self, known: Known) -> Order:
        return Order(self.path, replace(self.request, known_models=known.models, aliases=known.aliases))


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

    def lists(self) -> tuple[PlantList, ...]:
        """The plant's own lists that were read now."""
        given = any(report["kind"] in LIST_KINDS for report in self.reports())
        return tuple(read_values(self.outcome.values_file, PlantList)) if self.outcome and given else ()

    def reports(self) -> Sequence[Mapping[str, Any]]:
        if self.outcome:
            return self.outcome.reports
        return reports_of(self.kept) if self.kept else []


@dataclass(frozen=True, slots=True)
class Known:
    """What helps to read a file: the ledger's models, the plant's own column names ("" = none)."""

    models: tuple[str, ...] = ()
    aliases: str = ""

    def after(self, file: ReadFile) -> Known:
        """With what a file just read adds."""
        if file.outcome is None:
            return self
        machines = read_values(file.outcome.values_file, Equipment) if file.is_new_ledger else ()
        models = dict.fromkeys((*self.models, *(machine.model for machine in machines if machine.model)))
        aliases = next((one.content for one in file.lists() if one.kind == Kind.ALIAS), self.aliases)
        return Known(tuple(models), aliases)


def read_all(
    orders: Sequence[Order],
    before: Mapping[str, Source],
    known: Known,
    work: Path,
    progress: Progress,
    cancelled: Callable[[], bool],
) -> tuple[list[ReadFile], Known]:
    """Every order in turn, lists first; `before` are the remembered sources by id. KnownError only import_cancelled."""
    files = []
    with ReaderProcess(cancelled) as reader:
        for number, order in enumerate(sorted(orders, key=lambda order: not order.may_be_list)):
            if cancelled():
                raise KnownError("import_cancelled")
            progress(order.path.name, number / len(orders))
            within = _Share(progress, order.path.name, number, len(orders))
            file = _read(reader, order.knowing(known), before, work / f"{number}.jsonl", within)
            files.append(file)
            known = known.after(file)
    return files, known


def _read(
    reader: ReaderProcess,
    order: Order,
    before: Mapping[str, Source],
    out: Path,
    progress: Callable[[int, int], None],
) -> ReadFile:
    try:
        sha256 = sha256_of(order.path)
        source = before.get(source_id(order.path))
        if source and unchanged(source, sha256, order.request):
            return ReadFile(order, sha256, kept=source)
        outcome = reader.read(order.path, order.request, out, progress)
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
