"""What every use case works with: this workstation's data, settings, people and clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop import config
from desktop.agent.run_state import RunState
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.domain.ledger import Equipment
from desktop.evidence.lexicon import lexicon_of
from desktop.evidence.rules import rules_of
from desktop.paths import DataDir
from desktop.services.approvals import ApprovalRules, Approvals
from desktop.services.people import Roster
from desktop.services.sent_record import SentRecord
from desktop.services.synchronizer import Synchronizer
from desktop.store import incarnations
from desktop.store.journal import Journal
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_files import require_current, snapshot_file
from desktop.sync.folder import Folder

if TYPE_CHECKING:
    from desktop.agent.models.choose import Models


@dataclass(frozen=True, slots=True)
class Plant:
    """One version of the plant's data, and the search over it."""

    snapshot: Snapshot
    search: Search


@dataclass
class Services:
    """One workstation; usable from several threads at once. `data` is where this run writes (the sample's, if so).

    `session_started`: a conversation's machine carries on only from questions asked since.
    """

    data: DataDir
    settings: Settings
    credentials: Credentials
    journal: Journal
    sample: bool
    session_started: datetime
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _plants: dict[str, Plant] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def roster(self) -> Roster:
        return Roster(self.journal, self.credentials, self.clock)

    @cached_property
    def approvals(self) -> Approvals:
        get = self.settings.get
        station = get(config.STATION_CODE) if self.transport != "none" else ""
        rules = ApprovalRules(get(config.APPROVAL_SESSION_SECONDS), get(config.APPROVAL_EXPIRES_DAYS), station)
        return Approvals(self.journal, self.roster, rules, self._find_equipment, _add_result, self.clock)

    @cached_property
    def synchronizer(self) -> Synchronizer:
        if self.transport == "none":
            return Synchronizer(self.journal, None, clock=self.clock)
        folder = Path(self.settings.get(config.SYNC_FOLDER))
        with self.journal.reading() as tx:
            life = incarnations.of(tx)
        transport = Folder(folder, self.settings.get(config.STATION_CODE), life.current, life.predecessors)
        return Synchronizer(self.journal, transport, clock=self.clock)

    @cached_property
    def models(self) -> Models:
        """The session's language models; asked on one thread only, which pays for loading them."""
        from desktop.agent.models.choose import Models

        return Models(self.settings, self.credentials.get, self.sent)

    @cached_property
    def sent(self) -> SentRecord:
        """Where every request body to a language model is kept before it leaves."""
        return SentRecord(self.journal, self.clock)

    @property
    def transport(self) -> str:
        """How approved requests leave; the sample's never do."""
        return "none" if self.sample else self.settings.get(config.SYNC_TRANSPORT)

    @property
    def station_lines(self) -> tuple[str, ...]:
        return self.settings.get(config.STATION_LINES)

    def plant(self) -> Plant:
        """The current plant data, opened when another version was published; raises what `require_current` raises."""
        return self.plant_at(require_current(self.data.snapshots))

    def plant_at(self, version: str) -> Plant:
        """The version a run is pinned to; KnownError("snapshot_missing") once it is no longer kept."""
        with self._lock:
            if version not in self._plants:
                snapshot = Snapshot.open(snapshot_file(self.data.snapshots, version))
                warm(snapshot)
                self._plants[version] = Plant(snapshot, Search(snapshot))
            return self._plants[version]

    def close(self) -> None:
        self.journal.close()
        if "models" in self.__dict__:
            self.models.close()
        for plant in self._plants.values():
            plant.snapshot.close()

    def _find_equipment(self, equipment_id: str) -> Equipment | None:
        return self.plant().snapshot.equipment(equipment_id)


def warm(snapshot: Snapshot) -> None:
    """Reads in what every question needs, before the first one is asked."""
    lexicon_of(snapshot)
    rules_of(snapshot)


def _add_result(state: str, call_id: str, result: Mapping[str, Any]) -> str:
    return RunState.from_json(state).with_result(call_id, result).to_json()
