"""Bodies that left come back byte for byte, under their question."""

from datetime import UTC, datetime, timedelta

from desktop.store import runs, sent
from desktop.store.journal import Journal
from desktop.store.runs import Run
from desktop.store.sent import SentBody

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def body(number: int) -> SentBody:
    return SentBody(NOW + timedelta(seconds=number), "https://api.example/v1", "充填機 \x00".encode() * number)


def test_bodies_come_back_in_order_and_by_run(journal: Journal) -> None:
    with journal.transaction() as tx:
        for run_id in ("r1", "r2"):
            runs.start(tx, Run(run_id, "c1", "E-12", "", "anthropic", "s1", "", NOW))
        for number, run_id in enumerate(("r1", "r2", "r1", None), start=1):
            sent.keep(tx, run_id, body(number))
    with journal.reading() as tx:
        assert sent.of_run(tx, "r1") == (body(1), body(3))
        assert sent.of_run(tx, "nobody") == ()
        assert tx.row("SELECT COUNT(*) AS n FROM sent_bodies WHERE run_id IS NULL") == {"n": 1}


def test_a_run_that_goes_takes_its_bodies_along(journal: Journal) -> None:
    with journal.transaction() as tx:
        runs.start(tx, Run("r1", "c1", "E-12", "", "anthropic", "s1", "", NOW))
        sent.keep(tx, "r1", body(1))
        tx.run("DELETE FROM runs")
    with journal.reading() as tx:
        assert tx.rows("SELECT * FROM sent_bodies") == []
