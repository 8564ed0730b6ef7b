"""Old data goes aside whole and new data comes in, wherever the process dies; nobody opens a mixture."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.errors import KnownError
from desktop.store import data_swap

NAMES = ("journal.db", "journal.db-wal", "journal.id", "settings.toml", "snapshots", "files")
OLD = {"journal.db": "old", "journal.db-wal": "old", "settings.toml": "old", "snapshots/a": "old", "files/1": "old"}
NEW = {"journal.db": "new", "journal.id": "new", "snapshots/b": "new"}
KEPT = {"logs/log": "kept", "window.ini": "kept"}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def read(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "data", OLD | KEPT)
    return tmp_path / "data"


def begin(root: Path, aside: str = "aside") -> None:
    write(data_swap.staging(root), NEW)
    data_swap.begin(root, NAMES, aside, {"told": 1})


def is_done(root: Path) -> bool:
    aside = {f"aside/{name}": text for name, text in OLD.items()}
    return read(root) == NEW | KEPT | aside


def test_the_new_comes_in_and_the_old_is_kept_whole(root: Path) -> None:
    begin(root)
    assert read(root).items() >= (OLD | KEPT).items()
    with pytest.raises(KnownError, match="restore_unfinished"):
        data_swap.refuse_unfinished(root)
    assert data_swap.finish(root) == {"told": 1}
    assert is_done(root)
    data_swap.refuse_unfinished(root)


def test_into_an_empty_place(tmp_path: Path) -> None:
    begin(tmp_path)
    data_swap.finish(tmp_path)
    assert read(tmp_path) == NEW


def test_what_an_attempt_left_before_its_plan_does_not_come_in(root: Path) -> None:
    write(data_swap.staging(root), {"journal.db": "half", "files/9": "half"})
    begin(root)
    data_swap.finish(root)
    assert is_done(root)


def test_what_was_made_anew_between_two_attempts_is_set_aside_too(root: Path) -> None:
    begin(root)
    (root / "snapshots").rename(root / "aside" / "snapshots")
    write(root, {"snapshots/import": "between"})
    data_swap.finish(root)
    assert read(root).items() >= {"aside/snapshots-2/import": "between", "snapshots/b": "new"}.items()


def test_a_plan_that_cannot_be_written_changes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    write(data_swap.staging(root), NEW)
    before = read(root)
    with monkeypatch.context() as patch:
        patch.setattr(data_swap, "_sync_tree", lambda _: None)
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            data_swap.begin(root, NAMES, "aside", {})
    assert read(root) == before
    assert not (root / "aside").exists()
    data_swap.refuse_unfinished(root)


PLAN = '{"names": [], "new": [], "aside": "a", "told": {}}'


@pytest.mark.parametrize(
    "body",
    [
        *(b"", bytes(300), b"[]", b"{}", b"null", b"\xff", PLAN[:20].encode(), PLAN.replace('"a"', "1").encode()),
        PLAN.replace("[]", "{}").encode(),
    ],
)
def test_a_damaged_plan_is_named_by_all_and_nothing_is_touched(root: Path, body: bytes) -> None:
    begin(root)
    (root / "restore.json").write_bytes(body)
    before = read(root) if body != b"\xff" else None
    for act in (data_swap.refuse_unfinished, data_swap.finish):
        with pytest.raises(KnownError, match="restore_plan_damaged"):
            act(root)
    assert before is None or read(root) == before


def test_where_nothing_was_nothing_is_set_aside(tmp_path: Path) -> None:
    begin(tmp_path)
    data_swap.finish(tmp_path)
    assert not (tmp_path / "aside").exists()


CHANGES = ("rename", "replace", "rmdir", "unlink", "mkdir", "fsync")


def dying_at(step: int, act: Callable[[], object]) -> bool:
    """Runs it in a process that is killed before its n-th change of the disk; whether it got there."""
    child = os.fork()
    if child == 0:
        seen = 0

        def counted(change: Callable[..., object]) -> Callable[..., object]:
            def run(*arguments: object, **named: object) -> object:
                nonlocal seen
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return change(*arguments, **named)

            return run

        for name in CHANGES:
            setattr(os, name, counted(getattr(os, name)))
        act()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.skipif(os.name != "posix", reason="fork and SIGKILL are POSIX")
def test_killed_before_any_change_it_is_the_old_or_can_be_finished(tmp_path: Path) -> None:
    """Every single step once, in the beginning and in the finishing, and the finishing killed a second time."""
    outcomes = []
    for step in range(1, 200):
        root = tmp_path / str(step)
        write(root, OLD | KEPT)

        def both(root: Path = root) -> None:
            begin(root)
            data_swap.finish(root)

        if not dying_at(step, both):
            assert is_done(root)
            break
        if data_swap.unfinished(root):
            dying_at(step % 7 + 1, lambda root=root: data_swap.finish(root))
            if data_swap.unfinished(root):
                assert data_swap.finish(root) == {"told": 1}
            assert is_done(root)
            outcomes.append("finished")
        elif (root / "aside" / "journal.db").exists():
            assert is_done(root)  # killed after the plan was gone
            outcomes.append("new")
        else:
            assert {name: text for name, text in read(root).items() if not name.startswith("restor")} == OLD | KEPT
            begin(root, "once more")
            data_swap.finish(root)
            assert read(root).items() >= (NEW | KEPT).items()
            outcomes.append("old")
    assert outcomes.count("old") > 5
    assert outcomes.count("finished") > 10


def test_the_plan_names_what_is_to_come_in(root: Path) -> None:
    begin(root)
    plan = json.loads((root / "restore.json").read_text(encoding="utf-8"))
    assert plan["new"] == ["journal.db", "journal.id", "snapshots"]
