"""Requests are found by either number, by proposal, by machine; drafts by call, wording and conversation."""

from dataclasses import replace
from datetime import timedelta

import pytest

from desktop.domain.canonical import sha256
from desktop.domain.work_request import (
    Decision,
    Delivery,
    KnownBy,
    Meaning,
    OutboxItem,
    Priority,
    Proposal,
    ProposalState,
    Requester,
)
from desktop.store import outbox, proposals, requests
from desktop.store.journal import Journal, Tx
from tests.fakes.desk import EVIDENCE, NOW


def proposal(proposal_id: str = "p1", revision: int = 1, minutes: int = 0, **changes: object) -> Proposal:
    made = Proposal(
        proposal_id, revision, ProposalState.PENDING, "EQ-003", {"id": "EQ-003", "line": "ライン3"}, "点検", "詰まり",
        Priority.LOW, Requester("0104", "加藤 優", KnownBy.BADGE), "person", (EVIDENCE,), ("清掃",), "s1",
        NOW + timedelta(minutes=minutes), "", run_id="r1", conversation_id="c1",
        tool_use_id=f"{proposal_id}.{revision}", stopped_since=NOW,
    )  # fmt: skip
    made = replace(made, **changes)  # type: ignore[arg-type]
    return replace(made, payload_sha256=sha256(proposals.payload_of(made)))


def add(tx: Tx, made: Proposal) -> Proposal:
    proposals.add(tx, made, made.created_at + timedelta(days=14))
    return made


def register(tx: Tx, made: Proposal, number: str) -> None:
    decision = Decision(
        f"d-{made.proposal_id}", made.proposal_id, made.revision, Meaning.APPROVED, "0302", "中村", KnownBy.PIN,
        made.created_at, "", made.payload_sha256,
    )  # fmt: skip
    proposals.close(tx, made, ProposalState.APPROVED)
    proposals.add_decision(tx, decision, {"title": ["a", "b"]})
    requests.register(tx, number, made)
    assert proposals.decision(tx, made.proposal_id, made.revision) == (decision, {"title": ["a", "b"]})


def test_a_proposal_comes_back_as_it_went_in_and_the_latest_revision_first(journal: Journal) -> None:
    with journal.transaction() as tx:
        first = add(tx, proposal())
        proposals.close(tx, first, ProposalState.RETURNED)
        second = add(tx, proposal(revision=2, minutes=1, title="交換"))
        latest, old = proposals.get(tx, "p1"), proposals.get(tx, "p1", 1)
        assert latest is not None
        assert latest.proposal == second
        assert old is not None
        assert old.proposal == replace(first, state=ProposalState.RETURNED)
        assert proposals.get(tx, "p1", 3) is proposals.get(tx, "p2") is None


def test_only_the_latest_return_of_a_machine_waits_to_come_again(journal: Journal) -> None:
    with journal.transaction() as tx:
        first = add(tx, proposal())
        assert proposals.returned_in_conversation(tx, "c1", "EQ-003") is None
        proposals.close(tx, first, ProposalState.RETURNED)
        found = proposals.returned_in_conversation(tx, "c1", "EQ-003")
        assert found is not None
        assert found.proposal.proposal_id == "p1"
        assert proposals.returned_in_conversation(tx, "c1", "EQ-009") is None
        add(tx, proposal(revision=2, minutes=1))
        assert proposals.returned_in_conversation(tx, "c1", "EQ-003") is None


def test_pending_and_expired(journal: Journal) -> None:
    with journal.transaction() as tx:
        add(tx, proposal("p2", minutes=5))
        add(tx, proposal("p1"))
        decided = add(tx, proposal("p3"))
        proposals.close(tx, decided, ProposalState.REJECTED)
        assert [kept.proposal.proposal_id for kept in proposals.pending(tx)] == ["p1", "p2"]
        assert [kept.proposal.proposal_id for kept in proposals.pending_of_run(tx, "r1")] == ["p1", "p2"]
        assert proposals.pending_of_run(tx, "r2") == ()
        over = proposals.expired(tx, NOW + timedelta(days=14))
        assert [kept.proposal.proposal_id for kept in over] == ["p1"]


def test_a_closed_proposal_does_not_close_again(journal: Journal) -> None:
    with journal.transaction() as tx:
        made = add(tx, proposal())
        proposals.close(tx, made, ProposalState.REJECTED)
        proposals.close(tx, made, ProposalState.APPROVED)
        kept = proposals.get(tx, "p1")
        assert kept is not None
        assert kept.proposal.state is ProposalState.REJECTED


@pytest.mark.parametrize(("station", "prefix"), [("", "WR"), ("P07", "WR-P07"), ("P08", "WR-P08")])
def test_numbers_count_by_station(journal: Journal, station: str, prefix: str) -> None:
    with journal.transaction() as tx:
        requests.next_number(tx, "X")
        assert [requests.next_number(tx, station) for _ in range(2)] == [f"{prefix}-0001", f"{prefix}-0002"]


def test_requests_are_found_by_our_number_the_plants_the_proposal_and_the_machine(journal: Journal) -> None:
    with journal.transaction() as tx:
        register(tx, add(tx, proposal("p1")), "WR-P07-0001")
        register(tx, add(tx, proposal("p2", minutes=1, equipment_id="EQ-009")), "WR-P07-0002")
        item = OutboxItem("request", "p1", 1, "P07", 1, b"{}", sha256(b"{}"))
        outbox.add(tx, item, "EQ-003", NOW)
        outbox.answered(tx, item, Delivery.REFUSED, "CM-77", "設備は廃止", {"status": "refused"})
        first = requests.work_request(tx, "WR-P07-0001")
        assert first is not None
        assert (first.delivery, first.plant_number, first.refusal) == (Delivery.REFUSED, "CM-77", "設備は廃止")
        assert (first.requester.known_by, first.approved_by, first.approved_at) == (KnownBy.BADGE, "0302", NOW)
        assert requests.work_request(tx, "CM-77") == first == requests.of_proposal(tx, "p1")
        assert [each.number for each in requests.work_requests(tx)] == ["WR-P07-0002", "WR-P07-0001"]
        assert [each.number for each in requests.of_equipment(tx, "EQ-009")] == ["WR-P07-0002"]
        second = requests.work_request(tx, "WR-P07-0002")
        assert second is not None
        assert (second.delivery, second.plant_number) == (None, "")
        assert requests.work_request(tx, "WR-P07-0003") is None
