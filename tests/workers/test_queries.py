"""Reads and decisions are answered in order, on their own thread, also while an answer streams."""

from collections.abc import Callable
from typing import get_args

from pytestqt.qtbot import QtBot

from desktop.workers import commands
from desktop.workers.crew import Crew
from desktop.workers.queries import Answered, Queries, Refused
from desktop.workers.station import StationState
from desktop.workers.worker import Bridge
from tests.fakes.station import ANSWER, CITATIONS, DRAFT, ISSUED_PIN, MACHINES, PIN, FakeStation
from tests.workers.conftest import Listener

Listen = Callable[[Bridge], Listener]


def test_every_query_has_its_answer(qtbot: QtBot, listen: Listen) -> None:
    station = FakeStation()
    queries = Queries(lambda: station)
    listener = listen(queries.bridge)
    decide = commands.Decide("p-1", 1, "a" * 64, commands.Meaning.APPROVED, "0301", PIN)
    asked = (
        commands.OpenStation(),
        commands.FindEquipment("ライン3"),
        commands.ListConversations(),
        commands.OpenConversation("c"),
        commands.ListPending(),
        commands.ListRequests(),
        commands.OpenSource(CITATIONS[0]),
        commands.OpenSent("r-1"),
        commands.IdentifyPerson("0102"),
        commands.ChangePin("0102", ISSUED_PIN, PIN),
        commands.Propose(DRAFT, "c"),
        commands.ListResubmittable(),
        commands.Resubmit("p-1", DRAFT),
        commands.PrepareApproval("p-1"),
        commands.EndSession(),
        decide,
    )
    assert {type(query) for query in asked} == set(get_args(commands.Query))
    for query in asked:
        queries.ask(query)
    qtbot.waitUntil(lambda: len(listener.heard) == len(asked))
    assert [happening.query for happening in listener.of(Answered)] == list(asked)
    assert isinstance(listener.heard[0].value, StationState)
    assert listener.heard[1].value == MACHINES[1:]
    assert set(station.threads.values()) == {"queries"}
    assert queries.close()


def test_a_refusal_names_its_query(qtbot: QtBot, listen: Listen) -> None:
    queries = Queries(FakeStation)
    listener = listen(queries.bridge)
    wrong = commands.IdentifyPerson("0102", "000000")
    queries.ask(wrong)
    queries.ask(commands.PrepareApproval("unknown"))
    qtbot.waitUntil(lambda: len(listener.of(Refused)) == 2)
    assert [refused.failure.code for refused in listener.heard] == ["pin_wrong", "internal_error"]
    assert listener.heard[0].query == wrong
    assert queries.close()


def test_a_decision_does_not_wait_for_a_streaming_answer(qtbot: QtBot, listen: Listen) -> None:
    station = FakeStation(with_model=True)
    station.gate.clear()
    station.propose(commands.Propose(DRAFT, "c"))
    crew = Crew.start(lambda: station)
    runs, replies = listen(crew.agent.bridge), listen(crew.queries.bridge)
    crew.agent.submit(commands.Ask("ライン3の充填機でE-12", "c"))
    qtbot.waitUntil(lambda: len(runs.heard) > 3)
    crew.queries.ask(commands.Decide("p-1", 1, "a" * 64, commands.Meaning.APPROVED, "0301", PIN))
    qtbot.waitUntil(lambda: bool(replies.heard))
    assert replies.heard[0].value.first
    assert ANSWER.summary
    station.gate.set()
    assert crew.close()
