"""Kills a process again and again anywhere between proposal and file in the folder, then counts.

`python tests/e2e/kill_between_proposal_and_folder.py --kills 100` prints where the kills fell and ends with 0 if no
request was lost, none came twice, and the audit trail is whole. POSIX only (fork, so that a kill costs no start-up).
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop.domain import pin
from desktop.domain.canonical import sha256
from desktop.services.synchronizer import Synchronizer
from desktop.store import audit, outbox
from desktop.sync.folder import Folder, name
from tests.fakes.desk import Desk, RealClock, open_desk, request_draft

TERM = timedelta(milliseconds=20)  # of the lease: the next process must not wait long for a dead one's
LONGEST_LIFE = 0.12  # seconds from fork to kill: opening and about two rounds


@dataclass
class Acks:
    """What the killed processes said was done; none of it may be gone afterwards."""

    proposed: list[str] = field(default_factory=list)
    decided: dict[str, str] = field(default_factory=dict)
    last: Counter[str] = field(default_factory=Counter)

    def read(self, text: str) -> None:
        last = "opening"
        for line in text.splitlines():
            last, *words = line.split()
            if last == "proposed":
                self.proposed.append(words[0])
            elif last == "decided":
                self.decided[words[0]] = words[1]
        self.last[f"after {last}"] += 1


def work(desk: Desk, share: Path, say: int | None, rounds: int) -> None:
    """Decides what an earlier process left, sends, and goes on with requests of its own."""

    def tell(line: str) -> None:
        if say is not None:
            os.write(say, f"{line}\n".encode())

    sync = Synchronizer(desk.journal, Folder(share, "P07", desk.journal.journal_id), clock=desk.clock, term=TERM)
    tell("open")
    for number in range(rounds + 1):
        for proposal in desk.approvals.pending():
            request = desk.approve(proposal).request
            assert request is not None
            tell(f"decided {proposal.proposal_id} {request.number}")
        while sync.run_once(at_once=True).busy:
            time.sleep(0.005)
        tell("sent")
        if number < rounds:
            title = f"{os.getpid()} {number} {random.random()}"
            tell(f"proposed {desk.propose(request_draft(title=title)).proposal_id}")


def live_and_die(root: Path, share: Path, acks: Acks, life: float) -> None:
    """One process from fork to SIGKILL."""
    listen, say = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(listen)
        work(open_desk(root, clock=RealClock()), share, say, rounds=10_000)
        os._exit(1)
    os.close(say)
    time.sleep(life)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the process ended by itself"
    with os.fdopen(listen, encoding="utf-8") as heard:
        acks.read(heard.read())


def problems(desk: Desk, share: Path, acks: Acks) -> list[str]:
    """Everything that should not be, in words."""
    found = []
    requests = desk.rows("SELECT number, proposal_id FROM work_requests ORDER BY number")
    proposals = [row["proposal_id"] for row in desk.rows("SELECT proposal_id FROM proposals WHERE state = 'approved'")]
    numbers = {row["proposal_id"]: row["number"] for row in requests}
    if missing := [each for each in acks.proposed if each not in proposals]:
        found.append(f"proposals lost: {missing}")
    if moved := {key: number for key, number in acks.decided.items() if numbers.get(key) != number}:
        found.append(f"approvals lost: {moved}")
    if [row["number"] for row in requests] != [f"WR-P07-{n:04d}" for n in range(1, len(proposals) + 1)]:
        found.append("numbers are not one a proposal, in order")
    with desk.journal.reading() as tx:
        items = [queued.item for queued in outbox.unanswered(tx)]
        report = audit.verify(tx)
    told = desk.rows("SELECT subject, COUNT(*) AS n FROM audit WHERE action = 'handed_over' GROUP BY subject")
    if {row["subject"]: row["n"] for row in told} != dict.fromkeys(proposals, 1):
        found.append("hand-overs are not one a request")
    files = {file.name: file.read_bytes() for file in share.rglob("*") if file.is_file()}
    files.pop(".station", None)
    if files != {name(item): item.body for item in items}:
        found.append(f"files differ from the outbox: {len(files)} files, {len(items)} items")
    if sorted(json.loads(body)["number"] for body in files.values()) != sorted(numbers.values()):
        found.append("a request is not in the folder exactly once")
    if any(sha256(item.body) != item.sha256 for item in items):
        found.append("bytes changed")
    if not report.whole:
        found.append(f"audit trail: {report}")
    if desk.rows("PRAGMA integrity_check") != [{"integrity_check": "ok"}]:
        found.append("the journal is damaged")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    pin.COST = 2**4  # the kills should fall into the writing, not into the hashing of PINs
    draw = random.Random(options.seed)
    acks = Acks()
    with tempfile.TemporaryDirectory() as place:
        root, share = Path(place) / "data", Path(place) / "share"
        share.mkdir()
        open_desk(root, clock=RealClock()).journal.close()
        for _ in range(options.kills):
            live_and_die(root, share, acks, draw.uniform(0, LONGEST_LIFE))
        desk = open_desk(root, clock=RealClock())
        left = len(desk.approvals.pending())
        work(desk, share, None, rounds=0)
        found = problems(desk, share, acks)
        registered = len(desk.rows("SELECT 1 FROM work_requests"))
        desk.journal.close()
    print(f"seed {options.seed}: {options.kills} kills {dict(acks.last)}; {registered} requests, {left} were pending")
    print("\n".join(found) or "none lost, none twice, trail whole")
    return 1 if found or registered < len(acks.decided) or len(acks.last) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
