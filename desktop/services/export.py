"""What is recorded here as plain files that need no program of ours, and whether deleting it would lose anything."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from desktop.errors import KnownError
from desktop.services.sent_record import sent_text
from desktop.store import audit, journal_tables, sent
from desktop.store.journal import Journal, Row

_SUMS = "SHA256SUMS"
_SENT = "sent.txt"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_all(journal: Journal, folder: Path, now: datetime) -> Mapping[str, Any]:
    """Requests (with the bytes as sent), decisions, proposals (with their evidence) and the trail, one CSV each.

    Beside them what was sent to any AI, body by body.

    Written while nobody else can change them, and noted in the trail. Raises KnownError: export_exists (nothing is
    ever overwritten), output_unwritable, and what `Journal.transaction` raises; no note is then kept.
    """
    names = [*(f"{table}.csv" for table in journal_tables.COLUMNS), _SENT]
    if taken := [name for name in (*names, _SUMS) if (folder / name).exists()]:
        raise KnownError("export_exists", folder=str(folder), name=taken[0])
    counts: dict[str, int] = {}
    with journal.transaction() as tx:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for table, columns in journal_tables.COLUMNS.items():
                counts[table] = _write(folder / f"{table}.csv", columns, journal_tables.rows(tx, table))
            (folder / _SENT).write_text(sent_text(sent.everything(tx)), encoding="utf-8", newline="")
            sums = {name: _sha256(folder / name) for name in names}
            text = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
            (folder / _SUMS).write_text(text, encoding="ascii", newline="")
        except OSError as error:
            raise KnownError("output_unwritable", file=str(folder), reason=error.strerror or str(error)) from error
        told = {"folder": str(folder.resolve()), "files": sums}
        audit.append(tx, now, "", "exported", journal.journal_id, told)
    return {"folder": str(folder), "rows": counts}


def check(journal: Journal, root: Path) -> Mapping[str, Any]:
    """Whether deleting this station's data loses nothing: `safe`, with the counts and the `export` that holds them.

    An export counts while nothing happened since and its files stand unchanged outside the data directory `root`.
    """
    with journal.reading() as tx:
        left, exported = journal_tables.only_here(tx), journal_tables.newest_export(tx)
    held = exported is not None and _stands(exported, root)
    nothing = not left.pending and not left.unsent
    return {
        "safe": nothing or held,
        "pending": left.pending,
        "unsent": left.unsent,
        "export": exported["folder"] if exported and held else None,
    }


def _stands(exported: Mapping[str, Any], root: Path) -> bool:
    folder = Path(exported["folder"])
    if folder.is_relative_to(root.resolve()):
        return False
    try:
        return all(_sha256(folder / name) == digest for name, digest in exported["files"].items())
    except OSError:
        return False


def _write(file: Path, columns: tuple[str, ...], rows: Iterable[Row]) -> int:
    """A CSV that Excel opens as UTF-8 and in which no cell is a formula; how many rows it has."""
    count = 0
    with file.open("x", encoding="utf-8-sig", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(row[column]) for column in columns])
            count += 1
    return count


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
