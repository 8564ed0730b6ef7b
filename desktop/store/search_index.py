"""The search index of a snapshot: which terms and codes stand in which sections and records, and how strongly.

A posting is one unsigned 32-bit number, position << 8 | strength. For terms the strength is the BM25 impact of the
text (1 to 255), so that a query only adds; for codes it says where the code stands (HEADING, LEADING_NUMBER, BODY).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.domain.text import code_keys, find_codes, printed_code
from desktop.store.duck import Connection

HEADING = 3
LEADING_NUMBER = 2
BODY = 1

K1 = 1.0
B = 0.5

_CHUNK = 20_000
_POSTINGS_A_PASS = 12_000_000
_LEADING = re.compile(r"(?:no\.? ?)?(\d{1,6})(?![\da-z.\-,/]|[ ]?(?:章|節|項|年|月|日|回|つ|個|台|号))[ :]*(?=[^\d\s])")
_STANDS_FOR_SEVERAL = re.compile(r"\[|\d[x*?□○◯]")

CodeRow: TypeAlias = tuple[int, str, int]
RangeRow: TypeAlias = tuple[int, str, str]

# One row a term and text: term << 32 | position << 8 | length class. The rule of search_terms.terms, in SQL.
_CUT = """
    INSERT INTO scratch.{kind}_cuts
    WITH texts AS (
        SELECT ({number} << 8)::UBIGINT | least(255, (8 * log2(length(text) + 1))::UINTEGER) AS place, text
        FROM (SELECT {number}, replace({text}, 'ー', '') AS text FROM {table} WHERE {number} BETWEEN ? AND ?)),
    pairs AS (
        SELECT place, unicode(one) AS x, unicode(coalesce(other, ' ')) AS y
        FROM (
            SELECT place, unnest(chars) AS one, unnest(chars[2:]) AS other
            FROM (SELECT place, string_split(text, '') AS chars FROM texts))),
    letters AS (
        SELECT place, x, y, x BETWEEN 12353 AND 12438 AS x_hira, y BETWEEN 12353 AND 12438 AS y_hira,
            x BETWEEN 12449 AND 12538 AS x_kata,
            y BETWEEN 12353 AND 12438 OR y BETWEEN 12449 AND 12538 OR y BETWEEN 13312 AND 64255
                OR y BETWEEN 12293 AND 12295 AS y_letter
        FROM pairs
        WHERE x BETWEEN 12353 AND 12438 OR x BETWEEN 12449 AND 12538 OR x BETWEEN 13312 AND 64255
            OR x BETWEEN 12293 AND 12295),
    keys AS (
        SELECT ((x + if(x_hira, 96, 0))::UBIGINT << 48)
            | (if(NOT y_letter OR (x_hira AND NOT y_hira) OR (x_kata AND y_hira), 0, y + if(y_hira, 96, 0))::UBIGINT
                << 32)
            | place AS key
        FROM letters
        UNION ALL
        SELECT ((md5_number_lower(word) % 771751936 + 16777216)::UBIGINT << 32) | place
        FROM (SELECT place, unnest(regexp_extract_all(text, '[a-z0-9]+')) AS word FROM texts))
    SELECT key, least(count(*), 255)::UTINYINT FROM keys GROUP BY key"""
_CREATE_CUTS = "CREATE TABLE scratch.{kind}_cuts (key UBIGINT, tf UTINYINT)"
_MEASURE = "SELECT coalesce(avg(length({text})), 1), coalesce(max({number}), -1) FROM {table}"
_HEADS = "SELECT key >> 48 AS head, count(*) FROM scratch.{kind}_cuts GROUP BY head ORDER BY head"
_CREATE_POSTINGS = "CREATE TABLE {kind}_postings (term UINTEGER PRIMARY KEY, df UINTEGER, postings UINTEGER[])"
_COLLECT = """
    INSERT INTO {kind}_postings
    SELECT (key >> 32)::UINTEGER AS term, count(*),
        list_sort(list((key & 4294967040)::UINTEGER | least(255, greatest(1, round(
            255::FLOAT * tf / (tf + {k1}::FLOAT * ({rest}::FLOAT + {b}::FLOAT * length / $average::FLOAT))
        )))::UINTEGER))
    FROM (
        SELECT key, tf, pow(2, (key & 255) / 8)::FLOAT AS length FROM scratch.{kind}_cuts
        WHERE key >> 48 BETWEEN $first AND $last)
    GROUP BY term ORDER BY term"""
_DROP_CUTS = "DROP TABLE scratch.{kind}_cuts"
_CREATE_CODES = "CREATE TABLE {kind}_codes (key VARCHAR PRIMARY KEY, postings UINTEGER[])"

_SECTIONS = {
    "kind": "section",
    "table": "sections",
    "number": "section_no",
    "text": "concat_ws(chr(10), heading_shape, heading_shape, body_shape)",
}
_RECORDS = {"kind": "record", "table": "records", "number": "record_no", "text": "shaped"}
_COLLECT_CODES = {
    "section": """
        INSERT INTO section_codes
        SELECT key, list_sort(list((section_no << 8)::UINTEGER | strength))
        FROM (SELECT key, section_no, max(strength) AS strength FROM scratch.section_codes GROUP BY key, section_no)
        GROUP BY key ORDER BY key""",
    "record": """
        INSERT INTO record_codes
        SELECT key, list_sort(list((record_no << 8)::UINTEGER | strength))
        FROM (
            SELECT codes.key, record_no, max(strength) AS strength
            FROM scratch.record_codes AS codes JOIN scratch.numbered USING (arrival) GROUP BY codes.key, record_no)
        GROUP BY key ORDER BY key""",
}


def section_codes(section_no: int, section: ManualSection, heading: str, body: str) -> list[CodeRow]:
    """The codes of a section, each once, where it stands most strongly; heading and body as shaped."""
    found = dict.fromkeys(code_keys(body), BODY)
    if leading := _LEADING.match(heading):
        chapter = len(leading[1]) <= 2 and leading[1] not in found
        found[leading[1]] = LEADING_NUMBER if chapter else HEADING
    found |= dict.fromkeys(code_keys(heading), HEADING)
    found |= {key: HEADING for printed in section.codes for key in printed_code(printed).keys}
    return [(section_no, key, strength) for key, strength in found.items()]


def record_codes(arrival: int, record: MaintenanceRecord, shaped: str) -> list[CodeRow]:
    """The codes of a record: its error code first, then part numbers and other codes of its text."""
    found = dict.fromkeys(code_keys(shaped), BODY)
    found |= dict.fromkeys(printed_code(record.error_code).keys, HEADING)
    return [(arrival, key, strength) for key, strength in found.items()]


def section_ranges(section_no: int, section: ManualSection) -> list[RangeRow]:
    """A section's codes that stand for several (8011[23 - 54], 2xxx), of its heading too."""
    printed = list(section.codes)
    if _STANDS_FOR_SEVERAL.search(section.heading):
        printed += (code.text for code in find_codes(section.heading))
    return ranges(section_no, printed)


def ranges(number: int, printed: Iterable[str]) -> list[RangeRow]:
    """Codes that stand for several, by the literal beginning under which they are looked up."""
    found = ((number, head, code) for code in printed if code for head in printed_code(code).heads)
    return list(dict.fromkeys(found))


def index_texts(connection: Connection) -> Iterator[float]:
    """Builds all postings from the finished tables; yields how far it is, 0 to 1, between steps of a few seconds."""
    for start, names in ((0.0, _SECTIONS), (0.5, _RECORDS)):
        for done in _index(connection, names):
            yield start + done / 2


def cut_records(connection: Connection, first: int, last: int) -> None:
    """Cuts the records from first to last into scratch.record_cuts."""
    connection.execute(_CUT.format(**_RECORDS), [first, last])


def _index(connection: Connection, names: dict[str, str]) -> Iterator[float]:
    (average, last), *_ = connection.execute(_MEASURE.format(**names)).fetchall()
    connection.execute(_CREATE_CUTS.format(**names))
    for first in range(0, last + 1, _CHUNK):
        connection.execute(_CUT.format(**names), [first, first + _CHUNK - 1])
        yield 0.7 * first / (last + 1)
    connection.execute(_CREATE_POSTINGS.format(**names))
    heads = connection.execute(_HEADS.format(**names)).fetchall()
    for low, high in _passes(heads):
        collect = _COLLECT.format(**names, k1=K1, b=B, rest=1 - B)
        connection.execute(collect, {"average": average, "first": low, "last": high})
        yield 0.7 + 0.3 * high / heads[-1][0]
    connection.execute(_DROP_CUTS.format(**names))
    connection.execute(_CREATE_CODES.format(**names))
    connection.execute(_COLLECT_CODES[names["kind"]])


def _passes(heads: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges of first characters with so many postings together that a pass fits in memory."""
    first, total = None, 0
    for head, count in heads:
        if first is not None and total + count > _POSTINGS_A_PASS:
            yield first, head - 1
            first, total = None, 0
        first = head if first is None else first
        total += count
    if first is not None:
        yield first, heads[-1][0]
