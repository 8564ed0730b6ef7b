"""Rows of an earlier snapshot taken over into the next one, and what differs between the two."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from desktop.store.duck import Connection

_KEPT_TABLES = ("sources", "equipment", "parts", "open_orders", "synonyms", "plant_lists")
_KEEP = "INSERT INTO {table} SELECT * FROM previous.{table} WHERE NOT list_contains($gone, source_id)"
_KEEP_MANUALS = (
    """CREATE TABLE scratch.kept AS
    SELECT manual_id, manual_no AS old_no, first_section AS old_first,
        (row_number() OVER (ORDER BY manual_no) - 1)::INTEGER AS new_no,
        (coalesce(sum(n_sections) OVER (
            ORDER BY manual_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::INTEGER AS new_first
    FROM previous.manuals WHERE NOT list_contains($gone, source_id)""",
    """INSERT INTO manuals
    SELECT manuals.* REPLACE (new_no AS manual_no, new_first AS first_section)
    FROM previous.manuals JOIN scratch.kept USING (manual_id) ORDER BY new_no""",
    """INSERT INTO sections
    SELECT sections.* REPLACE (section_no - old_first + new_first AS section_no, new_no AS manual_no)
    FROM previous.sections JOIN scratch.kept ON manual_no = old_no ORDER BY section_no - old_first + new_first""",
    """CREATE TABLE scratch.kept_sections AS
    SELECT section_no AS old_section, section_no - old_first + new_first AS new_section
    FROM previous.sections JOIN scratch.kept ON manual_no = old_no""",
    """INSERT INTO scratch.section_codes
    SELECT new_section, key, (posting & 255)::UTINYINT
    FROM (SELECT key, unnest(postings) AS posting FROM previous.section_codes)
    JOIN scratch.kept_sections ON (posting >> 8)::INTEGER = old_section""",
    """INSERT INTO section_code_ranges
    SELECT new_section, head, printed
    FROM previous.section_code_ranges JOIN scratch.kept_sections ON section_no = old_section""",
)
_KEEP_RECORDS = (
    """INSERT INTO scratch.arrived_records
    SELECT record_no AS arrival, * EXCLUDE (record_no) FROM previous.records
    WHERE NOT list_contains($gone, source_id)""",
    """INSERT INTO scratch.record_codes
    SELECT (posting >> 8)::INTEGER, key, (posting & 255)::UTINYINT
    FROM (SELECT key, unnest(postings) AS posting FROM previous.record_codes)
    SEMI JOIN scratch.arrived_records ON (posting >> 8)::INTEGER = arrival""",
    """INSERT INTO scratch.record_ranges
    SELECT record_no, head, printed FROM previous.record_code_ranges
    SEMI JOIN scratch.arrived_records ON record_no = arrival""",
)
_N_ARRIVED = "SELECT coalesce(max(arrival) + 1, 0) FROM scratch.arrived_records"
_MANUALS = "SELECT manual_id, manual_no FROM manuals"
_N_SECTIONS = "SELECT coalesce(max(section_no) + 1, 0) FROM sections"

# What of a row counts when two snapshots are compared: everything but where it lies and where it came from.
_COMPARED = {
    "equipment": ("equipment_id", "* EXCLUDE (source_id, position)", "equipment"),
    "manuals": ("manual_id", "* EXCLUDE (source_id, manual_no, first_section, n_sections)", "manuals"),
    "records": (
        "record_id",
        "record_id, equipment_id, date, error_code, symptom, cause, action, parts, downtime_minutes, worker, original",
        "(FROM scratch.arrived_records QUALIFY row_number() OVER (PARTITION BY key ORDER BY arrival DESC) = 1)",
    ),
    "parts": ("part_number", "* EXCLUDE (source_id, position)", "parts"),
    "open_orders": ("number", "* EXCLUDE (source_id)", "open_orders"),
}
_DIFFERENCE = """
    SELECT coalesce(new.id, old.id), old.id IS NULL, new.id IS NULL
    FROM (SELECT {id} AS id, content FROM (SELECT {columns} FROM {new}) AS content) AS new
    FULL JOIN (SELECT {id} AS id, content FROM (SELECT {columns} FROM previous.{kind}) AS content) AS old
        ON new.id = old.id
    WHERE new.content IS DISTINCT FROM old.content ORDER BY 1"""


@dataclass(frozen=True, slots=True)
class Carried:
    """What the rows taken over use up: manuals by id with their numbers, how many sections and records."""

    manuals: Mapping[str, int]
    sections: int
    records: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What one kind gains, changes and loses, by id."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)


def carry_over(connection: Connection, except_sources: Collection[str]) -> Carried:
    """Copies all rows of the attached `previous` but those of some sources into a still empty new snapshot."""
    gone = {"gone": sorted(except_sources)}
    for table in _KEPT_TABLES:
        connection.execute(_KEEP.format(table=table), gone)
    for statement in (*_KEEP_MANUALS, *_KEEP_RECORDS):
        connection.execute(statement, gone if "$gone" in statement else None)
    manuals = {row[0]: row[1] for row in connection.execute(_MANUALS).fetchall()}
    sections = connection.execute(_N_SECTIONS).fetchall()[0][0]
    records = connection.execute(_N_ARRIVED).fetchall()[0][0]
    return Carried(manuals, sections, records)


def differences(connection: Connection) -> dict[str, Difference]:
    """By kind (equipment, manuals, records, parts, open_orders) what the new rows change against `previous`."""
    found = {}
    for kind, (column, columns, new) in _COMPARED.items():
        rows = connection.execute(_DIFFERENCE.format(kind=kind, id=column, columns=columns, new=new)).fetchall()
        found[kind] = Difference(
            added=tuple(row[0] for row in rows if row[1]),
            changed=tuple(row[0] for row in rows if not row[1] and not row[2]),
            gone=tuple(row[0] for row in rows if row[2]),
        )
    return found
