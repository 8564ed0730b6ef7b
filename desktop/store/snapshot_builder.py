"""A new plant snapshot, streamed into a file of its own and published only when it is whole."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.errors import KnownError
from desktop.store import duck, learned_terms, search_index, snapshot_carry, snapshot_files, snapshot_rows
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_carry import Difference
from desktop.store.snapshot_rows import Row, Source
from desktop.store.snapshot_schema import CODE_OWNERS, NUMBER_RECORDS, SCHEMA, SCRATCH_TABLES, TABLES
from desktop.store.snapshot_tally import LAST_WINS, Tally

__all__ = ("Difference", "Progress", "SnapshotBuilder", "Source", "rollback")

_BATCH = 5_000
_INSERT_META = "INSERT INTO meta VALUES (?, ?)"
_ITS_SECTIONS = "WHERE section_no IN (SELECT section_no FROM sections WHERE manual_no = $manual)"
_DROP_SECTIONS = {
    "section_codes": f"DELETE FROM scratch.section_codes {_ITS_SECTIONS}",
    "section_code_ranges": f"DELETE FROM section_code_ranges {_ITS_SECTIONS}",
    "sections": "DELETE FROM sections WHERE manual_no = $manual",
}
_IN_SCRATCH = frozenset(("arrived_records", "section_codes", "record_codes", "record_ranges"))
_CHECKPOINT = "CHECKPOINT plant"
_DETACH = ("USE memory", "DETACH scratch", "DETACH plant")
_DETACH_PREVIOUS = "DETACH previous"

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
    KnownErrors: snapshot_build_running, snapshot_disk_full, snapshot_build_cancelled, snapshot_incomplete.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._n_listed = self._n_sections = self._n_records = self._n_dropped = 0
        self._manual_numbers: dict[str, int] = {}
        self._waiting: defaultdict[str, list[Row]] = defaultdict(list)
        self._tally = Tally()
        with ExitStack() as held:
            held.enter_context(snapshot_files.building(folder))
            snapshot_files.remove_debris(folder)
            snapshot_files.need_space(folder)
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
            carried = snapshot_carry.carry_over(self._connection, except_sources)
            self._tally.take_stock(self._connection)
        self._manual_numbers = dict(carried.manuals)
        self._n_sections, self._n_records = carried.sections, carried.records

    def difference(self, previous: Snapshot) -> Mapping[str, Difference]:
        """By kind (equipment, manuals, records, parts, open_orders) what publishing now would add, change and lose."""
        self._hand_over_all()
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
        self._append("synonyms", rows)

    def add_plant_list(self, source_id: str, kind: str, content: str) -> None:
        """A list of the plant's own (aliases, safety rules) as its file has it; read back by Snapshot.plant_list."""
        self._append("plant_lists", [(kind, source_id, content)])

    def add_manual(self, source_id: str, manual: Manual, sections: Iterable[ManualSection]) -> None:
        """One manual with its sections in reading order."""
        if manual.manual_id in self._manual_numbers:
            self._drop_sections(self._manual_numbers[manual.manual_id])
        number, first, content = len(self._manual_numbers) + self._n_dropped, self._n_sections, hashlib.sha256()
        self._manual_numbers[manual.manual_id] = number
        for one in sections:
            self._add_section(number, one)
            content.update(repr((one.ref, one.heading_path, one.body, one.page, one.codes)).encode())
        count = self._n_sections - first
        row = snapshot_rows.manual_row(source_id, manual, number, content.hexdigest(), first, count)
        self._append("manuals", [row])

    def add_records(self, source_id: str, records: Iterable[MaintenanceRecord]) -> None:
        for one in records:
            arrival = self._n_records
            row = snapshot_rows.record_row(source_id, arrival, one)
            self._append("arrived_records", [row])
            self._append("record_codes", search_index.record_codes(arrival, one, row[-1]))
            self._append("record_ranges", search_index.ranges(arrival, [one.error_code]))
            self._n_records += 1

    def publish(self, progress: Progress = lambda _: None, cancelled: Callable[[], bool] = lambda: False) -> str:
        """Indexes, writes, verifies and switches; returns the new version, which is then the current one.

        `cancelled` is asked every few seconds. Whatever goes wrong, the old snapshot stays current.
        """
        with self._held:
            self._hand_over_all()
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
        self._tally.check(self._connection, self._file.name)
        for done in search_index.index_texts(self._connection):
            yield 0.1 + 0.8 * done
        self._connection.execute(CODE_OWNERS)
        learned_terms.learn(self._connection)
        yield 0.9
        meta = {"schema": SCHEMA, "version": self._version, "published": datetime.now(UTC).isoformat()}
        self._connection.executemany(_INSERT_META, [(name, str(value)) for name, value in meta.items()])

    def _add_section(self, manual_no: int, one: ManualSection) -> None:
        number = self._n_sections
        row = snapshot_rows.section_row(number, manual_no, one)
        self._append("sections", [row])
        self._append("section_codes", search_index.section_codes(number, one, row[-2], row[-1]))
        self._append("section_code_ranges", search_index.section_ranges(number, one))
        self._n_sections += 1

    def _drop_sections(self, manual_no: int) -> None:
        self._hand_over_all()
        self._n_dropped += 1
        with duck.our_words(self._file):
            for table, statement in _DROP_SECTIONS.items():
                ((gone,),) = self._connection.execute(statement, {"manual": manual_no}).fetchall()
                self._tally.drop(table, gone)

    def _append(self, table: str, rows: Iterable[Row]) -> None:
        """Rows wait until there are enough: each hand-over to the database costs as much as a thousand rows."""
        for row in rows:
            self._tally.add(table, row)
            self._waiting[table].append(row)
            if len(self._waiting[table]) >= _BATCH:
                self._hand_over(table)

    def _hand_over(self, table: str) -> None:
        rows = self._waiting.pop(table)
        connection = self._scratch if table in _IN_SCRATCH else self._connection
        action: Literal["insert", "upsert"] = "insert"
        if table in LAST_WINS:
            action, width = "upsert", LAST_WINS[table]
            rows = list({row[:width]: row for row in rows}.values())  # within one hand-over the first would win
        with duck.our_words(self._file), connection.appender(table, action=action) as appender:
            appender.append_rows(rows)

    def _hand_over_all(self) -> None:
        for table in list(self._waiting):
            self._hand_over(table)

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
