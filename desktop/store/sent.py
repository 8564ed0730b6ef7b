"""Every request body that left this PC for a language model, byte for byte."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime

from desktop.store.journal import Row, Tx, stamp

_INSERT = "INSERT INTO sent_bodies (run_id, at, url, body) VALUES (?, ?, ?, ?)"
_SELECT_ALL = "SELECT at, url, body FROM sent_bodies ORDER BY n"
_SELECT_RUN = "SELECT at, url, body FROM sent_bodies WHERE run_id = ? ORDER BY n"
_DELETE_RUN = "DELETE FROM sent_bodies WHERE run_id = ?"
_DELETE_LOOSE = "DELETE FROM sent_bodies WHERE run_id IS NULL AND at < ?"


@dataclass(frozen=True, slots=True)
class SentBody:
    """One request: when it left, where to, and its body as it was on the wire; headers (and so keys) are not kept."""

    at: datetime
    url: str
    body: bytes


def keep(tx: Tx, run_id: str | None, sent: SentBody) -> None:
    """`run_id` None = it belongs to no question."""
    tx.run(_INSERT, (run_id, stamp(sent.at), sent.url, zlib.compress(sent.body)))


def everything(tx: Tx) -> tuple[SentBody, ...]:
    """All that ever left, those of no question too; oldest first."""
    return tuple(map(_sent, tx.each(_SELECT_ALL)))


def of_run(tx: Tx, run_id: str) -> tuple[SentBody, ...]:
    """Oldest first."""
    return tuple(map(_sent, tx.each(_SELECT_RUN, (run_id,))))


def delete_of_run(tx: Tx, run_id: str) -> int:
    """How many there were."""
    return tx.run(_DELETE_RUN, (run_id,))


def delete_loose(tx: Tx, before: datetime) -> int:
    """Those of no question that left before then; how many."""
    return tx.run(_DELETE_LOOSE, (stamp(before),))


def _sent(row: Row) -> SentBody:
    return SentBody(datetime.fromisoformat(row["at"]), row["url"], zlib.decompress(row["body"]))
