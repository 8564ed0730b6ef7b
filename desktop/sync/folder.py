"""A share or a stick as the way out: one file an item under outbox/<station>/, receipts under receipts/<station>/."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from desktop.domain.work_request import OutboxItem
from desktop.sync.transport import PlantReceipt, SendFailure, Trouble

_OWNER = ".station"  # which journal this station code belongs to here
_log = logging.getLogger(__name__)


class Folder:
    """Writes items byte for byte under names that the same item always gets.

    `root` must exist: a share that is not mounted must not turn into a folder on this disk. `journal_id` marks the
    station's place, so that two PCs with one station code are told apart before their numbers mix.
    """

    def __init__(self, root: Path, station: str, journal_id: str) -> None:
        self._root = root
        self._items = root / "outbox" / station
        self._receipts = root / "receipts" / station
        self._station = station
        self._journal_id = journal_id

    def prepare(self) -> None:
        with _named(self._root):
            if not self._root.is_dir():
                raise SendFailure(Trouble.UNREACHABLE, "sync_folder_missing", str(self._root))
            self._items.mkdir(parents=True, exist_ok=True)
            for leftover in self._items.glob(".*.tmp"):  # of a process that died while writing
                leftover.unlink(missing_ok=True)
            self._claim()

    def send(self, item: OutboxItem) -> None:
        target = self._items / name(item)
        with _named(self._root):
            if target.exists():
                if target.is_dir() or target.read_bytes() != item.body:
                    raise SendFailure(Trouble.ITEM_FOR_GOOD, "sync_item_conflict", str(target))
                return
            _write_whole(target, item.body)

    def receipt(self, item: OutboxItem) -> PlantReceipt | None:
        file = self._receipts / name(item)
        with _named(self._root):
            if not file.is_file():
                return None
            body = file.read_bytes()
        try:
            return _receipt(json.loads(body))
        except (ValueError, KeyError, TypeError) as error:  # half copied, or not a receipt: looked at again next time
            _log.warning("receipt %s can't be read: %s", file, error)
            return None

    def _claim(self) -> None:
        owner = self._items / _OWNER
        if not owner.exists():
            _write_whole(owner, self._journal_id.encode())
        if owner.read_bytes() != self._journal_id.encode():
            raise SendFailure(Trouble.NOT_ALLOWED, "station_code_taken", f"{self._station}: {owner}")


def name(item: OutboxItem) -> str:
    """The file's name, in sequence order; a receipt has the same."""
    return f"{item.seq:08d}_{item.kind}_{item.uid}_r{item.revision}.json"


def _write_whole(target: Path, body: bytes) -> None:
    """Nobody ever sees half a file, and a power cut leaves all of it or none."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with draft.open("wb") as out:
        out.write(body)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(target)
    if os.name == "posix":  # Windows has no handle on a folder to sync; NTFS journals the rename
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _receipt(body: Any) -> PlantReceipt:
    status = body["status"]
    if status not in ("accepted", "refused"):
        raise ValueError(f"status {status!r}")
    return PlantReceipt(status == "accepted", body["sha256"], body.get("number", ""), body.get("reason", ""), body)


@contextmanager
def _named(root: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise SendFailure(Trouble.NOT_ALLOWED, "sync_folder_forbidden", str(root)) from error
    except OSError as error:
        raise SendFailure(Trouble.UNREACHABLE, "sync_folder_unreachable", f"{root}: {error.strerror}") from error
