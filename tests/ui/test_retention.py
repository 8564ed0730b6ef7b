"""A conversation that is shown, or still in the list, when its days are over: the window goes on without it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import keyring.backends.fail
import pytest
from pytestqt.qtbot import QtBot

from desktop import wiring
from desktop.app import House
from desktop.credentials import Credentials
from desktop.paths import DataDir
from desktop.services import retention
from desktop.store.journal import Row, open_journal, stamp
from tests.fakes.keyrings import use_keyring
from tests.ui.conftest import Hands

QUESTION = "ライン3の充填機でE-12が出た"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataDir]:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    with use_keyring(keyring.backends.fail.Keyring()):
        made = DataDir(tmp_path / "data")
        wiring.build(made, sample=True, one_session=False).close()
        yield made


@pytest.fixture
def house(data: DataDir) -> Iterator[House]:
    made = House(data)
    yield made
    made.close()


@pytest.fixture
def hands(qtbot: QtBot, house: House) -> Iterator[Hands]:
    made = Hands(qtbot, house)
    made.wait(lambda: made.seen("sampleBand"), 30)
    yield made
    made.close()


def rows(data: DataDir, sql: str, *given: str) -> list[Row]:
    with use_keyring(keyring.backends.fail.Keyring()):
        journal = open_journal(data.sample, Credentials(environ={}), sample=True)
    with journal.transaction() as tx:
        found = tx.rows(sql, given)
    journal.close()
    return found


def let_go(data: DataDir, house: House) -> None:
    """Every question so far becomes 200 days old, and the day's round comes."""
    rows(data, "UPDATE runs SET started_at = ?1, finished_at = ?1", stamp(datetime.now(UTC) - timedelta(days=200)))
    retention.keep_within_limits(house()._services)  # type: ignore[attr-defined]
    assert left(data) == 0


def left(data: DataDir) -> int:
    return len(rows(data, "SELECT run_id FROM runs"))


def asked(hands: Hands, question: str, cards: int) -> None:
    hands.ask(question)
    hands.wait(lambda: len(hands.all("answerMachine")) == cards and not hands.desk.page.running)


def test_a_conversation_that_is_shown_goes_on_after_its_questions_are_gone(
    hands: Hands, house: House, data: DataDir, caplog: pytest.LogCaptureFixture
) -> None:
    asked(hands, QUESTION, 1)
    let_go(data, house)
    hands.press("outcomeNotFixed")
    hands.wait(lambda: not hands.desk.page.running and left(data) == 1)
    asked(hands, QUESTION, len(hands.all("answerMachine")) + 1)
    assert not hands.says("不具合")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_a_line_of_the_list_whose_conversation_is_gone_opens_an_empty_one(
    hands: Hands, house: House, data: DataDir, caplog: pytest.LogCaptureFixture
) -> None:
    asked(hands, QUESTION, 1)
    listed = hands.find("conversationList")
    hands.wait(lambda: listed.count() == 1)
    shown = hands.desk.page
    hands.press("newConversationButton")
    let_go(data, house)
    hands.desk._pages.pop(shown.conversation_id)  # as after a restart: the line is all that the window knows
    listed.itemClicked.emit(listed.item(0))
    hands.wait(lambda: hands.desk.page.conversation_id == shown.conversation_id)
    asked(hands, QUESTION, len(hands.all("answerMachine")) + 1)
    assert not hands.says("不具合")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
