"""One version of the plant's data, read only; any number of threads and processes may read it."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar
from weakref import WeakSet

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.domain.text import code_matches, fold, fold_code
from desktop.errors import KnownError
from desktop.store import duck, snapshot_files, snapshot_rows, synonyms
from desktop.store.duck import Connection
from desktop.store.search_frequencies import Frequencies
from desktop.store.snapshot_rows import PlacedManual, Row, Source
from desktop.store.snapshot_schema import LAYOUTS, SCHEMA, SELECT_LAYOUT

_OLD = timedelta(days=30)
_META = "SELECT name, value FROM meta"
_LATEST = "SELECT max(date) FROM records WHERE date <= ?"
_SOURCES = "SELECT * FROM sources ORDER BY source_id"
_EQUIPMENT = f"SELECT {snapshot_rows.EQUIPMENT} FROM equipment ORDER BY position"
_MANUALS = (
    f"SELECT {snapshot_rows.MANUAL}, manual_no, first_section, n_sections, source_id FROM manuals ORDER BY manual_no"
)
_SECTIONS = f"SELECT {snapshot_rows.SECTION} FROM sections WHERE section_no BETWEEN ? AND ? ORDER BY section_no"
_SECTION = f"SELECT {snapshot_rows.SECTION} FROM sections WHERE section_no BETWEEN ? AND ? AND ref = ?"
_SECTIONS_BY_NUMBER = f"SELECT section_no, {snapshot_rows.SECTION} FROM sections WHERE section_no IN "
_RECORD = (
    f"SELECT {snapshot_rows.RECORD} FROM records WHERE record_no = (SELECT record_no FROM record_ids WHERE key = ?)"
)
_OWNER = "SELECT first_record, n_records FROM record_owners WHERE key = ?"
_RECORDS = f"SELECT {snapshot_rows.RECORD} FROM records WHERE record_no BETWEEN ? AND ? ORDER BY record_no"
_RECORDS_BY_NUMBER = f"SELECT record_no, {snapshot_rows.RECORD} FROM records WHERE record_no IN "
_CODE_OWNERS = "SELECT models, equipment_ids FROM code_owners WHERE key = ?"
_RANGES = "SELECT head, printed, {prefix}_no FROM {prefix}_code_ranges"
_TERMS = "SELECT term, df FROM {prefix}_postings ORDER BY term"
_PART = f"SELECT {snapshot_rows.PART} FROM parts WHERE key = ?"
_PARTS = f"SELECT {snapshot_rows.PART} FROM parts ORDER BY position"
_OPEN_ORDERS = f"SELECT {snapshot_rows.OPEN_ORDER} FROM open_orders WHERE equipment_key = ? ORDER BY number"
_OPEN_ORDER = f"SELECT {snapshot_rows.OPEN_ORDER} FROM open_orders WHERE key = ?"
_SYNONYMS = "SELECT words FROM synonyms ORDER BY position"
_LEARNED = "SELECT word, other FROM learned_terms ORDER BY word, strength DESC"
_PLANT_LISTS = "SELECT content FROM plant_lists WHERE kind = ? ORDER BY source_id"
_COUNTS = """
    SELECT (SELECT count(*) FROM equipment), (SELECT count(*) FROM manuals), (SELECT count(*) FROM sections),
        (SELECT count(*) FROM records), (SELECT count(*) FROM parts), (SELECT count(*) FROM open_orders)"""
_SMOKE = (
    "SELECT term, list_sum(postings) FROM section_postings ORDER BY term LIMIT 1",
    "SELECT term, list_sum(postings) FROM record_postings ORDER BY term LIMIT 1",
    "SELECT max(length(body_shape)), max(length(body)) FROM sections",
    "SELECT max(length(shaped)), max(length(action)) FROM records",
)


_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class CodeOwners:
    """Whose an error code is: models whose manuals have it, machines whose records do; both as printed."""

    models: tuple[str, ...] = ()
    equipment_ids: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.models or self.equipment_ids)


@dataclass(frozen=True, slots=True)
class Counts:
    equipment: int
    manuals: int
    sections: int
    records: int
    parts: int
    open_orders: int


class Snapshot:
    """The plant's ledger, manuals and records of one version.

    Names and ids are looked up in any width, case and hyphen. Lists of machines and manuals are read once and kept;
    sections and records are read when asked for.
    """

    def __init__(self, file: Path, connection: Connection, key: bytes | None) -> None:
        self.file = file
        self.key = key
        self._connection = connection
        self._threads = threading.local()
        self._cursors: WeakSet[Connection] = WeakSet()
        self._frequencies: dict[str, Frequencies] = {}
        self._ranges: dict[str, Mapping[str, Sequence[tuple[str, int]]]] = {}
        self._meta: dict[str, str] = {row[0]: row[1] for row in self.rows(_META)}

    @staticmethod
    def open(file: Path, key: bytes | None = None) -> Snapshot:
        """KnownErrors: snapshot_missing, snapshot_corrupt, snapshot_too_new, snapshot_other_layout,
        snapshot_wrong_key, snapshot_in_use."""
        if not file.is_file():
            raise KnownError("snapshot_missing", file=file.name)
        with duck.our_words(file):
            connection = duck.open_read_only(file, key)
        try:
            snapshot = Snapshot(file, connection, key)
            schema, layout = int(snapshot._meta["schema"]), snapshot.rows(SELECT_LAYOUT)[0][0]
        except (KnownError, duck.Refused, KeyError, ValueError) as error:
            duck.close(connection)
            if isinstance(error, KnownError):
                raise
            raise KnownError("snapshot_corrupt", file=file.name) from error
        if schema > SCHEMA:
            snapshot.close()
            raise KnownError("snapshot_too_new", file=file.name)
        if layout != LAYOUTS.get(schema):
            snapshot.close()
            raise KnownError("snapshot_other_layout", file=file.name)
        return snapshot

    @staticmethod
    def current(folder: Path, key: bytes | None = None) -> Snapshot | None:
        """The version the folder's pointer names, None if there is none yet."""
        version = snapshot_files.current_version(folder)
        return None if version is None else Snapshot.open(snapshot_files.snapshot_file(folder, version), key)

    def close(self) -> None:
        for cursor in list(self._cursors):
            duck.close(cursor)
        duck.close(self._connection)

    def rows(self, statement: str, parameters: object = None) -> list[Row]:
        """All rows of one statement, on this thread's own cursor. For the store's own use."""
        with duck.our_words(self.file):
            return self._cursor().execute(statement, parameters).fetchall()

    @property
    def version(self) -> str:
        return self._meta["version"]

    @property
    def published(self) -> datetime:
        return datetime.fromisoformat(self._meta["published"])

    def is_old(self, now: datetime) -> bool:
        """Whether window and `doctor` warn of its age."""
        return now - self.published > _OLD

    @cached_property
    def data_as_of(self) -> date | None:
        """The date of the latest record that is not later than the publication."""
        latest: date | None = self.rows(_LATEST, [self.published.date()])[0][0]
        return latest

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        return tuple(map(snapshot_rows.source_of, self.rows(_SOURCES)))

    @cached_property
    def counts(self) -> Counts:
        return Counts(*self.rows(_COUNTS)[0])

    def verified(self) -> Snapshot:
        """Itself, once every table could be read. KnownError snapshot_corrupt."""
        for statement in _SMOKE:
            self.rows(statement)
        if len(self.all_equipment()) != self.counts.equipment or len(self.manuals()) != self.counts.manuals:
            raise KnownError("snapshot_corrupt", file=self.file.name)
        return self

    def equipment(self, equipment_id: str) -> Equipment | None:
        return self._equipment_by_key.get(fold_code(equipment_id))

    def all_equipment(self) -> tuple[Equipment, ...]:
        """The ledger in its own order."""
        return tuple(self._equipment_by_key.values())

    def lines(self) -> tuple[str, ...]:
        return _distinct(one.line for one in self.all_equipment())

    def models(self) -> tuple[str, ...]:
        """Every model of the ledger and of the manuals, each once, as first printed."""
        manuals = (model for placed in self.placed_manuals for model in placed.manual.models)
        return _distinct((*(one.model for one in self.all_equipment()), *manuals))

    def manuals(self, model: str | None = None) -> tuple[Manual, ...]:
        """All manuals, or those for a model or for a series it belongs to (FL-2xx)."""
        return tuple(placed.manual for placed in self.manuals_for(model))

    @property
    def originals(self) -> set[str]:
        """The SHA-256 of every original that its manuals were read from."""
        return {manual.file_sha256 for manual in self.manuals() if manual.file_sha256}

    def manual(self, manual_id: str) -> Manual | None:
        placed = self._manual_by_id.get(manual_id)
        return placed.manual if placed else None

    def section(self, ref: str) -> ManualSection | None:
        """The section of `manual:<manual_id>#<section>`."""
        placed = self._manual_by_id.get(ref.removeprefix("manual:").rpartition("#")[0])
        if placed is None:
            return None
        return self._first(_SECTION, [*_span(placed.first, placed.count), ref], self._section_of)

    def sections(self, manual_id: str) -> tuple[ManualSection, ...]:
        placed = self._manual_by_id.get(manual_id)
        if placed is None:
            return ()
        return tuple(map(self._section_of, self.rows(_SECTIONS, _span(placed.first, placed.count))))

    def record(self, record_id: str) -> MaintenanceRecord | None:
        return self._first(_RECORD, [fold_code(record_id)], snapshot_rows.record_of)

    def records_of(self, equipment_id: str) -> tuple[MaintenanceRecord, ...]:
        """All records of one machine, newest first, undated last."""
        first, count = self.record_span(equipment_id)
        return tuple(map(snapshot_rows.record_of, self.rows(_RECORDS, _span(first, count)))) if count else ()

    def code_owners(self, key: str) -> CodeOwners:
        """Whose the code with this key is, printed ranges and wildcards of manuals included."""
        models: list[str] = []
        equipment_ids: list[str] = []
        for row in self.rows(_CODE_OWNERS, [key]):
            models += row[0]
            equipment_ids += row[1]
        ranges = self.code_ranges("section")
        for printed, number in (one for head in beginnings(key) for one in ranges.get(head, ())):
            if code_matches(printed, key):
                models += self._manual_at(number).models
        return CodeOwners(tuple(sorted(set(models))), tuple(equipment_ids))

    def part(self, number: str) -> Part | None:
        return self._first(_PART, [fold_code(number)], snapshot_rows.part_of)

    def parts_for(self, model: str) -> tuple[Part, ...]:
        key = fold_code(model)
        return tuple(part for part in self._parts if any(fold_code(one) == key for one in part.models))

    def open_orders(self, equipment_id: str) -> tuple[OpenOrder, ...]:
        rows = self.rows(_OPEN_ORDERS, [fold_code(equipment_id)])
        return tuple(map(snapshot_rows.open_order_of, rows))

    def open_order(self, number: str) -> OpenOrder | None:
        return self._first(_OPEN_ORDER, [fold_code(number)], snapshot_rows.open_order_of)

    def synonyms(self) -> Mapping[str, tuple[str, ...]]:
        """By folded word the others, as written, that mean the same: the plant's own groups and the shipped ones."""
        return self._synonyms

    def learned_terms(self) -> Mapping[str, tuple[str, ...]]:
        """By folded word what the plant's manuals or log say instead, as learned when this snapshot was built."""
        return self._learned

    def plant_list(self, kind: str) -> str | None:
        """A list of the plant's own as its file had it; the latest source wins."""
        found = self.rows(_PLANT_LISTS, [kind])
        return found[-1][0] if found else None

    def manuals_for(self, model: str | None) -> tuple[PlacedManual, ...]:
        if model is None:
            return self.placed_manuals
        key = fold_code(model)
        found = dict.fromkeys(self._manuals_by_model.get(key, ()))
        for placed in self._manuals_of_series:
            if any(code_matches(series, key) for series in placed.manual.applies_to.series):
                found[placed] = None
        return tuple(found)

    def sections_by_number(self, numbers: Sequence[int]) -> dict[int, ManualSection]:
        """Sections by position. For the store's own use."""
        rows = self.rows(_SECTIONS_BY_NUMBER + _listed(numbers)) if numbers else []
        return {row[0]: self._section_of(row[1:]) for row in rows}

    def records_by_number(self, numbers: Sequence[int]) -> dict[int, MaintenanceRecord]:
        """Records by position. For the store's own use."""
        rows = self.rows(_RECORDS_BY_NUMBER + _listed(numbers)) if numbers else []
        return {row[0]: snapshot_rows.record_of(row[1:]) for row in rows}

    def code_ranges(self, prefix: Literal["section", "record"]) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Printed ranges and wildcards with their positions, by literal beginning. For the store's own use."""
        if prefix not in self._ranges:
            found: dict[str, list[tuple[str, int]]] = {}
            for head, printed, number in self.rows(_RANGES.format(prefix=prefix)):
                found.setdefault(head, []).append((printed, number))
            self._ranges[prefix] = found
        return self._ranges[prefix]

    def frequencies(self, prefix: Literal["section", "record"]) -> Frequencies:
        """In how many sections or records each index term stands. For the store's own use."""
        if prefix not in self._frequencies:
            count = self.counts.sections if prefix == "section" else self.counts.records
            with duck.our_words(self.file):
                rows = duck.streamed(self._cursor(), _TERMS.format(prefix=prefix))
                self._frequencies[prefix] = Frequencies(rows, count)
        return self._frequencies[prefix]

    def record_span(self, equipment_id: str) -> tuple[int, int]:
        """Position of a machine's first record and how many follow on from it. For the store's own use."""
        found = self.rows(_OWNER, [fold_code(equipment_id)])
        return (found[0][0], found[0][1]) if found else (0, 0)

    @cached_property
    def placed_manuals(self) -> tuple[PlacedManual, ...]:
        rows = self.rows(_MANUALS)
        return tuple(PlacedManual(snapshot_rows.manual_of(row), *row[-4:]) for row in rows)

    @cached_property
    def _synonyms(self) -> Mapping[str, tuple[str, ...]]:
        return synonyms.by_word((*(tuple(row[0]) for row in self.rows(_SYNONYMS)), *synonyms.shipped()))

    @cached_property
    def _learned(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for word, other in self.rows(_LEARNED):
            found[fold(word)] = (*found.get(fold(word), ()), other)
        return found

    @cached_property
    def _manuals_by_model(self) -> Mapping[str, list[PlacedManual]]:
        found: dict[str, list[PlacedManual]] = {}
        for placed in self.placed_manuals:
            for key in dict.fromkeys(map(fold_code, placed.manual.models)):
                found.setdefault(key, []).append(placed)
        return found

    @cached_property
    def _manuals_of_series(self) -> tuple[PlacedManual, ...]:
        return tuple(placed for placed in self.placed_manuals if placed.manual.applies_to.series)

    @cached_property
    def _manual_by_id(self) -> Mapping[str, PlacedManual]:
        return {placed.manual.manual_id: placed for placed in self.placed_manuals}

    @cached_property
    def _manual_by_number(self) -> Mapping[int, PlacedManual]:
        return {placed.number: placed for placed in self.placed_manuals}

    @cached_property
    def _equipment_by_key(self) -> Mapping[str, Equipment]:
        machines = map(snapshot_rows.equipment_of, self.rows(_EQUIPMENT))
        return {machine.folded: machine for machine in machines}

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return tuple(map(snapshot_rows.part_of, self.rows(_PARTS)))

    def _manual_at(self, section_no: int) -> Manual:
        place = bisect_right(self.placed_manuals, section_no, key=lambda placed: placed.first) - 1
        return self.placed_manuals[place].manual

    def _section_of(self, row: Row) -> ManualSection:
        return snapshot_rows.section_of(row, self._manual_by_number[row[0]].manual.manual_id)

    def _first(self, statement: str, parameters: Sequence[object], made: Callable[[Row], _Made]) -> _Made | None:
        found = self.rows(statement, parameters)
        return made(found[0]) if found else None

    def _cursor(self) -> Connection:
        cursor: Connection | None = getattr(self._threads, "cursor", None)
        if cursor is None:
            cursor = self._threads.cursor = duck.cursor(self._connection)
            self._cursors.add(cursor)
        return cursor


def beginnings(key: str) -> list[str]:
    """Every beginning of a key, under any of which a printed range may be filed."""
    return [key[:length] for length in range(len(key) + 1)]


def _span(first: int, count: int) -> list[int]:
    return [first, first + count - 1]


def _listed(numbers: Sequence[int]) -> str:
    return f"({','.join(map(str, map(int, numbers)))})"


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in filter(None, names):
        found.setdefault(fold_code(name), name)
    return tuple(found.values())
