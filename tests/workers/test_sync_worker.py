"""Rounds of sending: at start, when woken, when due, and on after a round that failed."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from desktop.errors import KnownError
from desktop.workers.station import Status, SyncRound
from desktop.workers.sync_worker import Synced, SyncFailed, SyncWorker
from desktop.workers.worker import Bridge
from tests.workers.conftest import Listener


def test_a_round_at_start_and_one_for_each_waking(qtbot: QtBot, listen: Callable[[Bridge], Listener]) -> None:
    rounds: list[int] = []

    def sync() -> SyncRound:
        rounds.append(1)
        return SyncRound(Status(unsent=len(rounds)), next_in=3600)

    worker = SyncWorker(sync)
    listener = listen(worker.bridge)
    qtbot.waitUntil(lambda: len(rounds) == 1)
    worker.wake()
    qtbot.waitUntil(lambda: bool(listener.heard) and listener.heard[-1] == Synced(SyncRound(Status(unsent=2), 3600)))
    assert worker.close()
    assert len(rounds) == 2


def test_the_next_round_comes_when_the_last_said_so(qtbot: QtBot, listen: Callable[[Bridge], Listener]) -> None:
    rounds: list[int] = []

    def sync() -> SyncRound:
        rounds.append(1)
        return SyncRound(Status(), next_in=0.0 if len(rounds) < 3 else 3600)

    worker = SyncWorker(sync)
    qtbot.waitUntil(lambda: len(rounds) == 3)
    assert worker.close()


def test_a_failed_round_is_told_and_the_worker_lives_on(qtbot: QtBot, listen: Callable[[Bridge], Listener]) -> None:
    rounds: list[int] = []

    def sync() -> SyncRound:
        rounds.append(1)
        if len(rounds) == 2:
            raise KnownError("pin_needed")
        return SyncRound(Status(), next_in=3600)

    worker = SyncWorker(sync)
    listener = listen(worker.bridge)
    qtbot.waitUntil(lambda: len(rounds) == 1)
    worker.wake()
    qtbot.waitUntil(lambda: bool(listener.of(SyncFailed)))
    worker.wake()
    qtbot.waitUntil(lambda: len(rounds) == 3)
    assert listener.of(SyncFailed)[0].failure.code == "pin_needed"
    assert worker.close()
