-- Who may decide, what was proposed and decided, what is on its way out, and the trail of all of it.

CREATE TABLE people (
    person_id  TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    lines      TEXT NOT NULL,             -- JSON list, empty = every line
    phone      TEXT NOT NULL,
    active     INTEGER NOT NULL           -- 0: gone from the roster; decisions still name this person
) STRICT;

CREATE TABLE pins (
    person_id   TEXT PRIMARY KEY REFERENCES people (person_id),
    scheme      TEXT NOT NULL CHECK (scheme IN ('scrypt', 'sample')),
    salt        BLOB NOT NULL,
    cost        INTEGER NOT NULL,         -- scrypt's n
    hash        BLOB NOT NULL,
    pepper      TEXT NOT NULL,            -- fingerprint of the machine pepper mixed in, '' = none
    must_change INTEGER NOT NULL,
    tries       INTEGER NOT NULL,         -- begun since the last right one
    locked_at   TEXT
) STRICT;

CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
    name  TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until TEXT NOT NULL
) STRICT;

CREATE TABLE proposals (
    proposal_id        TEXT NOT NULL,     -- UUIDv7: identity and idempotency key everywhere
    revision           INTEGER NOT NULL,  -- n + 1 each time it is submitted again
    state              TEXT NOT NULL,
    conversation_id    TEXT NOT NULL,
    run_id             TEXT NOT NULL,
    tool_use_id        TEXT NOT NULL,
    equipment_id       TEXT NOT NULL,
    requester_id       TEXT NOT NULL,
    requester_name     TEXT NOT NULL,
    requester_known_by TEXT NOT NULL,
    payload            BLOB NOT NULL,     -- canonical bytes of all that is shown, the evidence itself included
    payload_sha256     TEXT NOT NULL,
    content_sha256     TEXT NOT NULL,     -- of machine and wording alone: recognises a repeat
    created_at         TEXT NOT NULL,
    expires_at         TEXT NOT NULL,
    PRIMARY KEY (proposal_id, revision)
) STRICT;

CREATE UNIQUE INDEX proposals_by_call ON proposals (run_id, tool_use_id) WHERE tool_use_id <> '';
CREATE INDEX proposals_by_state ON proposals (state, created_at);
CREATE INDEX proposals_by_conversation ON proposals (conversation_id, content_sha256);

CREATE TRIGGER proposals_decided_stay BEFORE UPDATE ON proposals WHEN OLD.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'a decided proposal never changes'); END;

CREATE TABLE decisions (
    decision_id    TEXT PRIMARY KEY,
    proposal_id    TEXT NOT NULL,
    revision       INTEGER NOT NULL,
    meaning        TEXT NOT NULL,
    by_id          TEXT NOT NULL,
    by_name        TEXT NOT NULL,
    known_by       TEXT NOT NULL,
    at             TEXT NOT NULL,
    reason         TEXT NOT NULL,
    payload_sha256 TEXT NOT NULL,
    changes        TEXT NOT NULL,         -- JSON: what the approver changed, field to [from, to]
    station        TEXT NOT NULL,
    UNIQUE (proposal_id, revision),
    FOREIGN KEY (proposal_id, revision) REFERENCES proposals (proposal_id, revision)
) STRICT;

CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision never changes'); END;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never deleted'); END;

CREATE TABLE work_requests (
    number       TEXT PRIMARY KEY,
    proposal_id  TEXT NOT NULL UNIQUE,    -- one request a proposal, whatever the revision
    revision     INTEGER NOT NULL,
    equipment_id TEXT NOT NULL,
    title        TEXT NOT NULL,
    detail       TEXT NOT NULL,
    priority     TEXT NOT NULL,
    FOREIGN KEY (proposal_id, revision) REFERENCES decisions (proposal_id, revision)
) STRICT;

CREATE INDEX work_requests_by_equipment ON work_requests (equipment_id);

CREATE TABLE outbox (
    kind         TEXT NOT NULL,
    uid          TEXT NOT NULL,
    revision     INTEGER NOT NULL,
    station      TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    equipment_id TEXT NOT NULL,           -- order is kept per machine, machines are independent
    body         BLOB NOT NULL,           -- canonical JSON, resent unchanged
    sha256       TEXT NOT NULL,
    delivery     TEXT NOT NULL,
    failures     INTEGER NOT NULL,
    failing_since  TEXT,
    next_at      TEXT NOT NULL,
    handed_over_at TEXT,
    problem      TEXT NOT NULL,           -- JSON [code, reason] of what keeps it, '' = nothing
    plant_number TEXT NOT NULL,
    refusal      TEXT NOT NULL,
    receipt      TEXT NOT NULL,           -- the plant's receipt as it came, '' before
    PRIMARY KEY (kind, uid, revision),
    UNIQUE (station, seq)
) STRICT;

CREATE INDEX outbox_by_delivery ON outbox (delivery, seq);

CREATE TABLE sync_channel (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    failures        INTEGER NOT NULL,
    next_at         TEXT NOT NULL,
    problem         TEXT NOT NULL,        -- as in outbox
    paused          INTEGER NOT NULL,     -- 1: only IT can mend it
    last_success_at TEXT NOT NULL
) STRICT;

CREATE TABLE audit (
    seq          INTEGER PRIMARY KEY,     -- from 1, without gaps
    at           TEXT NOT NULL,
    monotonic_ns INTEGER NOT NULL,        -- a clock set back shows beside the wall time
    actor        TEXT NOT NULL,           -- person id, '' = the program
    action       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL,           -- canonical JSON
    previous     TEXT NOT NULL,           -- hash of the row before
    hash         TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END;
