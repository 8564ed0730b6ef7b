"""One approval, one request: durable before visible, decided once, by someone who may."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from desktop.agent.messages import assistant_message
from desktop.agent.run_state import Prompt, RunState
from desktop.domain.approval import Edits
from desktop.domain.ledger import EquipmentStatus
from desktop.domain.work_request import Delivery, KnownBy, Meaning, Priority, Proposal, ProposalState, Requester
from desktop.errors import KnownError
from desktop.store import audit, people, proposals, requests, runs
from tests.fakes.desk import (
    EVIDENCE,
    FILLER,
    LEADER,
    OPERATOR,
    OTHER_LEADER,
    PINS,
    SUPERVISOR,
    Desk,
    open_desk,
    request_draft,
    verdict,
)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(KnownError) as refused:
        act()
    return refused.value.code


def parked(
    desk: Desk, run_id: str = "r1", conversation_id: str = "c1", call: str = "t1", **changes: object
) -> Proposal:
    desk.start_run(run_id, conversation_id)
    draft = request_draft(conversation_id=conversation_id, run_id=run_id, tool_use_id=call, **changes)
    (made,) = desk.approvals.propose([draft], json.dumps({"history": "…"}))
    return made.proposal


def states(desk: Desk) -> list[str]:
    return [row["state"] for row in desk.rows("SELECT state FROM proposals ORDER BY created_at, revision")]


# --- proposing


def test_a_proposal_is_on_disk_with_its_evidence_and_the_run_before_anyone_sees_it(desk: Desk) -> None:
    proposal = parked(desk)
    again = open_desk(desk.journal.file.parent)
    assert again.approvals.pending() == (proposal,)
    assert proposal.evidence == (EVIDENCE,)
    assert proposal.equipment == {
        "id": "EQ-003", "name": "充填機", "model": "FL-200", "line": "ライン3", "location": "第2工場 1F",
    }  # fmt: skip
    with again.journal.reading() as tx:
        kept = proposals.get(tx, proposal.proposal_id)
        run = runs.get(tx, "r1")
    assert kept is not None
    assert kept.intact
    assert b"5-3" in kept.payload
    assert run is not None
    assert (run.status, run.state) == (runs.RunStatus.PARKED, '{"history": "\\u2026"}')
    again.journal.close()


def test_proposal_ids_sort_by_time_and_are_uuids_of_version_7(desk: Desk) -> None:
    ids = [desk.propose(request_draft(title=f"点検 {n}")).proposal_id for n in range(3)]
    assert ids == sorted(ids)
    assert all(each[14] == "7" for each in ids)


def test_two_writes_of_one_reply_are_two_cards_in_one_transaction(desk: Desk) -> None:
    desk.start_run("r1", "c1")
    drafts = [
        request_draft(conversation_id="c1", run_id="r1", tool_use_id=f"t{n}", equipment_id=machine)
        for n, machine in enumerate(("EQ-003", "EQ-404"))
    ]
    assert refusal(lambda: desk.approvals.propose(drafts, "{}")) == "machine_gone"
    assert desk.approvals.pending() == ()
    made = desk.approvals.propose([drafts[0], replace(drafts[1], equipment_id="EQ-009")], "{}")
    assert [each.new for each in made] == [True, True]
    first = desk.approve(made[0].proposal)
    assert not first.run_ready
    assert desk.decide(made[1].proposal, Meaning.REJECTED, reason="予備機で足りる").run_ready
    assert desk.state("r1") == {
        "t0": {"status": "registered", "number": "WR-P07-0001"},
        "t1": {"status": "rejected_by_user", "reason": "予備機で足りる"},
    }


def test_the_same_call_after_a_crash_gives_the_same_card(desk: Desk) -> None:
    first = parked(desk)
    draft = request_draft(conversation_id="c1", run_id="r1", tool_use_id="t1")
    (again,) = desk.approvals.propose([draft])
    assert (again.proposal, again.new, again.answer) == (first, False, None)


def test_a_repeat_in_the_conversation_is_answered_and_not_shown_again(desk: Desk) -> None:
    proposal = parked(desk)
    repeat = request_draft(
        conversation_id="c1", run_id="r1", tool_use_id="t2", title=" 充填ノズルの点検\n", equipment_id="eq 003"
    )
    (while_pending,) = desk.approvals.propose([repeat])
    assert (while_pending.new, while_pending.answer) == (False, None)
    desk.decide(proposal, Meaning.REJECTED, reason="昨日交換した")
    (after,) = desk.approvals.propose([repeat])
    assert (after.new, after.answer) == (False, {"status": "rejected_by_user", "reason": "昨日交換した"})
    assert len(desk.rows("SELECT 1 FROM proposals")) == 1
    (elsewhere,) = desk.approvals.propose([replace(repeat, conversation_id="c2", run_id="", tool_use_id="")])
    assert elsewhere.new


def test_text_that_would_poison_a_receiving_system_is_cleaned(desk: Desk) -> None:
    evidence = replace(EVIDENCE, quote="詰まり\x00\ud83d")
    proposal = desk.propose(request_draft(title="点検\x00\r\nお願い ", detail="一\r\n二\x1b", evidence=(evidence,)))
    assert (proposal.title, proposal.detail) == ("点検 お願い", "一\n二")
    assert proposal.evidence[0].quote == "詰まり"
    assert desk.approve(proposal).request is not None


def test_what_cannot_be_a_request_never_reaches_a_person(desk: Desk) -> None:
    for changes, code in (
        ({"equipment_id": "EQ-999"}, "machine_gone"),
        ({"equipment_id": "EQ-014"}, "machine_retired"),
        ({"title": " \x00 "}, "title_missing"),
        ({"title": "あ" * 41}, "title_too_long"),
    ):
        assert refusal(lambda changes=changes: desk.propose(request_draft(**changes))) == code
    assert desk.propose(request_draft(title="あ" * 40)).title == "あ" * 40


# --- deciding


def test_an_approval_enters_number_decision_queue_trail_and_result_together(desk: Desk) -> None:
    receipt = desk.approve(parked(desk))
    assert (receipt.first, receipt.run_ready, receipt.changes) == (True, True, {})
    request = receipt.request
    assert request is not None
    assert (request.number, request.delivery, request.approved_by) == ("WR-P07-0001", Delivery.QUEUED, "0302")
    assert request.requester == Requester("0104", "加藤 優", KnownBy.PIN)
    assert states(desk) == ["approved"]
    (item,) = desk.rows("SELECT * FROM outbox")
    body = json.loads(item["body"])
    assert (body["number"], body["seq"], body["decision"]["uid"]) == ("WR-P07-0001", 1, receipt.decision.decision_id)
    told = desk.rows("SELECT action, actor, json_extract(body, '$.number') AS number FROM audit ORDER BY seq")
    assert [tuple(row.values()) for row in told] == [("proposed", "0104", None), ("decided", "0302", "WR-P07-0001")]
    assert desk.state("r1")["t1"] == {"status": "registered", "number": "WR-P07-0001"}
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole


def test_if_any_part_fails_nothing_is_decided(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    proposal = parked(desk)

    def fail(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(desk.approvals, "_add_result", fail)
    with pytest.raises(ZeroDivisionError):
        desk.approve(proposal)
    assert states(desk) == ["pending"]
    assert [desk.rows(f"SELECT * FROM {table}") for table in ("decisions", "work_requests", "outbox", "counters")] == [
        [], [], [], [],
    ]  # fmt: skip


def test_a_conversation_that_can_not_be_read_any_more_stops_no_decision(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = parked(desk)

    def unreadable(*_: object) -> str:
        raise KnownError("run_state_unreadable")

    monkeypatch.setattr(desk.approvals, "_add_result", unreadable)
    assert desk.approve(proposal).request is not None
    assert desk.state("r1") == {"history": "…"}


def test_the_loops_own_state_takes_the_result(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def add_result(state: str, call: str, result: Mapping[str, Any]) -> str:
        return RunState.from_json(state).with_result(call, result).to_json()

    monkeypatch.setattr(desk.approvals, "_add_result", add_result)
    prompt = Prompt("anthropic", "claude-opus-5-5", "system", ())
    state = RunState.start("r1", "c1", prompt, "E-12")
    call = {"type": "tool_use", "id": "t1", "name": "create_work_request", "input": {}}
    state = state.with_reply(assistant_message([call]))
    desk.start_run("r1", "c1")
    draft = request_draft(conversation_id="c1", run_id="r1", tool_use_id="t1")
    (made,) = desk.approvals.propose([draft], state.to_json())
    assert desk.approve(made.proposal).run_ready
    with desk.journal.reading() as tx:
        run = runs.get(tx, "r1")
    assert run is not None
    assert RunState.from_json(run.state).unresolved() == ()
    assert "WR-P07-0001" in run.state


def test_without_a_sync_target_the_number_is_short_and_nothing_waits_to_be_sent(
    tmp_path: Path, cheap_pins: None
) -> None:
    desk = open_desk(tmp_path, station="")
    receipts = [desk.approve(desk.propose(request_draft(title=f"点検 {n}"))) for n in range(2)]
    assert [receipt.request and receipt.request.number for receipt in receipts] == ["WR-0001", "WR-0002"]
    assert receipts[0].request is not None
    assert receipts[0].request.delivery is None
    assert desk.rows("SELECT * FROM outbox") == []
    desk.journal.close()


def test_the_sample_plant_never_sends(tmp_path: Path) -> None:
    desk = open_desk(tmp_path, sample=True)
    proposal = desk.propose()
    request = desk.approve(proposal).request
    assert proposal.sample
    assert desk.approvals.proposal(proposal.proposal_id).sample
    assert request is not None
    assert (request.number, request.delivery) == ("WR-0001", None)
    assert desk.rows("SELECT * FROM outbox") == []
    desk.journal.close()


@pytest.mark.parametrize(
    ("meaning", "state", "status"),
    [(Meaning.REJECTED, "rejected", "rejected_by_user"), (Meaning.RETURNED, "returned", "returned_for_change")],
)
def test_no_and_not_yet_need_a_reason_and_tell_it_to_the_model(
    desk: Desk, meaning: Meaning, state: str, status: str
) -> None:
    proposal = parked(desk)
    assert refusal(lambda: desk.decide(proposal, meaning, reason=" ")) == "reason_missing"
    receipt = desk.decide(proposal, meaning, reason="型番を確かめて")
    assert receipt.request is None
    assert receipt.run_ready
    assert states(desk) == [state]
    assert desk.state("r1")["t1"] == {"status": status, "reason": "型番を確かめて"}
    assert desk.rows("SELECT * FROM work_requests") == []


def test_later_leaves_everything_as_it_is_over_a_restart(desk: Desk) -> None:
    proposal = parked(desk)
    desk.journal.close()
    again = open_desk(desk.journal.file.parent)
    assert again.approvals.pending() == (proposal,)
    assert again.approve(proposal).first
    again.journal.close()


def test_whoever_decides_second_gets_the_first_decision(desk: Desk) -> None:
    proposal = desk.propose()
    first = desk.approve(proposal)
    second = desk.decide(proposal, Meaning.REJECTED, by=SUPERVISOR, reason="不要")
    assert not second.first
    assert (second.decision, second.request) == (first.decision, first.request)
    assert second.decision.by_name == "中村 大輔"
    assert len(desk.rows("SELECT * FROM decisions")) == 1


def test_two_approvals_at_the_same_moment_are_one_request(desk: Desk) -> None:
    proposal = desk.propose()
    other = open_desk(desk.journal.file.parent)
    receipts = []
    start = threading.Barrier(2)

    def approve(at: Desk, by: object) -> None:
        start.wait()
        receipts.append(at.approve(proposal, by))  # type: ignore[arg-type]

    threads = [threading.Thread(target=approve, args=pair) for pair in ((desk, LEADER), (other, SUPERVISOR))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(receipt.first for receipt in receipts) == [False, True]
    assert {receipt.request.number for receipt in receipts if receipt.request} == {"WR-P07-0001"}
    other.journal.close()


def test_edits_are_registered_stored_as_difference_and_told(desk: Desk) -> None:
    proposal = parked(desk)
    edits = Edits(title="ノズル交換", detail="", priority=Priority.HIGH)
    receipt = desk.decide(proposal, Meaning.APPROVED, edits=edits)
    assert receipt.request is not None
    assert (receipt.request.title, receipt.request.detail) == ("ノズル交換", "")
    expected = {"title": ["充填ノズルの点検", "ノズル交換"], "detail": [proposal.detail, ""]}
    assert receipt.changes == expected
    assert desk.state("r1")["t1"] == {"status": "registered", "number": "WR-P07-0001", "edited": expected}
    assert json.loads(desk.rows("SELECT body FROM outbox")[0]["body"])["title"] == "ノズル交換"
    assert desk.approvals.proposal(proposal.proposal_id).title == "充填ノズルの点検"


def test_edits_must_still_make_a_request(desk: Desk) -> None:
    proposal = desk.propose()
    for title, code in (("", "title_missing"), ("あ" * 41, "title_too_long")):
        act = lambda title=title: desk.decide(proposal, Meaning.APPROVED, edits=Edits(title=title))  # noqa: E731
        assert refusal(act) == code
    assert states(desk) == ["pending"]


def test_only_what_was_shown_can_be_approved(desk: Desk) -> None:
    proposal = desk.propose()
    shown_otherwise = replace(verdict(proposal, Meaning.APPROVED), shown_sha256="0" * 64)
    assert refusal(lambda: desk.approvals.decide(shown_otherwise, "0302", PINS[LEADER])) == "payload_changed"
    other = apsw.Connection(str(desk.journal.file))
    other.execute("UPDATE proposals SET payload = CAST(replace(CAST(payload AS TEXT), '清掃', '交換') AS BLOB)")
    other.close()
    assert refusal(lambda: desk.approve(proposal)) == "payload_changed"


def test_the_machine_must_still_be_there_when_it_is_approved(desk: Desk) -> None:
    proposal = desk.propose()
    desk.machines["EQ-003"] = replace(FILLER, status=EquipmentStatus.RETIRED)
    assert refusal(lambda: desk.approve(proposal)) == "machine_retired"
    del desk.machines["EQ-003"]
    assert refusal(lambda: desk.approve(proposal)) == "machine_gone"
    assert not desk.decide(proposal, Meaning.REJECTED, reason="廃止済み").request


# --- who


def test_only_an_approver_of_the_line_decides(desk: Desk) -> None:
    proposal = desk.propose()
    assert refusal(lambda: desk.approve(proposal, OPERATOR)) == "approver_role"
    assert refusal(lambda: desk.approve(proposal, OTHER_LEADER)) == "approver_line"
    assert refusal(lambda: desk.decide(proposal, Meaning.REJECTED, OTHER_LEADER, "不要")) == "approver_line"
    assert desk.approve(proposal, SUPERVISOR).first


def test_nobody_approves_what_he_asked_for(desk: Desk) -> None:
    own = desk.propose(request_draft(requester=Requester("0302", "中村 大輔", KnownBy.PIN)))
    assert refusal(lambda: desk.approve(own)) == "requester_is_approver"
    assert desk.approve(own, SUPERVISOR).first


@pytest.mark.parametrize("known_by", [KnownBy.CHOSEN, KnownBy.NONE])
def test_a_requester_nobody_proved_could_be_the_approver(desk: Desk, known_by: KnownBy) -> None:
    proposal = desk.propose(request_draft(requester=Requester("0104", "加藤 優", known_by)))
    assert refusal(lambda: desk.approve(proposal)) == "requester_unproved"
    assert refusal(lambda: desk.approvals.vouch(proposal.proposal_id, "0104", "000000")) == "pin_wrong"
    proved = desk.approvals.vouch(proposal.proposal_id, "0104", PINS[OPERATOR])
    assert proved == Requester("0104", "加藤 優", KnownBy.PIN)
    assert desk.rows("SELECT actor, action FROM audit WHERE seq = 2") == [
        {"actor": "0104", "action": "requester_proved"}
    ]
    again = lambda: desk.approvals.vouch(proposal.proposal_id, "0302", PINS[LEADER])  # noqa: E731
    assert refusal(again) == "requester_is_proved"
    receipt = desk.approve(proposal)
    assert receipt.request is not None
    assert receipt.request.requester == proved
    assert refusal(again) == "proposal_closed"


def test_an_approver_who_vouches_for_himself_can_not_approve(desk: Desk) -> None:
    proposal = desk.propose(request_draft(requester=Requester()))
    desk.approvals.vouch(proposal.proposal_id, "0302", PINS[LEADER])
    assert refusal(lambda: desk.approve(proposal)) == "requester_is_approver"


def test_only_the_requester_withdraws(desk: Desk) -> None:
    proposal = parked(desk)
    assert refusal(lambda: desk.decide(proposal, Meaning.WITHDRAWN, SUPERVISOR)) == "not_requester"
    receipt = desk.decide(proposal, Meaning.WITHDRAWN, OPERATOR, "直った")
    assert receipt.request is None
    assert desk.state("r1")["t1"] == {"status": "withdrawn", "reason": "直った"}
    assert desk.approve(proposal).decision.meaning is Meaning.WITHDRAWN


def test_one_pin_holds_for_a_while_for_its_person_only(desk: Desk) -> None:
    one, two, three = (desk.propose(request_draft(title=f"点検 {n}")) for n in range(3))
    decide = desk.approvals.decide
    assert refusal(lambda: decide(verdict(one, Meaning.APPROVED), "0302")) == "pin_needed"
    desk.approve(one)
    desk.clock.forward(seconds=59)
    assert decide(verdict(two, Meaning.APPROVED), "0302").first
    assert refusal(lambda: decide(verdict(three, Meaning.APPROVED), "0401")) == "pin_needed"
    desk.clock.forward(seconds=1)
    assert refusal(lambda: decide(verdict(three, Meaning.APPROVED), "0302")) == "pin_needed"
    assert desk.decide(three, Meaning.APPROVED).first


def test_a_change_of_person_ends_the_session_and_strict_mode_has_none(tmp_path: Path, desk: Desk) -> None:
    one, two = (desk.propose(request_draft(title=f"点検 {n}")) for n in range(2))
    desk.approve(one)
    desk.approvals.end_session("0302")
    assert refusal(lambda: desk.approvals.decide(verdict(two, Meaning.APPROVED), "0302")) == "pin_needed"
    strict = open_desk(tmp_path / "strict", session_seconds=0)
    one, two = (strict.propose(request_draft(title=f"点検 {n}")) for n in range(2))
    strict.approve(one)
    assert refusal(lambda: strict.approvals.decide(verdict(two, Meaning.APPROVED), "0302")) == "pin_needed"
    strict.journal.close()


def test_someone_who_left_the_roster_meanwhile_decides_nothing(desk: Desk) -> None:
    one, two = (desk.propose(request_draft(title=f"点検 {n}")) for n in range(2))
    desk.approve(one)
    with desk.journal.transaction() as tx:
        people.put(tx, [SUPERVISOR], replace=True)
    assert refusal(lambda: desk.approvals.decide(verdict(two, Meaning.APPROVED), "0302")) == "person_unknown"


# --- again, and too late


def test_a_returned_proposal_comes_again_under_its_id(desk: Desk) -> None:
    first = desk.propose(request_draft(conversation_id="c1"))
    assert refusal(lambda: desk.approvals.resubmit(first.proposal_id, Edits(), first.requester)) == (
        "resubmit_not_possible"
    )
    desk.decide(first, Meaning.RETURNED, reason="停止時刻を書いて")
    again = desk.approvals.resubmit(first.proposal_id, Edits(detail="8:40 に停止"), first.requester)
    assert (again.proposal_id, again.revision, again.state) == (first.proposal_id, 2, ProposalState.PENDING)
    assert again.evidence == first.evidence
    old = desk.approve(first)
    assert (old.first, old.decision.meaning, old.request) == (False, Meaning.RETURNED, None)
    receipt = desk.approve(again)
    assert receipt.request is not None
    assert (receipt.request.revision, receipt.request.detail) == (2, "8:40 に停止")
    assert [row["revision"] for row in desk.rows("SELECT revision FROM outbox")] == [2]


def test_a_model_that_mends_what_was_returned_makes_the_next_revision(desk: Desk) -> None:
    first = parked(desk)
    desk.decide(first, Meaning.RETURNED, reason="件名を短く")
    mended = request_draft(conversation_id="c1", run_id="r1", tool_use_id="t2", title="ノズル点検")
    (made,) = desk.approvals.propose([mended])
    assert (made.new, made.proposal.proposal_id, made.proposal.revision) == (True, first.proposal_id, 2)
    (another,) = desk.approvals.propose([replace(mended, tool_use_id="t3", equipment_id="EQ-009")])
    assert another.proposal.proposal_id != first.proposal_id


def test_what_waits_too_long_expires_tells_the_model_and_can_come_again(desk: Desk) -> None:
    proposal = parked(desk)
    desk.clock.forward(days=13, hours=23)
    assert desk.approvals.expire() == ()
    desk.clock.forward(hours=1)
    assert refusal(lambda: desk.approve(proposal)) == "proposal_expired"
    (over,) = desk.approvals.expire()
    assert (over.proposal_id, over.state) == (proposal.proposal_id, ProposalState.EXPIRED)
    assert desk.approvals.expire() == desk.approvals.pending() == ()
    assert desk.rows("SELECT action FROM audit WHERE seq > 1") == [{"action": "expired"}]
    assert desk.state("r1")["t1"] == {"status": "expired", "reason": ""}
    assert refusal(lambda: desk.approve(proposal)) == "proposal_expired"
    assert [(one.proposal_id, one.state) for one in desk.approvals.resubmittable()] == [
        (proposal.proposal_id, ProposalState.EXPIRED)
    ]
    again = desk.approvals.resubmit(proposal.proposal_id, Edits(), proposal.requester)
    assert desk.approvals.resubmittable() == ()
    assert desk.approve(again).request is not None


def test_decided_rows_never_change(desk: Desk) -> None:
    desk.approve(desk.propose())
    for sql in (
        "UPDATE proposals SET state = 'pending'",
        "UPDATE decisions SET reason = 'x'",
        "DELETE FROM decisions",
    ):
        with pytest.raises(apsw.ConstraintError), desk.journal.transaction() as tx:
            tx.run(sql)


def test_numbers_are_never_given_twice_among_threads_and_failures(desk: Desk) -> None:
    def draw_a_number_and_fail() -> None:
        with desk.journal.transaction() as tx:
            requests.next_number(tx, "P07")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        draw_a_number_and_fail()
    other = open_desk(desk.journal.file.parent)
    numbers: list[str] = []

    def approve_five(at: Desk) -> None:
        for n in range(5):
            request = at.approve(at.propose(request_draft(title=f"{id(at)} {n}"))).request
            assert request is not None
            numbers.append(request.number)

    threads = [threading.Thread(target=approve_five, args=(at,)) for at in (desk, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == [f"WR-P07-{n:04d}" for n in range(1, 11)]
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
    other.journal.close()


def test_an_unknown_proposal_is_named(desk: Desk) -> None:
    assert refusal(lambda: desk.approvals.proposal("nothing")) == "proposal_unknown"
    assert refusal(lambda: desk.approve(replace(desk.propose(), proposal_id="nothing"))) == "proposal_unknown"
