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


def settle(journal: Path, credentials: Credentials, *, required: bool) -> JournalKey | None:
    """The key of this journal, made (with its key file) where a new journal can have one; None = plain.

    Call it while no other process is opening the same journal. Raises KnownError: journal_key_missing,
    journal_key_wrong, journal_key_file_broken, journal_key_file_missing, encryption_required, keyring_locked.
    """
    key_file = journal.with_name(KEY_FILE)
    if key_file.exists():
        return _recall(key_file, credentials)
    if journal.exists() and journal.stat().st_size > 0:
        with journal.open("rb") as opened:
            plain = opened.read(len(_PLAIN_HEADER)) == _PLAIN_HEADER
        if not plain:
            raise KnownError("journal_key_file_missing", file=str(journal), key_file=key_file.name)
        if required:
            raise KnownError("encryption_required_but_plain", file=str(journal))
        return None
    return _mint(key_file, credentials, required=required)


def fingerprint(secret: str) -> str:
    """Tells keys apart without telling the key."""
    return hashlib.sha256(b"hozen-navi journal key\x00" + bytes.fromhex(secret)).hexdigest()[:32]


def _recall(key_file: Path, credentials: Credentials) -> JournalKey:
    try:
        told = json.loads(key_file.read_text(encoding="utf-8"))
        journal_id, cipher, expected = told["journal_id"], told["cipher"], told["fingerprint"]
    except (UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise KnownError("journal_key_file_broken", file=str(key_file)) from error
    secret = credentials.get(_name(journal_id))
    if secret is None:
        raise KnownError("journal_key_missing", file=str(key_file), name=_name(journal_id))
    try:
        known = fingerprint(secret) == expected
    except ValueError:
        known = False
    if not known:
        raise KnownError("journal_key_wrong", file=str(key_file), name=_name(journal_id))
    return JournalKey(journal_id, cipher, secret)


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
