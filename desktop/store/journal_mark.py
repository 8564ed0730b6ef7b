"""Tells a first start from one whose journal has vanished: a mark beside the journal, made once it has an identity."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

from desktop.errors import KnownError
from desktop.store import journal_copies

MARK = "journal.id"
_log = logging.getLogger(__name__)


def was_here(journal: Path) -> bool:
    """Whether a journal with an identity was in this place: the mark or a copy proves it.

    A key file alone doesn't, for a first start may die between key and file.
    """
    return journal.with_name(MARK).exists() or journal_copies.newest(journal) is not None


def refuse_vanished(journal: Path) -> None:
    """KnownError("journal_vanished") where the file is gone or empty though a journal was here."""
    present = journal.exists() and journal.stat().st_size > 0
    if not present and was_here(journal):
        raise vanished(journal)


def vanished(journal: Path) -> KnownError:
    copy = journal_copies.newest(journal)
    return KnownError("journal_vanished", file=str(journal), copy=str(copy or ""), mark=MARK)


def leave(journal: Path, journal_id: str) -> None:
    """A mark that can't be written is left by the next start; nobody is kept from working."""
    mark = journal.with_name(MARK)
    if mark.exists():
        return
    draft = mark.with_suffix(".new")
    try:
        with draft.open("w", encoding="utf-8") as out:
            json.dump({"journal_id": journal_id}, out)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(mark)
    except OSError as error:
        _log.warning("no mark of the journal was left: %s", error)
