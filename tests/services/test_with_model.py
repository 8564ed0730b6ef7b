"""A question with a model on a loopback server, over the bundled plant: what is kept, who answered, what an outage
leaves."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any

import keyring.backends.fail
import pytest
from uuid6 import uuid7

from desktop import wiring
from desktop.agent import events
from desktop.agent.events import Event
from desktop.cli import words
from desktop.config import Settings
from desktop.domain.work_request import Requester
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services import ask_report, cloud_consent
from desktop.services.ask import Question, ask
from desktop.services.conversation import recall
from desktop.services.resume import resume, settle
from desktop.services.sent_record import SentRecord, sent_text
from desktop.services.station import Services
from desktop.store import audit, runs, sent
from desktop.store.runs import RunStatus
from tests.fakes import chat_server as chat
from tests.fakes import messages_server as api
from tests.fakes.keyrings import use_keyring
from tests.fakes.loopback import LoopbackServer, hang_up

KEY = "sk-ant-PLANTED-0123456789abcdef"
E12 = "ライン3の充填機でE-12が出た"
PLEASE = "ライン3の充填機のE-12について保全依頼を出して"
SECTION = "manual:FL-200-r3#5.2"
REQUEST = {"equipment_id": "EQ-003", "title": "Oリング交換", "detail": "E-12が再発。", "priority": "中"}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with use_keyring(keyring.backends.fail.Keyring()), pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("with_model")
        patch.setenv("HOZEN_NAVI_POLICY", str(root / "none.toml"))
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        with wiring.open_services(DataDir(root), sample=True) as services:
            yield services


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address that refuses every connection."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{closed.getsockname()[1]}"


@pytest.fixture
def plant(opened: Services) -> Iterator[Services]:
    yield opened
    configure(opened, {})


def configure(services: Services, values: Mapping[str, Any]) -> None:
    """As another start of the program with other settings."""
    if "models" in services.__dict__:
        services.models.close()
        del services.__dict__["models"]
    services.settings = Settings({"openai.mode": "tools", "openai.model": "local", **values})


def told(services: Services, text: str, conversation: str = "") -> tuple[list[Event], dict[str, Any]]:
    question = Question(text, conversation or str(uuid7()))
    seen: list[Event] = []

    def remembered() -> Iterator[Event]:
        for event in ask(services, question, Cancellation()):
            seen.append(event)
            yield event

    return seen, ask_report.report(services, question, remembered())


def of(seen: list[Event], kind: type) -> list[Any]:
    return [event for event in seen if isinstance(event, kind)]


def run_of(services: Services, document: Mapping[str, Any]) -> runs.Run:
    with services.journal.reading() as tx:
        return runs.of_conversation(tx, document["conversation_id"])[-1]


# 送信した内容


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_every_body_that_left_is_kept_byte_for_byte_and_never_the_key(
    plant: Services, server: LoopbackServer, provider: str
) -> None:
    configure(plant, {"provider": provider, f"{provider}.base_url": f"{server.url}"})
    if provider == "anthropic":
        server.script(
            api.answer(api.tool_use("t1", "search_manual", model="FL-200", keywords="E-12")),
            hang_up,
            api.answer(f"EQ-003 の E-12 は充填ノズル詰まりです[ref:{SECTION}]。"),
        )
    else:
        call = chat.call("t1", "search_manual", model="FL-200", keywords="E-12")
        server.script(chat.whole("", call), hang_up, chat.whole("EQ-003 の E-12 は充填ノズル詰まりです。"))
    _, document = told(plant, E12)
    assert len(server.seen) == 3
    with plant.journal.reading() as tx:
        kept = sent.of_run(tx, run_of(plant, document).run_id)
    assert [one.body for one in kept] == [seen.raw for seen in server.seen]
    assert [one["body"].encode() for one in document["sent"]] == [seen.raw for seen in server.seen]
    assert {one["to"] for one in document["sent"]} == {f"{server.url}{server.seen[0].path}"}
    shown = sent_text(kept)
    for seen in server.seen:
        assert json.dumps(seen.body, ensure_ascii=False, indent=1) in shown
    assert KEY not in shown + json.dumps(document)
    assert KEY.encode() not in plant.journal.file.read_bytes()
    assert KEY in json.dumps([seen.headers for seen in server.seen]) or provider == "openai"


def test_nothing_leaves_offline_and_nothing_is_said_to_have_left(plant: Services) -> None:
    configure(plant, {"provider": "offline"})
    _, document = told(plant, E12)
    assert (document["provider"], document["sent"]) == ("offline", [])


def test_what_can_not_be_kept_is_not_sent(
    plant: Services, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: SentRecord, url: str, body: bytes) -> None:
        raise KnownError("journal_disk_full", file="journal.db")

    configure(plant, {"provider": "anthropic", "anthropic.base_url": server.url})
    monkeypatch.setattr(SentRecord, "__call__", full)
    seen, document = told(plant, E12)
    assert server.seen == []
    assert of(seen, events.RunStopped)[0].code == "journal_disk_full"
    assert document["status"] == "answered"


def test_an_address_is_kept_without_what_may_be_a_secret(plant: Services) -> None:
    plant.sent("https://user:pass@gateway.example:8443/v1/messages?key=secret", b"{}")
    with plant.journal.reading() as tx:
        (row,) = tx.rows("SELECT url FROM sent_bodies WHERE run_id IS NULL")
    assert row["url"] == "https://gateway.example:8443/v1/messages"


# Who answered, and the model's text


def test_the_models_sources_are_numbered_on_from_the_answers(plant: Services, server: LoopbackServer) -> None:
    configure(plant, {"provider": "anthropic", "anthropic.base_url": server.url})
    server.script(api.answer(f"E-12は充填ノズル詰まりです[ref:{SECTION}]。"))
    seen, document = told(plant, E12)
    (composed,) = of(seen, events.AnswerComposed)
    n = len(composed.answer.citations) + 1
    assert document["model_answer"] == f"E-12は充填ノズル詰まりです[{n}]。"
    assert document["answer_safe"].endswith(document["model_answer"])
    assert [one["n"] for one in document["citations"]] == list(range(1, n + 1))
    assert document["citations"][-1]["ref"] == SECTION
    assert f"[{n}] {document['citations'][-1]['title']}" in words.answer(document)
    assert (document["provider"], document["model"]) == ("anthropic", api.MODEL)
    assert document["usage"]["turns"] == 1


def test_auto_says_who_answered_and_a_refused_server_is_followed_by_the_next(
    plant: Services, server: LoopbackServer, nowhere: str
) -> None:
    configure(plant, {"provider": "auto", "openai.base_url": nowhere, "anthropic.base_url": server.url})
    server.script(api.answer("充填ノズル詰まりです。"), api.answer("清掃します。"))
    for _ in range(2):  # the second question does not even try the first server again
        seen, document = told(plant, E12)
        assert (document["provider"], document["stop"]["reason"]) == ("anthropic", "end_turn")
        last = of(seen, events.ProviderChosen)[-1]
        assert (last.provider, last.model) == ("anthropic", "claude-opus-5-5")
        assert "127.0.0.1" in last.why
        assert document["provider_why"] == last.why
        assert f"anthropic・{api.MODEL}・{last.why}" in words.answer(document)
    assert [event.provider for event in of(seen, events.ProviderChosen)] == ["anthropic"]


def test_auto_goes_offline_in_the_middle_of_a_day_and_loses_no_question(
    plant: Services, server: LoopbackServer
) -> None:
    configure(plant, {"provider": "auto", "openai.base_url": server.url, "anthropic.base_url": "https://no.example"})
    conversation = str(uuid7())
    server.script(chat.whole("充填ノズル詰まりです。"), *[hang_up] * 3)
    _, first = told(plant, E12, conversation)
    seen, second = told(plant, "清掃しても直らない", conversation)
    _, third = told(plant, E12, conversation)
    assert [one["provider"] for one in (first, second, third)] == ["openai", "offline", "offline"]
    assert [one["stop"]["reason"] for one in (first, second, third)] == ["end_turn", "unreachable", "unreachable"]
    for document in (first, second, third):
        assert document["status"] == "answered"
        assert [machine["id"] for machine in document["focus"]["equipment"]] == ["EQ-003"]
        assert len(document["answer"]) > 100
    assert of(seen, events.RunStopped)[0].can_go_on
    assert len(third["stop"]["detail"]) > 10
    assert len(server.seen) == 4


@pytest.mark.parametrize("reachable_first", [True, False])
def test_auto_offline_still_proposes_the_request_that_was_asked_for(
    plant: Services, nowhere: str, reachable_first: bool
) -> None:
    address = nowhere if reachable_first else ""
    configure(plant, {"provider": "auto", "openai.base_url": address, "anthropic.base_url": "https://no.example"})
    _, document = told(plant, PLEASE)
    assert document["status"] == "awaiting_approval"
    assert [one["equipment_id"] for one in document["proposals"]] == ["EQ-003"]
    assert document["stop"]["reason"] == "unreachable"
    assert run_of(plant, document).status is RunStatus.FINISHED


# An outage


def test_a_run_that_an_outage_left_is_continued_when_the_server_is_back(
    plant: Services, server: LoopbackServer, nowhere: str
) -> None:
    configure(plant, {"provider": "anthropic", "anthropic.base_url": nowhere})
    seen, document = told(plant, E12)
    parked = run_of(plant, document)
    assert (parked.status, of(seen, events.RunStopped)[0].can_go_on) == (RunStatus.PARKED, True)
    assert (document["provider"], document["model"], document["status"]) == ("offline", None, "answered")
    past = recall(plant, document["conversation_id"], Requester(), plant.plant().snapshot)
    assert past.focus is not None

    again = list(resume(plant, parked.run_id, Cancellation()))
    assert isinstance(again[-1], events.RunStopped)
    assert run_of(plant, document).status is RunStatus.PARKED

    configure(plant, {"provider": "anthropic", "anthropic.base_url": server.url})
    server.script(api.answer("充填ノズル詰まりです。"))
    again = list(resume(plant, parked.run_id, Cancellation()))
    assert [type(event) for event in again[-2:]] == [events.AnswerChecked, events.RunFinished]
    assert run_of(plant, document).status is RunStatus.FINISHED
    assert E12 in server.seen[0].body["messages"][-1]["content"][0]["text"]
    assert list(resume(plant, parked.run_id, Cancellation())) == []


def test_auto_continues_with_whoever_can_be_reached(plant: Services, server: LoopbackServer, nowhere: str) -> None:
    configure(plant, {"provider": "auto", "openai.base_url": nowhere, "anthropic.base_url": "https://no.example"})
    _, document = told(plant, E12)
    configure(plant, {"provider": "auto", "openai.base_url": "", "anthropic.base_url": server.url})
    server.script(api.answer("充填ノズル詰まりです。"))
    again = list(resume(plant, run_of(plant, document).run_id, Cancellation()))
    assert isinstance(again[-1], events.RunFinished)
    (asked,) = [seen.body for seen in server.seen]
    assert asked["model"] == "claude-opus-5-5"
    assert len(asked["messages"]) == 1
    assert E12 in asked["messages"][0]["content"][0]["text"]


def test_a_run_that_an_outage_left_is_settled_without_a_model(plant: Services, nowhere: str) -> None:
    configure(plant, {"provider": "anthropic", "anthropic.base_url": nowhere})
    _, document = told(plant, PLEASE)
    assert document["proposals"] == []
    parked = run_of(plant, document)
    settled = list(settle(plant, parked.run_id))
    assert [type(event) for event in settled] == [events.ApprovalRequested, events.RunFinished]
    assert run_of(plant, document).status is RunStatus.FINISHED
    assert list(settle(plant, parked.run_id)) == []


def test_an_outage_after_a_decision_proposes_nothing_again(
    plant: Services, server: LoopbackServer, nowhere: str
) -> None:
    configure(plant, {"provider": "anthropic", "anthropic.base_url": server.url})
    server.script(api.answer(api.tool_use("t1", "create_work_request", **REQUEST)))
    seen, document = told(plant, PLEASE)
    (asked,) = of(seen, events.ApprovalRequested)
    assert run_of(plant, document).status is RunStatus.PARKED
    _reject(plant, asked.proposal.proposal_id)
    configure(plant, {"provider": "anthropic", "anthropic.base_url": nowhere})
    run_id = run_of(plant, document).run_id
    assert isinstance(list(resume(plant, run_id, Cancellation()))[-1], events.RunStopped)
    assert [type(event) for event in settle(plant, run_id)] == [events.RunFinished]


def test_a_kill_while_going_on_leaves_the_run_to_be_taken_up_again(
    plant: Services, server: LoopbackServer, nowhere: str
) -> None:
    configure(plant, {"provider": "anthropic", "anthropic.base_url": nowhere})
    _, document = told(plant, E12)
    run_id = run_of(plant, document).run_id
    configure(plant, {"provider": "anthropic", "anthropic.base_url": server.url})
    server.script(api.answer(api.tool_use("t1", "search_manual", model="FL-200", keywords="E-12")), api.answer("済"))
    for event in resume(plant, run_id, Cancellation()):
        if isinstance(event, events.ToolFinished):
            assert run_of(plant, document).status is RunStatus.PARKED


def _reject(services: Services, proposal_id: str) -> None:
    from desktop.domain.approval import Verdict
    from desktop.domain.work_request import Meaning

    proposal = services.approvals.proposal(proposal_id)
    verdict = Verdict(proposal_id, proposal.revision, proposal.payload_sha256, Meaning.REJECTED, reason="不要")
    services.approvals.decide(verdict, "0302", "693815")


# The administrator's consent


def test_a_consent_is_audited_once_for_each_wording_when_it_is_first_used(plant: Services) -> None:
    def rows() -> list[tuple[str, str]]:
        with plant.journal.reading() as tx:
            assert audit.verify(tx).whole
            found = tx.rows("SELECT subject, body FROM audit WHERE action = 'cloud_consent' ORDER BY seq")
        return [(row["subject"], json.loads(row["body"])["consent"]) for row in found]

    outside = {"provider": "anthropic", "anthropic.base_url": "http://no.plant", "net.plant_hosts": ("no.plant",)}
    for consent in ("課長 2026-11-30", "課長 2026-11-30", "部長 2026-12-01"):
        configure(plant, {**outside, "net.proxy": "http://127.0.0.1:1", "cloud.consent": consent})
        assert cloud_consent.is_new(plant) == ((consent,) not in [told[1:] for told in rows()])
        seen, _ = told(plant, E12)
        assert of(seen, events.ProviderChosen)[0].outside
    assert not cloud_consent.is_new(plant)
    assert rows() == [("anthropic", "課長 2026-11-30"), ("anthropic", "部長 2026-12-01")]
