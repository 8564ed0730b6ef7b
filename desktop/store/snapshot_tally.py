"""What a build was handed, counted apart from the database, so that a row lost on the way shows before publishing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from desktop.errors import KnownError
from desktop.store.duck import Connection
from desktop.store.snapshot_rows import Row

# Tables of which a row that comes again replaces the earlier one, with how many columns make its key.
LAST_WINS = {"sources": 1, "equipment": 1, "manuals": 1, "parts": 1, "open_orders": 1, "plant_lists": 2}
_KEYS = {
    "sources": "source_id", "equipment": "key", "manuals": "manual_id", "parts": "key", "open_orders": "key",
    "plant_lists": "kind, source_id",
}  # fmt: skip
_COUNTED = {
    "synonyms": "synonyms",
    "sections": "sections",
    "section_code_ranges": "section_code_ranges",
    "section_codes": "scratch.section_codes",
    "arrived_records": "scratch.arrived_records",
    "record_codes": "scratch.record_codes",
    "record_ranges": "scratch.record_ranges",
}
_SELECT_KEYS = "SELECT {columns} FROM {table}"
_COUNT = "SELECT count(*) FROM {table}"
_COUNT_ARRIVED = "SELECT count(DISTINCT key) FROM scratch.arrived_records"
_COUNT_SECTIONS = "SELECT coalesce(sum(n_sections), 0) FROM manuals"


class Tally:
    """Counts rows, and distinct keys where the last of a key wins."""

    def __init__(self) -> None:
        self._keys: dict[str, set[Row]] = {table: set() for table in LAST_WINS}
        self._rows: Counter[str] = Counter()

    def add(self, table: str, row: Row) -> None:
        if table in LAST_WINS:
            self._keys[table].add(tuple(row[: LAST_WINS[table]]))
        else:
            self._rows[table] += 1

    def drop(self, table: str, rows: int) -> None:
        """So many were taken out again on purpose."""
        self._rows[table] -= rows

    def take_stock(self, connection: Connection) -> None:
        """Counts what is there already as handed over; call it while nothing else was."""
        for table, columns in _KEYS.items():
            self._keys[table].update(connection.execute(_SELECT_KEYS.format(columns=columns, table=table)).fetchall())
        for table, place in _COUNTED.items():
            self._rows[table] = _one(connection, _COUNT.format(table=place))

    def check(self, connection: Connection, file: str) -> None:
        """KnownError snapshot_incomplete, naming the table, unless all is there; call it when records are numbered."""
        pairs = [(table, len(keys), table) for table, keys in self._keys.items()]
        pairs += [(table, self._rows[table], place) for table, place in _COUNTED.items()]
        checks: Iterable[tuple[str, int, str]] = (
            *((table, handed, _COUNT.format(table=place)) for table, handed, place in pairs),
            ("records", _one(connection, _COUNT_ARRIVED), _COUNT.format(table="records")),
            ("manuals", self._rows["sections"], _COUNT_SECTIONS),
        )
        for table, handed, statement in checks:
            stored = _one(connection, statement)
            if stored != handed:
                raise KnownError("snapshot_incomplete", file=file, table=table, handed=handed, stored=stored)


def _one(connection: Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchall()[0][0])
