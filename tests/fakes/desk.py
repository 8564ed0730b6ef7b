"""A plant's desk for approval and sync tests: a few people with PINs, a few machines, a journal on disk."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import keyring.backends.fail
from keyring.backend import KeyringBackend

from desktop.credentials import Credentials
from desktop.domain import pin
from desktop.domain.approval import Draft, Edits, Receipt, Verdict
from desktop.domain.ledger import Equipment, EquipmentStatus, Person, Role
from desktop.domain.text import fold_code
from desktop.domain.work_request import KeptEvidence, KnownBy, Meaning, Priority, Proposal, Requester
from desktop.paths import DataDir
from desktop.services.approvals import ApprovalRules, Approvals
from desktop.services.people import Roster
from desktop.store import people, runs
from desktop.store.journal import Journal, open_journal
from tests.fakes.keyrings import use_keyring

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
OPERATOR = Person("0104", "加藤 優", Role.OPERATOR, ("ライン3",), "内線3103")
LEADER = Person("0302", "中村 大輔", Role.LEADER, ("ライン3",), "内線2202")
OTHER_LEADER = Person("0301", "山本 幸子", Role.LEADER, ("ライン1", "ライン2"), "内線2201")
SUPERVISOR = Person("0401", "小林 正", Role.SUPERVISOR, (), "03-0000-2300")
PINS = {OPERATOR: "284706", LEADER: "693815", OTHER_LEADER: "527940", SUPERVISOR: "407261"}
FILLER = Equipment("EQ-003", "充填機", "FL-200", "ライン3", "第2工場 1F")
PRESS = Equipment("EQ-009", "プレス", "PR-10", "ライン3", "第2工場 2F")
RETIRED = Equipment("EQ-014", "旧充填機", "FL-100", "ライン3", status=EquipmentStatus.RETIRED)
EVIDENCE = KeptEvidence(
    "manual:FL-200-r3#5.2", "FL-200 取扱説明書", "E-12 は充填ノズルの詰まり。", 12, "5-3", "3", "ab" * 32
)


class Clock:
    """Wall time and monotonic time that tests move."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def monotonic(self) -> float:
        return (self.now - NOW).total_seconds()

    def forward(self, **step: float) -> None:
        self.now += timedelta(**step)


@dataclass
class Desk:
    """Everything a decision needs; `machines` is the ledger as it stands now."""

    journal: Journal
    roster: Roster
    approvals: Approvals
    machines: dict[str, Equipment]
    clock: Clock

    def propose(self, draft: Draft | None = None) -> Proposal:
        (made,) = self.approvals.propose([draft or request_draft()])
        return made.proposal

    def decide(
        self, proposal: Proposal, meaning: Meaning, by: Person = LEADER, reason: str = "", edits: Edits | None = None
    ) -> Receipt:
        return self.approvals.decide(verdict(proposal, meaning, reason, edits), by.person_id, PINS[by])

    def approve(self, proposal: Proposal, by: Person = LEADER) -> Receipt:
        return self.decide(proposal, Meaning.APPROVED, by)

    def start_run(self, run_id: str, conversation_id: str) -> None:
        with self.journal.transaction() as tx:
            runs.start(tx, runs.Run(run_id, conversation_id, "E-12", "0104", "anthropic", "s1", "t", self.clock.now))

    def state(self, run_id: str) -> Any:
        with self.journal.reading() as tx:
            run = runs.get(tx, run_id)
        assert run is not None
        return json.loads(run.state)

    def rows(self, sql: str) -> list[Mapping[str, Any]]:
        with self.journal.reading() as tx:
            return tx.rows(sql)


class RealClock(Clock):
    """The real one, for what several processes share."""

    def __call__(self) -> datetime:
        return datetime.now(UTC)


def open_desk(
    root: Path,
    *,
    station: str = "P07",
    sample: bool = False,
    session_seconds: int = 60,
    clock: Clock | None = None,
    ring: KeyringBackend | None = None,
) -> Desk:
    """Opens the journal under `root`, plain without a `ring`; the people and their PINs are there the first time."""
    clock = clock or Clock()
    with use_keyring(ring or keyring.backends.fail.Keyring()):
        credentials = Credentials(environ={})
        journal = open_journal(DataDir(root), credentials, sample=sample, clock=clock)
    with journal.transaction() as tx:
        if not people.everyone(tx):
            people.put(tx, list(PINS))
            for person, digits in PINS.items():
                kept = pin.keep_sample(digits) if sample else pin.keep(digits, b"")
                people.set_pin(tx, person.person_id, kept, must_change=False)
    roster = Roster(journal, credentials, clock, is_elevated=lambda: False)
    machines = {machine.equipment_id: machine for machine in (FILLER, PRESS, RETIRED)}
    rules = ApprovalRules(session_seconds, 14, station)

    def find(equipment_id: str) -> Equipment | None:
        return next((one for one in machines.values() if one.folded == fold_code(equipment_id)), None)

    approvals = Approvals(journal, roster, rules, find, add_result, clock, clock.monotonic)
    return Desk(journal, roster, approvals, machines, clock)


def add_result(state: str, tool_use_id: str, result: Mapping[str, Any]) -> str:
    return json.dumps({**json.loads(state), tool_use_id: result})


def request_draft(**changes: Any) -> Draft:
    requester = Requester(OPERATOR.person_id, OPERATOR.name, KnownBy.PIN)
    draft = Draft(
        equipment_id="EQ-003",
        title="充填ノズルの点検",
        detail="E-12 が再発。ノズルを清掃したが直らない。",
        priority=Priority.HIGH,
        requester=requester,
        snapshot="s1",
        evidence=(EVIDENCE,),
        tried=("ノズル清掃",),
    )
    return replace(draft, **changes)


def verdict(proposal: Proposal, meaning: Meaning, reason: str = "", edits: Edits | None = None) -> Verdict:
    return Verdict(proposal.proposal_id, proposal.revision, proposal.payload_sha256, meaning, reason, edits or Edits())
