"""Who among several processes does a thing that only one may do, until when."""

from __future__ import annotations

from datetime import datetime, timedelta

from desktop.store.journal import Tx, stamp

_TAKE = """
INSERT INTO leases (name, owner, until) VALUES (:name, :owner, :until)
ON CONFLICT (name) DO UPDATE SET owner = :owner, until = :until
WHERE owner = :owner OR until <= :now
"""
_RELEASE = "DELETE FROM leases WHERE name = ? AND owner = ?"


def take(tx: Tx, name: str, owner: str, now: datetime, term: timedelta) -> bool:
    """Takes or renews; False while someone else's term runs. A dead owner's lease ends by itself."""
    until = now + term
    tx.connection.execute(_TAKE, {"name": name, "owner": owner, "until": stamp(until), "now": stamp(now)})
    return tx.connection.changes() == 1


def release(tx: Tx, name: str, owner: str) -> None:
    tx.run(_RELEASE, (name, owner))
