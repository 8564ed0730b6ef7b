"""One conversation by itself: what locks it, what ends it, what it forgets."""

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.agent.events import ApprovalRequested, RunStopped, StopReason
from desktop.domain.work_request import Meaning
from desktop.ui.conversation_page import ConversationPage
from desktop.workers import commands
from desktop.workers.worker import Failure
from tests.fakes.station import PIN, FakeStation, proposal


@pytest.fixture
def page(qtbot: QtBot) -> ConversationPage:
    made = ConversationPage("c")
    qtbot.addWidget(made)
    return made


def test_a_proposal_locks_it_at_once_and_its_decision_opens_it(page: ConversationPage) -> None:
    station = FakeStation()
    station.proposals["p-1"] = proposal("p-1", "c")
    page.start_run("依頼して")
    page.handle(ApprovalRequested(station.proposals["p-1"]))
    assert page.waiting == station.proposals["p-1"]
    other = station.decide(commands.Decide("p-1", 1, "", Meaning.REJECTED, "0301", PIN, reason="不要"))
    page.show_decision(other.decision, other.request)
    assert page.waiting is None


def test_a_proposal_is_shown_once_however_often_it_is_told_of(page: ConversationPage) -> None:
    page.start_run("依頼して")
    page.handle(ApprovalRequested(proposal()))
    page.show_proposal(proposal())
    assert sum(card.has_proposal("p-1") for card in page.runs) == 1


def test_a_proposal_without_a_question_of_this_window_gets_a_card_too(page: ConversationPage) -> None:
    page.show_proposal(proposal())
    assert [card.question for card in page.runs] == [proposal().title]


def test_the_oldest_of_more_than_thirty_questions_goes(page: ConversationPage) -> None:
    for number in range(33):
        page.start_run(f"{number}番目")
    assert [card.question for card in page.runs][:1] == ["3番目"]
    assert len(page.runs) == 30


def test_a_failure_and_an_early_end_are_told(page: ConversationPage) -> None:
    page.start_run("質問")
    page.generation = 1
    page.handle(RunStopped(StopReason.TURN_LIMIT, "10周"))
    page.end_run(Failure("net_offline", {"host": "ai.example"}))
    assert not page.running
    assert not page.log.running
    said = "\n".join(label.text() for label in page.findChildren(QLabel))
    assert "ネットワークにつながっていません（ai.example）" in said
    assert "HN-203 " in said
