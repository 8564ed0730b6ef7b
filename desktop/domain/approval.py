"""What is said when a request is proposed and decided, and what may be written in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from desktop.domain.canonical import clean_text
from desktop.domain.ledger import Equipment
from desktop.domain.work_request import (
    TITLE_LIMIT,
    Decision,
    KeptEvidence,
    Meaning,
    Priority,
    Proposal,
    ProposalState,
    Requester,
    WorkRequest,
)
from desktop.errors import KnownError


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person or a model wants to propose; `tool_use_id` is the model's call ("" = a person's form)."""

    equipment_id: str
    title: str
    detail: str
    priority: Priority
    requester: Requester
    drafted_by: str = "person"
    snapshot: str = ""
    evidence: tuple[KeptEvidence, ...] = ()
    tried: tuple[str, ...] = ()
    stopped_since: datetime | None = None
    conversation_id: str = ""
    run_id: str = ""
    tool_use_id: str = ""


@dataclass(frozen=True, slots=True)
class Proposed:
    """`new` False: this conversation has it already, in whatever state; `answer` is then the call's result, if any."""

    proposal: Proposal
    new: bool
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Edits:
    """What an approver changed before approving; None = left as drafted."""

    title: str | None = None
    detail: str | None = None
    priority: Priority | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person says of the very thing that was shown: its id, revision and payload hash."""

    proposal_id: str
    revision: int
    shown_sha256: str
    meaning: Meaning
    reason: str = ""
    edits: Edits = field(default_factory=Edits)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The one decision on a proposal; `first` False = someone had decided before, and this is that decision.

    `changes` is field to [from, to]; `run_ready` = no card of the run waits any more, so it can go on.
    """

    decision: Decision
    request: WorkRequest | None
    changes: Mapping[str, Any]
    first: bool
    run_ready: bool = False


def cleaned(draft: Draft) -> Draft:
    """The draft as every receiving system can take it; KnownError title_missing, title_too_long."""
    title, detail = _content(draft.title, draft.detail)
    evidence = tuple(
        replace(kept, ref=clean_text(kept.ref), title=clean_text(kept.title), quote=clean_text(kept.quote))
        for kept in draft.evidence
    )
    tried = tuple(clean_text(step) for step in draft.tried)
    return replace(draft, title=title, detail=detail, evidence=evidence, tried=tried)


def _content(title: str, detail: str) -> tuple[str, str]:
    """No control characters, and a title on one line of at most 40 characters."""
    title = " ".join(clean_text(title).split())
    if not title:
        raise KnownError("title_missing")
    if len(title) > TITLE_LIMIT:
        raise KnownError("title_too_long", limit=TITLE_LIMIT, length=len(title))
    return title, clean_text(detail).strip()


def edited(proposal: Proposal, edits: Edits) -> tuple[Proposal, Mapping[str, Any]]:
    """The proposal with the edits, and what they changed as field to [from, to].

    Raises KnownError: title_missing, title_too_long.
    """
    title, detail = _content(
        proposal.title if edits.title is None else edits.title,
        proposal.detail if edits.detail is None else edits.detail,
    )
    final = replace(proposal, title=title, detail=detail, priority=edits.priority or proposal.priority)
    changes = {
        name: [getattr(proposal, name), getattr(final, name)]
        for name in ("title", "detail", "priority")
        if getattr(proposal, name) != getattr(final, name)
    }
    return final, changes


def drafted(draft: Draft, machine: Equipment, proposal_id: str, now: datetime) -> Proposal:
    """The proposal of a cleaned draft on a machine of the ledger, its names copied; not yet stored or hashed."""
    return Proposal(
        proposal_id=proposal_id,
        revision=1,
        state=ProposalState.PENDING,
        equipment_id=machine.equipment_id,
        equipment={
            "id": machine.equipment_id,
            "name": machine.name,
            "model": machine.model,
            "line": machine.line,
            "location": machine.location,
        },
        title=draft.title,
        detail=draft.detail,
        priority=draft.priority,
        requester=draft.requester,
        drafted_by=draft.drafted_by,
        evidence=draft.evidence,
        tried=draft.tried,
        snapshot=draft.snapshot,
        created_at=now,
        payload_sha256="",
        run_id=draft.run_id,
        conversation_id=draft.conversation_id,
        tool_use_id=draft.tool_use_id,
        stopped_since=draft.stopped_since,
    )
