"""Every code of the lower layers has words."""

from datetime import UTC, date, datetime

import pytest

from desktop.agent.events import StopReason, Usage
from desktop.domain.work_request import Delivery, KnownBy, Meaning, Requester
from desktop.evidence import phrases
from desktop.ui import messages
from desktop.workers import commands
from desktop.workers.station import Reach
from tests.fakes.station import NOW, PIN, FakeStation, proposal


@pytest.mark.parametrize("reason", [reason for reason in StopReason if reason is not StopReason.END_TURN])
def test_every_reason_to_stop_is_told(reason: StopReason) -> None:
    assert messages.stop_words(reason, "").endswith("。")
    assert messages.stop_words(reason, "詳しく。").endswith("詳しく。")


def test_every_state_has_a_word() -> None:
    assert len({messages.delivery_words(state) for state in (*Delivery, None)}) == len(Delivery) + 1
    assert len({messages.reach_words(reach) for reach in Reach}) == len(Reach)
    assert len({messages.requester_words(Requester("1", "鈴木", how)) for how in KnownBy}) == len(KnownBy)


def test_a_state_has_one_name_in_the_window_and_in_answers_papers_and_commands() -> None:
    assert {state: messages.delivery_words(state) for state in Delivery} == phrases.DELIVERIES
    assert messages.delivery_words(None) == phrases.REGISTERED


def test_look_ups_of_harness_and_tools_have_the_same_words() -> None:
    assert messages.step_word("search_records") == messages.step_word("records") == "記録"
    assert messages.step_word("search_equipment") == "台帳"
    assert messages.step_word("new_tool") == "new_tool"


def test_a_decision_is_told_with_its_number_or_its_reason() -> None:
    station = FakeStation()
    station.proposals["p-1"] = proposal()
    said = []
    for meaning in (Meaning.APPROVED, Meaning.REJECTED):
        station.decisions.clear()
        decided = station.decide(commands.Decide("p-1", 1, "", meaning, "0301", PIN, reason="不要" if said else ""))
        said.append(messages.decision_words(decided.decision, decided.request))
    assert "承認しました：WR-P07-0001（送信待ち）" in said[0]
    assert said[1].endswith("「登録しない」としました：不要")


def test_times_and_days_are_as_short_as_they_can_be() -> None:
    now = datetime.now(UTC)
    assert len(messages.moment(now)) == 5
    assert "/" in messages.moment(datetime(2020, 3, 4, tzinfo=UTC))
    assert messages.day(date(2020, 3, 4)) == "2020/3/4"
    assert messages.day(date(now.astimezone().year, 3, 4)) == "3/4"
    assert NOW.tzinfo is not None


def test_usage_names_its_cost_only_where_known() -> None:
    assert "USD" not in messages.usage_words(Usage(2, 4812, 655, None, 1.4))
    priced = messages.usage_words(Usage(2, 4812, 655, 0.02, 1.4))
    assert priced == "2周・入力 4,812・出力 655 トークン・1.4秒・0.020 USD"
