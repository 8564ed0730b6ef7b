"""Runs on their own thread: one at a time, cancelled at once, stale ones told apart, none able to end the thread."""

import threading
from collections.abc import Callable, Iterator

from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from desktop.agent.events import Event, RunFinished, TextDelta, Thinking, TurnStarted
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.workers.agent_worker import AgentWorker, RunEnded, RunEvent
from desktop.workers.commands import Ask, RunCommand
from desktop.workers.worker import Failure
from tests.workers.conftest import Listener

Listen = Callable[..., Listener]


def ask(text: str, conversation: str = "c") -> Ask:
    return Ask(text, conversation)


def test_events_arrive_on_the_ui_thread_in_order_with_their_generation(qtbot: QtBot, listen: Listen) -> None:
    def run(_command: RunCommand, _cancelled: Cancellation) -> Iterator[Event]:
        assert threading.current_thread().name == "agent"
        yield TurnStarted(1)
        yield RunFinished("済")

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    generation = worker.submit(ask("q"))
    qtbot.waitUntil(lambda: bool(listener.of(RunEnded)))
    assert [happening.event for happening in listener.of(RunEvent)] == [TurnStarted(1), RunFinished("済")]
    assert {happening.generation for happening in listener.heard} == {generation}
    assert listener.threads == {QThread.currentThread()}
    assert worker.close()


def test_a_second_question_waits_for_the_first(qtbot: QtBot, listen: Listen) -> None:
    gate, running = threading.Event(), []

    def run(command: RunCommand, _cancelled: Cancellation) -> Iterator[Event]:
        running.append(command)
        yield TurnStarted(len(running))
        gate.wait(5)

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    worker.submit(ask("first"))
    worker.submit(ask("second", "other"))
    qtbot.waitUntil(lambda: bool(listener.of(RunEvent)))
    assert len(running) == 1
    gate.set()
    qtbot.waitUntil(lambda: len(listener.of(RunEnded)) == 2)
    assert [happening.conversation_id for happening in listener.of(RunEnded)] == ["c", "other"]
    assert worker.close()


def test_cancelling_reaches_a_busy_run_and_one_that_still_waits(qtbot: QtBot, listen: Listen) -> None:
    started: list[RunCommand] = []

    def run(command: RunCommand, cancelled: Cancellation) -> Iterator[Event]:
        started.append(command)
        yield TurnStarted(1)
        assert cancelled.wait(5)

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    first, second = worker.submit(ask("first")), worker.submit(ask("second"))
    qtbot.waitUntil(lambda: bool(started))
    worker.cancel(second)
    worker.cancel(first)
    qtbot.waitUntil(lambda: len(listener.of(RunEnded)) == 2)
    assert len(started) == 1
    assert worker.close()


def test_known_trouble_ends_a_run_with_its_sentence_and_a_bug_with_ours(qtbot: QtBot, listen: Listen) -> None:
    def run(command: RunCommand, _cancelled: Cancellation) -> Iterator[Event]:
        yield TurnStarted(1)
        raise KnownError("pin_wrong", left=3) if command == ask("known") else ZeroDivisionError

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    worker.submit(ask("known"))
    worker.submit(ask("bug"))
    qtbot.waitUntil(lambda: len(listener.of(RunEnded)) == 2)
    known, bug = (happening.failure for happening in listener.of(RunEnded))
    assert known == Failure("pin_wrong", {"left": 3})
    assert bug == Failure("internal_error", {"log": "hozen-navi.log"})
    assert worker.close()


def test_a_storm_of_pieces_becomes_few_and_loses_no_letter(qtbot: QtBot, listen: Listen) -> None:
    text = "".join(chr(0x3042 + n % 80) for n in range(3000))

    def run(_command: RunCommand, _cancelled: Cancellation) -> Iterator[Event]:
        yield from map(TextDelta, text)
        yield RunFinished(text)

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    worker.submit(ask("q"))
    qtbot.waitUntil(lambda: bool(listener.of(RunEnded)))
    pieces = [happening.event for happening in listener.of(RunEvent) if isinstance(happening.event, TextDelta)]
    assert "".join(piece.text for piece in pieces) == text
    assert len(pieces) < 300
    assert worker.close()


def test_thoughts_are_joined_as_text_is_and_never_with_it(qtbot: QtBot, listen: Listen) -> None:
    def run(_command: RunCommand, _cancelled: Cancellation) -> Iterator[Event]:
        yield from (Thinking(f"{n},") for n in range(1000))
        yield from (TextDelta(f"{n};") for n in range(1000))

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    worker.submit(ask("q"))
    qtbot.waitUntil(lambda: bool(listener.of(RunEnded)))
    heard = [happening.event for happening in listener.of(RunEvent)]
    assert len(heard) < 100
    thoughts = [event for event in heard if isinstance(event, Thinking)]
    assert heard[: len(thoughts)] == thoughts
    assert "".join(event.text for event in thoughts) == "".join(f"{n}," for n in range(1000))
    assert "".join(event.text for event in heard[len(thoughts) :]) == "".join(f"{n};" for n in range(1000))
    assert worker.close()


def test_closing_ends_the_thread_while_a_run_is_under_way(qtbot: QtBot, listen: Listen) -> None:
    def run(_command: RunCommand, cancelled: Cancellation) -> Iterator[Event]:
        yield TurnStarted(1)
        cancelled.wait(5)

    worker = AgentWorker(run)
    listener = listen(worker.bridge)
    worker.submit(ask("q"))
    qtbot.waitUntil(lambda: bool(listener.of(RunEvent)))
    assert worker.close()
