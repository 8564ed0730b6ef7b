"""A leader at work, in a process of the program's own: with the window's services, as no command approves.

`station.py approve PIN` proposes and approves a request; `station.py decide PIN` approves the oldest that waits;
`station.py tell` only looks. Each prints one JSON line: what waits, what is queued, and the hash of its bytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from desktop import paths, wiring
from desktop.domain.approval import Draft, Verdict
from desktop.domain.work_request import KnownBy, Meaning, Priority, Proposal, Requester
from desktop.paths import DataDir
from desktop.services.people import Roster
from desktop.services.station import Services
from desktop.store import outbox

_OPERATOR, _LEADER = "0104", "0302"


def main(action: str, pin: str = "") -> int:
    """0 when done; the people are the sample plant's roster, their PIN is set to `pin`."""
    _be_the_installed_program()
    with wiring.open_services(DataDir(paths.default_data_dir()), sample=False) as services:
        match action:
            case "approve":
                _set_pins(services, pin)
                _approve(services, _propose(services), pin)
            case "decide":
                waiting = services.approvals.pending()[0]
                services.approvals.vouch(waiting.proposal_id, _OPERATOR, pin)
                _approve(services, services.approvals.proposal(waiting.proposal_id), pin)
        print(json.dumps(_told(services), ensure_ascii=True))
    return 0


def _be_the_installed_program() -> None:
    """The runtime alone is no installation: data and keys are where those of the program beside it are."""
    program = Path(sys.executable).resolve().parents[1] / "hozen-navi.exe"
    if program.exists():
        sys.executable = str(program)


def _set_pins(services: Services, pin: str) -> None:
    roster = Roster(services.journal, services.credentials, is_elevated=lambda: True)
    for person in (_OPERATOR, _LEADER):
        roster.change_pin(person, roster.reset_pin(person), pin)


def _propose(services: Services) -> Proposal:
    draft = Draft(
        equipment_id="EQ-003",
        title="充填ノズルの点検",
        detail="E-12 が再発。清掃では直らない。",
        priority=Priority.HIGH,
        requester=Requester(_OPERATOR, known_by=KnownBy.PIN),
        snapshot=services.plant().snapshot.version,
    )
    (made,) = services.approvals.propose([draft])
    return made.proposal


def _approve(services: Services, proposal: Proposal, pin: str) -> None:
    shown = Verdict(proposal.proposal_id, proposal.revision, proposal.payload_sha256, Meaning.APPROVED)
    services.approvals.decide(shown, _LEADER, pin)


def _told(services: Services) -> dict[str, Any]:
    with services.journal.reading() as tx:
        unanswered = outbox.unanswered(tx)
    return {
        "pending": [proposal.proposal_id for proposal in services.approvals.pending()],
        "unanswered": {queued.item.uid: [queued.delivery, queued.item.sha256] for queued in unanswered},
        "encryption": services.journal.encryption_mode,
    }


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
