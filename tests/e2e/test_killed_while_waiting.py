"""A question with Claude, a proposal, SIGKILL, another process: approved once, resumed byte for byte, in one trace."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop import wiring
from desktop.agent.events import AnswerChecked, AnswerComposed, ApprovalRequested, Event, RunFinished, ToolFinished
from desktop.domain.approval import Verdict
from desktop.domain.work_request import KnownBy, Meaning, Requester
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services.ask import Question, ask
from desktop.services.proposal_check import doubts
from desktop.services.resume import resume
from desktop.services.station import Services
from tests.fakes.messages_server import MessagesServer, answer, thinking, tool_use

QUESTION = "ライン3の充填機でE-12が出た"
ASK_FOR_REQUEST = "清掃しても直らない。保全依頼を出して"
ASKER = Requester("0202", "田中 美咲", KnownBy.PIN)
REQUEST = {
    "equipment_id": "EQ-003",
    "title": "EQ-003 Oリング交換",
    "detail": "E-12が再発。清掃では直らない。",
    "priority": "中",
}


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as server:
        yield server


@pytest.fixture
def data(tmp_path: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-key")
    data = DataDir(tmp_path)
    data.settings.write_text(
        f'provider = "anthropic"\ntraces = "full"\n[anthropic]\nbase_url = "{server.url}"\n', encoding="utf-8"
    )
    return data


@pytest.fixture
def services(data: DataDir) -> Iterator[Services]:
    with wiring.open_services(data, sample=True) as services:
        yield services


def run(services: Services, question: Question) -> list[Event]:
    return list(ask(services, question, Cancellation()))


def results_of(message: dict[str, Any]) -> list[str]:
    return [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]


@pytest.mark.smoke
def test_three_rounds_one_user_message_for_each_round_of_results(services: Services, server: MessagesServer) -> None:
    server.script(
        answer(thinking("台帳を見る"), tool_use("t1", "search_equipment", query="ライン3 充填機")),
        answer(
            tool_use("t2", "search_manual", model="FL-200", keywords="E-12"),
            tool_use("t3", "search_records", equipment_id="EQ-003", keywords="E-12"),
        ),
        answer("EQ-003 の E-12 は充填ノズル詰まりです。"),
    )
    events = run(services, Question(QUESTION, "c1"))
    composed = next(i for i, event in enumerate(events) if isinstance(event, AnswerComposed))
    tools = [event for event in events if isinstance(event, ToolFinished)]
    assert [tool.name for tool in tools] == ["search_equipment", "search_manual", "search_records"]
    assert composed < events.index(tools[0])
    assert isinstance(events[-1], RunFinished)
    assert isinstance(events[-2], AnswerChecked)
    assert events[-2].checked.clean
    assert "create_work_request" not in {tool["name"] for tool in server.seen[0].body["tools"]}  # nobody asked for it
    third = server.seen[2].body["messages"]
    assert [message["role"] for message in third] == ["user", "assistant", "user", "assistant", "user"]
    assert results_of(third[2]) == ["t1"]
    assert results_of(third[4]) == ["t2", "t3"]


def test_killed_while_waiting_then_approved_and_resumed_elsewhere(
    data: DataDir, services: Services, server: MessagesServer
) -> None:
    server.script(answer("EQ-003 の E-12 は充填ノズル詰まりです。"))
    run(services, Question(QUESTION, "c1", requester=ASKER))
    first_reply = [
        thinking("依頼を起案する"),
        tool_use("t1", "search_records", equipment_id="EQ-003", keywords="E-12"),
        tool_use("t2", "create_work_request", **REQUEST),
    ]
    server.script(answer(*first_reply), answer("WR-0001 で登録しました。"))
    program = [sys.executable, "-m", "tests.e2e.asking_child", str(data.root), "c1", ASK_FOR_REQUEST]
    with subprocess.Popen(program, stdout=subprocess.PIPE, encoding="utf-8") as child:
        assert child.stdout is not None
        proposal_id = child.stdout.readline().strip()
        child.kill()
    (proposal,) = services.approvals.pending()
    assert proposal.proposal_id == proposal_id
    assert proposal.equipment_id == "EQ-003"
    assert proposal.drafted_by == "claude-opus-5-5"
    assert proposal.evidence
    verdict = Verdict(proposal_id, proposal.revision, proposal.payload_sha256, Meaning.APPROVED)
    receipt = services.approvals.decide(verdict, "0302", "693815")
    assert receipt.first
    assert receipt.request is not None
    assert receipt.request.number == "WR-0001"
    assert receipt.request.delivery is None
    assert receipt.run_ready
    events = list(resume(services, proposal.run_id, Cancellation()))
    assert isinstance(events[-1], RunFinished)
    assert events[-1].text.startswith("WR-0001")
    parked, resumed = server.seen[0].body, server.seen[1].body
    assert resumed["messages"][: len(parked["messages"])] == parked["messages"]
    assert resumed["messages"][len(parked["messages"])]["content"] == first_reply
    assert results_of(resumed["messages"][-1]) == ["t1", "t2"]
    assert json.loads(resumed["messages"][-1]["content"][1]["content"]) == {"status": "registered", "number": "WR-0001"}
    assert {name: parked[name] for name in ("system", "tools", "model")} == {
        name: resumed[name] for name in ("system", "tools", "model")
    }
    assert list(resume(services, proposal.run_id, Cancellation())) == []
    traces = [file for file in services.data.logs.glob("trace_*.jsonl") if proposal.run_id in file.name]
    kinds = [json.loads(line)["kind"] for line in traces[0].read_text(encoding="utf-8").splitlines()]
    assert len(traces) == 1
    assert kinds.count("api_call") == 2
    assert kinds[-1] == "final"


@pytest.mark.parametrize("meaning", [Meaning.REJECTED, Meaning.RETURNED])
def test_a_refusal_reaches_the_model_with_its_reason(
    services: Services, server: MessagesServer, meaning: Meaning
) -> None:
    server.script(answer(tool_use("t1", "create_work_request", **REQUEST)), answer("分かりました。"))
    events = run(services, Question(f"{QUESTION}。保全依頼を出して", "c1"))
    proposal = next(event.proposal for event in events if isinstance(event, ApprovalRequested))
    verdict = Verdict(proposal.proposal_id, 1, proposal.payload_sha256, meaning, reason="定修で行う")
    services.approvals.decide(verdict, "0302", "693815")
    list(resume(services, proposal.run_id, Cancellation()))
    told = json.loads(server.seen[1].body["messages"][-1]["content"][0]["content"])
    assert told["status"] == {Meaning.REJECTED: "rejected_by_user", Meaning.RETURNED: "returned_for_change"}[meaning]
    assert told["reason"] == "定修で行う"


def test_an_unknown_machine_never_reaches_a_person(services: Services, server: MessagesServer) -> None:
    wrong = {**REQUEST, "equipment_id": "EQ-999"}
    server.script(answer(tool_use("t1", "create_work_request", **wrong)), answer("設備IDが見つかりません。"))
    events = run(services, Question(f"{QUESTION}。保全依頼を出して", "c1"))
    assert not any(isinstance(event, ApprovalRequested) for event in events)
    assert services.approvals.pending() == ()
    result = server.seen[1].body["messages"][-1]["content"][0]
    assert result["is_error"]
    assert "EQ-999" in result["content"]


def test_the_approver_sees_what_a_draft_says_without_evidence(services: Services, server: MessagesServer) -> None:
    drafted = {**REQUEST, "detail": "REC-9999 のとおり OR-9999 を交換。締付は9.9N・m。"}
    server.script(answer(tool_use("t1", "create_work_request", **drafted)))
    events = run(services, Question(f"{QUESTION}。保全依頼を出して", "c1"))
    proposal = next(event.proposal for event in events if isinstance(event, ApprovalRequested))
    found = " ".join(doubts(services, proposal))
    assert "REC-9999" in found
    assert "OR-9999" in found
    assert "9.9N" in found
    server.script(answer(tool_use("t2", "create_work_request", **REQUEST)))
    events = run(services, Question(f"{QUESTION}。保全依頼を出して", "c2"))
    proposal = next(event.proposal for event in events if isinstance(event, ApprovalRequested))
    assert doubts(services, proposal) == ()
