"""Files that are none, and imports that begin at the same time."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from desktop import errors
from desktop.cli import words
from desktop.domain.ledger import Person
from desktop.errors import KnownError
from desktop.importing.file_type import find_type
from desktop.importing.mapping_file import read_mapping
from desktop.paths import DataDir
from desktop.services import plant_data
from desktop.services.plant_data import Import, import_paths, refresh
from desktop.services.plant_files import sha256_of

LEDGER = "設備ID,設備名,型番,ライン\n"
MACHINE = "EQ-1,甲,A-1,ライン1\n"
NOBODY: Callable[[Sequence[Person], Mapping[str, str]], None] = lambda _persons, _pins: None  # noqa: E731
posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of POSIX")


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def how(data: DataDir) -> Import:
    return Import(data, take_people=NOBODY)


def a_pipe(place: Path) -> object:
    return os.mkfifo(place)


def a_socket(place: Path) -> object:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.close()
    return place


def a_device(place: Path) -> object:
    return place.symlink_to("/dev/zero")


def a_link_to_a_pipe(place: Path) -> object:
    os.mkfifo(place.with_suffix(".fifo"))
    return place.symlink_to(place.with_suffix(".fifo"))


@posix
@pytest.mark.parametrize("make", [a_pipe, a_socket, a_device, a_link_to_a_pipe])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".pdf", ".md", ".toml"])
def test_what_is_no_file_is_refused_by_name_and_left_out_of_a_folder(
    data: DataDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object], suffix: str
) -> None:
    folder = tmp_path / "plant"
    folder.mkdir()
    monkeypatch.chdir(folder)
    make(Path(f"pipe{suffix}"))
    special = folder / f"pipe{suffix}"
    with pytest.raises(KnownError) as caught:
        import_paths(how(data), [special])
    assert (caught.value.code, errors.exit_code(caught.value)) == ("file_not_regular", 3)
    assert special.name in errors.sentence(caught.value)
    with pytest.raises(KnownError, match="import_folder_empty"):
        import_paths(how(data), [folder])
    for reads in (find_type, sha256_of, read_mapping):
        with pytest.raises(KnownError, match="file_not_regular"):
            reads(special)


@posix
def test_a_pipe_in_a_folder_costs_a_warning(data: DataDir, tmp_path: Path) -> None:
    (tmp_path / "plant").mkdir()
    (tmp_path / "plant" / "ledger.csv").write_text(LEDGER + MACHINE, encoding="utf-8")
    os.mkfifo(tmp_path / "plant" / "pipe.csv")
    report = import_paths(how(data), [tmp_path / "plant"])
    assert report["totals"]["equipment"] == 1
    assert [warning for warning in report["warnings"] if "pipe.csv" in warning]
    assert "注意：pipe.csv" in words.import_report(report)


@posix
def test_a_remembered_file_that_became_a_pipe_keeps_its_data(data: DataDir, tmp_path: Path) -> None:
    ledger, other = tmp_path / "ledger.csv", tmp_path / "other.csv"
    for number, file in enumerate((ledger, other)):
        file.write_text(LEDGER + MACHINE.replace("EQ-1", f"EQ-{number}"), encoding="utf-8")
    import_paths(how(data), [ledger, other])
    ledger.unlink()
    os.mkfifo(ledger)
    report = refresh(how(data))
    [broken] = [entry for entry in report["files"] if entry["error"]]
    assert broken["error"]["code"] == "file_not_regular"


BOTH_AT_ONCE = """
import pathlib, sys
from desktop.paths import DataDir
from desktop.services import plant_data
sys.stdin.readline()
plant_data.ensure_sample(DataDir(pathlib.Path(sys.argv[1])))
"""


def test_two_first_uses_of_the_sample_at_once_both_end_well(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BOTH_AT_ONCE, str(tmp_path / "data")]
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for one in both:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    ends = [one.communicate()[1] for one in both]
    assert [one.returncode for one in both] == [0, 0, 0], ends
    assert not list((tmp_path / "data").rglob("reading*"))


def test_an_import_keeps_its_folder_when_another_that_has_published_tidies_up(data: DataDir) -> None:
    """What publishing lets go is the lock; the folder of the import that took it next must stay."""
    data.root.mkdir()
    with plant_data._work_folder(data) as first, plant_data._work_folder(data) as second:
        assert second != first
        shutil.rmtree(first, ignore_errors=True)
        (second / "0.jsonl").write_text("x", encoding="utf-8")
    assert not list(data.root.glob("reading*"))
