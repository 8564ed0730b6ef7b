"""A share or a stick as the way out: one file an item under outbox/<station>/, receipts under receipts/<station>/."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.domain.work_request import OutboxItem
from desktop.sync.transport import PlantReceipt, SendFailure, Trouble

_OWNER = ".station"  # which life of which journal this station code belongs to here
_NAME = re.compile(r"(\d{8,})_([a-z]+)_([0-9a-f-]{36})_r(\d+)\.json")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the folder knows of a station: the `last` number it used, and each kind and uid's file as `sent`."""

    last: int
    sent: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Went:
    """The files of a station by kind and uid, and by number."""

    sent: Mapping[tuple[str, str], str]
    numbers: Mapping[int, str]


class Folder:
    """Writes items byte for byte under names that the same item always gets.

    `root` must exist: a share that is not mounted must not turn into a folder on this disk. `owner` marks the
    station's place, so that two PCs with one station code, or restored from one backup, are told apart before their
    numbers mix; it takes the place over from its `predecessors`.
    """

    def __init__(self, root: Path, station: str, owner: str, predecessors: Collection[str] = ()) -> None:
        self._root = root
        self._items = root / "outbox" / station
        self._receipts = root / "receipts" / station
        self._station = station
        self._owner = owner
        self._predecessors = predecessors
        self._went: _Went | None = None

    def prepare(self) -> None:
        with _named(self._root):
            if not self._root.is_dir():
                raise SendFailure(Trouble.UNREACHABLE, "sync_folder_missing", str(self._root))
            self._items.mkdir(parents=True, exist_ok=True)
            for leftover in self._items.glob(".*.tmp"):  # of a process that died while writing
                leftover.unlink(missing_ok=True)
            self._claim()
            self._went = None

    def send(self, item: OutboxItem) -> None:
        """After a restore a request may be approved a second time: its uid went before, under another number."""
        target = self._items / name(item)
        with _named(self._root):
            if target.exists():
                if target.is_dir() or target.read_bytes() != item.body:
                    raise SendFailure(Trouble.ITEM_FOR_GOOD, "sync_item_conflict", str(target))
                return
            if self._went is None:  # once a round, and only if something goes: listing a large share takes a while
                names = _names(self._items, self._receipts)
                self._went = _Went(_sent(names), {_seq(one): one for one in names})
            self._refuse_double(item, self._went)
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
        mark, ours = self._items / _OWNER, self._owner.encode()
        if not mark.exists() or mark.read_bytes() in {life.encode() for life in self._predecessors}:
            _write_whole(mark, ours)
        if mark.read_bytes() != ours:
            raise SendFailure(Trouble.NOT_ALLOWED, "station_code_taken", f"{self._station}: {mark}")

    def _refuse_double(self, item: OutboxItem, went: _Went) -> None:
        """One request under two numbers, or one number for two requests: another life of this journal sent it."""
        earlier = went.sent.get((item.kind, item.uid))
        if earlier == name(item):
            return
        if earlier is not None:
            raise SendFailure(Trouble.ITEM_FOR_GOOD, "sync_already_sent", str(self._items / earlier))
        if item.seq in went.numbers:
            other = self._items / went.numbers[item.seq]
            raise SendFailure(Trouble.ITEM_FOR_GOOD, "sync_number_taken", str(other))


def name(item: OutboxItem) -> str:
    """The file's name, in sequence order; a receipt has the same."""
    return f"{item.seq:08d}_{item.kind}_{item.uid}_r{item.revision}.json"


def shown(root: Path, station: str) -> Shown:
    """What a station's items and receipts tell, also to a PC that has lost its own record of them; SendFailure."""
    items = root / "outbox" / station
    with _named(root):
        if not root.is_dir():
            raise SendFailure(Trouble.UNREACHABLE, "sync_folder_missing", str(root))
        names = _names(items, root / "receipts" / station)
        newest = items / names[-1] if names else items
        body = newest.read_bytes() if newest.is_file() else b""
    last = _seq(names[-1]) if names else 0
    return Shown(max(last, _number_in(body)), _sent(names))


def _names(*folders: Path) -> list[str]:
    """Of items, or of their receipts, in sequence order."""
    found = {file.name for folder in folders if folder.is_dir() for file in folder.iterdir()}
    return sorted(filter(_NAME.fullmatch, found))


def _seq(name: str) -> int:
    return int(name.partition("_")[0])


def _sent(names: list[str]) -> Mapping[tuple[str, str], str]:
    """The earliest name of each kind and uid, whatever the revision."""
    matches = filter(None, map(_NAME.fullmatch, reversed(names)))
    return {(match[2], match[3]): match[0] for match in matches}


def _number_in(body: bytes) -> int:
    """The 12 of WR-P07-0012; 0 where there is none to read."""
    try:
        return int(str(json.loads(body)["number"]).rpartition("-")[2])
    except (ValueError, KeyError, TypeError):
        return 0


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
