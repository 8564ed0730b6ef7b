"""The trail only grows; the first row that was touched is named."""

from datetime import UTC, datetime

import apsw
import pytest

from desktop.store import audit
from desktop.store.audit import AuditReport
from desktop.store.journal import Journal

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def fill(journal: Journal, rows: int) -> None:
    for n in range(rows):
        with journal.transaction() as tx:
            audit.append(tx, NOW, "0302", "decided", f"p{n}", {"decision_id": f"d{n}", "reason": "詰まり"})


def verified(journal: Journal) -> AuditReport:
    with journal.reading() as tx:
        return audit.verify(tx)


def tamper(journal: Journal, sql: str) -> None:
    """As someone with the file and the key could, past the guards the schema has."""
    other = apsw.Connection(str(journal.file))
    other.execute("DROP TRIGGER audit_stays; DROP TRIGGER audit_is_kept")
    other.execute(sql)
    other.close()


def test_an_empty_and_a_grown_trail_are_whole(journal: Journal) -> None:
    assert verified(journal) == AuditReport(0)
    fill(journal, 5)
    assert verified(journal) == AuditReport(5)


def test_rows_follow_each_other_without_gaps_and_tell_both_clocks(journal: Journal) -> None:
    fill(journal, 3)
    with journal.reading() as tx:
        rows = tx.rows("SELECT seq, at, monotonic_ns, previous, hash FROM audit ORDER BY seq")
    assert [row["seq"] for row in rows] == [1, 2, 3]
    assert [row["previous"] for row in rows] == ["0" * 64, rows[0]["hash"], rows[1]["hash"]]
    assert rows[0]["at"] == "2026-11-30T09:00:00.000000+00:00"
    assert rows[0]["monotonic_ns"] < rows[2]["monotonic_ns"]


@pytest.mark.parametrize("sql", ["UPDATE audit SET actor = 'x' WHERE seq = 2", "DELETE FROM audit WHERE seq = 3"])
def test_the_schema_refuses_to_change_or_drop_a_row(journal: Journal, sql: str) -> None:
    fill(journal, 3)
    with pytest.raises(apsw.ConstraintError, match="only grows"), journal.transaction() as tx:
        tx.run(sql)
    assert verified(journal).whole


@pytest.mark.parametrize(
    ("sql", "broken_at"),
    [
        ("UPDATE audit SET actor = '0401' WHERE seq = 3", 3),
        ("UPDATE audit SET at = '2026-11-29T09:00:00.000000+00:00' WHERE seq = 1", 1),
        ("UPDATE audit SET monotonic_ns = monotonic_ns + 1 WHERE seq = 5", 5),
        ("UPDATE audit SET body = replace(body, '詰まり', '摩耗') WHERE seq = 4", 4),
        ("DELETE FROM audit WHERE seq = 2", 2),
        ("DELETE FROM audit WHERE seq = 1", 1),
        ("UPDATE audit SET seq = seq + 10 WHERE seq = 5", 5),
        ("UPDATE audit SET previous = hash WHERE seq = 2", 2),
    ],
)
def test_the_first_broken_link_is_found(journal: Journal, sql: str, broken_at: int) -> None:
    fill(journal, 5)
    tamper(journal, sql)
    report = verified(journal)
    assert (report.rows, report.broken_at, report.whole) == (broken_at - 1, broken_at, False)


def test_a_row_that_was_rewritten_with_its_own_hash_breaks_the_next(journal: Journal) -> None:
    fill(journal, 3)
    with journal.reading() as tx:
        row = dict(tx.rows("SELECT * FROM audit WHERE seq = 2")[0])
    row["actor"] = "0401"
    tamper(journal, f"UPDATE audit SET actor = '0401', hash = '{audit._hash(row)}' WHERE seq = 2")
    assert verified(journal).broken_at == 3


def test_a_cut_end_shows_by_the_decision_it_told_of(journal: Journal) -> None:
    with journal.transaction() as tx:
        for n in (0, 1):
            tx.run(f"INSERT INTO proposals VALUES ('q{n}',1,'approved','','','','EQ','','','pin',x'7b7d','','','','')")
            tx.run(f"INSERT INTO decisions VALUES ('d{n}','q{n}',1,'承認','0302','','pin','2026','','','{{}}','')")
    fill(journal, 2)
    assert verified(journal).whole
    tamper(journal, "DELETE FROM audit WHERE seq = 2")
    assert verified(journal) == AuditReport(1, untold="d1")
