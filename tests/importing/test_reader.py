"""The child process: what a file that crashes, hangs or is cancelled costs."""

from __future__ import annotations

import json
import os
import signal
import sys
import zipfile
from pathlib import Path

import pytest

from desktop import errors, paths
from desktop.domain.ledger import Equipment, MaintenanceRecord
from desktop.errors import KnownError
from desktop.importing import reader as reading
from desktop.importing.reader import ReaderProcess, inspect
from desktop.importing.request import ReadRequest
from desktop.importing.values import read_values

SAMPLE = paths.sample_plant()
posix = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals of POSIX")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "values.jsonl"


def far_cell(tmp_path: Path) -> Path:
    """A small workbook whose last cell is the last of all: a reader that keeps a grid needs 500 GB."""
    file = tmp_path / "far.xlsx"
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1">'
        '<v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    )
    with zipfile.ZipFile(SAMPLE / "maintenance_records.xlsx") as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else old.read(name))
    return file


def test_the_whole_sample_plant_through_one_child(tmp_path: Path) -> None:
    counts = {}
    with ReaderProcess() as reader:
        for number, file in enumerate(sorted(SAMPLE.rglob("*.[cxpm]*"))):
            for report in reader.read(file, ReadRequest(), tmp_path / str(number)).reports:
                counts[file.name] = report["accepted"]
                assert report["rejected"] == 0
    assert counts["equipment_ledger.csv"] >= 15
    assert counts["maintenance_records.xlsx"] >= 120
    assert len(counts) == 15


def test_values_come_back_as_they_were(out: Path) -> None:
    with ReaderProcess() as reader:
        reader.read(SAMPLE / "equipment_ledger.csv", ReadRequest(), out)
    machines = {one.equipment_id: one for one in read_values(out, Equipment)}
    filler = machines["EQ-003"]
    assert (filler.model, filler.line, filler.status.value) == ("FL-200", "ライン3", "稼働")
    assert filler.isolation_points == ("主幹NFB-3 制御盤CP-3", "エアー元弁V-31", "製品元弁V-32")
    assert filler.original["担当"] == "田中"
    assert list(read_values(out, MaintenanceRecord)) == []


@posix
def test_a_file_that_crashes_the_child_costs_a_sentence_and_the_next_one_is_read(tmp_path: Path, out: Path) -> None:
    with ReaderProcess() as reader:
        with pytest.raises(KnownError) as caught:
            reader.read(far_cell(tmp_path), ReadRequest(), out)
        assert caught.value.code == "file_reader_died"
        assert "far.xlsx" in errors.sentence(caught.value)
        assert reader.read(SAMPLE / "parts.csv", ReadRequest(), out).reports[0]["accepted"] > 0


@posix
def test_a_child_that_falls_silent_is_ended(monkeypatch: pytest.MonkeyPatch, out: Path) -> None:
    monkeypatch.setattr(reading, "_SILENCE_SECONDS", 0.2)
    with ReaderProcess() as reader:
        reader.read(SAMPLE / "parts.csv", ReadRequest(), out)
        os.kill(pid := reader.pid or 0, signal.SIGSTOP)
        with pytest.raises(KnownError, match="file_reader_hung"):
            reader.read(SAMPLE / "parts.csv", ReadRequest(), out)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@posix
def test_cancelling_ends_the_child_at_once(out: Path) -> None:
    wanted = False
    with ReaderProcess(lambda: wanted) as reader:
        reader.read(SAMPLE / "parts.csv", ReadRequest(), out)
        os.kill(reader.pid or 0, signal.SIGSTOP)
        wanted = True
        with pytest.raises(KnownError, match="import_cancelled"):
            reader.read(SAMPLE / "parts.csv", ReadRequest(), out)


def test_progress_counts_pages(out: Path) -> None:
    seen: list[tuple[int, int]] = []
    with ReaderProcess() as reader:
        reader.read(
            SAMPLE / "manuals" / "fl200_r3.pdf", ReadRequest(), out, lambda done, total: seen.append((done, total))
        )
    assert seen == [(page, 20) for page in range(1, 21)]


def test_inspect_shows_the_document_and_the_table_shape() -> None:
    manual = inspect(SAMPLE / "manuals" / "fl200_r3.pdf", ReadRequest())
    assert manual["kind"] == "document"
    assert (manual["pages"][13]["label"], manual["model"], manual["needs_ocr"]) == ("5-3", "FL-200", False)
    ledger = inspect(SAMPLE / "equipment_ledger.csv", ReadRequest(rows=2))
    assert (ledger["kind"], ledger["encoding"], ledger["header_row"], ledger["n_rows"]) == ("table", "cp932", 3, 25)
    assert len(ledger["rows"]) == 2
    assert ledger["mapping"]["型番"] == "model"
    assert ledger["proposed"]["dropped"] == {"blank": 1, "legend": 1}
    json.dumps([manual, ledger])


def test_a_planted_module_in_the_current_directory_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: Path
) -> None:
    (tmp_path / "csv.py").write_text("raise SystemExit('planted')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with ReaderProcess() as reader:
        assert reader.read(SAMPLE / "parts.csv", ReadRequest(), out).reports
