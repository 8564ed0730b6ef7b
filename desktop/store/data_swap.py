"""Puts a prepared set of data in the place of the present one, so that no kill and no power cut leaves a mixture.

What is to come in stands finished in restoring/. Then a plan is written, and from there on only names change: what is
there goes into a folder of its own, the new comes in, the plan goes last. While the plan stands nobody opens the
journal, and `finish` goes on from wherever it was left.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop.errors import KnownError
from desktop.store.snapshot_files import sync_folder

_PLAN = "restore.json"
_STAGING = "restoring"
_PLANNED = {"names": list, "new": list, "aside": str, "told": dict}


def refuse_unfinished(root: Path) -> None:
    """KnownError("restore_unfinished") while a swap is under way or was cut off, "restore_plan_damaged" for good."""
    if (root / _PLAN).exists():
        with suppress(OSError):  # it has just been finished, or somebody holds it
            _read_plan(root)
        raise KnownError("restore_unfinished", file=str(root / _PLAN))


def unfinished(root: Path) -> bool:
    return (root / _PLAN).exists()


def is_staged(root: Path, file: Path) -> bool:
    """Whether it lies in the staging, which the next attempt empties."""
    return file.resolve().is_relative_to((root / _STAGING).resolve())


def staging(root: Path) -> Path:
    """An empty folder for what is to come in; what an earlier attempt left in it was never in use."""
    folder = root / _STAGING
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def begin(root: Path, names: Sequence[str], aside: str, told: Mapping[str, Any]) -> None:
    """Each of `names` in `root` goes into the folder `aside`, and in its place comes what the staging has, if it has.

    `told` is what `finish` gives back, however often it is cut off. OSError leaves a plan, or nothing changed.
    """
    _sync_tree(root / _STAGING)
    new = [name for name in names if (root / _STAGING / name).exists()]
    draft = (root / _PLAN).with_suffix(".new")
    try:
        with draft.open("w", encoding="utf-8") as out:
            json.dump({"names": list(names), "new": new, "aside": aside, "told": told}, out, ensure_ascii=False)
            out.flush()
            os.fsync(out.fileno())
        (root / aside).mkdir()
        draft.replace(root / _PLAN)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(root)


def finish(root: Path) -> Mapping[str, Any]:
    """Goes on with the plan from wherever it stands, and gives what was told with it.

    A folder in which nothing was set aside goes again. KnownError("restore_plan_damaged").
    """
    plan = _read_plan(root)
    aside = root / plan["aside"]
    for name in plan["names"]:
        old, new = root / name, root / _STAGING / name
        if name in plan["new"] and not new.exists():
            continue  # has come in before
        if old.exists():
            old.rename(_free_name(aside / name))
        if new.exists():
            new.rename(old)
    sync_folder(aside)
    sync_folder(root)
    shutil.rmtree(root / _STAGING, ignore_errors=True)
    (root / _PLAN).unlink()
    with suppress(OSError):  # it isn't empty
        aside.rmdir()
    sync_folder(root)
    told: Mapping[str, Any] = plan["told"]
    return told


def _read_plan(root: Path) -> Mapping[str, Any]:
    try:
        plan = json.loads((root / _PLAN).read_text(encoding="utf-8"))
        if all(isinstance(plan[name], kind) for name, kind in _PLANNED.items()):
            return dict(plan)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(root) from error
    raise _damaged(root)


def _damaged(root: Path) -> KnownError:
    return KnownError("restore_plan_damaged", file=str(root / _PLAN))


def _free_name(wanted: Path) -> Path:
    """An import between two attempts may have made a folder anew: it is set aside as well."""
    return wanted if not wanted.exists() else _free_name(wanted.with_name(f"{wanted.name}-2"))


def _sync_tree(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            with (Path(place) / name).open("r+b") as opened:
                os.fsync(opened.fileno())
        sync_folder(Path(place))
