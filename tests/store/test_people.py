"""The roster as rows: who is there, what an import changed, who may approve where."""

from dataclasses import replace

from desktop.domain import pin
from desktop.store import people
from desktop.store.journal import Journal
from desktop.store.people import RosterChanges
from tests.fakes.desk import LEADER, OPERATOR, OTHER_LEADER, SUPERVISOR


def test_people_come_back_as_they_came_and_changes_are_told(journal: Journal) -> None:
    with journal.transaction() as tx:
        assert people.put(tx, [OPERATOR, LEADER]) == RosterChanges(added=("0104", "0302"))
        assert people.put(tx, [OPERATOR, LEADER]) == RosterChanges()
        moved = replace(LEADER, lines=("ライン1",))
        assert people.put(tx, [moved, SUPERVISOR]) == RosterChanges(added=("0401",), changed=("0302",))
        assert people.everyone(tx) == (OPERATOR, moved, SUPERVISOR)
        assert people.get(tx, "0302") == moved
        assert people.get(tx, "9999") is None


def test_who_left_the_roster_can_do_nothing_and_comes_back_without_a_pin(journal: Journal) -> None:
    with journal.transaction() as tx:
        people.put(tx, [OPERATOR, LEADER])
        people.set_pin(tx, "0302", pin.keep_sample("693815"), must_change=False)
        assert people.put(tx, [OPERATOR], replace=True) == RosterChanges(gone=("0302",))
        assert people.get(tx, "0302") is None
        assert people.approvers(tx, "ライン3") == ()
        people.put(tx, [LEADER])
        assert people.pin(tx, "0302") is None


def test_approvers_by_line(journal: Journal) -> None:
    with journal.transaction() as tx:
        people.put(tx, [OPERATOR, LEADER, OTHER_LEADER, SUPERVISOR])
        assert people.approvers(tx, "ライン3") == (LEADER, SUPERVISOR)
        assert people.approvers(tx, "ライン1") == (OTHER_LEADER, SUPERVISOR)
        assert people.approvers(tx, "") == (OTHER_LEADER, LEADER, SUPERVISOR)


def test_a_sample_pin_makes_nobody_an_approver(journal: Journal) -> None:
    with journal.transaction() as tx:
        people.put(tx, [OPERATOR, LEADER])
        people.set_pin(tx, "0302", pin.keep_sample("693815"), must_change=False)
        assert not people.has_approver_with_pin(tx)
        kept = pin.KeptPin(pin.PinScheme.SCRYPT, b"s", 16, b"d")
        people.set_pin(tx, "0104", kept, must_change=False)
        assert not people.has_approver_with_pin(tx)
        people.set_pin(tx, "0302", kept, must_change=True)
        assert people.has_approver_with_pin(tx)
        stored = people.pin(tx, "0302")
        assert stored is not None
        assert (stored.kept, stored.must_change, stored.tries, stored.locked_at) == (kept, True, 0, None)
