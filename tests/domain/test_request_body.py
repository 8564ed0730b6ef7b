"""The bytes of a request are frozen: a change here is a break with every plant that reads them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

from desktop.domain.canonical import sha256
from desktop.domain.request_body import request_body
from desktop.domain.work_request import (
    Decision,
    KeptEvidence,
    KnownBy,
    Meaning,
    Priority,
    Proposal,
    ProposalState,
    Requester,
)

JST = timezone(timedelta(hours=9))
PROPOSAL = Proposal(
    proposal_id="0193a5b0-0000-7000-8000-000000000001",
    revision=2,
    state=ProposalState.APPROVED,
    equipment_id="EQ-003",
    equipment={"id": "EQ-003", "name": "充填機", "model": "FL-200", "line": "ライン3", "location": "第2工場 1F"},
    title="充填ノズルの点検",
    detail="E-12 が再発。\nノズル清掃済み。",
    priority=Priority.HIGH,
    requester=Requester("0104", "加藤 優", KnownBy.PIN),
    drafted_by="claude-opus-5-5",
    evidence=(KeptEvidence("manual:FL-200-r3#5.2", "取扱説明書", "E-12 は詰まり。", 12, "5-3", "3", "ab" * 32),),
    tried=("ノズル清掃",),
    snapshot="20261129-1",
    created_at=datetime(2026, 11, 30, 0, 0, tzinfo=UTC),
    payload_sha256="cd" * 32,
    stopped_since=datetime(2026, 11, 30, 8, 40, tzinfo=JST),
)
DECISION = Decision(
    decision_id="0193a5b0-0000-7000-8000-000000000002",
    proposal_id=PROPOSAL.proposal_id,
    revision=2,
    meaning=Meaning.APPROVED,
    by_id="0302",
    by_name="中村 大輔",
    known_by=KnownBy.PIN,
    at=datetime(2026, 11, 30, 0, 5, 7, 120_000, tzinfo=UTC),
    reason="",
    payload_sha256="cd" * 32,
    station="P07",
)
GOLDEN = (
    '{"attachments":[],"decision":{"at":"2026-11-30T00:05:07.120000+00:00","by":"0302","meaning":"承認","reason":"",'
    '"uid":"0193a5b0-0000-7000-8000-000000000002"},"detail":"E-12 が再発。\\nノズル清掃済み。",'
    '"drafted_by":"claude-opus-5-5","equipment":{"id":"EQ-003","line":"ライン3","location":"第2工場 1F",'
    '"model":"FL-200","name":"充填機"},"evidence":[{"page_label":"5-3","quote":"E-12 は詰まり。",'
    '"ref":"manual:FL-200-r3#5.2","revision":"3",'
    '"sha256":"abababababababababababababababababababababababababababababababab"}],"kind":"request",'
    '"number":"WR-P07-0001","priority":"高","requester":{"id":"0104","known_by":"pin"},"revision":2,"schema":1,'
    '"seq":12,"snapshot":"20261129-1","station":"P07","stopped_since":"2026-11-30T08:40:00+09:00",'
    '"title":"充填ノズルの点検","uid":"0193a5b0-0000-7000-8000-000000000001"}'
)


def test_the_bytes_are_frozen() -> None:
    body = request_body(PROPOSAL, DECISION, number="WR-P07-0001", station="P07", seq=12)
    assert body.decode() == GOLDEN
    assert sha256(body) == "7d9af0035ccd5610ff7751e51c53dc99fc408a2f1034a6a8f2a972a1bf5ea76c"


def test_a_machine_not_stopped_says_null() -> None:
    body = request_body(replace(PROPOSAL, stopped_since=None), DECISION, number="WR-P07-0001", station="P07", seq=12)
    assert b'"stopped_since":null' in body
