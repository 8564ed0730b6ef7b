"""A new plant snapshot, streamed into a file of its own and published only when it is whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias, TypeVar

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.errors import KnownError
from desktop.store import duck, search_index, snapshot_carry, snapshot_files, snapshot_rows
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_carry import Carried, Difference
from desktop.store.snapshot_rows import Row, Source
from desktop.store.snapshot_schema import CODE_OWNERS, NUMBER_RECORDS, SCHEMA, SCRATCH_TABLES, TABLES

__all__ = ("Difference", "Progress", "SnapshotBuilder", "Source", "rollback")

_BATCH = 5_000
_INSERT_META = "INSERT INTO meta VALUES (?, ?)"
_DROP_SECTIONS = (
    "DELETE FROM scratch.section_codes WHERE section_no IN (SELECT section_no FROM sections WHERE manual_no = $manual)",
    "DELETE FROM section_code_ranges WHERE section_no IN (SELECT section_no FROM sections WHERE manual_no = $manual)",
    "DELETE FROM sections WHERE manual_no = $manual",
)
_MANUAL_NO = "SELECT manual_no FROM manuals WHERE manual_id = ?"
_CHECKPOINT = "CHECKPOINT plant"
_DETACH = ("USE memory", "DETACH scratch", "DETACH plant")
_DETACH_PREVIOUS = "DETACH previous"

_Item = TypeVar("_Item")
Progress: TypeAlias = Callable[[float], None]
"""Called with how far a publish is, 0 to 1."""

rollback = snapshot_files.rollback


class SnapshotBuilder:
    """Collects a plant's data into the next snapshot of `folder`; nothing is seen of it before `publish`.

        with SnapshotBuilder(folder) as builder:
            builder.add_source(source)
            builder.add_equipment(source.source_id, machines)
            version = builder.publish()

    What is added twice under one id counts once, as it came last. Leaving without publishing leaves nothing; what a
    kill leaves, the next builder removes. One builder a folder at a time, over processes.
    KnownErrors: snapshot_build_running, snapshot_disk_full, snapshot_build_cancelled.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._next = Carried(0, 0, 0)
        self._n_listed = 0
        with ExitStack() as held:
            held.enter_context(snapshot_files.building(folder))
            snapshot_files.remove_debris(folder)
            held.callback(snapshot_files.remove_debris, folder)
            self._version = snapshot_files.next_version(folder)
            self._file = snapshot_files.unfinished_file(folder, self._version)
            with duck.our_words(self._file):
                self._connection = duck.open_for_building(self._file, snapshot_files.spill_folder(folder))
                held.callback(duck.close, self._connection)
                for statement in (*TABLES, *SCRATCH_TABLES):
                    self._connection.execute(statement)
                self._scratch = duck.cursor(self._connection, "scratch")
            self._held = held.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def keep_from(self, previous: Snapshot, except_sources: Collection[str] = ()) -> None:
        """Takes over the rows of all other sources from an earlier snapshot, unparsed; call it before adding."""
        with duck.our_words(self._file), self._attached(previous):
            self._next = snapshot_carry.carry_over(self._connection, except_sources)

    def difference(self, previous: Snapshot) -> Mapping[str, Difference]:
        """By kind (equipment, manuals, records, parts, open_orders) what publishing now would add, change and lose."""
        with duck.our_words(self._file), self._attached(previous):
            return snapshot_carry.differences(self._connection)

    def add_source(self, source: Source) -> None:
        self._append("sources", [snapshot_rows.source_row(source)])

    def add_equipment(self, source_id: str, machines: Iterable[Equipment]) -> None:
        self._append("equipment", (snapshot_rows.equipment_row(source_id, self._position(), one) for one in machines))

    def add_parts(self, source_id: str, parts: Iterable[Part]) -> None:
        self._append("parts", (snapshot_rows.part_row(source_id, self._position(), one) for one in parts))

    def add_open_orders(self, source_id: str, orders: Iterable[OpenOrder]) -> None:
        self._append("open_orders", (snapshot_rows.open_order_row(source_id, one) for one in orders))

    def add_synonyms(self, source_id: str, groups: Iterable[Sequence[str]]) -> None:
        """Groups of words that mean the same on this plant."""
        rows = ((source_id, self._position(), list(words)) for words in groups)
        self._append("synonyms", rows, action="insert")

    def add_plant_list(self, source_id: str, kind: str, content: str) -> None:
        """A list of the plant's own (aliases, safety rules) as its file has it; read back by Snapshot.plant_list."""
        self._append("plant_lists", [(kind, source_id, content)])

    def add_manual(self, source_id: str, manual: Manual, sections: Iterable[ManualSection]) -> None:
        """One manual with its sections in reading order."""
        with duck.our_words(self._file):
            for row in self._connection.execute(_MANUAL_NO, [manual.manual_id]).fetchall():
                for statement in _DROP_SECTIONS:
                    self._connection.execute(statement, {"manual": row[0]})
        number, first, content = self._next.manuals, self._next.sections, hashlib.sha256()
        for batch in _batches(sections):
            self._add_sections(number, batch)
            for one in batch:
                content.update(repr((one.ref, one.heading_path, one.body, one.page, one.codes)).encode())
        count = self._next.sections - first
        digest = content.hexdigest()
        self._append("manuals", [snapshot_rows.manual_row(source_id, manual, number, digest, first, count)])
        self._next = replace(self._next, manuals=number + 1)

    def add_records(self, source_id: str, records: Iterable[MaintenanceRecord]) -> None:
        for batch in _batches(records):
            rows: list[Row] = []
            codes: list[Row] = []
            ranges: list[Row] = []
            for arrival, one in enumerate(batch, self._next.records):
                row = snapshot_rows.record_row(source_id, arrival, one)
                rows.append(row)
                codes += search_index.record_codes(arrival, one, row[-1])
                ranges += search_index.ranges(arrival, [one.error_code])
            self._append_scratch("arrived_records", rows)
            self._append_scratch("record_codes", codes)
            self._append_scratch("record_ranges", ranges)
            self._next = replace(self._next, records=self._next.records + len(batch))

    def publish(self, progress: Progress = lambda _: None, cancelled: Callable[[], bool] = lambda: False) -> str:
        """Indexes, writes, verifies and switches; returns the new version, which is then the current one.

        `cancelled` is asked every few seconds. Whatever goes wrong, the old snapshot stays current.
        """
        with self._held:
            with duck.our_words(self._file):
                for done in self._finish():
                    if cancelled():
                        raise KnownError("snapshot_build_cancelled", file=self._folder.name)
                    progress(done)
                self._scratch.close()
                for statement in (_CHECKPOINT, *_DETACH):
                    self._connection.execute(statement)
                snapshot_files.sync_file(self._file)
                Snapshot.open(self._file).verified().close()
                finished = snapshot_files.snapshot_file(self._folder, self._version)
                self._file.rename(finished)
                snapshot_files.point_to(self._folder, self._version)
            snapshot_files.drop_old(self._folder)
        progress(1.0)
        return self._version

    def _finish(self) -> Iterator[float]:
        yield 0.0
        for statement in NUMBER_RECORDS:
            self._connection.execute(statement)
        for done in search_index.index_texts(self._connection):
            yield 0.1 + 0.8 * done
        self._connection.execute(CODE_OWNERS)
        yield 0.9
        meta = {"schema": SCHEMA, "version": self._version, "published": datetime.now(UTC).isoformat()}
        self._connection.executemany(_INSERT_META, [(name, str(value)) for name, value in meta.items()])

    def _add_sections(self, manual_no: int, batch: Sequence[ManualSection]) -> None:
        rows: list[Row] = []
        codes: list[Row] = []
        ranges: list[Row] = []
        for number, one in enumerate(batch, self._next.sections):
            row = snapshot_rows.section_row(number, manual_no, one)
            rows.append(row)
            codes += search_index.section_codes(number, one, row[-2], row[-1])
            ranges += search_index.section_ranges(number, one)
        self._append("sections", rows, action="insert")
        self._append_scratch("section_codes", codes)
        self._append("section_code_ranges", ranges, action="insert")
        self._next = replace(self._next, sections=self._next.sections + len(batch))

    def _append(self, table: str, rows: Iterable[Row], action: Literal["insert", "upsert"] = "upsert") -> None:
        with duck.our_words(self._file), self._connection.appender(table, action=action) as appender:
            appender.append_rows(rows)

    def _append_scratch(self, table: str, rows: Iterable[Row]) -> None:
        with duck.our_words(self._file), self._scratch.appender(table) as appender:
            appender.append_rows(rows)

    def _position(self) -> int:
        self._n_listed += 1
        return self._n_listed

    @contextmanager
    def _attached(self, previous: Snapshot) -> Iterator[None]:
        duck.attach_previous(self._connection, previous.file, previous.key)
        try:
            yield
        finally:
            self._connection.execute(_DETACH_PREVIOUS)


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch
