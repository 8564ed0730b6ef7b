"""Everything a worker says, collected on the UI thread."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from desktop.workers.worker import Bridge


class Listener(QObject):
    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self.heard: list[Any] = []
        self.threads: set[QThread] = set()
        bridge.happened.connect(self._on_happened)

    @Slot(object)
    def _on_happened(self, happening: object) -> None:
        self.heard.append(happening)
        self.threads.add(QThread.currentThread())

    def of(self, kind: type) -> list[Any]:
        return [happening for happening in self.heard if isinstance(happening, kind)]


@pytest.fixture
def listen(qapp: object) -> Iterator[Callable[[Bridge], Listener]]:
    kept: list[Listener] = []

    def start(bridge: Bridge) -> Listener:
        kept.append(Listener(bridge))
        return kept[-1]

    yield start
    for listener in kept:
        listener.deleteLater()
