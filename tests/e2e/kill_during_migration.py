"""Kills a process again and again anywhere between opening an old journal and having migrated it, then looks.

`python tests/e2e/kill_during_migration.py --kills 100` prints where the kills fell and ends with 0 if the journal was
each time the old one, with which the old version works, or the new one whole. POSIX only (fork).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop.domain import pin
from desktop.errors import KnownError
from desktop.store import audit, journal, journal_copies
from tests.fakes.desk import Desk, RealClock, open_desk, request_draft
from tests.fakes.keyrings import MemoryKeyring

_OLD = journal._MIGRATIONS
_ROWS = 20_000
_STEPS = (
    "CREATE TABLE later (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    f"""INSERT INTO later WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {_ROWS})
        SELECT n, hex(randomblob(100)) FROM c""",
    "ALTER TABLE people ADD COLUMN note TEXT NOT NULL DEFAULT ''; UPDATE people SET note = phone",
    "CREATE INDEX later_by_text ON later (text)",
)
_NEWEST = 9000 + len(_STEPS)


class Station:
    """An old journal with something in it, and the ring that holds its key."""

    def __init__(self, place: Path) -> None:
        self.template, self.root, self.later = place / "template", place / "data", place / "later"
        self.ring = MemoryKeyring()
        desk = open_desk(self.template, clock=RealClock(), ring=self.ring)
        self.pending = desk.propose()
        self.queued = desk.approve(desk.propose(request_draft(title="送信待ち")))
        desk.journal.close()
        shutil.copytree(_OLD, self.later)
        for number, step in enumerate(_STEPS, 9001):
            (self.later / f"{number}_later.sql").write_text(step, encoding="utf-8")

    def open(self, migrations: Path) -> Desk:
        journal._MIGRATIONS = migrations
        return open_desk(self.root, clock=RealClock(), ring=self.ring)

    def reset(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.template, self.root)

    def live_and_die(self, life: float) -> None:
        """One process from fork to SIGKILL, or to its own end when it was faster."""
        child = os.fork()
        if child == 0:
            self.open(self.later)
            os._exit(0)
        time.sleep(life)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    def found(self) -> str:
        """What a kill left, by name; AssertionError or KnownError where it is neither the old journal nor the new."""
        copies = list(journal_copies.folder(self.root / "journal.db").glob("*.db"))
        try:
            desk, what = self.open(_OLD), "old, with its copy" if copies else "old, before the copy"
        except KnownError as error:
            if error.code != "journal_too_new":
                raise
            desk, what = self.open(self.later), "new"
        assert copies or what != "new", "migrated without a copy"
        self._check(desk, what == "new")
        desk.journal.close()
        return what

    def _check(self, desk: Desk, new: bool) -> None:
        assert desk.approvals.pending() == (self.pending,)
        assert desk.rows("PRAGMA user_version") == [{"user_version": _NEWEST if new else len(list(_OLD.glob("*.sql")))}]
        assert len(desk.rows("SELECT 1 FROM sqlite_schema WHERE name LIKE 'later%'")) == (2 if new else 0)
        if new:
            assert desk.rows("SELECT COUNT(*) AS n FROM later") == [{"n": _ROWS}]
        assert desk.approve(self.pending).first
        desk.journal.verify()
        with desk.journal.reading() as tx:
            assert audit.verify(tx).whole


def main() -> int:
    """0 if every kill left one of the two journals, whole."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    pin.COST = 2**4
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as made:
        station = Station(Path(made))
        station.reset()
        began = time.monotonic()
        station.open(station.later).journal.close()
        longest = (time.monotonic() - began) * 1.3
        seen: Counter[str] = Counter()
        for _ in range(options.kills):
            station.reset()
            station.live_and_die(draw.uniform(0, longest))
            seen[station.found()] += 1
    print(f"seed {options.seed}: {options.kills} kills within {longest:.2f} s left {dict(seen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
