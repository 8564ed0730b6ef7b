"""Who is who: the roster comes in, PINs are proved, changed, reset and unlocked."""

from __future__ import annotations

import ctypes
import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from desktop.credentials import Credentials
from desktop.domain import pin as pins
from desktop.domain.ledger import Person, Role
from desktop.domain.pin import KeptPin, PinScheme
from desktop.errors import KnownError
from desktop.store import audit, people
from desktop.store.journal import Journal, Tx
from desktop.store.people import RosterChanges, StoredPin


def elevated() -> bool:
    """Whether this process has the administrator's rights of the operating system."""
    if sys.platform == "win32":
        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return os.geteuid() == 0


def pepper_name(journal_id: str) -> str:
    """Where the keyring has the machine's pepper for the PINs of one journal."""
    return f"pepper/{journal_id}"


class Roster:
    """The people of one journal.

    `is_elevated` tells whether the process has administrator's rights: the first approver and a PIN reset that nobody
    signs are made by IT, never by whoever comes first.
    """

    def __init__(
        self,
        journal: Journal,
        credentials: Credentials,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        is_elevated: Callable[[], bool] = elevated,
    ) -> None:
        self._journal = journal
        self._credentials = credentials
        self._clock = clock
        self._is_elevated = is_elevated

    def everyone(self) -> tuple[Person, ...]:
        with self._journal.reading() as tx:
            return people.everyone(tx)

    def approvers(self, line: str) -> tuple[Person, ...]:
        """Who may approve for this line, with their phones, for when nobody of them is there."""
        with self._journal.reading() as tx:
            return people.approvers(tx, line)

    def import_people(
        self, persons: Sequence[Person], sample_pins: Mapping[str, str] | None = None, *, replace: bool = False
    ) -> RosterChanges:
        """The roster as it came; printed sample PINs count in the bundled plant's journal only."""
        with self._journal.transaction() as tx:
            changes = people.put(tx, persons, replace=replace)
            if self._journal.sample:
                for person_id, pin in (sample_pins or {}).items():
                    people.set_pin(tx, person_id, pins.keep_sample(pin), must_change=False)
            if changes != RosterChanges():
                told = {"added": list(changes.added), "changed": list(changes.changed), "gone": list(changes.gone)}
                self._tell(tx, "", "people_imported", "", told)
        return changes

    def bootstrap(self, person_id: str, name: str, pin: str, role: Role = Role.SUPERVISOR) -> Person:
        """The first approver, by an administrator of the PC; the PIN is changed at first use.

        Raises KnownError: elevation_needed, people_bootstrap_done, role_may_not_approve, pin_too_simple.
        """
        self._require_elevated()
        person = Person(person_id, name, role)
        if not person.may_approve:
            raise KnownError("role_may_not_approve", role=role)
        pins.require_good(pin)
        kept = pins.keep(pin, self._pepper(mint=True))
        with self._journal.transaction() as tx:
            if people.has_approver_with_pin(tx):
                raise KnownError("people_bootstrap_done")
            known = people.get(tx, person_id)
            person = known if known and known.may_approve else person
            people.put(tx, [person])
            people.set_pin(tx, person_id, kept, must_change=True)
            self._tell(tx, "", "people_bootstrap", person_id, {"name": person.name, "role": person.role})
        return person

    def sign_in(self, person_id: str, pin: str) -> Person:
        """The person this PIN proves; may take half a second.

        Raises KnownError: person_unknown, pin_not_set, pin_locked, pin_wrong, pin_change_needed, pin_pepper_missing.
        """
        person, stored = self._prove(person_id, pin)
        if stored.must_change:
            raise KnownError("pin_change_needed", person=person.name)
        return person

    def change_pin(self, person_id: str, old: str, new: str) -> None:
        """Raises what `sign_in` raises but pin_change_needed, and pin_too_simple, pin_unchanged."""
        self._prove(person_id, old)
        pins.require_good(new)
        if pins.normal(old) == pins.normal(new):
            raise KnownError("pin_unchanged")
        kept = pins.keep(new, self._pepper(mint=True))
        with self._journal.transaction() as tx:
            people.set_pin(tx, person_id, kept, must_change=False)
            self._tell(tx, person_id, "pin_changed", person_id, {})

    def reset_pin(self, person_id: str, *, by_id: str = "", by_pin: str = "") -> str:
        """A new PIN to be changed at first use, also for someone who never had one; told once, here.

        `by_id` with `by_pin` is a supervisor; without, the process must be elevated.
        """
        self._authorise(by_id, by_pin)
        new = pins.mint()
        kept = pins.keep(new, self._pepper(mint=True))
        with self._journal.transaction() as tx:
            self._known(tx, person_id)
            people.set_pin(tx, person_id, kept, must_change=True)
            self._tell(tx, by_id, "pin_reset", person_id, {})
        return new

    def unlock(self, person_id: str, *, by_id: str = "", by_pin: str = "") -> None:
        """The same PIN again, after too many wrong ones; by the same people as `reset_pin`."""
        self._authorise(by_id, by_pin)
        with self._journal.transaction() as tx:
            self._known(tx, person_id)
            people.clear_tries(tx, person_id)
            self._tell(tx, by_id, "pin_unlocked", person_id, {})

    def _prove(self, person_id: str, pin: str) -> tuple[Person, StoredPin]:
        with self._journal.transaction() as tx:
            person = self._known(tx, person_id)
            stored = people.pin(tx, person_id)
            if stored is None or (stored.kept.scheme is PinScheme.SAMPLE and not self._journal.sample):
                raise KnownError("pin_not_set", person=person.name)
            if stored.locked_at is not None:
                raise KnownError("pin_locked", person=person.name)
            people.begin_try(tx, person_id)
        right = pins.matches(pin, stored.kept, self._pepper_of(stored.kept))
        with self._journal.transaction() as tx:
            if not right:
                self._count_wrong(tx, person)
            else:
                people.clear_tries(tx, person_id)
        if not right:
            left = pins.MAX_TRIES - stored.tries - 1
            raise KnownError("pin_wrong", left=left) if left > 0 else KnownError("pin_locked", person=person.name)
        return person, stored

    def _count_wrong(self, tx: Tx, person: Person) -> None:
        stored = people.pin(tx, person.person_id)
        if stored is not None and stored.tries >= pins.MAX_TRIES and stored.locked_at is None:
            people.lock(tx, person.person_id, self._clock())
            self._tell(tx, "", "pin_locked", person.person_id, {"tries": stored.tries})

    def _authorise(self, by_id: str, by_pin: str) -> None:
        if not by_id:
            self._require_elevated()
        elif self.sign_in(by_id, by_pin).role is not Role.SUPERVISOR:
            raise KnownError("supervisor_needed")

    def _require_elevated(self) -> None:
        if not self._is_elevated():
            raise KnownError("elevation_needed")

    def _known(self, tx: Tx, person_id: str) -> Person:
        person = people.get(tx, person_id)
        if person is None:
            raise KnownError("person_unknown", person=person_id)
        return person

    def _pepper_of(self, kept: KeptPin) -> bytes:
        if not kept.pepper:
            return b""
        pepper = self._pepper(mint=False)
        if pins.fingerprint(pepper) != kept.pepper:
            raise KnownError("pin_pepper_missing")
        return pepper

    def _pepper(self, *, mint: bool) -> bytes:
        """This machine's pepper, from the keyring; none where there is no keyring."""
        if self._credentials.backend() is None:
            return b""
        name = pepper_name(self._journal.journal_id)
        kept = self._credentials.get(name)
        if kept is None and mint:
            with self._journal.transaction():  # two processes must not mint two
                kept = self._credentials.get(name) or secrets.token_hex(32)
                self._credentials.set(name, kept)
        return bytes.fromhex(kept or "")

    def _tell(self, tx: Tx, actor: str, action: str, subject: str, body: Mapping[str, object]) -> None:
        audit.append(tx, self._clock(), actor, action, subject, body)
