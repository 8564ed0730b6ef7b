"""The tables of a plant snapshot."""

from __future__ import annotations

SCHEMA = 1
LAYOUTS = {1: "c984231ffb542f5acdeda72d6a750d7c"}
"""By schema, what SELECT_LAYOUT gives for a snapshot that this version can read."""

SELECT_LAYOUT = """
    SELECT md5(string_agg(concat_ws(' ', table_name, column_name, data_type), chr(10)
        ORDER BY table_name, column_index))
    FROM duckdb_columns() WHERE database_name = 'plant' AND NOT internal"""

# Numbers (…_no) are dense positions: a manual's sections and a machine's records stand together, so that a scope is a
# range of the primary key. `key` columns hold fold_code of the name beside them, `…shape` columns shape of a text.
TABLES = (
    "CREATE TABLE meta (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)",
    """CREATE TABLE sources (
        source_id VARCHAR PRIMARY KEY, path VARCHAR, kind VARCHAR, sha256 VARCHAR, mapping VARCHAR, read_at VARCHAR)""",
    """CREATE TABLE equipment (
        key VARCHAR PRIMARY KEY, source_id VARCHAR, position INTEGER, equipment_id VARCHAR, name VARCHAR, model VARCHAR,
        line VARCHAR, location VARCHAR, owner VARCHAR, status VARCHAR, nicknames VARCHAR[], maker VARCHAR,
        serial VARCHAR, installed_on DATE, rank VARCHAR, energies VARCHAR[], isolation_points VARCHAR[],
        maker_phone VARCHAR, on_call_phone VARCHAR, original VARCHAR)""",
    """CREATE TABLE manuals (
        manual_id VARCHAR PRIMARY KEY, source_id VARCHAR, manual_no INTEGER, models VARCHAR[], title VARCHAR,
        revision VARCHAR, old_revision BOOLEAN, applies_to VARCHAR, file_name VARCHAR, file_sha256 VARCHAR,
        media_type VARCHAR, n_pages INTEGER, pages_without_text INTEGER[], cloud_allowed BOOLEAN,
        content VARCHAR, first_section INTEGER, n_sections INTEGER)""",
    # `details` is the section's smaller fields as JSON: each column more costs a search half a millisecond.
    """CREATE TABLE sections (
        section_no INTEGER PRIMARY KEY, manual_no INTEGER, ref VARCHAR, body VARCHAR, details VARCHAR,
        models VARCHAR[], codes VARCHAR[], old_revision BOOLEAN, heading_shape VARCHAR, body_shape VARCHAR)""",
    "CREATE TABLE section_code_ranges (section_no INTEGER, head VARCHAR, printed VARCHAR)",
    """CREATE TABLE records (
        record_no INTEGER PRIMARY KEY, source_id VARCHAR, key VARCHAR, record_id VARCHAR, equipment_key VARCHAR,
        equipment_id VARCHAR, date DATE, error_code VARCHAR, symptom VARCHAR, cause VARCHAR, action VARCHAR,
        parts VARCHAR, downtime_minutes INTEGER, worker VARCHAR, original VARCHAR, shaped VARCHAR)""",
    "CREATE TABLE record_code_ranges (record_no INTEGER, head VARCHAR, printed VARCHAR)",
    """CREATE TABLE parts (
        key VARCHAR PRIMARY KEY, source_id VARCHAR, position INTEGER, part_number VARCHAR, name VARCHAR,
        models VARCHAR[], shelf VARCHAR, quantity INTEGER, as_of DATE)""",
    """CREATE TABLE open_orders (
        key VARCHAR PRIMARY KEY, source_id VARCHAR, number VARCHAR, equipment_key VARCHAR, equipment_id VARCHAR,
        title VARCHAR, state VARCHAR, promised_on DATE)""",
    "CREATE TABLE synonyms (source_id VARCHAR, position INTEGER, words VARCHAR[])",
    "CREATE TABLE plant_lists (kind VARCHAR, source_id VARCHAR, content VARCHAR, PRIMARY KEY (kind, source_id))",
    "CREATE TABLE learned_terms (word VARCHAR, other VARCHAR, strength FLOAT)",
)

# What a build needs and a reader does not lies in a scratch file beside it, so that the snapshot has no holes.
SCRATCH_TABLES = (
    """CREATE TABLE scratch.arrived_records (
        arrival INTEGER, source_id VARCHAR, key VARCHAR, record_id VARCHAR, equipment_key VARCHAR,
        equipment_id VARCHAR, date DATE, error_code VARCHAR, symptom VARCHAR, cause VARCHAR, action VARCHAR,
        parts VARCHAR, downtime_minutes INTEGER, worker VARCHAR, original VARCHAR, shaped VARCHAR)""",
    "CREATE TABLE scratch.section_codes (section_no UINTEGER, key VARCHAR, strength UTINYINT)",
    "CREATE TABLE scratch.record_codes (arrival INTEGER, key VARCHAR, strength UTINYINT)",
    "CREATE TABLE scratch.record_ranges (arrival INTEGER, head VARCHAR, printed VARCHAR)",
)

_RECORD_COLUMNS = (
    "record_no, source_id, key, record_id, equipment_key, equipment_id, date, error_code, symptom, cause, action, "
    "parts, downtime_minutes, worker, original, shaped"
)
# A record that came twice counts once, as it came last; a machine's newest stand first.
NUMBER_RECORDS = (
    """CREATE TABLE scratch.numbered AS
    SELECT (row_number() OVER (ORDER BY equipment_key, date DESC NULLS LAST, record_id DESC) - 1)::INTEGER AS record_no,
        * FROM (
            SELECT * FROM scratch.arrived_records
            QUALIFY row_number() OVER (PARTITION BY key ORDER BY arrival DESC) = 1)
    ORDER BY record_no""",
    f"INSERT INTO records SELECT {_RECORD_COLUMNS} FROM scratch.numbered ORDER BY record_no",
    """INSERT INTO record_code_ranges
    SELECT record_no, head, printed FROM scratch.record_ranges JOIN scratch.numbered USING (arrival)""",
    "CREATE TABLE record_ids AS SELECT key, record_no FROM records ORDER BY key",
    """CREATE TABLE record_owners AS
    SELECT equipment_key AS key, min(record_no) AS first_record, count(*)::INTEGER AS n_records
    FROM records GROUP BY equipment_key ORDER BY key""",
)

# A bare number of a heading (strength 2) may be a chapter: it can be found, but it is no proof that the code exists.
CODE_OWNERS = """
    CREATE TABLE code_owners AS
    SELECT key, list_sort(coalesce(any_value(models), [])) AS models,
        list_sort(coalesce(any_value(equipment_ids), [])) AS equipment_ids
    FROM (
        SELECT key, list(DISTINCT model) AS models, NULL AS equipment_ids
        FROM (
            SELECT key, unnest(models) AS model
            FROM scratch.section_codes JOIN sections USING (section_no) WHERE strength <> 2)
        GROUP BY key
        UNION ALL
        SELECT key, NULL, list(DISTINCT equipment_id)
        FROM (
            SELECT codes.key, equipment_id FROM scratch.record_codes AS codes JOIN scratch.numbered USING (arrival))
        GROUP BY key)
    GROUP BY key ORDER BY key"""
