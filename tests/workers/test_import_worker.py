"""Imports report on their way, end in a report or a sentence, and stop when the window closes."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from desktop.errors import KnownError
from desktop.workers.commands import ImportFiles
from desktop.workers.import_worker import Imported, ImportFailed, ImportProgress, ImportWorker
from desktop.workers.worker import Bridge, Failure
from tests.fakes.station import FakeStation
from tests.workers.conftest import Listener

FILES = ImportFiles((Path("/plant"),))


def test_progress_then_the_report(qtbot: QtBot, listen: Callable[[Bridge], Listener]) -> None:
    worker = ImportWorker(FakeStation().import_files)
    listener = listen(worker.bridge)
    worker.submit(FILES)
    qtbot.waitUntil(lambda: bool(listener.of(Imported)))
    assert listener.heard[0] == ImportProgress("1 / 1")
    assert listener.heard[1].report["totals"] == {"equipment": 57}
    assert worker.close()


def test_bad_files_end_in_a_sentence(qtbot: QtBot, listen: Callable[[Bridge], Listener]) -> None:
    def refuse(*_given: object) -> dict[str, Any]:
        raise KnownError("setting_locked", key="x")

    worker = ImportWorker(refuse)
    listener = listen(worker.bridge)
    worker.submit(FILES)
    qtbot.waitUntil(lambda: bool(listener.of(ImportFailed)))
    assert listener.heard[0].failure == Failure("setting_locked", {"key": "x"})
    assert worker.close()


def test_closing_cancels_what_is_read(qtbot: QtBot, listen: Callable[[Bridge], Listener]) -> None:
    begun = threading.Event()

    def slow(_files: ImportFiles, _progress: object, cancelled: threading.Event) -> dict[str, Any]:
        begun.set()
        assert cancelled.wait(5)
        return {}

    worker = ImportWorker(slow)
    worker.submit(FILES)
    assert begun.wait(5)
    assert worker.close()
