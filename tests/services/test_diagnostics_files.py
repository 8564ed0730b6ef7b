"""Files as the program works on them: on real folders and disks, and with what only Windows says played by the test."""

import errno
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.services import diagnostics_files
from desktop.services.diagnostics_files import STEPS, Step
from desktop.services.diagnostics_finding import State
from tests.fakes.somebody_else import as_somebody_else, reachable_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with reachable_folder() as made:
        yield made


def windows_error(number: int, code: int = errno.EACCES) -> OSError:
    error = OSError(code, "what Windows says")
    error.winerror = number  # type: ignore[attr-defined]
    return error


def failing(step: str, error: OSError, times: int) -> list[Step]:
    """The real steps, of which one fails so many times first."""
    left = iter(range(times))

    def wrapped(work: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
        def tried(draft: Path, file: Path) -> None:
            if next(left, None) is not None:
                raise error
            work(draft, file)

        return tried

    return [(name, wrapped(work) if name == step else work) for name, work in STEPS]


def cause(folder: Path, steps: list[Step] | None = None) -> KnownError:
    with pytest.raises(KnownError) as refused:
        diagnostics_files.look_at_folder(folder, steps or STEPS, lambda _: None)
    assert sentence(refused.value)
    return refused.value


def test_a_file_goes_through_every_step_and_nothing_is_left(folder: Path) -> None:
    assert diagnostics_files.look_at_folder(folder) is None
    assert list(folder.iterdir()) == []


def test_a_folder_that_may_not_be_written_is_named(folder: Path) -> None:
    folder.chmod(0o555)
    with as_somebody_else():
        found = cause(folder)
    folder.chmod(0o755)
    assert (found.code, found.detail["folder"]) == ("pc_folder_forbidden", str(folder))


def test_a_place_where_no_folder_can_be_is_named(folder: Path) -> None:
    (folder / "taken").write_text("", encoding="utf-8")
    assert cause(folder / "taken").code == "pc_folder_missing"
    assert cause(folder / "taken" / "data").code == "pc_folder_missing"


def test_a_full_disk_is_named_and_nothing_is_left(folder: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("may not mount a small file system here")
    try:
        with (folder / "ballast").open("ab", buffering=0) as out:
            while True:
                try:
                    out.write(b"x" * 4096)
                except OSError:
                    break
        assert cause(folder).code == "pc_disk_full"
        assert [file.name for file in folder.iterdir()] == ["ballast"]
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("step", [name for name, _ in STEPS])
def test_a_file_held_for_a_moment_is_a_warning_that_names_the_step(folder: Path, step: str) -> None:
    waited: list[float] = []
    steps = failing(step, windows_error(32), times=2)
    found = diagnostics_files.look_at_folder(folder, steps, waited.append)
    assert found is not None
    assert found.state is State.WARNING
    assert found.cause is not None
    assert found.cause.detail == {"folder": str(folder), "step": step, "tries": 3}
    assert len(waited) == 2
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("step", "error", "expected"),
    [
        ("rename", windows_error(32), "pc_files_held"),
        ("write", windows_error(33), "pc_files_held"),
        ("rename", windows_error(5), "pc_files_held"),
        ("delete", windows_error(5), "pc_files_held"),
        ("write", windows_error(5), "pc_folder_forbidden"),
        ("write", windows_error(225, errno.EINVAL), "pc_files_virus"),
        ("re-open", windows_error(226, errno.EINVAL), "pc_files_virus"),
        ("write", windows_error(112, errno.ENOSPC), "pc_disk_full"),
        ("write", OSError(errno.EROFS, "read-only"), "pc_folder_forbidden"),
        ("rename", OSError(errno.EIO, "input/output error"), "pc_files_fault"),
        ("re-open", FileNotFoundError(errno.ENOENT, "taken away meanwhile"), "pc_files_fault"),
    ],
)
def test_a_step_that_never_works_has_its_cause(folder: Path, step: str, error: OSError, expected: str) -> None:
    found = cause(folder, failing(step, error, times=99))
    assert (found.code, found.detail["folder"]) == (expected, str(folder))
    if expected.startswith("pc_files"):
        assert found.detail["step"] == step


def test_only_what_another_program_may_let_go_of_is_tried_again_and_not_for_ever(folder: Path) -> None:
    waited: list[float] = []
    for error, pauses in ((windows_error(32), 5), (OSError(errno.EIO, "broken"), 0)):
        waited.clear()
        with pytest.raises(KnownError):
            diagnostics_files.look_at_folder(folder, failing("rename", error, times=99), waited.append)
        assert len(waited) == pauses
        assert sum(waited) < 2


def test_what_is_read_back_must_be_what_was_written(folder: Path) -> None:
    torn = [(name, (lambda _, file: file.write_bytes(b"")) if name == "re-open" else work) for name, work in STEPS]
    steps = [*torn[:3], ("re-open", dict(STEPS)["re-open"]), *torn[3:]]
    assert cause(folder, steps).code == "pc_files_fault"


def test_a_folder_inside_the_data_is_looked_at_too(folder: Path) -> None:
    data = DataDir(folder)
    assert diagnostics_files.look_at_folders(data).state is State.OK
    folder.chmod(0o777)
    data.snapshots.mkdir()
    data.snapshots.chmod(0o555)
    with as_somebody_else(), pytest.raises(KnownError) as refused:
        diagnostics_files.look_at_folders(data)
    assert refused.value.detail["folder"] == str(data.snapshots)


def test_a_journal_file_that_may_not_be_opened_is_named(folder: Path) -> None:
    data = DataDir(folder)
    data.journal.write_bytes(b"x")
    assert diagnostics_files.look_at_journal_files(data).state is State.OK
    data.journal.chmod(0)
    with as_somebody_else(), pytest.raises(KnownError) as refused:
        diagnostics_files.look_at_journal_files(data)
    assert (refused.value.code, refused.value.detail["folder"]) == ("pc_folder_forbidden", str(data.journal))


def test_a_journal_file_that_another_program_keeps_is_named(folder: Path) -> None:
    file = folder / "journal.db-wal"
    file.write_bytes(b"x")

    def refused(_: Path) -> None:
        raise windows_error(32)

    with pytest.raises(KnownError) as held:
        diagnostics_files.look_at_file(file, refused, lambda _: None)
    assert (held.value.code, held.value.detail["step"]) == ("pc_files_held", "open")
    diagnostics_files.look_at_file(file)
    assert file.read_bytes() == b"x"
