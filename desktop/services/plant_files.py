"""The files an import is given: folders opened up, hashes, and manuals' originals kept by hash."""

from __future__ import annotations

import hashlib
import os
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from desktop.durable import synced
from desktop.errors import KnownError
from desktop.importing.file_type import SUFFIXES, is_special, refuse_special

_TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods")
LIST_SUFFIX = ".toml"
_NOT_DATA = ("readme", "license", "licence", "copying", "changelog")
_MOST_FILES = 20_000
_ID_LENGTH = 16


def expand(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """(every file that could be read, folders opened up, each once, in a stable order: lists, tables, manuals; what
    was left out of folders because it is a pipe, socket or device).

    Lists of column names come first because tables are read by them, manuals last because the ledger's models help to
    tell whose they are. Files named one by one are taken
    whatever their suffix. KnownError import_path_missing, import_folder_empty, import_too_many_files, file_not_regular.
    """
    found: dict[Path, None] = {}
    left_out: list[Path] = []
    for path in paths:
        if not path.exists():
            raise KnownError("import_path_missing", file=str(path))
        inside = sorted(_readable(path)) if path.is_dir() else [path]
        if path.is_dir():
            left_out += [file for file in inside if file.exists() and is_special(file)]
            inside = [file for file in inside if file not in left_out]
        else:
            refuse_special(path)
        if not inside:
            raise KnownError("import_folder_empty", file=str(path))
        for file in inside:
            found.setdefault(file.absolute())
            if len(found) > _MOST_FILES:
                raise KnownError("import_too_many_files", file=str(path), most=_MOST_FILES)
    return sorted(found, key=lambda file: (_rank(file.suffix.lower()), str(file))), left_out


def _rank(suffix: str) -> int:
    return 0 if suffix == LIST_SUFFIX else 1 if suffix in _TABLE_SUFFIXES else 2


def source_id(path: Path) -> str:
    """A file's name for all time: its absolute place, however the file system spells it."""
    shaped = unicodedata.normalize("NFC", os.path.normcase(path.absolute()))
    return hashlib.sha256(shaped.encode("utf-8", "surrogateescape")).hexdigest()[:_ID_LENGTH]


def sha256_of(path: Path) -> str:
    """KnownError file_unreadable, file_not_regular."""
    try:
        refuse_special(path)
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise KnownError("file_unreadable", file=path.name, reason=error.strerror or str(error)) from error


def keep_original(path: Path, sha256: str, folder: Path) -> None:
    """A copy under its hash, whole or not at all. KnownError file_changed if it is no longer what was read."""
    kept = folder / sha256
    if kept.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{sha256}.new"
    try:
        with path.open("rb") as source, synced(draft.open("wb")) as copy:
            shutil.copyfileobj(source, copy)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise KnownError("file_unreadable", file=path.name, reason=error.strerror or str(error)) from error
    if sha256_of(draft) != sha256:
        draft.unlink()
        raise KnownError("file_changed", file=path.name)
    draft.replace(kept)


def _readable(folder: Path) -> Iterator[Path]:
    """Files below `folder` by suffix; hidden ones, Office's lock files, READMEs and links to elsewhere left out."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        for name in names:
            ours = name.lower().endswith(SUFFIXES) and not name.lower().startswith(_NOT_DATA)
            if ours and not name.startswith((".", "~$")):
                yield Path(place) / name
