"""The journal's key: minted once into the keyring, recognised by its fingerprint in journal.key.json."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from uuid6 import uuid7

from desktop.credentials import Credentials
from desktop.errors import KnownError

KEY_FILE = "journal.key.json"
_CIPHER = "chacha20"
_PLAIN_HEADER = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class JournalKey:
    """What opens an encrypted journal; `secret` is 64 hex digits and never leaves keyring and memory."""

    journal_id: str
    cipher: str
    secret: str

    def __repr__(self) -> str:
        return f"JournalKey({self.journal_id})"


@dataclass(frozen=True, slots=True)
class _Note:
    """The key file: which key it is, not the key."""

    journal_id: str
    cipher: str
    fingerprint: str


def settle(journal: Path, credentials: Credentials, *, required: bool) -> JournalKey | None:
    """The key of this journal, made (with its key file) where a new journal can have one; None = plain.

    Call it while no other process is opening the same journal. Raises KnownError: journal_key_missing,
    journal_key_wrong, journal_key_file_broken, journal_key_file_missing, encryption_required, keyring_locked.
    """
    key_file = journal.with_name(KEY_FILE)
    if key_file.exists():
        return _recall(key_file, credentials)
    if journal.exists() and journal.stat().st_size > 0:
        if not is_plain(journal):
            raise KnownError("journal_key_file_missing", file=str(journal), key_file=key_file.name)
        if required:
            raise KnownError("encryption_required_but_plain", file=str(journal))
        return None
    return _mint(key_file, credentials, required=required)


def is_plain(journal: Path) -> bool:
    """Whether a journal or a copy of one can be read without a key."""
    with journal.open("rb") as opened:
        return opened.read(len(_PLAIN_HEADER)) == _PLAIN_HEADER


def fingerprint(secret: str) -> str:
    """Tells keys apart without telling the key."""
    return hashlib.sha256(b"hozen-navi journal key\x00" + bytes.fromhex(secret)).hexdigest()[:32]


def recall(journal: Path, credentials: Credentials) -> JournalKey | None:
    """The key of an encrypted journal, None of a plain one; raises what `settle` raises of a key that was there."""
    key_file = journal.with_name(KEY_FILE)
    return _recall(key_file, credentials) if key_file.exists() else None


def give_back(key: JournalKey, journal: Path, credentials: Credentials) -> bool:
    """Puts a key that is lost here into the keyring; whether it is this journal's own (another's waits for a restore).

    Raises KnownError: key_not_this_journals, key_known_otherwise (nothing proves which is right, so the one in the
    keyring stays), journal_key_file_broken, keyring_missing, keyring_locked.
    """
    key_file, name = journal.with_name(KEY_FILE), _name(key.journal_id)
    note = _read_note(key_file) if key_file.exists() else None
    own = note is not None and note.journal_id == key.journal_id
    if own and note is not None and fingerprint(key.secret) != note.fingerprint:
        raise KnownError("key_not_this_journals", file=str(key_file), name=name)
    kept = credentials.get(name)
    if kept not in (None, key.secret) and not own:
        raise KnownError("key_known_otherwise", name=name)
    if kept != key.secret:
        credentials.set(name, key.secret)
    return own


def _read_note(key_file: Path) -> _Note:
    try:
        told = json.loads(key_file.read_text(encoding="utf-8"))
        return _Note(told["journal_id"], told["cipher"], told["fingerprint"])
    except (UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise KnownError("journal_key_file_broken", file=str(key_file)) from error


def _recall(key_file: Path, credentials: Credentials) -> JournalKey:
    note = _read_note(key_file)
    name = _name(note.journal_id)
    secret = credentials.get(name)
    if secret is None:
        raise KnownError("journal_key_missing", file=str(key_file), name=name)
    try:
        known = fingerprint(secret) == note.fingerprint
    except ValueError:
        known = False
    if not known:
        raise KnownError("journal_key_wrong", file=str(key_file), name=name)
    return JournalKey(note.journal_id, note.cipher, secret)


def _mint(key_file: Path, credentials: Credentials, *, required: bool) -> JournalKey | None:
    key = JournalKey(str(uuid7()), _CIPHER, secrets.token_hex(32))
    try:
        credentials.set(_name(key.journal_id), key.secret)
    except KnownError as error:
        if required:
            raise KnownError("encryption_required", cause=error.code) from error
        return None
    body = {"journal_id": key.journal_id, "cipher": key.cipher, "fingerprint": fingerprint(key.secret)}
    draft = key_file.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as out:
        json.dump(body, out)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(key_file)
    return key


def _name(journal_id: str) -> str:
    return f"journal/{journal_id}"
