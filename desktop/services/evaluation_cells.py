"""Finished answers of an evaluation, one line each as they come, so that a killed run can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from desktop.errors import KnownError
from desktop.services.evaluation_measures import Judged

_SCHEMA = 1
_WHAT = {"provider": "プロバイダー", "model": "モデル", "snapshot": "台帳データ", "questions": "質問"}

Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """One question under one condition, the `repeat`th time (from 1)."""

    condition: str
    question_id: str
    repeat: int
    judged: Judged

    @property
    def key(self) -> Key:
        return self.condition, self.question_id, self.repeat

    def to_json(self) -> dict[str, Any]:
        return {
            "condition": self.condition,
            "question": self.question_id,
            "repeat": self.repeat,
            **asdict(self.judged),
        }


class Cells:
    """What is finished; with a file also after a kill. KnownErrors of a file: see `resume`."""

    def __init__(self, finished: Mapping[Key, Cell] | None = None, file: BinaryIO | None = None) -> None:
        self._finished = dict(finished or {})
        self._file = file

    @classmethod
    def resume(cls, path: Path, of: Mapping[str, str]) -> Self:
        """What the file holds of this evaluation; `of` says which (provider, model, snapshot, questions).

        A line that a kill cut off is dropped. KnownErrors: evaluation_other_run, evaluation_unwritable.
        """
        try:
            lines, whole = _read(path)
            finished = _finished(path, lines, of)
            file = path.open("ab")
            file.truncate(whole)
        except OSError as error:
            raise KnownError("evaluation_unwritable", file=str(path), reason=error.strerror or str(error)) from error
        cells = cls({cell.key: cell for cell in finished}, file)
        if not lines:
            cells._write({"schema": _SCHEMA, **of})
        return cells

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def __contains__(self, key: Key) -> bool:
        return key in self._finished

    def __getitem__(self, key: Key) -> Cell:
        return self._finished[key]

    def add(self, cell: Cell) -> None:
        """Kept, and on the disk before the next question is asked."""
        self._finished[cell.key] = cell
        self._write(cell.to_json())

    def _write(self, tree: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        self._file.write(json.dumps(tree, ensure_ascii=False).encode("utf-8") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _read(path: Path) -> tuple[list[bytes], int]:
    """The whole lines, and how many bytes they are."""
    content = path.read_bytes() if path.exists() else b""
    whole = content.rfind(b"\n") + 1
    return content[:whole].splitlines(), whole


def _finished(path: Path, lines: list[bytes], of: Mapping[str, str]) -> list[Cell]:
    if not lines:
        return []
    try:
        head, *cells = map(json.loads, lines)
        differing = [key for key in _WHAT if head[key] != of[key]]
        found = [_cell(tree) for tree in cells]
    except (ValueError, KeyError, TypeError) as error:
        raise KnownError("evaluation_other_run", file=str(path), what="形式") from error
    if head["schema"] != _SCHEMA or differing:
        what = "、".join(_WHAT[key] for key in differing) or "形式"
        raise KnownError("evaluation_other_run", file=str(path), what=what)
    return found


def _cell(tree: dict[str, Any]) -> Cell:
    judged = Judged(
        tree["measures"], tuple(tree["missed"]), tree["text"], tree["stop"], tuple(tree["contradicted"])
    )  # fmt: skip
    return Cell(tree["condition"], tree["question"], tree["repeat"], judged)
