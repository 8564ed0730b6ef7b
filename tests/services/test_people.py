"""PINs prove people; five wrong ones lock, and the trail knows."""

import json
from collections.abc import Callable
from pathlib import Path

import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.domain.ledger import Person, Role
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services.people import Roster
from desktop.store.journal import open_journal
from tests.fakes.desk import LEADER, OPERATOR, PINS, SUPERVISOR, Desk, open_desk
from tests.fakes.keyrings import MemoryKeyring, use_keyring


def refusal(act: Callable[[], object]) -> KnownError:
    with pytest.raises(KnownError) as refused:
        act()
    return refused.value


def actions(desk: Desk) -> list[str]:
    return [row["action"] for row in desk.rows("SELECT action FROM audit ORDER BY seq")]


def elevated(desk: Desk) -> Roster:
    return Roster(desk.journal, Credentials(environ={}), desk.clock, is_elevated=lambda: True)


def test_the_right_pin_proves_and_full_width_is_the_same_pin(desk: Desk) -> None:
    assert desk.roster.sign_in("0302", "693815") == LEADER
    assert desk.roster.sign_in("0302", " ６９３８１５") == LEADER


def test_who_is_not_there_or_has_no_pin_is_told_so(desk: Desk) -> None:
    desk.roster.import_people([Person("0500", "新人", Role.OPERATOR)])
    assert refusal(lambda: desk.roster.sign_in("9999", "1")).code == "person_unknown"
    assert refusal(lambda: desk.roster.sign_in("0500", "1")).code == "pin_not_set"


def test_five_wrong_pins_lock_and_the_lock_is_on_the_trail(desk: Desk) -> None:
    lefts = [refusal(lambda: desk.roster.sign_in("0302", "000000")).detail["left"] for _ in range(4)]
    assert lefts == [4, 3, 2, 1]
    assert refusal(lambda: desk.roster.sign_in("0302", "000000")).code == "pin_locked"
    assert refusal(lambda: desk.roster.sign_in("0302", PINS[LEADER])).code == "pin_locked"
    assert actions(desk) == ["pin_locked"]
    assert desk.roster.sign_in("0401", PINS[SUPERVISOR]) == SUPERVISOR


def test_a_right_pin_clears_the_count(desk: Desk) -> None:
    for _ in range(4):
        refusal(lambda: desk.roster.sign_in("0302", "000000"))
    desk.roster.sign_in("0302", PINS[LEADER])
    assert refusal(lambda: desk.roster.sign_in("0302", "000000")).detail["left"] == 4


def test_a_try_that_died_before_its_answer_was_still_a_try(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> bool:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("desktop.domain.pin.matches", die)
        for _ in range(4):
            with pytest.raises(MemoryError):
                desk.roster.sign_in("0302", "000000")
    assert refusal(lambda: desk.roster.sign_in("0302", "000000")).code == "pin_locked"


def test_only_a_supervisor_or_an_administrator_unlocks_and_resets(desk: Desk) -> None:
    for _ in range(5):
        refusal(lambda: desk.roster.sign_in("0104", "000000"))
    leader = {"by_id": "0302", "by_pin": PINS[LEADER]}
    assert refusal(lambda: desk.roster.unlock("0104", **leader)).code == "supervisor_needed"
    assert refusal(lambda: desk.roster.unlock("0104")).code == "elevation_needed"
    assert refusal(lambda: desk.roster.reset_pin("0104")).code == "elevation_needed"
    desk.roster.unlock("0104", by_id="0401", by_pin=PINS[SUPERVISOR])
    assert desk.roster.sign_in("0104", PINS[OPERATOR]) == OPERATOR
    assert elevated(desk).reset_pin("0104") != PINS[OPERATOR]
    assert actions(desk) == ["pin_locked", "pin_unlocked", "pin_reset"]


def test_an_issued_pin_must_be_changed_before_it_proves_anything(desk: Desk) -> None:
    issued = desk.roster.reset_pin("0104", by_id="0401", by_pin=PINS[SUPERVISOR])
    assert refusal(lambda: desk.roster.sign_in("0104", issued)).code == "pin_change_needed"
    assert refusal(lambda: desk.roster.change_pin("0104", "000000", "730584")).code == "pin_wrong"
    assert refusal(lambda: desk.roster.change_pin("0104", issued, "123456")).code == "pin_too_simple"
    assert refusal(lambda: desk.roster.change_pin("0104", issued, issued)).code == "pin_unchanged"
    desk.roster.change_pin("0104", issued, "730584")
    assert desk.roster.sign_in("0104", "730584") == OPERATOR
    assert actions(desk) == ["pin_reset", "pin_changed"]


def test_an_import_that_changes_something_is_on_the_trail(desk: Desk) -> None:
    desk.roster.import_people([LEADER])
    assert actions(desk) == []
    changes = desk.roster.import_people([Person("0500", "新人", Role.OPERATOR)], replace=True)
    assert (changes.added, changes.gone) == (("0500",), ("0104", "0301", "0302", "0401"))
    (row,) = desk.rows("SELECT actor, body FROM audit WHERE action = 'people_imported'")
    assert json.loads(row["body"]) == {"added": ["0500"], "changed": [], "gone": ["0104", "0301", "0302", "0401"]}


def test_the_first_approver_is_made_by_an_administrator_and_only_once(tmp_path: Path, cheap_pins: None) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        journal = open_journal(DataDir(tmp_path), Credentials(environ={}))
        anyone = Roster(journal, Credentials(environ={}), is_elevated=lambda: False)
        admin = Roster(journal, Credentials(environ={}), is_elevated=lambda: True)
        assert refusal(lambda: anyone.bootstrap("0401", "小林 正", "407261")).code == "elevation_needed"
        assert refusal(lambda: admin.bootstrap("0104", "加藤", "407261", Role.OPERATOR)).code == "role_may_not_approve"
        assert refusal(lambda: admin.bootstrap("0401", "小林 正", "111111")).code == "pin_too_simple"
        assert admin.bootstrap("0401", "小林 正", "407261") == Person("0401", "小林 正", Role.SUPERVISOR)
        assert refusal(lambda: admin.bootstrap("0402", "他人", "693815")).code == "people_bootstrap_done"
        admin.change_pin("0401", "407261", "730584")
        admin.import_people([OPERATOR])
        assert admin.reset_pin("0104", by_id="0401", by_pin="730584")
    with journal.reading() as tx:
        told = [row["action"] for row in tx.rows("SELECT action FROM audit ORDER BY seq")]
    assert told == ["people_bootstrap", "pin_changed", "people_imported", "pin_reset"]
    journal.close()


def test_bootstrap_keeps_what_the_roster_says_of_an_approver(tmp_path: Path, cheap_pins: None) -> None:
    with use_keyring(keyring.backends.fail.Keyring()):
        journal = open_journal(DataDir(tmp_path), Credentials(environ={}))
        admin = Roster(journal, Credentials(environ={}), is_elevated=lambda: True)
        admin.import_people([LEADER])
        assert admin.bootstrap("0302", "別の名", "693815") == LEADER
    journal.close()


def test_printed_sample_pins_open_the_sample_and_never_real_data(tmp_path: Path, desk: Desk) -> None:
    sample = open_desk(tmp_path / "sample", sample=True)
    new = Person("0999", "見本", Role.SUPERVISOR)
    sample.roster.import_people([new], {"0999": "407261"})
    assert sample.roster.sign_in("0999", "407261") == new
    desk.roster.import_people([new], {"0999": "407261"})
    assert desk.rows("SELECT * FROM pins WHERE person_id = '0999'") == []
    assert refusal(lambda: desk.roster.sign_in("0999", "407261")).code == "pin_not_set"
    with desk.journal.transaction() as tx, sample.journal.reading() as other:
        row = other.rows("SELECT * FROM pins WHERE person_id = '0302'")[0]
        tx.run("DELETE FROM pins WHERE person_id = '0302'")
        tx.run(f"INSERT INTO pins VALUES ({','.join('?' * len(row))})", tuple(row.values()))
    assert refusal(lambda: desk.roster.sign_in("0302", "693815")).code == "pin_not_set"
    sample.journal.close()


def test_the_pepper_is_in_the_keyring_and_without_it_no_pin_is_checked(tmp_path: Path, cheap_pins: None) -> None:
    ring = MemoryKeyring()
    with use_keyring(ring):
        journal = open_journal(DataDir(tmp_path), Credentials(environ={}))
        roster = Roster(journal, Credentials(environ={}), is_elevated=lambda: True)
        roster.bootstrap("0401", "小林 正", "407261")
        assert sorted(service.split("/")[1] for service, _ in ring.kept) == ["journal", "pepper"]
        assert refusal(lambda: roster.sign_in("0401", "407261")).code == "pin_change_needed"
        del ring.kept[f"HozenNavi/pepper/{journal.journal_id}", "hozen-navi"]
        assert refusal(lambda: roster.sign_in("0401", "407261")).code == "pin_pepper_missing"
    journal.close()
