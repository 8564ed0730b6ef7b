"""Questions, one at a time, on their own thread; their events reach the window as they happen."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from desktop.agent.events import Event, TextDelta, Thinking
from desktop.net import Cancellation
from desktop.workers.commands import RunCommand
from desktop.workers.worker import Bridge, Failure, Worker, failure_of

_DELTA_SECONDS = 0.04  # 500 tokens a second one by one kept the UI thread waiting for 100 ms

Run = Callable[[RunCommand, Cancellation], Iterator[Event]]


@dataclass(frozen=True, slots=True)
class RunEvent:
    generation: int
    conversation_id: str
    event: Event


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run's last word; `failure` when it broke off instead of finishing."""

    generation: int
    conversation_id: str
    failure: Failure | None = None


Happening = RunEvent | RunEnded


@dataclass(frozen=True, slots=True)
class _Job:
    generation: int
    command: RunCommand
    cancelled: Cancellation


class AgentWorker:
    """Each command gets a generation number; the window drops what comes from one it has given up."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._generations = itertools.count(1)
        self._waiting: dict[int, _Job] = {}
        self._worker: Worker[_Job] = Worker("agent", self._handle)

    @property
    def bridge(self) -> Bridge:
        return self._worker.bridge

    def submit(self, command: RunCommand) -> int:
        """Queue a run; the number returned is on every event of it."""
        job = _Job(next(self._generations), command, Cancellation())
        self._waiting[job.generation] = job
        self._worker.put(job)
        return job.generation

    def cancel(self, generation: int) -> None:
        """Takes effect at once, also on a busy worker, which receives no signals."""
        if job := self._waiting.get(generation):
            job.cancelled.set()

    def close(self, timeout: float = 3.0) -> bool:
        for job in tuple(self._waiting.values()):
            job.cancelled.set()
        return self._worker.close(timeout)

    def _handle(self, job: _Job) -> None:
        failure = None
        try:
            events = iter(()) if job.cancelled.is_set() else self._run(job.command, job.cancelled)
            for event in _coalesced(events):
                self._worker.emit(RunEvent(job.generation, job.command.conversation_id, event))
        except Exception as error:  # noqa: BLE001  the border: a run may fail, the window may not
            failure = failure_of(error)
        self._waiting.pop(job.generation, None)
        self._worker.emit(RunEnded(job.generation, job.command.conversation_id, failure))


def _coalesced(events: Iterator[Event]) -> Iterator[Event]:
    """The same events with neighbouring pieces of text, or of thought, joined; at most one per 40 ms."""
    pending: TextDelta | Thinking | None = None
    last = float("-inf")
    for event in events:
        if pending is not None and type(event) is not type(pending):
            yield pending
            pending, last = None, float("-inf")
        if not isinstance(event, TextDelta | Thinking):
            yield event
            continue
        pending = replace(event, text=pending.text + event.text) if pending else event
        if time.monotonic() - last >= _DELTA_SECONDS:
            yield pending
            pending, last = None, time.monotonic()
    if pending is not None:
        yield pending
