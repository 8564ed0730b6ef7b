"""The hourly round of the real station: status.json of its own data, old questions gone, and commands after that."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import keyring.backends.fail
import pytest
from uuid6 import uuid7

from desktop.domain.answer import RequestDraft
from desktop.domain.outcome import Outcome, Trial
from desktop.domain.work_request import Requester
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services import retention
from desktop.services.health import FILE
from desktop.store.journal import stamp
from desktop.workers import commands
from desktop.workers.plant_station import PlantStation
from tests.fakes.keyrings import use_keyring

QUESTION = "ライン3の充填機でE-12が出た"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataDir]:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    with use_keyring(keyring.backends.fail.Keyring()):
        yield DataDir(tmp_path / "data")


@pytest.fixture
def station(data: DataDir) -> Iterator[PlantStation]:
    made = PlantStation(data)
    made.open(sample=True)
    yield made
    made.close()


def ask(station: PlantStation, conversation: str) -> None:
    list(station.run(commands.Ask(QUESTION, conversation), Cancellation()))


def grow_old(station: PlantStation) -> None:
    with station._services.journal.transaction() as tx:
        at = stamp(datetime.now(UTC) - timedelta(days=200))
        tx.run("UPDATE runs SET started_at = ?1, finished_at = ?1", (at,))


def test_a_round_writes_the_status_of_the_own_data_and_lets_go_what_is_old(
    station: PlantStation, data: DataDir
) -> None:
    conversation = str(uuid7())
    ask(station, conversation)
    grow_old(station)
    ask(station, str(uuid7()))
    station.tend()
    assert station.conversation(conversation) == []
    assert len(station.conversations()) == 1
    assert json.loads((data.root / FILE).read_text(encoding="ascii"))["schema"] == 1
    assert not (data.sample.root / FILE).exists()


def test_old_questions_are_looked_for_and_a_copy_is_made_at_start_and_then_once_a_day(
    station: PlantStation, data: DataDir
) -> None:
    station.tend()
    ask(station, "c1")
    grow_old(station)
    station.tend()
    assert len(station.conversations()) == 1
    copies = set((data.sample.root / "copies").glob("journal-*.db"))
    station._services.clock = lambda: datetime.now(UTC) + timedelta(days=1)
    station.tend()
    assert station.conversations() == []
    (copy,) = set((data.sample.root / "copies").glob("journal-*.db")) - copies
    station.tend()
    assert set((data.sample.root / "copies").glob("journal-*.db")) == {*copies, copy}


def test_a_station_that_could_not_open_is_told_of_too(tmp_path: Path, data: DataDir) -> None:
    data.root.mkdir(parents=True)
    data.settings.write_text("nonsense = 1\n", encoding="utf-8")
    station = PlantStation(data)
    station._settled.set()
    station.tend()
    told = json.loads((data.root / FILE).read_text(encoding="ascii"))
    assert told["worst"] == {"code": "setting_unknown", "hn": "HN-031"}
    station.close()


def test_every_command_about_a_conversation_that_is_gone_still_has_an_answer(station: PlantStation) -> None:
    conversation = str(uuid7())
    ask(station, conversation)
    with station._services.journal.reading() as tx:
        (row,) = tx.rows("SELECT run_id FROM runs")
    grow_old(station)
    retention.keep_within_limits(station._services)
    assert station.conversation(conversation) == []
    assert station.sent(row["run_id"]) == ""
    for command in (commands.Continue(row["run_id"], conversation), commands.Settle(row["run_id"], conversation)):
        assert list(station.run(command, Cancellation())) == []
    trial = Trial("逆洗する", Outcome.NOT_FIXED)
    assert list(station.run(commands.TellOutcome(trial, conversation, Requester()), Cancellation()))
    draft = RequestDraft("EQ-003", "Oリング交換", "再発するため", "中")
    made = station.propose(commands.Propose(draft, str(uuid7()), Requester()))
    assert station.approval_sheet(made.proposal_id).proposal == made
