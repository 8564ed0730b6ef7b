"""What the workers need from the house below them, and the values the window shows of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from desktop.agent.events import Event
from desktop.domain.ledger import Equipment, Person
from desktop.domain.work_request import Decision, Proposal, Requester, WorkRequest
from desktop.net import Cancellation
from desktop.workers import commands
from desktop.workers.worker import Failure


class Reach(StrEnum):
    """What is known of the way to the plant's system."""

    NOT_SET = "not_set"
    UNKNOWN = "unknown"
    REACHED = "reached"
    UNREACHED = "unreached"


@dataclass(frozen=True, slots=True)
class Status:
    """The status bar; times are aware, `provider` is the setting in force, `cloud` = questions leave the plant.

    `trouble` is what keeps requests from leaving, `data_trouble` why the plant data doesn't
    open, or may be an older one.
    """

    reach: Reach = Reach.NOT_SET
    provider: str = "offline"
    model: str = ""
    cloud: bool = False
    unsent: int = 0
    needs_attention: int = 0
    last_sync: datetime | None = None
    data_as_of: date | None = None
    data_old: bool = False
    encrypted: bool = False
    station: str = ""
    trouble: Failure | None = None
    data_trouble: Failure | None = None


@dataclass(frozen=True, slots=True)
class ConversationLine:
    """A conversation in the list; `title` is its first question.

    `waiting` = its proposal is undecided, `cut_off` = an outage left its last question.
    """

    conversation_id: str
    title: str
    updated_at: datetime
    waiting: bool = False
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class RequestLine:
    """A registered request in the list; `problem` is why it stepped aside (要対応)."""

    request: WorkRequest
    problem: Failure | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """A decision, and the request it registered (None unless approved)."""

    decision: Decision
    request: WorkRequest | None = None


@dataclass(frozen=True, slots=True)
class PastRun:
    """One question as it was answered: its events as stored, text deltas aside, and what was decided since."""

    run_id: str
    question: str
    asked_at: datetime
    events: tuple[Event, ...]
    settled: tuple[Settlement, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that a crash left between a decision and its answer, ready to go on."""

    run_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True)
class StationState:
    """All that the window shows at start; `has_data` False = nothing imported and no sample chosen.

    `status` None = nothing is open, so nothing is known. `failure`: what keeps the plant data, or without any the
    sample, from opening; what the journal says is here all the same. `cloud_new`: questions leave the plant from now
    on, and none has yet.
    """

    has_data: bool
    sample: bool
    status: Status | None
    equipment: tuple[Equipment, ...] = ()
    people: tuple[Person, ...] = ()
    conversations: tuple[ConversationLine, ...] = ()
    pending: tuple[Proposal, ...] = ()
    unfinished: tuple[OpenRun, ...] = ()
    cloud_new: bool = False
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What stands behind a citation: a PDF `file` to open at `page` (from 1), or the `text` of section or record.

    `quote` is what to mark; `gone` = the original file is not kept here, only the text is.
    """

    title: str
    quote: str
    file: Path | None = None
    page: int | None = None
    page_label: str | None = None
    text: str = ""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class CameBack:
    """A revision that was sent back, by whom and why (both "" = it has expired), and `at` what time, aware."""

    proposal: Proposal
    at: datetime
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalSheet:
    """A proposal with who may decide it, who may not and why is the service's rule.

    `requesters` is empty where the requester is proved, else those who may prove to be him by PIN; `duplicates` are
    sentences about open requests or orders on the machine; `pin_held_by` is the approver whose PIN still counts
    ("" = nobody); `doubts` is what the check could not vouch for; `decided` is set when somebody was faster; `before`
    is what became of the revision before this one.
    """

    proposal: Proposal
    approvers: tuple[Person, ...]
    requesters: tuple[Person, ...] = ()
    duplicates: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    pin_held_by: str = ""
    decided: Decision | None = None
    before: CameBack | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """The outcome of a decision; `first` False = somebody had decided before, `decision` is his.

    `run_ready` = no card of its run waits any more, so the run can go on.
    """

    decision: Decision
    first: bool
    proposal: Proposal
    request: WorkRequest | None = None
    run_ready: bool = False


@dataclass(frozen=True, slots=True)
class SyncRound:
    """One round of sending; `next_in` seconds until the next is worthwhile; `status` None = nothing is open."""

    status: Status | None
    next_in: float
    requests_changed: bool = False


class Station(Protocol):
    """Every call blocks and is made on a worker's thread only; the world's trouble is raised as KnownError."""

    def run(self, command: commands.RunCommand, cancelled: Cancellation) -> Iterator[Event]: ...

    def open(self, sample: bool | None) -> StationState:
        """Raises what keeps own data from opening: it is there, and nothing of it is known."""
        ...

    def find_equipment(self, text: str) -> Sequence[Equipment]:
        """At most 50, best first; all of this station's lines for ""."""
        ...

    def conversations(self) -> Sequence[ConversationLine]:
        """Newest first."""
        ...

    def conversation(self, conversation_id: str) -> Sequence[PastRun]:
        """Oldest first."""
        ...

    def pending(self) -> Sequence[Proposal]: ...

    def requests(self) -> Sequence[RequestLine]:
        """Newest first."""
        ...

    def resubmittable(self) -> Sequence[CameBack]:
        """Newest first."""
        ...

    def resubmit(self, command: commands.Resubmit) -> Proposal:
        """As it waits now, one revision further."""
        ...

    def source(self, command: commands.OpenSource) -> Source: ...

    def sent(self, run_id: str) -> str:
        """Every body that left for a question, to read; "" = none did."""
        ...

    def identify(self, command: commands.IdentifyPerson) -> Requester: ...

    def change_pin(self, command: commands.ChangePin) -> None: ...

    def propose(self, command: commands.Propose) -> Proposal: ...

    def approval_sheet(self, proposal_id: str) -> ApprovalSheet: ...

    def end_session(self) -> None: ...

    def decide(self, command: commands.Decide) -> Decided: ...

    def sync(self) -> SyncRound: ...

    def status(self) -> Status: ...

    def import_files(
        self, command: commands.ImportFiles, progress: Callable[[str], None], cancelled: threading.Event
    ) -> dict[str, Any]:
        """The import report of CONTRACT."""
        ...

    def save_bundle(self, file: Path) -> Mapping[str, Any]:
        """A support bundle; what was written, and the codes of what could not be read."""
        ...

    def tend(self) -> None:
        """Tells IT how this PC stands, and lets go what is past its days."""
        ...

    def close(self) -> None: ...
