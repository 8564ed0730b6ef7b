"""Repair requests: proposals, decisions, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Priority(StrEnum):
    HIGH = "高"
    MEDIUM = "中"
    LOW = "低"


TITLE_LIMIT = 40  # characters; SAP's QMEL-QMTXT, the shortest title among the systems a request may end in


class ProposalState(StrEnum):
    DRAFT = "draft"
    PENDING = "pending"
    APPROVED = "approved"
    RETURNED = "returned"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class Delivery(StrEnum):
    """Where an approved request is on its way; None before approval and while no sync target is set."""

    QUEUED = "queued"
    SENDING = "sending"
    HANDED_OVER = "handed_over"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    NEEDS_ATTENTION = "needs_attention"


class KnownBy(StrEnum):
    """How the program knew who someone was."""

    PIN = "pin"
    BADGE = "badge"
    WINDOWS = "windows"
    CHOSEN = "chosen"
    NONE = "none"


PROOF_OF_PERSON = frozenset({KnownBy.PIN, KnownBy.BADGE, KnownBy.WINDOWS})


class Meaning(StrEnum):
    """What a decision means; the value is the word on screen and in print."""

    APPROVED = "承認"
    RETURNED = "差戻し"
    REJECTED = "登録しない"
    WITHDRAWN = "取下げ"


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks for the work; `person_id` "" = nobody was known."""

    person_id: str = ""
    name: str = ""
    known_by: KnownBy = KnownBy.NONE


@dataclass(frozen=True, slots=True)
class KeptEvidence:
    """A quotation as it stood when the proposal was made."""

    ref: str
    title: str
    quote: str
    page: int | None
    page_label: str | None
    revision: str | None
    sha256: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A drafted request waiting for a person.

    `proposal_id` (UUIDv7) is the identity and idempotency key everywhere; `payload` is what was shown, `payload_sha256`
    the hash of its canonical bytes; `run_id` and `tool_use_id` lead back to the conversation that waits ("" = none).
    """

    proposal_id: str
    revision: int
    state: ProposalState
    equipment_id: str
    equipment: Mapping[str, str]
    title: str
    detail: str
    priority: Priority
    requester: Requester
    drafted_by: str
    evidence: tuple[KeptEvidence, ...]
    tried: tuple[str, ...]
    snapshot: str
    created_at: datetime
    payload_sha256: str
    run_id: str = ""
    conversation_id: str = ""
    tool_use_id: str = ""
    stopped_since: datetime | None = None
    sample: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's word on one proposal revision; never changed, a second one is refused with the first."""

    decision_id: str
    proposal_id: str
    revision: int
    meaning: Meaning
    by_id: str
    by_name: str
    known_by: KnownBy
    at: datetime
    reason: str
    payload_sha256: str
    station: str = ""


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """An approved request as registered here; `number` is ours (WR-0001, WR-P07-0001), `plant_number` the plant's."""

    number: str
    proposal_id: str
    revision: int
    equipment_id: str
    title: str
    detail: str
    priority: Priority
    requester: Requester
    approved_by: str
    approved_at: datetime
    delivery: Delivery | None
    plant_number: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One thing on its way out; `body` are the canonical JSON bytes, resent unchanged."""

    kind: str
    uid: str
    revision: int
    station: str
    seq: int
    body: bytes
    sha256: str

    def envelope(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "uid": self.uid,
            "revision": self.revision,
            "station": self.station,
            "seq": self.seq,
            "sha256": self.sha256,
        }
