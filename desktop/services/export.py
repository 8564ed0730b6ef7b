"""What is recorded here as plain files that need no program of ours, and whether deleting it would lose anything."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from desktop.errors import KnownError
from desktop.services.export_files import ExportFiles
from desktop.store import audit, journal_tables
from desktop.store.journal import Journal

_SUMS = "SHA256SUMS"


def export_all(journal: Journal, files: Path, folder: Path, now: datetime) -> Mapping[str, Any]:
    """Everything that is kept, as files: tables, a PDF for each request, what was sent, the documents cited.

    `files` are the kept originals. Written beside `folder` first and then renamed, so that there is all of it or
    nothing; noted in the trail. Others go on meanwhile: `current` False = something was recorded that is not in it.
    Raises KnownError: export_exists (nothing is ever overwritten), output_unwritable, and what `Journal.reading` and
    `Journal.transaction` raise; no note is then kept.
    """
    folder = _free(folder)
    partial = folder.with_name(f"{folder.name}.partial-{uuid4().hex[:8]}")
    try:
        with journal.reading() as tx:
            after = journal_tables.last_of_audit(tx)
            written = ExportFiles(partial, files, journal.sample).write(tx)
        _write_sums(partial)
        with journal.transaction() as tx:
            current = journal_tables.last_of_audit(tx) == after
            told = {"folder": str(folder), "files": {_SUMS: _sha256(partial / _SUMS)}, "after": after}
            audit.append(tx, now, "", "exported", journal.journal_id, told)
            _show(partial, folder)
    except OSError as error:
        raise KnownError("output_unwritable", file=str(folder), reason=error.strerror or str(error)) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return {"folder": str(folder), **written, "current": current}


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


def _free(folder: Path) -> Path:
    """Where it shall be, which is not there yet or is an empty folder."""
    try:
        folder = folder.resolve()
        if folder.is_dir() and (found := next(folder.iterdir(), None)):
            raise KnownError("export_exists", folder=str(folder), name=found.name)
    except OSError as error:
        raise KnownError("output_unwritable", file=str(folder), reason=error.strerror or str(error)) from error
    if not folder.name:  # a drive can't be renamed to
        raise KnownError("export_exists", folder=str(folder), name=folder.anchor)
    return folder


def _show(partial: Path, folder: Path) -> None:
    """What is whole gets its name."""
    if folder.is_dir():
        folder.rmdir()  # empty; Windows renames to nothing that is there
    partial.rename(folder)


def _write_sums(folder: Path) -> None:
    """Of every file below, as `sha256sum -c` reads it."""
    names = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    text = "".join(f"{_sha256(folder / name)}  {name}\n" for name in names)
    (folder / _SUMS).write_text(text, encoding="utf-8", newline="")


def _stands(exported: Mapping[str, Any], root: Path) -> bool:
    folder = Path(exported["folder"])
    if folder.is_relative_to(root.resolve()):
        return False
    try:
        noted: Mapping[str, str] = exported["files"]
        return all(_sha256(folder / name) == digest for name, digest in {**noted, **_listed(folder)}.items())
    except OSError:
        return False


def _listed(folder: Path) -> Mapping[str, str]:
    """Each file's hash as SHA256SUMS has it."""
    lines = (folder / _SUMS).read_text(encoding="utf-8").split("\n")[:-1]
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
