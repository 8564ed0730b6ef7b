"""What was sent back or has expired is corrected with the reason in sight, and waits again in the card it had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.domain.work_request import KnownBy, Meaning, Proposal, ProposalState
from desktop.errors import KnownError
from desktop.ui import messages
from desktop.ui.requests_panel import RequestsPage
from desktop.workers import commands
from desktop.workers.station import CameBack
from tests.fakes.station import DRAFT, NOW, PIN, proposal
from tests.ui.conftest import Bench

Make = Callable[..., Bench]


def resubmissions(desk: Bench) -> list[commands.Resubmit]:
    return [call for call in desk.station.calls if isinstance(call, commands.Resubmit)]


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


def test_it_is_corrected_with_the_reason_in_sight_and_only_sending_puts_it_before_an_approver(bench: Make) -> None:
    desk = bench()
    returned(desk)
    assert not desk.seen("openApprovalButton")
    desk.press("requestsButton")
    found = desk.wait_for("resubmittableList")
    at = messages.moment(NOW)
    assert found.item(0).text().startswith(f"差戻し {at} 中村 徹：写真を付けて\nライン3 充填機 EQ-003")
    desk.press("resubmitButton")
    desk.wait_for("resubmitDialog")
    assert desk.find("resubmitReason").text() == f"差戻し {at} 中村 徹：写真を付けて"
    assert desk.find("draftTitle").text() == "充填ノズル Oリング交換"
    desk.find("draftDetail").setPlainText("写真を付けました。")
    assert resubmissions(desk) == []
    desk.press("draftSubmit")
    desk.wait_for("approvalDialog")
    assert not desk.seen("resubmitDialog")
    (asked,) = resubmissions(desk)
    assert (asked.proposal_id, asked.requester.known_by) == ("p-1", KnownBy.NONE)
    assert asked.draft.detail == "写真を付けました。"
    assert desk.find("approvalDetail").toPlainText() == "写真を付けました。"
    assert desk.find("approvalBefore").text() == f"再提出の依頼です。前回：差戻し {at} 中村 徹：写真を付けて"
    assert desk.desk.drafts.all() == {}
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
    again.wait_for("resubmitDialog")
    again.press("draftSubmit")
    again.wait_for("approvalDialog")
    again.press("deferButton")
    again.wait_for("approvalCard")
    again.wait(lambda: "保全依頼：承認待ち" in again.words("approvalCard"))
    assert len(again.all("approvalCard")) == 1


def test_the_decision_on_the_revision_before_changes_nothing_any_more(bench: Make) -> None:
    desk = bench()
    made = returned(desk)
    card = desk.find("approvalCard")
    again = desk.station.resubmit(commands.Resubmit(made.proposal_id, DRAFT))
    card.show_again(again)
    before = desk.station.decide(commands.Decide("p-1", 1, "", Meaning.REJECTED, "0401", PIN, reason="不要")).decision
    card.show_decision(replace(before, revision=1), None)
    assert "保全依頼：承認待ち" in desk.words("approvalCard")


def test_expired_ones_are_named_so(qtbot) -> None:  # type: ignore[no-untyped-def]
    page = RequestsPage()
    qtbot.addWidget(page)
    expired = CameBack(replace(proposal(), state=ProposalState.EXPIRED), NOW)
    page.show_resubmittable([expired])
    shown = page.findChild(QWidget, "resubmittableList")
    assert shown.item(0).text().startswith(f"期限切れ {messages.moment(NOW)}\n")  # type: ignore[attr-defined]
    with qtbot.waitSignal(page.resubmit_wanted) as told:
        page.findChild(QWidget, "resubmitButton").click()  # type: ignore[attr-defined]
    assert told.args == [expired]


def test_what_is_picked_stays_picked_while_the_list_is_renewed(qtbot) -> None:  # type: ignore[no-untyped-def]
    page = RequestsPage()
    qtbot.addWidget(page)
    first, second = (CameBack(proposal(key), NOW, "中村 徹", "写真を付けて") for key in ("p-1", "p-2"))
    page.show_resubmittable([first, second])
    page.findChild(QWidget, "resubmittableList").setCurrentRow(1)  # type: ignore[attr-defined]
    page.show_resubmittable([first, second])
    with qtbot.waitSignal(page.resubmit_wanted) as told:
        page.findChild(QWidget, "resubmitButton").click()  # type: ignore[attr-defined]
    assert told.args == [second]


def test_a_correction_before_resubmission_survives_esc_and_a_restart(bench: Make) -> None:
    desk = bench()
    returned(desk)
    desk.press("requestsButton")
    desk.wait_for("resubmitButton")
    desk.press("resubmitButton")
    desk.wait_for("resubmitDialog")
    desk.find("draftDetail").setPlainText("左から3番目。写真は")
    desk.qtbot.keyClick(desk.find("draftTitle"), Qt.Key.Key_Return)
    assert desk.seen("resubmitDialog")
    assert resubmissions(desk) == []
    desk.qtbot.keyClick(desk.find("resubmitDialog"), Qt.Key.Key_Escape)
    kept = desk.desk.drafts.all()
    desk.close()
    again = bench(station=desk.station)
    again.desk.restore_drafts(kept)
    again.wait_for("returnedButton")
    assert again.find("returnedButton").text() == "▲ 差戻し・期限切れ 1件"
    again.press("returnedButton")
    again.wait_for("resubmitButton")
    again.press("resubmitButton")
    again.wait_for("resubmitDialog")
    assert again.find("draftDetail").toPlainText() == "左から3番目。写真は"
    again.press("draftDiscard")
    assert not again.seen("resubmitDialog")
    assert again.desk.drafts.all() == {}


def test_a_refused_resubmission_leaves_the_text_for_another_try(bench: Make) -> None:
    desk = bench()
    returned(desk)
    desk.press("requestsButton")
    desk.wait_for("resubmitButton")
    desk.press("resubmitButton")
    desk.wait_for("resubmitDialog")
    desk.find("draftDetail").setPlainText("写真を付けました。")
    desk.station.trouble = KnownError("journal_busy")
    desk.press("draftSubmit")
    desk.wait(lambda: any(note.isVisible() for note in desk.find("resubmitDialog").findChildren(QWidget, "errorText")))
    assert desk.find("draftDetail").toPlainText() == "写真を付けました。"
    assert any(key.startswith("resubmission ") for key in desk.desk.drafts.all())
    desk.station.trouble = None
    desk.press("draftSubmit")
    desk.wait_for("approvalDialog")
    assert desk.find("approvalDetail").toPlainText() == "写真を付けました。"


def test_what_expires_or_is_sent_back_elsewhere_waits_no_more_in_its_conversation(bench: Make) -> None:
    desk = bench()
    desk.ask("ライン3の充填機のOリング交換を依頼して")
    desk.wait_for("approvalDialog")
    desk.press("deferButton")
    desk.wait(lambda: not desk.desk.page.running)
    assert not desk.find("questionInput").isEnabled()
    expired = CameBack(replace(desk.station.proposals["p-1"], state=ProposalState.EXPIRED), NOW)
    desk.station.expired = [expired]
    desk.desk.requests.refresh()
    desk.wait(lambda: "期限切れ" in desk.words("approvalCard"))
    assert not desk.seen("openApprovalButton")
    assert desk.find("questionInput").isEnabled()
