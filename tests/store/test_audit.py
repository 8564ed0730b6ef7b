"""The trail only grows; the first row that was touched is named."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from desktop.domain import pin
from desktop.domain.approval import Edits
from desktop.domain.work_request import Meaning
from desktop.store import audit
from desktop.store.audit import AuditReport
from desktop.store.journal import Journal
from tests.fakes.desk import Desk, open_desk, request_draft

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def fill(journal: Journal, rows: int) -> None:
    for n in range(rows):
        with journal.transaction() as tx:
            audit.append(tx, NOW, "0302", "pin_changed", f"p{n}", {"reason": "詰まり"})


def verified(journal: Journal) -> AuditReport:
    with journal.reading() as tx:
        return audit.verify(tx)


def tamper(journal: Journal, sql: str) -> None:
    """As someone with the file and the key could, past the guards the schema has."""
    other = apsw.Connection(str(journal.file))
    for (name,) in list(other.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
        other.execute(f"DROP TRIGGER {name}")
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


@pytest.mark.parametrize(
    ("sql", "broken_at"),
    [
        ("DELETE FROM audit WHERE seq = 5", 5),
        ("DELETE FROM audit WHERE seq > 2", 3),
        ("DELETE FROM audit", 1),
        ("DELETE FROM audit_end", 6),
        ("DELETE FROM audit; DELETE FROM audit_end", 1),
    ],
)
def test_a_trail_that_was_cut_is_missed_and_does_not_heal_by_going_on(
    journal: Journal, sql: str, broken_at: int
) -> None:
    fill(journal, 5)
    tamper(journal, sql)
    assert verified(journal) == AuditReport(broken_at - 1, broken_at)
    fill(journal, 2)
    assert not verified(journal).whole


@pytest.mark.parametrize("sql", ["UPDATE audit_end SET seq = 4", "UPDATE audit_end SET hash = ''"])
def test_an_end_that_was_touched_shows_and_keeps_nobody_from_working(journal: Journal, sql: str) -> None:
    fill(journal, 5)
    tamper(journal, sql)
    assert verified(journal) == AuditReport(5, broken_at=6)
    fill(journal, 1)
    with journal.reading() as tx:
        assert tx.row("SELECT max(seq) AS last FROM audit") == {"last": 6}


@pytest.mark.parametrize("sql", ["UPDATE audit_end SET seq = 1", "DELETE FROM audit_end"])
def test_the_schema_refuses_to_move_the_end_back(journal: Journal, sql: str) -> None:
    fill(journal, 3)
    with pytest.raises(apsw.ConstraintError, match="only grows"), journal.transaction() as tx:
        tx.run(sql)
    assert verified(journal).whole


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """One proposal approved, one sent back and submitted again, one waiting."""
    monkeypatch.setattr(pin, "COST", 2**4)  # tests/domain/test_pin.py holds the real cost
    made = open_desk(tmp_path / "desk")
    made.approve(made.propose())
    returned = made.propose(request_draft(title="二"))
    made.decide(returned, Meaning.RETURNED, reason="時刻を書いて")
    made.approvals.resubmit(returned.proposal_id, Edits(detail="8:40 に停止"), returned.requester)
    made.propose(request_draft(title="三"))
    yield made
    made.journal.close()


def test_what_was_proposed_and_decided_is_as_the_trail_tells(desk: Desk) -> None:
    assert verified(desk.journal).whole


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE proposals SET payload = CAST(replace(CAST(payload AS TEXT), '充填', '検査') AS BLOB)",
        "UPDATE proposals SET payload = x'7b7d', payload_sha256 = "
        "'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' WHERE state = 'pending'",
        "DELETE FROM proposals WHERE state = 'pending'",
        "INSERT INTO proposals SELECT 'new', revision, state, conversation_id, run_id, 'x', equipment_id, requester_id,"
        "requester_name, requester_known_by, payload, payload_sha256, content_sha256, created_at, expires_at "
        "FROM proposals WHERE state = 'approved'",
        "UPDATE decisions SET reason = 'x' WHERE reason <> ''",
        "UPDATE decisions SET by_id = '0401'",
        "UPDATE decisions SET payload_sha256 = ''",
        "UPDATE decisions SET meaning = '承認'",
        "DELETE FROM decisions WHERE reason <> ''",
    ],
)
def test_what_was_changed_beside_the_trail_is_found(desk: Desk, sql: str) -> None:
    tamper(desk.journal, f"PRAGMA foreign_keys = OFF; {sql}")
    report = verified(desk.journal)
    assert (report.broken_at, report.whole) == (None, False)
    with desk.journal.reading() as tx:
        known = {row["subject"] for row in tx.rows("SELECT subject FROM audit")} | {"new"}
        known |= {row["id"] for row in tx.rows("SELECT json_extract(body, '$.decision_id') AS id FROM audit")}
    assert report.untold in known


def test_a_trail_deleted_whole_is_missed_even_if_its_end_was_set_back(desk: Desk) -> None:
    tamper(desk.journal, f"DELETE FROM audit; UPDATE audit_end SET seq = 0, hash = '{'0' * 64}'")
    report = verified(desk.journal)
    assert (report.rows, bool(report.untold)) == (0, True)
