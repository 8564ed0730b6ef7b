"""What follows in a conversation: what was tried, a choice, a wish for a request, a word that it works again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop import wiring
from desktop.agent.events import AnswerComposed, ApprovalRequested, ChoiceNeeded, Event
from desktop.domain.answer import Answer, AnswerStatus
from desktop.evidence.fixed_words import ALREADY_DRAFTED, ASK_ON, CLOSE_OUT
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services.ask import Question, ask
from desktop.services.station import Services

ASKED = "ライン3の充填機でE-12が出た"
TITLE = "EQ-003 充填機 E-12 充填ノズル詰まり"
Say = Callable[[str], list[Event]]


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with wiring.open_services(DataDir(Path(tmp_path_factory.mktemp("talk"))), sample=True) as opened:
        yield opened


@pytest.fixture
def say(station: Services, request: pytest.FixtureRequest) -> Say:
    """One conversation a test."""

    def said(text: str) -> list[Event]:
        return list(ask(station, Question(text, request.node.name, provider="offline"), Cancellation()))

    return said


def answer_of(events: list[Event]) -> Answer:
    (composed,) = (event for event in events if isinstance(event, AnswerComposed))
    return composed.answer


def moves(answer: Answer) -> list[str]:
    return [line.text for line in answer.next_moves]


def test_what_was_tried_is_left_out_and_the_figures_stay(say: Say) -> None:
    first = answer_of(say(ASKED))
    assert "Oリング交換" in moves(first)[0]
    second = answer_of(say("Oリングも替えたけど直らない"))
    third = answer_of(say("それでも直らない"))
    for later in (second, third):
        assert later.summary == first.summary
        assert later.blocks[0].history == first.blocks[0].history
        assert not any("Oリング" in move for move in moves(later))
    assert "ノズル清掃" in moves(second)[0]
    assert not any("ノズル清掃" in move for move in moves(third))


def test_a_request_takes_its_trouble_from_the_conversation_and_is_made_once(say: Say) -> None:
    say(ASKED)
    say("Oリングも替えたけど直らない")
    proposals = []
    for words in ("依頼を出して", "もう一度依頼出して"):
        events = say(words)
        (asked,) = (event.proposal for event in events if isinstance(event, ApprovalRequested))
        proposals.append(asked)
    assert [one.title for one in proposals] == [TITLE, TITLE]
    assert f"現象：「{ASKED}」" in proposals[0].detail
    assert "試したこと：Oリング替え：直らない" in proposals[0].detail
    assert proposals[0].tried == ("Oリング替え：直らない",)
    assert proposals[0].proposal_id == proposals[1].proposal_id
    assert answer_of(events).summary == ALREADY_DRAFTED


def test_more_that_was_tried_is_another_request(say: Say) -> None:
    say(ASKED)
    first = [event.proposal for event in say("依頼を出して") if isinstance(event, ApprovalRequested)]
    say("Oリングも替えたけど直らない")
    again = [event.proposal for event in say("依頼を出して") if isinstance(event, ApprovalRequested)]
    assert first[0].detail != again[0].detail


def test_what_works_again_is_written_down_not_repaired(say: Say) -> None:
    say(ASKED)
    answer = answer_of(say("直りました、ありがとう"))
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.blocks == ()
    assert moves(answer) == [CLOSE_OUT, ASK_ON]
    assert answer.warnings == ()


def test_the_same_trouble_on_the_other_line(say: Say) -> None:
    say(ASKED)
    say("Oリングも替えたけど直らない")
    other = answer_of(say("ライン1の方は？"))
    assert other.equipment is not None
    assert other.equipment.equipment_id == "EQ-001"
    assert other.blocks[0].subject == "E-12"
    assert other.request_draft is not None
    assert "Oリング" not in other.request_draft.detail.split("\n")[2]


@pytest.mark.parametrize("words", ["3ラインのやつ", "EQ-003", "2番目", "二つ目です", "ライン3", "ライン3の方", "最後"])
def test_a_short_answer_chooses_among_those_offered(say: Say, words: str) -> None:
    (choice,) = (event for event in say("充填機でE-12") if isinstance(event, ChoiceNeeded))
    assert [one.equipment_id for one in choice.resolution.focus.candidates] == ["EQ-001", "EQ-003"]
    answer = answer_of(say(words))
    assert answer.equipment is not None
    assert (answer.equipment.equipment_id, answer.blocks[0].subject) == ("EQ-003", "E-12")
    assert answer_of(say("清掃したが直らない")).blocks[0].subject == "E-12"


@pytest.mark.parametrize("words", ["3番目", "EQ-005", "EQ-003でE-21が出た"])
def test_words_that_name_none_of_them_answer_no_pending_question(say: Say, words: str) -> None:
    say("充填機でE-12")
    told = [event.answer for event in say(words) if isinstance(event, AnswerComposed)]
    assert not any(block.subject == "E-12" for answer in told for block in answer.blocks)
