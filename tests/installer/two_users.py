"""Two Unix users propose, approve and send on one shared journal at once, as two Windows users of one PC do.

`python tests/installer/two_users.py --rounds 15` ends with 0 if there is one journal, no number was given twice and
nothing was lost or sent twice. Needs root (it becomes two other users) and POSIX; the shared directory has what the
installer's access list gives on Windows: both may change everything in it.
"""

from __future__ import annotations

import _strptime  # noqa: F401  loaded late by datetime, when the other user may not read this Python any more
import argparse
import os
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop.domain import pin
from desktop.store import audit
from tests.e2e.two_processes_on_one_journal import work
from tests.fakes.desk import RealClock, open_desk

GROUP = 61000
USERS = (61001, 61002)


def main() -> int:
    """0 if every one of the rounds of both users is there exactly once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    if os.geteuid() != 0:
        print("needs root", file=sys.stderr)
        return 2
    pin.COST = 2**4
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        (place / "share").mkdir()
        _share_with_group(place)
        _load_everything(place / "warm")
        children = [_start(place, number, user, rounds) for number, user in enumerate(USERS)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        return _judge(place, rounds * len(USERS), codes)


def _share_with_group(place: Path) -> None:
    """As the installer's access list does. SQLite on POSIX makes files that only their owner may write, so the journal
    and its lock are laid out empty; -wal and -shm follow the journal."""
    for folder in (place, place / "share", place / "data"):
        folder.mkdir(exist_ok=True)
        os.chown(folder, 0, GROUP)
        folder.chmod(0o2770)
    for name in ("journal.db", "journal.lock"):
        file = place / "data" / name
        file.touch()
        os.chown(file, 0, GROUP)
        file.chmod(0o660)


def _load_everything(folder: Path) -> None:
    """Modules imported late are loaded before the users' rights are taken on: root's Python may be closed to them."""
    (folder / "share").mkdir(parents=True)
    work(folder, 0, 1)
    shutil.rmtree(folder)


def _start(place: Path, number: int, user: int, rounds: int) -> int:
    child = os.fork()
    if child == 0:
        os.umask(0o007)
        os.setgroups([GROUP])
        os.setgid(GROUP)
        os.setuid(user)
        os.environ["HOME"] = str(place)
        code = 1
        try:
            work(place, number, rounds)
            code = 0
        finally:  # this process must not run the parent's clean-up
            if code:
                traceback.print_exc()
            os._exit(code)
    return child


def _judge(place: Path, expected: int, codes: list[int]) -> int:
    sent = Counter((place / "sent.log").read_text(encoding="utf-8").split())
    files = list((place / "share").rglob("*.json"))
    owners = {file.stat().st_uid for file in place.rglob("*") if file.is_file()}
    desk = open_desk(place / "data", clock=RealClock())
    numbers = [row["number"] for row in desk.rows("SELECT number FROM work_requests ORDER BY number")]
    with desk.journal.reading() as tx:
        report = audit.verify(tx)
    desk.journal.close()
    journals = list(place.rglob("journal.db"))
    print(f"users {sorted(owners)}: {len(journals)} journal, {len(numbers)} numbers, {len(files)} files, {report}")
    print(f"sent more than once: {[uid for uid, times in sent.items() if times > 1]}; exit codes {codes}")
    right = numbers == [f"WR-P07-{n:04d}" for n in range(1, expected + 1)]
    once = len(files) == len(sent) == expected and set(sent.values()) == {1}
    both = set(USERS) <= owners
    return 0 if right and once and both and len(journals) == 1 and report.whole and set(codes) == {0} else 1


if __name__ == "__main__":
    sys.exit(main())
