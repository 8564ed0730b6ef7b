"""Several processes propose, approve and send on one journal and one folder at once; every write of a file is counted.

`python tests/e2e/two_processes_on_one_journal.py --processes 2 --rounds 15` ends with 0 if no number was given twice
and no request was written twice. POSIX only (fork).
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop.domain import pin
from desktop.domain.work_request import OutboxItem
from desktop.services.synchronizer import Synchronizer
from desktop.store import audit
from desktop.sync.folder import Folder
from tests.fakes.desk import LEADER, SUPERVISOR, RealClock, open_desk, request_draft


class Counted(Folder):
    """Notes every call to send; a second one for the same item is a double send even if the folder forgives it."""

    def __init__(self, share: Path, journal_id: str, log: Path) -> None:
        super().__init__(share, "P07", journal_id)
        self._log = log

    def send(self, item: OutboxItem) -> None:
        super().send(item)
        with self._log.open("ab") as out:
            out.write(f"{item.uid}\n".encode())


def work(place: Path, number: int, rounds: int) -> None:
    desk = open_desk(place / "data", clock=RealClock())
    by = (LEADER, SUPERVISOR)[number % 2]
    way = Counted(place / "share", desk.journal.journal_id, place / "sent.log")
    sync = Synchronizer(desk.journal, way, clock=desk.clock)
    for round_number in range(rounds):
        desk.propose(request_draft(title=f"{number} の {round_number}"))
        for proposal in desk.approvals.pending():  # those of the other process too: one of the two is first
            desk.approve(proposal, by)
        sync.run_once()
    while sync.status().unsent:
        if sync.run_once().busy:
            time.sleep(0.005)
    desk.journal.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    pin.COST = 2**4
    expected = options.processes * options.rounds
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        (place / "share").mkdir()
        children = []
        for number in range(options.processes):  # the first start, with its migration, is part of the race
            child = os.fork()
            if child == 0:
                work(place, number, options.rounds)
                os._exit(0)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        sent = Counter((place / "sent.log").read_text(encoding="utf-8").split())
        files = list((place / "share").rglob("*.json"))
        desk = open_desk(place / "data", clock=RealClock())
        numbers = [row["number"] for row in desk.rows("SELECT number FROM work_requests ORDER BY number")]
        decisions = len(desk.rows("SELECT 1 FROM decisions"))
        with desk.journal.reading() as tx:
            report = audit.verify(tx)
        desk.journal.close()
    print(f"{options.processes} processes: {len(numbers)} numbers, {decisions} decisions, {len(files)} files, {report}")
    print(f"sent more than once: {[uid for uid, times in sent.items() if times > 1]}; exit codes {codes}")
    right = numbers == [f"WR-P07-{n:04d}" for n in range(1, expected + 1)]
    once = len(files) == len(sent) == decisions == expected and set(sent.values()) == {1}
    return 0 if right and once and report.whole and set(codes) == {0} else 1


if __name__ == "__main__":
    sys.exit(main())
