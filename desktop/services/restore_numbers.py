"""After a restore no number is given twice, though the backup doesn't know what was given since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from desktop import config
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.request_body import KIND
from desktop.errors import KnownError
from desktop.store import counters, journal_copies, journal_key
from desktop.store.journal import Tx
from desktop.sync import folder
from desktop.sync.transport import SendFailure

_SEQ = "seq/"


@dataclass(frozen=True, slots=True)
class Numbers:
    """`before` the restored journal's last numbers; `seen` the highest anywhere; `next` the first that will be given.

    `folder`: "none" (no sync folder is set), "read" or "unreachable"; `sent`: what it has, request uid to file name.
    """

    before: Mapping[str, int]
    seen: int
    next: int
    folder: str
    sent: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        return {"before": dict(self.before), "seen": self.seen, "next": self.next, "sync_folder": self.folder}


def go_on(
    tx: Tx, made_at: datetime, now: datetime, present: Path, credentials: Credentials, settings: Sequence[Settings]
) -> Numbers:
    """Lets every number of the restored journal begin anew, above all that this station can have given since.

    Seen are the backup, what can still be read of the `present` journal and its copies, and the sync folder.
    """
    before = counters.all_of(tx)
    here = _left(present, credentials)
    codes = {name.removeprefix(_SEQ) for name in (*before, *here) if name.startswith(_SEQ)}
    state, shown = _folders(settings, codes)
    seen = max((*before.values(), *here.values(), *(one.last for one in shown)), default=0)
    last = counters.last_possible(seen, now - made_at)
    counters.go_on_after(tx, last)
    sent = {uid: name for one in shown for (kind, uid), name in one.sent.items() if kind == KIND}
    return Numbers(before, seen, last + 1, state, sent)


def _left(journal: Path, credentials: Credentials) -> Mapping[str, int]:
    """The highest numbers in what is left of the present journal and its copies."""
    try:
        key = journal_key.recall(journal, credentials)
    except KnownError:
        return {}
    found: dict[str, int] = {}
    for file in (journal, *journal_copies.folder(journal).glob("journal-*.db")):
        for name, value in counters.left_in(file, key).items():
            found[name] = max(value, found.get(name, 0))
    return found


def _folders(settings: Sequence[Settings], codes: set[str]) -> tuple[str, list[folder.Shown]]:
    """How looking went, and what each folder shows of each code."""
    places = {Path(one.get(config.SYNC_FOLDER)) for one in settings if one.get(config.SYNC_TRANSPORT) == "folder"}
    named = codes | {one.get(config.STATION_CODE) for one in settings}
    try:
        shown = list(_shown(places, named - {""}))
    except SendFailure:
        return "unreachable", []
    return "read" if places else "none", shown


def _shown(places: set[Path], codes: set[str]) -> Iterator[folder.Shown]:
    for place in places:
        yield from (folder.shown(place, code) for code in codes)
