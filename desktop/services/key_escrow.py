"""The journal's key outside this PC: sealed for an administrator's certificate, and taken back in when it is lost."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from desktop import escrow
from desktop.credentials import Credentials
from desktop.domain.canonical import canonical, clean_text
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services.people import elevated
from desktop.services.station import Services
from desktop.store import audit, journal_key
from desktop.store.journal_key import JournalKey

ESCROWED = "key_escrowed"
_SECRET = re.compile(r"[0-9a-f]{64}")


def escrow_key(
    services: Services, certificate: Path, out: Path | None = None, is_elevated: Callable[[], bool] = elevated
) -> dict[str, Any]:
    """The sealed key as `pem`, also in the new file `out`, and for whom it is; noted in the trail. By administrators.

    Raises KnownError: elevation_needed, nothing_to_escrow, backup_exists, output_unwritable, what `escrow.seal` and
    `Journal.transaction` raise.
    """
    if not is_elevated():
        raise KnownError("elevation_needed")
    journal, now = services.journal, services.clock()
    key = journal_key.recall(journal.file, services.credentials)
    if key is None:
        raise KnownError("nothing_to_escrow")
    secret = canonical({"journal_id": key.journal_id, "cipher": key.cipher, "key": key.secret})
    sealed = escrow.seal(secret, certificate, now)
    if out is not None:
        _keep(sealed.pem, out)
    to = {"subject": clean_text(sealed.subject), "fingerprint": sealed.fingerprint, "at": now.isoformat()}
    to["file"] = clean_text(str(out.absolute())) if out else ""
    with journal.transaction() as tx:
        audit.append(tx, now, "", ESCROWED, journal.journal_id, to)
    return {"journal_id": journal.journal_id, **to, "pem": sealed.pem}


def _keep(pem: str, out: Path) -> None:
    try:
        with out.open("x", encoding="ascii", newline="\n") as opened:
            opened.write(pem)
            opened.flush()
            os.fsync(opened.fileno())
    except FileExistsError as error:
        raise KnownError("backup_exists", file=str(out)) from error
    except OSError as error:
        raise KnownError("output_unwritable", file=str(out), reason=error.strerror or str(error)) from error


def take_back(text: str, data: DataDir, credentials: Credentials) -> dict[str, Any]:
    """An opened escrow into the keyring; `own` = it is the key of the journal in `data`.

    Raises KnownError: escrowed_key_malformed, and what `journal_key.give_back` raises.
    """
    key = _read(text)
    own = journal_key.give_back(key, data.journal, credentials)
    return {"journal_id": key.journal_id, "own": own, "kept_in": credentials.backend()}


def _read(text: str) -> JournalKey:
    """No error of this may carry the text, which holds the key."""
    try:
        told = json.loads(text.lstrip("\ufeff"))
        key = JournalKey(str(UUID(told["journal_id"])), str(told["cipher"]), str(told["key"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise KnownError("escrowed_key_malformed") from None
    if not _SECRET.fullmatch(key.secret):
        raise KnownError("escrowed_key_malformed")
    return key
