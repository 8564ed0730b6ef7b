"""import, inspect, show, search and doctor: what they print, and every bad input a sentence with the old data safe."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop import paths
from desktop.__main__ import main
from desktop.store.snapshot_files import current_version
from tests.cli.conftest import Done

Command = Callable[..., Done]
SAMPLE = paths.sample_plant()
LEDGER = SAMPLE / "equipment_ledger.csv"


@pytest.fixture
def own(command: Command, tmp_path: Path) -> Path:
    """A data directory with the sample's ledger as own data."""
    folder = tmp_path / "data"
    assert command("import", str(LEDGER), "--data-dir", str(folder)).code == 0
    return folder


@pytest.mark.smoke
def test_a_folder_is_imported_whole_with_a_report_for_each_file(command: Command, tmp_path: Path) -> None:
    done = command("import", str(SAMPLE), "--data-dir", str(tmp_path / "data"))
    assert done.code == 0
    totals = done.document["totals"]
    assert totals["equipment"] == 24
    assert totals["records"] == 155
    assert totals["manuals"] == 10
    ledger = next(file for file in done.document["files"] if file["kind"] == "ledger")
    assert ledger["encoding"] == "cp932"
    assert ledger["accepted"] == 24
    assert ledger["mapping"]["型番"] == "model"
    assert {file["kind"] for file in done.document["files"]} >= {"ledger", "record", "manual", "part", "open_order"}


def test_importing_again_changes_nothing_and_says_so(command: Command, own: Path) -> None:
    before = current_version(own / "snapshots")
    again = command("import", str(LEDGER), "--data-dir", str(own))
    assert again.code == 0
    assert again.document["changed"] is False
    assert current_version(own / "snapshots") == before


def test_a_dry_run_tells_the_difference_and_publishes_nothing(command: Command, own: Path, tmp_path: Path) -> None:
    before = current_version(own / "snapshots")
    changed = tmp_path / LEDGER.name
    changed.write_bytes(LEDGER.read_bytes().replace("髙橋".encode("cp932"), "佐藤".encode("cp932")))
    done = command("import", str(changed), "--dry-run", "--data-dir", str(own))
    assert done.code == 0
    assert done.document["difference"]["equipment"]["changed"]
    assert current_version(own / "snapshots") == before


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("none.csv", None, 3),
        ("foreign.csv", "city,country\n焼津,日本\n".encode(), 3),
        ("empty", "folder", 3),
        ("torn.pdf", b"%PDF-1.7\n1 0 obj <<", 3),
        ("not.xlsx", b"PK\x03\x04 broken", 3),
        ("zeros.csv", b"\x00" * 5000, 3),
    ],
)
def test_bad_input_is_a_sentence_and_the_old_data_stays(
    command: Command, own: Path, tmp_path: Path, name: str, content: bytes | str | None, code: int
) -> None:
    before = current_version(own / "snapshots")
    bad = tmp_path / name
    if content == "folder":
        bad.mkdir()
    elif isinstance(content, bytes):
        bad.write_bytes(content)
    done = command("import", str(bad), "--data-dir", str(own))
    assert done.code == code
    assert done.document["error"]["message"]
    assert "Traceback" not in done.stderr
    assert current_version(own / "snapshots") == before
    assert command("show", "equipment", "EQ-003", "--data-dir", str(own)).code == 0


def test_a_foreign_table_names_the_columns_it_has(command: Command, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("city,country\n焼津,日本\n", encoding="utf-8")
    done = command("import", str(foreign), "--data-dir", str(tmp_path / "data"))
    assert "city" in done.document["error"]["message"]


def test_one_bad_file_among_good_ones_is_reported_and_the_good_ones_count(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3, so that a script notices; the report all the same, and the good files are in."""
    folder, data = tmp_path / "files", str(tmp_path / "data")
    folder.mkdir()
    shutil.copy(LEDGER, folder)
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\n1 0 obj <<")
    done = command("import", str(folder), "--data-dir", data)
    assert done.code == 3
    assert done.document["totals"]["equipment"] == 24
    assert done.document["changed"] is True
    assert [bool(file["error"]) for file in done.document["files"]].count(True) == 1
    assert command("show", "equipment", "EQ-003", "--data-dir", data).code == 0
    assert main(["import", "--refresh", "--data-dir", data]) == 0
    assert main(["import", str(folder), "--data-dir", data]) == 3
    told = capsys.readouterr().out
    assert "torn.pdf：読めません" in told
    assert "24 件読込" in told


def test_inspect_shows_a_table_as_found(command: Command, tmp_path: Path) -> None:
    done = command("inspect", str(LEDGER), "--rows", "2", "--data-dir", str(tmp_path))
    assert (done.document["encoding"], done.document["header_row"], done.document["n_rows"]) == ("cp932", 3, 25)
    assert len(done.document["rows"]) == 2
    assert done.document["columns"][0] == "設備ID"


def test_inspect_shows_a_manuals_pages_with_their_labels(command: Command, tmp_path: Path) -> None:
    done = command("inspect", str(SAMPLE / "manuals" / "fl200_r3.pdf"), "--data-dir", str(tmp_path))
    pages = done.document["pages"]
    assert len(pages) == 20
    assert pages[0]["label"] == "i"
    assert pages[13]["label"] == "5-3"
    assert done.document["model"] == "FL-200"
    assert done.document["revision"] == "3"


def test_show_gives_values_beside_their_originals(command: Command, sample_dir: Path) -> None:
    done = command("show", "equipment", "ＥＱ００２", "--sample", "--data-dir", str(sample_dir))
    assert done.document["installed_on"] == {"value": "2016-04-01", "original": "平成28年4月1日"}
    assert done.document["equipment_id"]["value"] == "EQ-002"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show", "equipment", "EQ-999"], 1),
        (["search", "records", "EQ-999", "E-12"], 1),
        (["search", "equipment", "ライン9の溶接機"], 1),
        (["search", "equipment", "ライン3 充填機"], 0),
        (["search", "manual", "FL-200", "E-12"], 0),
        (["search", "manual", "FL-200"], 2),
        (["import"], 2),
        (["inspect", "nowhere.csv"], 3),
        (["inspect", "nowhere.csv", "--rows", "many"], 2),
    ],
)
def test_exit_codes_are_the_contracts(command: Command, sample_dir: Path, arguments: list[str], code: int) -> None:
    where = ["--sample"] if arguments[0] in ("show", "search") else []
    assert command(*arguments, *where, "--data-dir", str(sample_dir)).code == code


def test_doctor_names_the_real_state(command: Command, own: Path) -> None:
    assert command("requests", "--data-dir", str(own)).code == 0, "which makes a journal; doctor makes none"
    done = command("doctor", "--data-dir", str(own))
    checks = {check["name"]: check for check in done.document["checks"]}
    assert done.code == 1, "only warnings"
    assert done.document["failed"] == 0
    assert "平文" in checks["journal"]["text"]
    assert checks["keyring"]["state"] == "warning"
    assert "設備 24" in checks["snapshot"]["text"]


def test_doctor_finds_a_broken_snapshot_and_goes_on(command: Command, own: Path) -> None:
    version = current_version(own / "snapshots")
    file = own / "snapshots" / f"plant-{version}.duckdb"
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    content[12288 : 12288 + 4096] = bytes(4096)
    file.write_bytes(content)
    assert command("requests", "--data-dir", str(own)).code == 0
    done = command("doctor", "--data-dir", str(own))
    states = {check["name"]: check["state"] for check in done.document["checks"]}
    assert done.code == 3
    assert states["snapshot"] == "failed"
    assert states["journal"] == "ok"


@pytest.mark.parametrize("arguments", [["doctor"], ["ask", "E-12", "--sample"], ["requests"], ["import", str(LEDGER)]])
def test_a_data_directory_that_is_a_file_is_a_sentence(command: Command, tmp_path: Path, arguments: list[str]) -> None:
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    done = command(*arguments, "--data-dir", str(taken))
    assert done.code in (1, 3, 4)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["requests", "export"], ["coverage", "--csv"]])
def test_a_place_that_can_not_be_written_is_named(command: Command, sample_dir: Path, arguments: list[str]) -> None:
    done = command(*arguments, "/nonexistent/x.csv", "--sample", "--data-dir", str(sample_dir))
    assert done.code == 3
    assert "/nonexistent/x.csv" in done.document["error"]["message"]


def test_the_report_for_people_tells_the_difference_and_that_nothing_changed(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(SAMPLE / "parts.csv"), "--dry-run", "--data-dir", str(own)]) == 0
    assert "追加　部品 20 件：AF-37" in capsys.readouterr().out
    assert main(["import", str(LEDGER), "--data-dir", str(own)]) == 0
    assert "変わったファイルはありません" in capsys.readouterr().out


def test_show_for_people_has_no_program_notation(sample_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, identifier in (("equipment", "EQ-003"), ("manual", "FL-200"), ("record", "REC-0151")):
        assert main(["show", kind, identifier, "--sample", "--data-dir", str(sample_dir)]) == 0
        text = capsys.readouterr().out
        assert not any(mark in text for mark in ("('", "{'", "['", "None"))


def test_the_data_directory_may_be_named_before_the_command(command: Command, own: Path) -> None:
    assert command("--data-dir", str(own), "show", "equipment", "EQ-003").code == 0
