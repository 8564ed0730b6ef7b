-- Where the audit trail ends, so that a tail that was cut off, or the whole trail, is missed.

CREATE TABLE audit_end (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    seq  INTEGER NOT NULL,                -- of the last row, 0 = none yet
    hash TEXT NOT NULL                    -- of the last row
) STRICT;

INSERT INTO audit_end (id, seq, hash)
SELECT 1, coalesce(max(seq), 0),
    coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), printf('%064d', 0))
FROM audit;

CREATE TRIGGER audit_end_only_grows BEFORE UPDATE ON audit_end WHEN NEW.seq <= OLD.seq
BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END;
CREATE TRIGGER audit_end_is_kept BEFORE DELETE ON audit_end
BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END;
