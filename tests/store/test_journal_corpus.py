"""Journals of earlier versions open, tell what they told, and take a decision that was left to be taken."""

import json
import shutil
from pathlib import Path

import keyring.backends.fail
import pytest

from desktop.agent.run_state import RunState
from desktop.domain.work_request import Delivery, Meaning, ProposalState
from desktop.services.synchronizer import Synchronizer, SyncReport
from desktop.store import audit, proposals, requests, runs
from desktop.store.journal import Journal
from desktop.sync.folder import Folder
from tests.fakes.desk import LEADER, Desk, open_desk, verdict
from tests.fakes.keyrings import MemoryKeyring, use_keyring

CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("journal_*"))


@pytest.fixture(params=[(folder, kind) for folder in CORPUS for kind in ("plain", "encrypted")], ids=str)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    folder, kind = request.param
    place = tmp_path / "data"
    place.mkdir()
    shutil.copy(folder / f"{kind}.db", place / "journal.db")
    ring = MemoryKeyring()
    if kind == "encrypted":
        note = json.loads((folder / "journal.key.json").read_text(encoding="utf-8"))
        shutil.copy(folder / "journal.key.json", place)
        key = f"HozenNavi/journal/{note['journal_id']}", "hozen-navi"
        ring.kept[key] = (folder / "key.txt").read_text(encoding="utf-8")
    made = open_desk(place, ring=ring if kind == "encrypted" else None)
    assert made.journal.encryption_mode == ("plain" if kind == "plain" else "chacha20")
    return made


def numbers(journal: Journal) -> dict[str, Delivery | None]:
    with journal.reading() as tx:
        return {request.number: request.delivery for request in requests.work_requests(tx)}


def test_an_old_journal_tells_what_it_told(desk: Desk) -> None:
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
        first, second = requests.work_request(tx, "WR-P07-0001"), requests.work_request(tx, "WR-P07-0002")
        asked = runs.get(tx, "r1")
        events = runs.events(tx, "r1")
        parked = runs.get(tx, "r2")
        kept = proposals.pending(tx)
    assert first is not None
    assert (first.title, first.plant_number) == ("直した件名", "CM-77")
    assert second is not None
    assert second.refusal == "設備は廃止"
    assert asked is not None
    assert (asked.question, asked.result) == ("E-12", {"status": "answered"})
    assert events[0].body == {"text": "充填機"}
    assert parked is not None
    assert [call.call_id for call in RunState.from_json(parked.state).unresolved()] == ["toolu_1"]
    again, before = json.loads(RunState.from_json(parked.state).to_json()), json.loads(parked.state)
    for verbatim in ("messages", "prompt"):
        assert json.dumps(again[verbatim]) == json.dumps(before[verbatim])
    assert [(each.proposal.title, each.proposal.revision, each.intact) for each in kept] == [
        ("差し戻した", 2, True),
        ("承認待ち", 1, True),
    ]
    assert numbers(desk.journal) == {
        "WR-P07-0001": Delivery.ACCEPTED,
        "WR-P07-0002": Delivery.REFUSED,
        "WR-P07-0003": Delivery.QUEUED,
    }
    desk.journal.close()


def test_an_old_journal_goes_on(desk: Desk, tmp_path: Path) -> None:
    waiting = desk.approvals.pending()
    assert [proposal.state for proposal in waiting] == [ProposalState.PENDING] * 2
    with use_keyring(keyring.backends.fail.Keyring()):
        receipts = [
            desk.approve(waiting[0]),
            desk.approvals.decide(verdict(waiting[1], Meaning.APPROVED), LEADER.person_id),
        ]
    assert [receipt.request and receipt.request.number for receipt in receipts] == ["WR-P07-0004", "WR-P07-0005"]
    share = tmp_path / "share"
    share.mkdir()
    sync = Synchronizer(desk.journal, Folder(share, "P07", desk.journal.journal_id), clock=desk.clock)
    assert sync.run_once() == SyncReport(sent=3)
    bodies = [json.loads(file.read_bytes()) for file in sorted(share.rglob("*.json"))]
    assert [(body["number"], body["seq"]) for body in bodies] == [
        ("WR-P07-0003", 3), ("WR-P07-0004", 4), ("WR-P07-0005", 5),
    ]  # fmt: skip
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    desk.journal.close()
