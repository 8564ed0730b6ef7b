"""A walk through steps that do not help: the next action each time, at last a request that lists what was tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import wiring
from desktop.agent.events import AnswerComposed, ApprovalRequested
from desktop.domain.answer import Answer, AnswerStatus
from desktop.domain.outcome import Outcome, Trial
from desktop.domain.work_request import Priority
from desktop.evidence.fixed_words import CLOSE_OUT, ENOUGH_TRIED
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services.ask import Question, ask
from desktop.services.station import Services

ASKED = "ライン3の充填機でE-12が出た"
NO_CANCEL = Cancellation()


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with wiring.open_services(DataDir(Path(tmp_path_factory.mktemp("walk"))), sample=True) as opened:
        yield opened


def told(station: Services, conversation: str, text: str, trial: Trial | None = None) -> Answer:
    events = list(ask(station, Question(text, conversation, provider="offline", trial=trial), NO_CANCEL))
    (composed,) = (event for event in events if isinstance(event, AnswerComposed))
    return composed.answer


def failed(station: Services, conversation: str, step: str, outcome: Outcome = Outcome.NOT_FIXED) -> Answer:
    """As the window says it."""
    return told(station, conversation, f"「{step}」→ {outcome.value}", Trial(step, outcome))


def test_three_failures_end_in_a_request_that_lists_them(station: Services) -> None:
    answer = told(station, "walk-1", ASKED)
    tried = []
    for _ in range(3):
        step = answer.next_moves[0].text
        assert step not in tried
        tried.append(step)
        answer = failed(station, "walk-1", step)
        assert answer.equipment is not None
        assert answer.equipment.equipment_id == "EQ-003"
        assert "E-12 充填ノズル詰まり" in answer.summary
    assert [line.text for line in answer.next_moves] == [ENOUGH_TRIED]
    assert answer.request_draft is not None
    assert answer.request_draft.priority == Priority.HIGH
    for step in tried:
        assert f"{step}：直らない" in answer.request_draft.detail
    assert f"現象：「{ASKED}」" in answer.request_draft.detail
    events = list(ask(station, Question("保全依頼を出して", "walk-1", provider="offline"), NO_CANCEL))
    (asked,) = (event for event in events if isinstance(event, ApprovalRequested))
    assert asked.proposal.equipment_id == "EQ-003"
    assert asked.proposal.title == "EQ-003 充填機 E-12 充填ノズル詰まり"
    assert asked.proposal.tried == tuple(f"{step}：直らない" for step in tried)
    for step in tried:
        assert f"{step}：直らない" in asked.proposal.detail


def test_words_that_lean_on_what_was_said_never_become_what_is_meant(station: Services) -> None:
    told(station, "walk-3", ASKED)
    for words in ("清掃したが直らない", "Oリング交換もしたが直らない", "さっきのやつ、ノズル交換してもだめ"):
        answer = told(station, "walk-3", words)
        assert "E-12 充填ノズル詰まり" in answer.summary, words


def test_steps_that_cant_be_done_count_and_a_repair_is_closed_out(station: Services) -> None:
    answer = told(station, "walk-2", ASKED)
    step = answer.next_moves[0].text
    answer = failed(station, "walk-2", step, Outcome.UNABLE)
    assert all(step != line.text for line in answer.next_moves)
    answer = failed(station, "walk-2", answer.next_moves[0].text, Outcome.FIXED)
    assert [line.text for line in answer.next_moves] == [CLOSE_OUT]
    assert answer.status is AnswerStatus.ANSWERED
