-- What left this PC for a language model, body by body as it left.

CREATE TABLE sent_bodies (
    n      INTEGER PRIMARY KEY,
    run_id TEXT REFERENCES runs (run_id) ON DELETE CASCADE,  -- NULL: it belongs to no question (an evaluation)
    at     TEXT NOT NULL,
    url    TEXT NOT NULL,                 -- without user, password and query
    body   BLOB NOT NULL                  -- deflated: each turn of a question repeats the one before
) STRICT;

CREATE INDEX sent_bodies_by_run ON sent_bodies (run_id, n);
