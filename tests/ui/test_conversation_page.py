"""One conversation by itself: what locks it, what ends it, what it forgets."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QStyle, QStyleOptionSlider, QWidget
from pytestqt.qtbot import QtBot

from desktop.agent import events
from desktop.agent.events import ApprovalRequested, RunStopped, StopReason
from desktop.domain.work_request import Meaning
from desktop.ui.approval_card import ApprovalCard
from desktop.ui.conversation_page import ConversationPage
from desktop.workers import commands
from desktop.workers.worker import Failure
from tests.fakes.station import ANSWER, PIN, FakeStation, proposal


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


class Reader:
    """A person in front of a page with a long answer, who scrolls it by each way there is."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.page = ConversationPage("c")
        qtbot.addWidget(self.page)
        self.page.resize(900, 420)
        self.page.show()
        self.bar = self.page.verticalScrollBar()
        self.ask("ライン3の充填機でE-12が出た")

    def ask(self, question: str) -> None:
        self.page.start_run(question)
        self.page.handle(events.AnswerComposed(ANSWER))
        self.page.end_run(None)
        self.settle()

    def settle(self) -> None:
        for _ in range(4):
            QApplication.processEvents()

    def widget(self, name: str) -> QWidget:
        return self.page.findChildren(QWidget, name)[-1]

    def top_of(self, part: QWidget) -> int:
        """Where a part begins, in pixels below the upper edge of what is seen."""
        return part.mapTo(self.page.viewport(), QPoint(0, 0)).y()

    def sees_whole(self, part: QWidget) -> bool:
        return self.top_of(part) >= 0 and self.top_of(part) + part.height() <= self.page.viewport().height()

    def drag(self, pixels: int = 0) -> None:
        option = QStyleOptionSlider()
        self.bar.initStyleOption(option)
        style = self.bar.style()
        handle = style.subControlRect(
            QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, self.bar
        ).center()
        to = handle + QPoint(0, pixels or self.bar.height())
        self.qtbot.mousePress(self.bar, Qt.MouseButton.LeftButton, pos=handle)
        self.qtbot.mouseMove(self.bar, to)
        self.qtbot.mouseRelease(self.bar, Qt.MouseButton.LeftButton, pos=to)

    def page_down(self) -> None:
        self.widget("citationChip").setFocus()
        self.qtbot.keyClick(self.widget("citationChip"), Qt.Key.Key_PageDown)

    def tab(self) -> None:
        self.page.findChildren(QWidget, "citationChip")[0].setFocus()
        while self.bar.value() < 100:
            self.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)

    def wheel(self) -> None:
        view = self.page.viewport()
        at = QPointF(view.rect().center())
        turned = QWheelEvent(
            at, view.mapToGlobal(at), QPoint(), QPoint(0, -600), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, turned)


WAYS = ["drag", "page_down", "tab", "wheel"]


@pytest.fixture
def reader(qtbot: QtBot) -> Reader:
    return Reader(qtbot)


@pytest.mark.parametrize("way", [*WAYS, ""])
def test_writing_a_request_brings_its_form_up_with_the_cursor_in_its_title(reader: Reader, way: str) -> None:
    if way:
        getattr(reader, way)()
    reader.qtbot.mouseClick(reader.widget("draftRequestButton"), Qt.MouseButton.LeftButton)
    reader.settle()
    assert QApplication.focusWidget() is reader.widget("draftTitle")
    assert reader.sees_whole(reader.widget("requestForm"))
    reader.drag(-400)
    reader.qtbot.mouseClick(reader.widget("draftRequestButton"), Qt.MouseButton.LeftButton)
    assert reader.sees_whole(reader.widget("draftTitle"))


@pytest.mark.parametrize("way", WAYS)
def test_who_scrolled_keeps_the_place_whatever_grows_or_turns_narrow(reader: Reader, way: str) -> None:
    reader.ask("ほかには")
    getattr(reader, way)()
    assert reader.bar.value() > 50
    seen = (reader.page.widget().childAt(450, reader.bar.value() + down) for down in range(0, 60, 6))
    row = next(part for part in seen if isinstance(part, QLabel))
    before = reader.top_of(row)
    low = reader.bar.maximum()
    reader.page.handle(events.ProviderChosen("openai", "qwen", "r1"))
    reader.page.handle(events.TextDelta("逆洗する。\n\n" * 40))
    reader.qtbot.waitUntil(lambda: reader.bar.maximum() != low and reader.top_of(row) == before)
    low = reader.bar.maximum()
    reader.page.resize(600, 420)
    reader.qtbot.waitUntil(lambda: reader.bar.maximum() != low and reader.top_of(row) == before)
    low = reader.bar.maximum()
    reader.page.runs[0].fail(Failure("net_offline", {"host": "ai.example"}))  # far above
    reader.qtbot.waitUntil(lambda: reader.bar.maximum() != low and reader.top_of(row) == before)


@pytest.mark.parametrize(("width", "height"), [(660, 90), (660, 200), (900, 420), (1100, 700)])
def test_how_to_be_safe_is_seen_on_every_screen_without_scrolling(reader: Reader, width: int, height: int) -> None:
    """A message above the answer at 200 % leaves 90 pixels of it."""
    reader.page.resize(width, height)
    reader.ask("ほかには")
    safety = reader.widget("answerSafety")
    reader.qtbot.waitUntil(lambda: reader.sees_whole(safety))
    question = reader.top_of(reader.page.runs[-1])
    assert question >= 0 or reader.top_of(safety) + safety.height() > height - 12
    reader.page.resize(width, 90)
    reader.qtbot.waitUntil(lambda: reader.sees_whole(safety))


def test_a_question_stays_at_the_top_while_its_answer_grows(reader: Reader) -> None:
    reader.page.start_run("ほかには")
    for event in (events.AnswerComposed(ANSWER), events.TextDelta("逆洗する。\n\n" * 40)):
        reader.page.handle(event)
        reader.settle()
    assert 0 <= reader.top_of(reader.page.runs[-1]) < 12


def test_a_sent_form_gives_way_to_its_approval_where_it_stood(reader: Reader) -> None:
    reader.qtbot.mouseClick(reader.widget("draftRequestButton"), Qt.MouseButton.LeftButton)
    reader.ask("ほかには")
    reader.page.findChildren(QWidget, "requestForm")[0].setEnabled(False)
    reader.page.show_proposal(proposal())
    reader.settle()
    first, second = reader.page.runs
    assert (first.has_proposal("p-1"), second.has_proposal("p-1")) == (True, False)
    assert not first.sends_form
    (card,) = first.findChildren(ApprovalCard)
    assert reader.sees_whole(card)
