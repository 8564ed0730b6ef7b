"""What was sent back or has expired waits again after one press, in the card it had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from desktop.domain.work_request import KnownBy, Meaning, Proposal, ProposalState
from desktop.ui.requests_panel import RequestsPage
from desktop.workers import commands
from tests.fakes.station import PIN, proposal
from tests.ui.conftest import Bench

Make = Callable[..., Bench]


def returned(desk: Bench) -> Proposal:
    """A proposal of the conversation in front, decided elsewhere."""
    desk.ask("ライン3の充填機のOリング交換を依頼して")
    desk.wait_for("approvalDialog")
    desk.press("deferButton")
    desk.wait(lambda: not desk.desk.page.running)
    made = desk.station.proposals["p-1"]
    desk.station.decide(commands.Decide("p-1", 1, "a" * 64, Meaning.RETURNED, "0401", PIN, reason="写真を付けて"))
    desk.find("openApprovalButton").click()
    desk.wait(lambda: "差戻し" in desk.words("approvalCard"))
    return made


def test_one_press_puts_it_before_an_approver_again(bench: Make) -> None:
    desk = bench()
    returned(desk)
    assert not desk.seen("openApprovalButton")
    desk.press("requestsButton")
    found = desk.wait_for("resubmittableList")
    assert "差戻し　ライン3 充填機 EQ-003" in found.item(0).text()
    desk.press("resubmitButton")
    desk.wait_for("approvalDialog")
    (asked,) = [call for call in desk.station.calls if isinstance(call, commands.Resubmit)]
    assert (asked.proposal_id, asked.requester.known_by) == ("p-1", KnownBy.NONE)
    desk.press("deferButton")
    assert len(desk.all("approvalCard")) == 1
    assert "保全依頼：承認待ち" in desk.words("approvalCard")
    assert desk.seen("openApprovalButton")
    assert not desk.find("questionInput").isEnabled()
    desk.wait(lambda: desk.find("pendingInbox").count() == 1)
    desk.press("requestsButton")
    desk.wait(lambda: not desk.seen("resubmittableList"))
    assert not desk.seen("resubmitButton")


def test_its_conversation_opens_where_it_was_not_at_hand(bench: Make) -> None:
    desk = bench()
    returned(desk)
    desk.close()
    again = bench(station=desk.station)
    again.press("requestsButton")
    again.wait_for("resubmitButton")
    again.press("resubmitButton")
    again.wait_for("approvalDialog")
    again.press("deferButton")
    again.wait_for("approvalCard")
    again.wait(lambda: "保全依頼：承認待ち" in again.words("approvalCard"))
    assert len(again.all("approvalCard")) == 1


def test_the_decision_on_the_revision_before_changes_nothing_any_more(bench: Make) -> None:
    desk = bench()
    made = returned(desk)
    card = desk.find("approvalCard")
    again = desk.station.resubmit(commands.Resubmit(made.proposal_id))
    card.show_again(again)
    before = desk.station.decide(commands.Decide("p-1", 1, "", Meaning.REJECTED, "0401", PIN, reason="不要")).decision
    card.show_decision(replace(before, revision=1), None)
    assert "保全依頼：承認待ち" in desk.words("approvalCard")


def test_expired_ones_are_named_so(qtbot) -> None:  # type: ignore[no-untyped-def]
    page = RequestsPage()
    qtbot.addWidget(page)
    page.show_resubmittable([replace(proposal(), state=ProposalState.EXPIRED)])
    shown = page.findChild(QWidget, "resubmittableList")
    assert shown.item(0).text().startswith("期限切れ　")  # type: ignore[attr-defined]
    with qtbot.waitSignal(page.resubmit_wanted) as told:
        page.findChild(QWidget, "resubmitButton").click()  # type: ignore[attr-defined]
    assert told.args == ["p-1"]
    assert not page.findChild(QWidget, "resubmitButton").isEnabled()
