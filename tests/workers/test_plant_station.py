"""The window's station over the real services and the bundled sample plant."""

import socket
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring.backends.fail
import pytest
from uuid6 import uuid7

from desktop.agent.events import (
    AnswerComposed,
    ApprovalRequested,
    ChoiceNeeded,
    Event,
    ProviderChosen,
    RunFinished,
    RunStopped,
)
from desktop.domain.answer import Answer, CitationKind, RequestDraft
from desktop.domain.outcome import Outcome, Trial
from desktop.domain.work_request import KnownBy, Meaning, Priority, Proposal, Requester
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.workers import commands
from desktop.workers.plant_station import PlantStation
from desktop.workers.station import Reach
from tests.fakes.keyrings import use_keyring

OPERATOR, LEADER, OTHER_LEADER = ("0104", "284706"), ("0302", "693815"), "0301"
LEADER_NAME = "中村 大輔"


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlantStation]:
    with use_keyring(keyring.backends.fail.Keyring()), pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("station")
        patch.setenv("HOZEN_NAVI_POLICY", str(root / "none.toml"))
        made = PlantStation(DataDir(root))
        made.open(sample=True)
        yield made
        made.close()


def ask(station: PlantStation, text: str, conversation: str = "", equipment: str = "") -> list[Event]:
    command = commands.Ask(text, conversation or str(uuid7()), equipment)
    return list(station.run(command, Cancellation()))


def answer_of(events: list[Event]) -> Answer:
    return next(event.answer for event in events if isinstance(event, AnswerComposed))


def proposed(station: PlantStation, conversation: str = "") -> Proposal:
    events = ask(station, "ライン3の充填機のE-12について保全依頼を出して", conversation)
    return next(event.proposal for event in events if isinstance(event, ApprovalRequested))


def decide(proposal: Proposal, meaning: Meaning = Meaning.APPROVED, **given: str) -> commands.Decide:
    """As the dialog fills it in, the requester proving himself."""
    return replace(
        commands.Decide(
            proposal.proposal_id, proposal.revision, proposal.payload_sha256, meaning, *LEADER, "", *OPERATOR,
            title=proposal.title, detail=proposal.detail, priority=proposal.priority,
        ),
        **given,
    )  # fmt: skip


def test_with_no_data_there_is_nothing_but_the_choice(tmp_path: Path) -> None:
    empty = PlantStation(DataDir(tmp_path))
    assert not empty.open(None).has_data
    assert empty.sync().status is None
    with pytest.raises(KnownError, match="no_plant_data"):
        empty.find_equipment("")
    assert list(tmp_path.iterdir()) == []


def test_a_support_bundle_needs_no_data(tmp_path: Path) -> None:
    station = PlantStation(DataDir(tmp_path / "data"))
    assert station.save_bundle(tmp_path / "bundle.zip")["file"] == str(tmp_path / "bundle.zip")
    assert zipfile.is_zipfile(tmp_path / "bundle.zip")
    station.close()


def test_the_sample_once_chosen_is_there_at_the_next_start(station: PlantStation) -> None:
    state = station.open(None)
    assert state.has_data
    assert state.sample
    assert any(machine.equipment_id == "EQ-003" for machine in state.equipment)
    assert OPERATOR[0] in {person.person_id for person in state.people}
    assert (state.status.reach, state.status.provider, state.status.cloud) == (Reach.NOT_SET, "offline", False)
    assert state.status.data_as_of is not None
    assert not state.status.encrypted


def test_machines_are_found_by_what_is_typed(station: PlantStation) -> None:
    assert [machine.equipment_id for machine in station.find_equipment("ライン3 充填機")] == ["EQ-003"]


def test_a_question_and_its_conversation_come_back(station: PlantStation) -> None:
    conversation = str(uuid7())
    events = ask(station, "ライン3の充填機でE-12が出た", conversation)
    (past,) = station.conversation(conversation)
    assert past.question == "ライン3の充填機でE-12が出た"
    assert list(past.events) == events
    assert station.conversations()[0].conversation_id == conversation
    assert station.conversations()[0].title == past.question


def test_a_choice_is_settled_by_the_machine_picked(station: PlantStation) -> None:
    conversation = str(uuid7())
    assert any(isinstance(event, ChoiceNeeded) for event in ask(station, "充填機でE-12", conversation))
    machine = answer_of(ask(station, "充填機でE-12", conversation, "EQ-001")).equipment
    assert machine is not None
    assert machine.equipment_id == "EQ-001"


def test_an_outcome_told_leads_to_another_answer(station: PlantStation) -> None:
    conversation = str(uuid7())
    step = answer_of(ask(station, "ライン3の充填機でE-12が出た", conversation)).blocks[0].steps[2]
    told = commands.TellOutcome(Trial(step.text, Outcome.NOT_FIXED), conversation)
    answer = answer_of(list(station.run(told, Cancellation())))
    assert answer.equipment is not None
    draft = answer.request_draft
    assert draft is not None
    proposal = station.propose(commands.Propose(draft, conversation))
    assert proposal.tried == (f"{step.text}：直らない",)
    assert proposal.evidence


def test_every_kind_of_source_opens(station: PlantStation) -> None:
    answer = answer_of(ask(station, "ライン3の充填機でE-12が出た"))
    sources = {citation.kind: station.source(commands.OpenSource(citation)) for citation in answer.citations}
    manual, record = sources[CitationKind.MANUAL], sources[CitationKind.RECORD]
    assert manual.file is not None
    assert manual.file.read_bytes().startswith(b"%PDF")
    assert manual.page == 14
    assert "処置：" in record.text
    assert "EQ-003" in record.text
    gone = replace(answer.citations[0], ref="manual:none#1")
    assert station.source(commands.OpenSource(gone)).gone


def test_a_person_is_chosen_or_proved(station: PlantStation) -> None:
    assert station.identify(commands.IdentifyPerson(OPERATOR[0])).known_by is KnownBy.CHOSEN
    assert station.identify(commands.IdentifyPerson(*OPERATOR)).known_by is KnownBy.PIN
    with pytest.raises(KnownError, match="pin_wrong"):
        station.identify(commands.IdentifyPerson(OPERATOR[0], "999999"))
    station.identify(commands.IdentifyPerson(*OPERATOR))
    with pytest.raises(KnownError, match="person_unknown"):
        station.identify(commands.IdentifyPerson("nobody"))


def test_the_sheet_names_who_may_decide_and_what_is_open_already(station: PlantStation) -> None:
    sheet = station.approval_sheet(proposed(station).proposal_id)
    assert LEADER[0] in {person.person_id for person in sheet.approvers}
    assert OTHER_LEADER not in {person.person_id for person in sheet.approvers}
    assert OPERATOR[0] in {person.person_id for person in sheet.requesters}
    assert any("WO-26-0318" in line for line in sheet.duplicates)
    assert sheet.decided is None


def test_approval_once_whoever_comes_second(station: PlantStation) -> None:
    conversation = str(uuid7())
    proposal = proposed(station, conversation)
    first = station.decide(decide(proposal))
    assert first.first
    assert first.request is not None
    assert first.request.number.startswith("WR-00")
    second = station.decide(decide(proposal, Meaning.REJECTED, reason="だめ", requester_pin=""))
    assert not second.first
    assert second.decision == first.decision
    assert station.approval_sheet(proposal.proposal_id).decided == first.decision
    (past,) = station.conversation(conversation)
    assert past.settled[0].request == first.request
    assert proposal.proposal_id not in {waiting.proposal_id for waiting in station.pending()}
    assert first.request.number in {line.request.number for line in station.requests()}


def test_a_pin_holds_until_somebody_else_sits_here(station: PlantStation) -> None:
    station.decide(decide(proposed(station)))
    other = proposed(station)
    assert station.approval_sheet(other.proposal_id).pin_held_by == LEADER[0]
    station.end_session()
    assert station.approval_sheet(other.proposal_id).pin_held_by == ""
    with pytest.raises(KnownError, match="pin_needed"):
        station.decide(decide(other, pin=""))


def test_the_requesters_wrong_pin_is_told_as_his(station: PlantStation) -> None:
    proposal = proposed(station)
    with pytest.raises(KnownError) as refused:
        station.decide(decide(proposal, requester_pin="999999"))
    assert refused.value.code == "requester_pin_refused"
    station.decide(decide(proposal))


def test_the_requester_stays_proved_when_the_approvers_pin_was_wrong(station: PlantStation) -> None:
    proposal = proposed(station)
    with pytest.raises(KnownError, match="pin_wrong"):
        station.decide(decide(proposal, pin="999999"))
    assert station.approval_sheet(proposal.proposal_id).requesters == ()
    assert station.decide(decide(proposal)).first


def test_a_request_by_hand_comes_back_with_its_conversation(station: PlantStation) -> None:
    conversation = str(uuid7())
    draft = answer_of(ask(station, "ライン3の充填機でE-12が出た", conversation)).request_draft
    assert draft is not None
    requester = Requester(OPERATOR[0], "加藤 優", KnownBy.PIN)
    proposal = station.propose(commands.Propose(draft, conversation, requester))
    assert station.propose(commands.Propose(draft, conversation, requester)) == proposal
    (past,) = station.conversation(conversation)
    assert [event.proposal for event in past.events if isinstance(event, ApprovalRequested)] == [proposal]
    assert station.conversations()[0].waiting
    station.decide(decide(proposal, Meaning.RETURNED, reason="写真を付けて", requester_pin=""))
    (past,) = station.conversation(conversation)
    assert past.settled[0].decision.reason == "写真を付けて"


def test_what_was_sent_back_is_submitted_again_and_stays_in_its_conversation(station: PlantStation) -> None:
    conversation = str(uuid7())
    proposal = proposed(station, conversation)
    assert proposal.proposal_id not in {found.proposal.proposal_id for found in station.resubmittable()}
    station.decide(decide(proposal, Meaning.RETURNED, reason="写真を付けて", requester_pin=""))
    came = station.resubmittable()[0]
    assert (came.proposal.proposal_id, came.by, came.reason) == (proposal.proposal_id, LEADER_NAME, "写真を付けて")
    corrected = RequestDraft(proposal.equipment_id, "直した件名", "写真を付けました。", "高")
    again = station.resubmit(commands.Resubmit(proposal.proposal_id, corrected))
    assert (again.proposal_id, again.revision) == (proposal.proposal_id, 2)
    assert (again.title, again.detail, again.priority) == ("直した件名", "写真を付けました。", Priority.HIGH)
    assert station.approval_sheet(proposal.proposal_id).before == came
    assert proposal.proposal_id not in {found.proposal.proposal_id for found in station.resubmittable()}
    assert proposal.proposal_id in {waiting.proposal_id for waiting in station.pending()}
    (past,) = station.conversation(conversation)
    assert [event.proposal.revision for event in past.events if isinstance(event, ApprovalRequested)] == [1, 2]
    done = station.decide(decide(again))
    assert done.request is not None
    assert done.request.revision == 2
    (past,) = station.conversation(conversation)
    assert [settled.decision.meaning for settled in past.settled] == [Meaning.RETURNED, Meaning.APPROVED]


def test_a_proof_counts_only_for_whoever_gave_it(station: PlantStation) -> None:
    proposal = proposed(station)
    station.decide(decide(proposal, Meaning.RETURNED, reason="だめ"))
    assert station.resubmittable()[0].proposal.requester.known_by is KnownBy.PIN
    same = RequestDraft(proposal.equipment_id, proposal.title, proposal.detail, proposal.priority)
    again = station.resubmit(commands.Resubmit(proposal.proposal_id, same))
    assert (again.requester.person_id, again.requester.known_by) == (OPERATOR[0], KnownBy.CHOSEN)
    assert station.approval_sheet(proposal.proposal_id).requesters
    station.decide(decide(again, Meaning.RETURNED, reason="まだ", requester_pin=""))
    sits_here = Requester("0302", "小林", KnownBy.PIN)
    assert station.resubmit(commands.Resubmit(proposal.proposal_id, same, sits_here)).requester == sits_here


def test_what_an_outage_left_is_offered_and_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-key")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    data = DataDir(tmp_path)
    data.settings.write_text(f'provider = "anthropic"\n[anthropic]\nbase_url = "{url}"\n', encoding="utf-8")
    with use_keyring(keyring.backends.fail.Keyring()):
        station = PlantStation(data)
        station.open(sample=True)
        events = ask(station, "ライン3の充填機でE-12が出た", "c1")
        run_id = next(event.run_id for event in events if isinstance(event, ProviderChosen))
        assert isinstance(events[-1], RunStopped)
        state = station.open(None)
        assert [line.cut_off for line in state.conversations] == [True]
        assert state.unfinished == ()
        assert "EQ-003" in station.sent(run_id)
        assert station.sent("nobody") == ""
        assert list(station.run(commands.Settle(run_id, "c1"), Cancellation())) == [RunFinished("")]
        assert [line.cut_off for line in station.conversations()] == [False]
        station.close()
