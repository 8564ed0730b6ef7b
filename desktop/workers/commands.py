"""What the window may ask for, as frozen values; each is answered by one worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop.domain.answer import Citation, RequestDraft
from desktop.domain.outcome import Trial
from desktop.domain.work_request import Meaning, Priority, Requester

NOBODY = Requester()


# Runs: answered by the agent worker with a stream of agent events.


@dataclass(frozen=True, slots=True)
class Ask:
    """A question; `equipment_id` "" = the words decide which machine, `with_model` False = it stays on this PC."""

    text: str
    conversation_id: str
    equipment_id: str = ""
    requester: Requester = NOBODY
    with_model: bool = True


@dataclass(frozen=True, slots=True)
class TellOutcome:
    """What became of a step; answered with the next answer, without what was tried."""

    trial: Trial
    conversation_id: str
    requester: Requester = NOBODY


@dataclass(frozen=True, slots=True)
class Continue:
    """Let a run that waited for a decision, or was left by a crash, go on."""

    run_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True)
class Settle:
    """End without a model a run that an outage left, and do what it asked for offline."""

    run_id: str
    conversation_id: str


RunCommand = Ask | TellOutcome | Continue | Settle


# Queries: answered one by one, never behind a streaming answer.


@dataclass(frozen=True, slots=True)
class OpenStation:
    """Everything the window shows at start; `sample` True/False chooses the data, None takes what is there."""

    sample: bool | None = None


@dataclass(frozen=True, slots=True)
class FindEquipment:
    text: str


@dataclass(frozen=True, slots=True)
class ListConversations:
    pass


@dataclass(frozen=True, slots=True)
class OpenConversation:
    conversation_id: str


@dataclass(frozen=True, slots=True)
class ListPending:
    pass


@dataclass(frozen=True, slots=True)
class ListRequests:
    pass


@dataclass(frozen=True, slots=True)
class ListResubmittable:
    """What was sent back or has expired."""


@dataclass(frozen=True, slots=True)
class Resubmit:
    """Put one of those before an approver again, as it reads now."""

    proposal_id: str
    draft: RequestDraft
    requester: Requester = NOBODY


@dataclass(frozen=True, slots=True)
class OpenSource:
    """The page or text behind a citation."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class OpenSent:
    """What left this PC for a question."""

    run_id: str


@dataclass(frozen=True, slots=True)
class IdentifyPerson:
    """Who sits here; `pin` "" = chosen from the roster without proof."""

    person_id: str
    pin: str = ""


@dataclass(frozen=True, slots=True)
class ChangePin:
    person_id: str
    old_pin: str
    new_pin: str


@dataclass(frozen=True, slots=True)
class Propose:
    """A request drafted by a person, to become a proposal."""

    draft: RequestDraft
    conversation_id: str
    requester: Requester = NOBODY


@dataclass(frozen=True, slots=True)
class PrepareApproval:
    """What the approval dialog must show of a proposal."""

    proposal_id: str


@dataclass(frozen=True, slots=True)
class EndSession:
    """Somebody else sits here now: no PIN given before counts any more."""


@dataclass(frozen=True, slots=True)
class Decide:
    """One person's word on what was shown (`revision`, `payload_sha256`), with his edits of the text.

    `pin` may be "" while an earlier one holds; `new_pin` replaces an issued one at first use. `requester_id` with
    `requester_pin` prove the requester, where only his name was known.
    """

    proposal_id: str
    revision: int
    payload_sha256: str
    meaning: Meaning
    approver_id: str
    pin: str
    new_pin: str = ""
    requester_id: str = ""
    requester_pin: str = ""
    reason: str = ""
    title: str = ""
    detail: str = ""
    priority: Priority = Priority.MEDIUM


Query = (
    OpenStation
    | FindEquipment
    | ListConversations
    | OpenConversation
    | ListPending
    | ListRequests
    | ListResubmittable
    | Resubmit
    | OpenSource
    | OpenSent
    | IdentifyPerson
    | ChangePin
    | Propose
    | PrepareApproval
    | EndSession
    | Decide
)


@dataclass(frozen=True, slots=True)
class ImportFiles:
    """Own plant data from a folder or files."""

    paths: tuple[Path, ...]
