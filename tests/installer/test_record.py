"""A build's result takes the place of the last one whole, and of nothing else."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import build
import pytest
from steps import record, tools
from steps.commands import BuildFailed
from steps.scan import Scan

BUILD = Path(__file__).resolve().parents[2] / "installer" / "build.py"


@pytest.fixture
def result(tmp_path: Path) -> Path:
    folder = tmp_path / "result"
    folder.mkdir()
    for name in ("HozenNavi-1.2.3-x64.msi", "largest.txt"):
        (folder / name).write_text(name, encoding="utf-8")
    record.write_checksums(folder)
    return folder


def test_a_new_result_replaces_an_earlier_one_whole(result: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in ("HozenNavi-1.2.2-x64.msi", record.RESERVATIONS, record.CHECKSUMS):
        (out / name).write_text("earlier", encoding="utf-8")
    record.publish(result, out)
    assert {file.name for file in out.iterdir()} == {"HozenNavi-1.2.3-x64.msi", "largest.txt", "SHA256SUMS"}
    assert "earlier" not in (out / "SHA256SUMS").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["report.xlsx", "HozenNavi-notes"])
def test_a_folder_with_somebody_elses_files_is_refused_and_stays(name: str, result: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / name).mkdir() if name == "HozenNavi-notes" else (out / name).write_text("mine", encoding="utf-8")
    with pytest.raises(BuildFailed, match=name):
        record.publish(result, out)
    assert [entry.name for entry in out.iterdir()] == [name]


def test_a_result_that_does_not_fit_leaves_the_earlier_one(
    result: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    record.publish(result, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}

    def full(*_paths: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record.shutil, "copytree", full)
    with pytest.raises(BuildFailed, match="No space left"):
        record.publish(result, out)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_what_speaks_against_a_build_lies_beside_it(tmp_path: Path) -> None:
    assert record.write_reservations(tmp_path, []) == []
    assert not list(tmp_path.iterdir())
    record.write_reservations(tmp_path, ["not signed"])
    assert "- not signed" in (tmp_path / record.RESERVATIONS).read_text(encoding="utf-8")


def test_a_second_build_in_the_same_checkout_is_refused_while_the_first_works(tmp_path: Path) -> None:
    with tools.only_build(tmp_path), pytest.raises(BuildFailed, match="another build"), tools.only_build(tmp_path):
        pass
    with tools.only_build(tmp_path):
        pass


@pytest.mark.parametrize("arguments", [["--help"], ["--no-such-option"]])
def test_a_wrong_word_is_answered_before_anything_is_built(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, str(BUILD), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == (0 if arguments == ["--help"] else 2)
    assert "--python-embed" in done.stdout + done.stderr


CLEAN, UNSEEN = Scan("no known vulnerability in 51 packages", True), Scan("NOT AUDITED", False)


@pytest.mark.parametrize(
    ("python_embed", "scanned", "told"),
    [(None, CLEAN, "--python-embed"), (Path("official.zip"), UNSEEN, "NOT AUDITED")],
)
def test_a_release_takes_neither_the_python_for_tests_nor_an_unseen_package(
    python_embed: Path | None, scanned: Scan, told: str
) -> None:
    options = argparse.Namespace(python_embed=python_embed, sign="sign {file}")
    with pytest.raises(BuildFailed, match=told):
        build._require_release(options, scanned)
    [reservation] = build._reservations(options, "3.13.2", scanned)
    assert told in reservation


def test_a_signed_release_has_no_reservation_and_an_unsigned_one_has() -> None:
    options = argparse.Namespace(python_embed=Path("official.zip"), sign="sign {file}")
    build._require_release(options, CLEAN)
    assert build._reservations(options, "3.13.15", CLEAN) == []
    options.sign = None
    assert "not signed" in build._reservations(options, "3.13.15", CLEAN)[0]
