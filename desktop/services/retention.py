"""Questions and traces go when the policy's days are over, and the trail tells how many; decisions and trail stay."""

from __future__ import annotations

from datetime import datetime, timedelta

from desktop import config
from desktop.services.station import Services
from desktop.store import audit, runs, sent, traces
from desktop.store.journal import Tx

DELETED = "deleted_by_age"
_AT_ONCE = 50  # of each in one transaction: an approval must not wait long for the journal


def keep_within_limits(services: Services) -> None:
    """Deletes what is older than the settings retention.* allow; another process may be at it too.

    Raises what `Journal.transaction` raises; what went before that stays gone, and told.
    """
    while _delete_some(services):
        pass


def _delete_some(services: Services) -> bool:
    """One transaction's worth, the traces deleted inside it so that two processes count none twice; whether more may
    be left."""
    now = services.clock()
    with services.journal.transaction() as tx:
        counts = {"questions": 0, "sent": 0, "traces": 0}
        if days := services.settings.get(config.RETENTION_QUESTIONS_DAYS):
            counts |= _delete_questions(tx, _counted_no_more(services, now - timedelta(days=days), now))
        if days := services.settings.get(config.RETENTION_TRACES_DAYS):
            counts["traces"] = traces.delete_old(services.data.logs, now - timedelta(days=days), _AT_ONCE)
        if any(counts.values()):
            audit.append(tx, now, "", DELETED, services.journal.journal_id, counts)
    return _AT_ONCE in (counts["questions"], counts["traces"])


def _delete_questions(tx: Tx, before: datetime) -> dict[str, int]:
    """With what left for a model because of them; what left for no question goes by its own age."""
    gone = runs.old(tx, before, _AT_ONCE)
    bodies = sent.delete_loose(tx, before)
    for run_id in gone:
        bodies += sent.delete_of_run(tx, run_id)
        runs.delete(tx, run_id)
    return {"questions": len(gone), "sent": bodies}


def _counted_no_more(services: Services, before: datetime, now: datetime) -> datetime:
    """A monthly budget is counted from the month's questions, so those stay until it is over."""
    if not services.settings.get(config.BUDGET_MONTH_COST):
        return before
    return min(before, now.astimezone().replace(day=1, hour=0, minute=0, second=0, microsecond=0))
