"""Every kind of event survives the way into the journal and back."""

import json
from datetime import UTC, date, datetime
from typing import get_args

import pytest

from desktop.agent import events
from desktop.agent.event_json import from_json, to_json
from desktop.domain.answer import (
    Answer,
    AnswerBlock,
    AnswerLine,
    AnswerStatus,
    CheckedText,
    Citation,
    CitationKind,
    Evidence,
    EvidenceItem,
    Focus,
    Mention,
    MentionKind,
    Resolution,
    Scope,
)
from desktop.domain.ledger import Equipment, MaintenanceRecord, ManualSection
from desktop.domain.work_request import KeptEvidence, KnownBy, Priority, Proposal, ProposalState, Requester

MACHINE = Equipment("EQ-003", "充填機", "FL-200", installed_on=date(2019, 7, 1), original={"設備ID": "EQ-003"})
SECTION = ManualSection("manual:FL-200@3#5.2", "FL-200@3", ("FL-200",), ("5", "5.2 E-12"), "本文", 7, 14, "5-3")
RECORD = MaintenanceRecord("MR-1", "EQ-003", date(2026, 11, 19), "E-12")
RESOLUTION = Resolution("E-12", Focus(MACHINE), (Mention("E-12", MentionKind.CODE, "e12", True, ("FL-200",)),))
EVIDENCE = Evidence((EvidenceItem(SECTION, 1.0, "E-12"), EvidenceItem(RECORD, 0.5, "E-12", Scope.OTHER_MACHINE)))
ANSWER = Answer(
    AnswerStatus.ANSWERED,
    MACHINE,
    blocks=(AnswerBlock("E-12", AnswerLine("閉塞", (1,)), steps=(AnswerLine("止める", (1,), "(1)"),)),),
    data_as_of=date(2026, 11, 28),
    citations=(Citation(1, CitationKind.MANUAL, SECTION.ref, "5.2", "止める", 14, "5-3", "3", verified=True),),
)
PROPOSAL = Proposal(
    proposal_id="0190",
    revision=1,
    state=ProposalState.PENDING,
    equipment_id="EQ-003",
    equipment={"id": "EQ-003"},
    title="Oリング交換",
    detail="漏れ",
    priority=Priority.MEDIUM,
    requester=Requester("0101", "田中", KnownBy.CHOSEN),
    drafted_by="person",
    evidence=(KeptEvidence(SECTION.ref, "5.2", "止める", 14, "5-3", "3", "ab"),),
    tried=("清掃",),
    snapshot="1",
    created_at=datetime(2026, 11, 30, 3, 0, tzinfo=UTC),
    payload_sha256="cd",
)
EXAMPLES: tuple[events.Event, ...] = (
    events.FactsGathered(RESOLUTION, EVIDENCE),
    events.ChoiceNeeded(RESOLUTION),
    events.AnswerComposed(ANSWER),
    events.ProviderChosen("anthropic", "claude-opus-5-5", "r1", outside=True, why="つながりません。"),
    events.ProviderChosen("openai", "qwen", "r1", why="届きません。", code="net_refused", values={"host": "192.0.2.7"}),
    events.TurnStarted(1),
    events.TextDelta("ノズル"),
    events.Thinking("台帳を見る"),
    events.Retrying("model_overloaded", 2.0),
    events.TurnFinished(1, "claude-opus-5-5", "tool_use", 10, 5, 0, 0.4),
    events.ToolFinished(1, "t1", "search_manual", {"model": "FL-200"}, 2, 0.01, content=[{"ref": SECTION.ref}]),
    events.ApprovalRequested(PROPOSAL),
    events.AnswerSentBack(CheckedText("EQ-001", ((0, 6),))),
    events.AnswerChecked(CheckedText("EQ-003"), sent_back=True),
    events.ContextNearlyFull(90_000, 100_000),
    events.RunFinished("済", events.Usage(2, 10, 5, None, 0.4)),
    events.RunStopped(events.StopReason.CANCELLED, "止めました"),
    events.RunStopped(events.StopReason.UNREACHABLE, "届きません", can_go_on=True),
)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_equal(event: events.Event) -> None:
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


def test_the_examples_name_every_kind_of_event() -> None:
    assert {type(event) for event in EXAMPLES} == set(get_args(events.Event))
