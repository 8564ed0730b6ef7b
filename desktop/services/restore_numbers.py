"""After a restore no number is given twice, though the backup doesn't know what was given since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from desktop import config
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.request_body import KIND
from desktop.errors import KnownError
from desktop.store import counters, incarnations, journal_copies, journal_key
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


@dataclass(frozen=True, slots=True)
class Left:
    """What can still be read of the present journal and its copies: the highest `numbers`, the `lives` they know."""

    numbers: Mapping[str, int]
    lives: frozenset[str]


def left(journal: Path, credentials: Credentials) -> Left:
    """Empty where nothing can be read."""
    try:
        key = journal_key.recall(journal, credentials)
    except KnownError:
        return Left({}, frozenset())
    numbers: dict[str, int] = {}
    lives: set[str] = set()
    for file in (journal, *journal_copies.folder(journal).glob("journal-*.db")):
        lives |= incarnations.left_in(file, key)
        for name, value in counters.left_in(file, key).items():
            numbers[name] = max(value, numbers.get(name, 0))
    return Left(numbers, frozenset(lives))


def go_on(tx: Tx, unseen: timedelta, here: Mapping[str, int], settings: Sequence[Settings], drawn: float) -> Numbers:
    """Lets every number of the restored journal begin anew, above all that this station can have given since.

    Seen are the backup, which is `unseen` old, the numbers left `here`, and the sync folder; `drawn` as for
    `counters.last_possible`.
    """
    before = counters.all_of(tx)
    codes = {name.removeprefix(_SEQ) for name in (*before, *here) if name.startswith(_SEQ)}
    state, shown = _folders(settings, codes)
    seen = max((*before.values(), *here.values(), *(one.last for one in shown)), default=0)
    last = counters.last_possible(seen, unseen, drawn)
    counters.go_on_after(tx, last)
    sent = {uid: name for one in shown for (kind, uid), name in one.sent.items() if kind == KIND}
    return Numbers(before, seen, last + 1, state, sent)


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
