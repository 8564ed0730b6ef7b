"""All workers of one window, started and ended together."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.agent.events import Event
from desktop.net import Cancellation
from desktop.workers.agent_worker import AgentWorker
from desktop.workers.bundle_worker import BundleWorker
from desktop.workers.commands import ImportFiles, RunCommand
from desktop.workers.health_worker import HealthWorker
from desktop.workers.import_worker import ImportWorker
from desktop.workers.queries import Queries
from desktop.workers.station import Station, SyncRound
from desktop.workers.sync_worker import SyncWorker

_SWITCH_SECONDS = 0.0002  # Python's 5 ms would let a worker that imports or parses hold the window up at every turn


@dataclass(frozen=True, slots=True)
class Crew:
    agent: AgentWorker
    queries: Queries
    sync: SyncWorker
    imports: ImportWorker
    health: HealthWorker
    bundles: BundleWorker

    @staticmethod
    def start(station: Callable[[], Station]) -> Crew:
        """`station` is called on the workers' threads, since what it loads takes seconds."""
        sys.setswitchinterval(_SWITCH_SECONDS)

        def run(command: RunCommand, cancelled: Cancellation) -> Iterator[Event]:
            return station().run(command, cancelled)

        def sync() -> SyncRound:
            return station().sync()

        def import_files(
            files: ImportFiles, progress: Callable[[str], None], cancelled: threading.Event
        ) -> Mapping[str, Any]:
            return station().import_files(files, progress, cancelled)

        def tend() -> None:
            station().tend()

        def save_bundle(file: Path) -> Mapping[str, Any]:
            return station().save_bundle(file)

        return Crew(
            AgentWorker(run),
            Queries(station),
            SyncWorker(sync),
            ImportWorker(import_files),
            HealthWorker(tend),
            BundleWorker(save_bundle),
        )

    def close(self, timeout: float = 3.0) -> bool:
        """True when every thread has ended; each is given `timeout` seconds."""
        everyone = (self.agent, self.imports, self.sync, self.queries, self.health, self.bundles)
        ended = [worker.close(timeout) for worker in everyone]
        return all(ended)
