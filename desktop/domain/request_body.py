"""The bytes of a request as they are sent: frozen, because plants' systems and signatures depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop.domain.canonical import canonical
from desktop.domain.work_request import Decision, KeptEvidence, Proposal

SCHEMA = 1
KIND = "request"


def request_body(proposal: Proposal, decision: Decision, *, number: str, station: str, seq: int) -> bytes:
    """Canonical JSON of CONTRACT's "request as sent"; `proposal` as approved, edits included."""
    body: Mapping[str, Any] = {
        "schema": SCHEMA,
        "kind": KIND,
        "uid": proposal.proposal_id,
        "revision": proposal.revision,
        "station": station,
        "seq": seq,
        "number": number,
        "equipment": {name: proposal.equipment.get(name, "") for name in ("id", "name", "model", "line", "location")},
        "title": proposal.title,
        "detail": proposal.detail,
        "priority": proposal.priority,
        "stopped_since": proposal.stopped_since.isoformat() if proposal.stopped_since else None,
        "requester": {"id": proposal.requester.person_id, "known_by": proposal.requester.known_by},
        "decision": {
            "uid": decision.decision_id,
            "by": decision.by_id,
            "at": decision.at.isoformat(),
            "meaning": decision.meaning,
            "reason": decision.reason,
        },
        "drafted_by": proposal.drafted_by,
        "evidence": [_evidence(kept) for kept in proposal.evidence],
        "attachments": [],
        "snapshot": proposal.snapshot,
    }
    return canonical(body)


def _evidence(kept: KeptEvidence) -> Mapping[str, Any]:
    return {
        "ref": kept.ref,
        "quote": kept.quote,
        "page_label": kept.page_label,
        "revision": kept.revision,
        "sha256": kept.sha256,
    }
