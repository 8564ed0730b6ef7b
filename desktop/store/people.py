"""The roster and its PINs, as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from desktop.domain.ledger import APPROVER_ROLES, Person, Role
from desktop.domain.pin import KeptPin, PinScheme
from desktop.store.journal import Row, Tx, stamp

_SELECT = "SELECT * FROM people WHERE person_id = ? AND active = 1"
_SELECT_ALL = "SELECT * FROM people WHERE active = 1 ORDER BY person_id"
_PUT = """
INSERT INTO people (person_id, name, role, lines, phone, active) VALUES (?, ?, ?, ?, ?, 1)
ON CONFLICT (person_id) DO UPDATE
SET name = excluded.name, role = excluded.role, lines = excluded.lines, phone = excluded.phone, active = 1
"""
_RETIRE = "UPDATE people SET active = 0 WHERE person_id = ?"
_SELECT_PIN = "SELECT * FROM pins WHERE person_id = ?"
_PUT_PIN = """
INSERT INTO pins (person_id, scheme, salt, cost, hash, pepper, must_change, tries, locked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL)
ON CONFLICT (person_id) DO UPDATE
SET scheme = excluded.scheme, salt = excluded.salt, cost = excluded.cost, hash = excluded.hash,
    pepper = excluded.pepper, must_change = excluded.must_change, tries = 0, locked_at = NULL
"""
_DROP_PIN = "DELETE FROM pins WHERE person_id = ?"
_BEGIN_TRY = "UPDATE pins SET tries = tries + 1 WHERE person_id = ?"
_CLEAR_TRIES = "UPDATE pins SET tries = 0, locked_at = NULL WHERE person_id = ?"
_LOCK = "UPDATE pins SET locked_at = ? WHERE person_id = ?"
_HAS_APPROVER = """
SELECT 1 FROM people JOIN pins USING (person_id)
WHERE active = 1 AND scheme = 'scrypt' AND role IN (SELECT value FROM json_each(?))
"""
_COUNT_PEPPERED = "SELECT COUNT(*) AS n FROM pins WHERE pepper <> ''"


@dataclass(frozen=True, slots=True)
class RosterChanges:
    """Person ids by what an import did to them; those not named stayed as they were."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredPin:
    """`tries` were begun since the last right one; `locked_at` is when they were too many."""

    kept: KeptPin
    must_change: bool
    tries: int
    locked_at: datetime | None


def put(tx: Tx, persons: Sequence[Person], *, replace: bool = False) -> RosterChanges:
    """Adds and changes; with `replace`, whoever is not among them leaves the roster, and the PIN goes too."""
    before = {person.person_id: person for person in everyone(tx)}
    given = {person.person_id: person for person in persons}
    for person in given.values():
        lines = json.dumps(person.lines, ensure_ascii=False)
        tx.run(_PUT, (person.person_id, person.name, person.role, lines, person.phone))
    gone = tuple(before.keys() - given.keys()) if replace else ()
    for person_id in gone:
        tx.run(_RETIRE, (person_id,))
        tx.run(_DROP_PIN, (person_id,))
    return RosterChanges(
        added=tuple(key for key in given if key not in before),
        changed=tuple(key for key, person in given.items() if key in before and before[key] != person),
        gone=tuple(sorted(gone)),
    )


def get(tx: Tx, person_id: str) -> Person | None:
    """Someone who is on the roster now."""
    row = tx.row(_SELECT, (person_id,))
    return _person(row) if row else None


def everyone(tx: Tx) -> tuple[Person, ...]:
    return tuple(map(_person, tx.rows(_SELECT_ALL)))


def approvers(tx: Tx, line: str) -> tuple[Person, ...]:
    """Who may approve for a machine of this line ("" = a machine without one)."""
    return tuple(person for person in everyone(tx) if person.may_approve and covers(person, line))


def covers(person: Person, line: str) -> bool:
    """Whether a person's lines include this one; no lines written = every line."""
    return not person.lines or not line or line in person.lines


def pin(tx: Tx, person_id: str) -> StoredPin | None:
    row = tx.row(_SELECT_PIN, (person_id,))
    if row is None:
        return None
    kept = KeptPin(PinScheme(row["scheme"]), row["salt"], row["cost"], row["hash"], row["pepper"])
    locked_at = datetime.fromisoformat(row["locked_at"]) if row["locked_at"] else None
    return StoredPin(kept, bool(row["must_change"]), row["tries"], locked_at)


def set_pin(tx: Tx, person_id: str, kept: KeptPin, *, must_change: bool) -> None:
    """A new PIN, unlocked, no tries begun."""
    tx.run(_PUT_PIN, (person_id, kept.scheme, kept.salt, kept.cost, kept.digest, kept.pepper, int(must_change)))


def peppered(tx: Tx) -> int:
    """How many PINs can be proved only with the machine's pepper."""
    row = tx.row(_COUNT_PEPPERED)
    return int(row["n"]) if row else 0


def begin_try(tx: Tx, person_id: str) -> None:
    """Counted before the hash is computed, so that a process killed meanwhile has not had a free try."""
    tx.run(_BEGIN_TRY, (person_id,))


def clear_tries(tx: Tx, person_id: str) -> None:
    """After the right PIN, or by whoever may unlock."""
    tx.run(_CLEAR_TRIES, (person_id,))


def lock(tx: Tx, person_id: str, at: datetime) -> None:
    tx.run(_LOCK, (stamp(at), person_id))


def has_approver_with_pin(tx: Tx, roles: Iterable[Role] = APPROVER_ROLES) -> bool:
    """Whether someone can already approve here with a PIN of his own."""
    return tx.row(_HAS_APPROVER, (json.dumps(sorted(roles), ensure_ascii=False),)) is not None


def _person(row: Row) -> Person:
    return Person(row["person_id"], row["name"], Role(row["role"]), tuple(json.loads(row["lines"])), row["phone"])
