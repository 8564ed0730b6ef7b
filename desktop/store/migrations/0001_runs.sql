-- Questions and what happened in them; the journal's own identity.

CREATE TABLE identity (
    journal_id TEXT NOT NULL,
    sample     INTEGER NOT NULL,          -- 1: the bundled plant's journal, its rows never leave the PC
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    run_id          TEXT PRIMARY KEY,     -- UUIDv7
    conversation_id TEXT NOT NULL,
    question        TEXT NOT NULL,
    asked_by        TEXT NOT NULL,        -- person id, '' = nobody known
    asked_known_by  TEXT NOT NULL,        -- how the program knew that person when the question was asked
    provider        TEXT NOT NULL,
    snapshot        TEXT NOT NULL,        -- the version this run is pinned to
    trace_file      TEXT NOT NULL,        -- name under logs/, '' = traces are off
    status          TEXT NOT NULL CHECK (status IN ('running', 'parked', 'finished', 'stopped')),
    state           TEXT NOT NULL,        -- the loop's own JSON, '' = no model leg
    result          TEXT NOT NULL,        -- JSON of the finished run, '' before
    started_at      TEXT NOT NULL,
    finished_at     TEXT
) STRICT;

CREATE INDEX runs_by_conversation ON runs (conversation_id, started_at);
CREATE INDEX runs_by_status ON runs (status);

CREATE TABLE run_events (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    n      INTEGER NOT NULL,              -- from 1, without gaps
    kind   TEXT NOT NULL,
    at     TEXT NOT NULL,
    body   TEXT NOT NULL,                 -- JSON
    PRIMARY KEY (run_id, n)
) STRICT, WITHOUT ROWID;
