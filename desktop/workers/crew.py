"""All workers of one window, started and ended together."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.workers.agent_worker import AgentWorker
from desktop.workers.import_worker import ImportWorker
from desktop.workers.queries import Queries
from desktop.workers.station import Station
from desktop.workers.sync_worker import SyncWorker


@dataclass(frozen=True, slots=True)
class Crew:
    agent: AgentWorker
    queries: Queries
    sync: SyncWorker
    imports: ImportWorker

    @staticmethod
    def start(station: Station) -> Crew:
        return Crew(
            AgentWorker(station.run), Queries(station), SyncWorker(station.sync), ImportWorker(station.import_files)
        )

    def close(self, timeout: float = 3.0) -> bool:
        """True when every thread has ended; each is given `timeout` seconds."""
        ended = [worker.close(timeout) for worker in (self.agent, self.imports, self.sync, self.queries)]
        return all(ended)
