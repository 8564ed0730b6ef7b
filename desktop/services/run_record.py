"""The memory of one question: every event is in the journal and the trace before anyone sees it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from desktop import config
from desktop.agent import events
from desktop.agent.event_json import from_json, to_json
from desktop.agent.events import Event
from desktop.domain.answer import AnswerStatus
from desktop.services.station import Services
from desktop.services.steps import steps_of
from desktop.store import runs
from desktop.store.journal import Tx
from desktop.store.runs import Run, RunStatus
from desktop.store.traces import Trace, TraceKind

_PASSING = (events.TextDelta, events.Thinking, events.Retrying)


@dataclass(frozen=True, slots=True)
class Ending:
    """What a run is remembered by; with `status` PARKED it can be taken up again."""

    result: Mapping[str, Any]
    status: RunStatus = RunStatus.FINISHED


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Where one run is written to."""

    services: Services
    run_id: str
    trace: Trace

    @classmethod
    def start(cls, services: Services, run: Run) -> RunRecord:
        """The question is on record before anything is looked up."""
        mode = services.settings.get(config.TRACES)
        trace = Trace.start(services.data.logs, mode, run.run_id, run.started_at)
        with services.journal.transaction() as tx:
            runs.start(tx, replace(run, trace_file=trace.name))
        return cls(services, run.run_id, trace)

    @classmethod
    def resume(cls, services: Services, run: Run) -> RunRecord:
        """Goes on where `run` left off, in the same trace file."""
        mode = services.settings.get(config.TRACES)
        return cls(services, run.run_id, Trace.resume(services.data.logs, run.trace_file, mode))

    def tell(self, story: Generator[Event, None, Ending | None]) -> Iterator[Event]:
        """Gives the story's events out, each stored first, and puts down its ending.

        A story that returns None waits for a person: it stays as it is. One that is left early or breaks is put down
        as stopped.
        """
        ending: Ending | None = Ending({"status": AnswerStatus.STOPPED}, RunStatus.STOPPED)
        try:
            while True:
                try:
                    event = next(story)
                except StopIteration as end:
                    ending = end.value
                    return
                yield self.keep(event)
        finally:
            story.close()
            if ending is not None:
                self.finish(ending)

    def keep(self, event: Event) -> Event:
        """Stored, then given back to be shown; pieces of text pass unstored."""
        if not isinstance(event, _PASSING):
            now = self.services.clock()
            with self.services.journal.transaction() as tx:
                self.append(tx, event, now)
            self.trace_steps(event, now)
        return event

    def append(self, tx: Tx, event: Event, now: datetime) -> None:
        """For a caller whose transaction holds more than the event."""
        body = to_json(event)
        runs.append_event(tx, self.run_id, body["event"], body, now)

    def trace_steps(self, event: Event, now: datetime) -> None:
        for step in steps_of(event):
            fields = {name: value for name, value in step.items() if name != "kind"}
            self.trace.write(TraceKind(step["kind"]), now, {**fields, "run_id": self.run_id})

    def finish(self, ending: Ending) -> None:
        with self.services.journal.transaction() as tx:
            runs.finish(tx, self.run_id, ending.status, ending.result, self.services.clock())


def stored_events(tx: Tx, run_id: str) -> tuple[Event, ...]:
    """The events of a run as they were shown."""
    return tuple(from_json(stored.body) for stored in runs.events(tx, run_id))
