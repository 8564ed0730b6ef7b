"""Which windows are open on a data directory, in every session, and asking them to close; the same with and without Qt.

Each window holds a lock on a file of its own under windows/, which the system lets go when its process ends; a request
to close is a file beside it. A socket would not do: another session's, or an administrator's, may not be spoken to.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

Drafts = Mapping[str, Mapping[str, str]]
"""What each draft belongs to, and its fields."""

_POLL_SECONDS = 0.1


class WindowFiles:
    """One window's files; `name` tells person and session apart and is the same at the next start."""

    def __init__(self, root: Path, name: str) -> None:
        self.folder = root / "windows"
        self._lock_file = self.folder / f"{name}.open"
        self._request = self.folder / f"{name}.quit"
        self._drafts = self.folder / f"{name}.drafts"
        self._held: IO[bytes] | None = None

    def hold(self) -> None:
        """From now on this window counts as open; an old request to close is not for it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._request.unlink(missing_ok=True)
        self._held = self._lock_file.open("ab")
        _lock(self._held)

    def let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def asked_to_close(self) -> bool:
        """Whether somebody wants this window closed; the request is then taken."""
        asked = self._request.exists()
        self._request.unlink(missing_ok=True)
        return asked

    def keep_drafts(self, drafts: Drafts) -> None:
        """What is typed and not sent, whole or not at all; for this person only where the system can say so."""
        if not drafts:
            self._drafts.unlink(missing_ok=True)
            return
        fresh = self._drafts.with_suffix(".new.drafts")
        fresh.unlink(missing_ok=True)
        with open(fresh, "w", encoding="utf-8", opener=_private) as file:
            json.dump(drafts, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._drafts)

    def drafts(self) -> Drafts:
        """What `keep_drafts` kept last; what others made of the file counts as nothing."""
        try:
            kept = json.loads(self._drafts.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        found = kept.items() if isinstance(kept, dict) else ()
        return dict(_draft(key, fields) for key, fields in found)


def close_all(root: Path, wait: float) -> int:
    """Ask every window open on `root` to close; how many still are after `wait` seconds.

    A request that was not followed is taken back: a window must not close by surprise later.
    """
    until = time.monotonic() + wait
    asked = [file.with_suffix(".quit") for file in _open(root)]
    for request in asked:
        request.touch()
    while (left := _open(root)) and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    for request in asked:
        request.unlink(missing_ok=True)
    return len(left)


def how_many(root: Path) -> int:
    """Windows open on `root`, in any session."""
    return len(_open(root))


def _open(root: Path) -> list[Path]:
    return [file for file in sorted((root / "windows").glob("*.open")) if _is_held(file)]


def _is_held(file: Path) -> bool:
    with file.open("rb") as opened:
        try:
            _lock(opened)
        except OSError:
            return True
    return False


def _draft(key: str, fields: object) -> tuple[str, Mapping[str, str]]:
    found = fields.items() if isinstance(fields, dict) else ()
    return key, {name: text for name, text in found if isinstance(text, str)}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
