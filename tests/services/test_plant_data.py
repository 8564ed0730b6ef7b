"""A plant's files into snapshots: once, again, changed, broken, taken back, killed in the middle."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import duckdb
import pytest

from desktop import paths
from desktop.credentials import Credentials
from desktop.domain.ledger import Person
from desktop.errors import KnownError, sentence
from desktop.paths import DataDir
from desktop.services.plant_data import Import, ensure_sample, import_paths, refresh, rollback
from desktop.store import snapshot_files
from desktop.store.journal import open_journal
from desktop.store.snapshot import Snapshot

LEDGER = "設備ID,設備名,型番,ライン\n"
RECORDS = "記録No,日付,設備ID,エラーコード,現象,原因,処置\n"
NOBODY: Callable[[Sequence[Person], Mapping[str, str]], None] = lambda _persons, _pins: None  # noqa: E731


def write_plant(folder: Path) -> None:
    """A small plant's folder: ledger, records, one manual in two revisions."""
    (folder / "manuals").mkdir(parents=True)
    machines = "EQ-001,充填機,FL-200,ライン1\nEQ-002,検査機,IV-70,ライン1\n"
    (folder / "ledger.csv").write_text(LEDGER + machines, encoding="cp932")
    (folder / "records.csv").write_text(
        RECORDS + "R-1,2026/7/1,ＥＱ００１,E-12,詰まり,,清掃\nR-2,2026/7/2,EQ-9,,異音,,給油\n", encoding="utf-8"
    )
    for revision in (2, 3):
        head = f"---\n型番: FL-200\n改訂: {revision}\n---\n# FL-200 取扱説明書\n"
        text = f"{head}## 5.2 E-12 詰まり\n水圧0.{revision}MPa。\n"
        (folder / "manuals" / f"fl200_r{revision}.md").write_text(text, encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture(scope="module")
def imported_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DataDir]:
    """The plant's folder and the data of its first import; a source is remembered by its place, so that stays."""
    root = tmp_path_factory.mktemp("plant")
    write_plant(root / "plant")
    import_paths(how(DataDir(root / "data")), [root / "plant"])
    return root / "plant", DataDir(root / "data")


@pytest.fixture
def plant(imported_once: tuple[Path, DataDir]) -> Path:
    """The plant's folder as it was at its first import."""
    folder, _ = imported_once
    shutil.rmtree(folder)
    write_plant(folder)
    return folder


@pytest.fixture
def imported(imported_once: tuple[Path, DataDir], data: DataDir) -> DataDir:
    """A copy of the data after that first import."""
    shutil.copytree(imported_once[1].root, data.root)
    return data


def how(data: DataDir, **more: Any) -> Import:
    return Import(data, take_people=NOBODY, **more)


def opened(data: DataDir) -> Snapshot:
    snapshot = Snapshot.current(data.snapshots)
    assert snapshot
    return snapshot


def differences(report: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    return {
        kind: {name: part["count"] for name, part in parts.items() if part["count"]}
        for kind, parts in report["difference"].items()
    }


def test_a_folder_becomes_a_snapshot(data: DataDir, plant: Path) -> None:
    report = import_paths(how(data), [plant])
    totals = {name: count for name, count in report["totals"].items() if count}
    assert totals == {"equipment": 2, "manuals": 2, "sections": 2, "records": 2}
    assert {entry["kind"] for entry in report["files"]} == {"ledger", "record", "manual"}
    snapshot = opened(data)
    assert snapshot.version == report["snapshot"]
    assert [one.record_id for one in snapshot.records_of("EQ-001")] == ["R-1"]
    assert snapshot.record("R-1").equipment_id == "EQ-001"
    assert {one.manual_id: one.old_revision for one in snapshot.manuals()} == {"FL-200-r2": True, "FL-200-r3": False}
    assert [one.old_revision for one in snapshot.sections("FL-200-r2")] == [True]
    snapshot.close()


def test_records_of_unknown_machines_are_kept_and_told(data: DataDir, plant: Path) -> None:
    report = import_paths(how(data), [plant])
    warnings = [text for entry in report["files"] if entry["kind"] == "record" for text in entry["warnings"]]
    assert warnings == ["台帳にない設備の記録が1件あります：EQ-9"]
    snapshot = opened(data)
    assert snapshot.record("R-2").equipment_id == "EQ-9"
    snapshot.close()


def test_originals_are_kept_by_hash(imported: DataDir, plant: Path) -> None:
    snapshot = opened(imported)
    for manual in snapshot.manuals():
        kept = (imported.files / manual.file_sha256).read_bytes()
        assert kept == (plant / "manuals" / manual.file_name).read_bytes()
    snapshot.close()


def test_the_same_again_changes_nothing_and_says_so(data: DataDir, plant: Path) -> None:
    first = import_paths(how(data), [plant])
    again = import_paths(how(data), [plant])
    assert (again["changed"], again["difference"], again["snapshot"]) == (False, {}, first["snapshot"])
    assert all(entry["unchanged"] for entry in again["files"])
    assert again["totals"] == first["totals"]
    assert len(snapshot_files.versions(data.snapshots)) == 1


def test_a_changed_file_changes_only_its_rows(imported: DataDir, plant: Path) -> None:
    rows = "EQ-001,充填機,FL-200,ライン3\nEQ-003,新型,FL-300,ライン1\n"
    (plant / "ledger.csv").write_text(LEDGER + rows, encoding="cp932")
    report = import_paths(how(imported), [plant])
    assert differences(report) == {"equipment": {"added": 1, "changed": 1, "gone": 1}}
    assert report["difference"]["equipment"]["gone"]["ids"] == ["EQ-002"]
    assert [entry["unchanged"] for entry in report["files"]] == [False, True, True, True]
    snapshot = opened(imported)
    assert [one.line for one in snapshot.all_equipment()] == ["ライン3", "ライン1"]
    assert snapshot.counts.records == 2
    snapshot.close()


def test_a_dry_run_tells_the_difference_and_leaves_everything(imported: DataDir, plant: Path) -> None:
    before = snapshot_files.current_version(imported.snapshots)
    (plant / "records.csv").write_text(RECORDS + "R-1,2026/7/1,EQ-001,E-12,詰まり,固着,清掃\n", encoding="utf-8")
    report = import_paths(how(imported, dry_run=True), [plant])
    assert differences(report) == {"records": {"changed": 1, "gone": 1}}
    assert (report["snapshot"], report["changed"]) == (before, False)
    assert snapshot_files.versions(imported.snapshots) == (before,)
    assert not list(imported.root.glob("reading*"))


def test_other_sources_stay_unless_replaced(imported: DataDir, plant: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts.csv"
    parts.write_text("部品番号,品名,棚番\nOR-1,Oリング,A-1\n", encoding="utf-8")
    import_paths(how(imported), [parts])
    with_all = opened(imported)
    assert (with_all.counts.equipment, with_all.counts.parts, with_all.counts.sections) == (2, 1, 2)
    with_all.close()
    report = import_paths(how(imported, replace=True), [parts])
    assert differences(report)["equipment"] == {"gone": 2}
    alone = opened(imported)
    assert (alone.counts.equipment, alone.counts.parts) == (0, 1)
    alone.close()


def test_a_newer_revision_makes_the_kept_one_old(data: DataDir, plant: Path) -> None:
    newer = plant / "manuals" / "fl200_r3.md"
    text = newer.read_text(encoding="utf-8")
    newer.unlink()
    import_paths(how(data), [plant])
    newer.write_text(text, encoding="utf-8")
    report = import_paths(how(data), [newer])
    assert report["difference"]["manuals"]["added"]["ids"] == ["FL-200-r3"]
    snapshot = opened(data)
    assert [one.old_revision for one in snapshot.sections("FL-200-r2")] == [True]
    assert snapshot.section("manual:FL-200-r2#5.2").body == "水圧0.2MPa。"
    snapshot.close()


def test_two_manuals_of_one_model_and_revision_get_ids_of_their_own(imported: DataDir, plant: Path) -> None:
    other = plant / "manuals" / "fl200_maintenance.md"
    other.write_text("---\n型番: FL-200\n改訂: 3\n---\n# FL-200 保守要領書\n## 1 給油\n毎月。\n", encoding="utf-8")
    import_paths(how(imported), [plant])
    shutil.copy(other, plant / "manuals" / "copy.md")
    report = import_paths(how(imported), [plant])
    snapshot = opened(imported)
    assert {one.manual_id for one in snapshot.manuals()} == {"FL-200-r2", "FL-200-r3", "FL-200-r3-2"}
    assert not any(one.old_revision for one in snapshot.manuals() if one.revision == "3")
    told = [text for entry in report["files"] if entry["path"].endswith("copy.md") for text in entry["warnings"]]
    assert any("同じ内容" in text for text in told)
    snapshot.close()


def test_a_new_ledger_settles_records_that_only_name_their_machine(imported: DataDir, plant: Path) -> None:
    (plant / "named.csv").write_text("日付,設備名,現象,処置\n2026/7/5,新型機,異音,給油\n", encoding="utf-8")
    import_paths(how(imported), [plant / "named.csv"])
    (plant / "ledger.csv").write_text(
        LEDGER + "EQ-001,充填機,FL-200,ライン1\nEQ-050,新型機,X-1,ライン1\n", encoding="utf-8"
    )
    import_paths(how(imported), [plant / "ledger.csv"])
    snapshot = opened(imported)
    assert [one.symptom for one in snapshot.records_of("EQ-050")] == ["異音"]
    snapshot.close()


def test_ids_that_several_files_give_are_told(imported: DataDir, plant: Path) -> None:
    (plant / "more.csv").write_text(LEDGER + "EQ-001,別の充填機,FL-100,ライン2\n", encoding="utf-8")
    report = import_paths(how(imported), [plant])
    assert report["warnings"] == ["設備1件は、同じ番号がほかのファイルにもあります。あとから読んだ方を使います。"]
    assert differences(report) == {"equipment": {"changed": 1}}


def test_a_file_that_moved_is_not_there_twice(imported: DataDir, plant: Path) -> None:
    (plant / "ledger.csv").rename(plant / "台帳2026.csv")
    report = import_paths(how(imported), [plant])
    assert differences(report) == {}
    snapshot = opened(imported)
    assert sorted(Path(source.path).name for source in snapshot.sources) == [
        "fl200_r2.md", "fl200_r3.md", "records.csv", "台帳2026.csv",
    ]  # fmt: skip
    assert snapshot.counts.equipment == 2
    snapshot.close()


def test_refresh_reads_what_changed_and_keeps_what_broke(imported: DataDir, plant: Path) -> None:
    assert refresh(how(imported))["changed"] is False
    (plant / "ledger.csv").write_text(LEDGER + "EQ-001,充填機,FL-200,ライン9\n", encoding="utf-8")
    (plant / "records.csv").write_bytes(b"\0" * 500)
    (plant / "manuals" / "fl200_r2.md").unlink()
    report = refresh(how(imported))
    errors = {Path(entry["path"]).name: entry["error"]["code"] for entry in report["files"] if entry["error"]}
    assert errors == {"records.csv": "text_is_binary", "fl200_r2.md": "file_unreadable"}
    assert differences(report) == {"equipment": {"changed": 1, "gone": 1}}
    snapshot = opened(imported)
    assert (snapshot.counts.records, snapshot.counts.manuals) == (2, 2)
    snapshot.close()


def test_refresh_remembers_kind_and_mapping(data: DataDir, tmp_path: Path) -> None:
    table, mapping = tmp_path / "odd.csv", tmp_path / "odd.toml"
    table.write_text("あ,い\nEQ-1,充填機\n", encoding="utf-8")
    mapping.write_text('kind = "ledger"\n[columns]\n"あ" = "equipment_id"\n"い" = "name"\n', encoding="utf-8")
    import_paths(how(data), [table], mapping=mapping)
    table.write_text("あ,い\nEQ-1,検査機\n", encoding="utf-8")
    assert differences(refresh(how(data))) == {"equipment": {"changed": 1}}


def test_refresh_of_nothing_says_so(data: DataDir) -> None:
    with pytest.raises(KnownError, match="import_nothing_remembered"):
        refresh(how(data))


def test_rollback_brings_the_one_before(imported: DataDir, plant: Path) -> None:
    first = snapshot_files.current_version(imported.snapshots)
    (plant / "ledger.csv").write_text(LEDGER + "EQ-7,別機,X-1,ライン1\n", encoding="utf-8")
    import_paths(how(imported), [plant])
    assert rollback(imported) == first
    snapshot = opened(imported)
    assert snapshot.equipment("EQ-001")
    snapshot.close()


@pytest.mark.parametrize("name", ["missing.csv", "empty"])
def test_a_wrong_path_is_named_before_anything_is_read(data: DataDir, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(KnownError) as caught:
        import_paths(how(data), [tmp_path / name])
    assert caught.value.code in ("import_path_missing", "import_folder_empty")
    assert not data.root.exists()


def test_a_bad_file_leaves_the_old_snapshot_and_a_good_one_beside_it_comes_in(imported: DataDir, plant: Path) -> None:
    before = snapshot_files.current_version(imported.snapshots)
    foreign = plant / "foreign.csv"
    foreign.write_text("緯度,経度\n1,2\n", encoding="utf-8")
    with pytest.raises(KnownError, match="table_foreign"):
        import_paths(how(imported), [foreign])
    assert snapshot_files.current_version(imported.snapshots) == before
    (plant / "ledger.csv").write_text(LEDGER + "EQ-1,甲,A-1,ライン1\n", encoding="utf-8")
    report = import_paths(how(imported), [foreign, plant / "ledger.csv"])
    assert [bool(entry["error"]) for entry in report["files"]] == [True, False]
    assert report["changed"]


def test_cancelling_leaves_the_old_snapshot(imported: DataDir, plant: Path) -> None:
    before = snapshot_files.current_version(imported.snapshots)
    (plant / "ledger.csv").write_text(LEDGER + "EQ-1,甲,A-1,ライン1\n", encoding="utf-8")
    with pytest.raises(KnownError, match="import_cancelled"):
        import_paths(how(imported, cancelled=lambda: True), [plant])
    assert snapshot_files.versions(imported.snapshots) == (before,)


def test_a_roster_goes_to_who_takes_people_with_its_pins(data: DataDir) -> None:
    taken: list[Any] = []
    import_paths(
        Import(data, take_people=lambda persons, pins: taken.extend((persons, pins))),
        [paths.sample_plant() / "roster.csv"],
    )
    persons, pins = taken
    assert len(persons) == len(pins) == 11
    assert persons[0].person_id == "0101"


def test_the_sample_plant_is_read_once_and_again_when_it_lost_its_snapshot(data: DataDir) -> None:
    ensure_sample(data)
    snapshot = opened(data.sample)
    assert snapshot.equipment("EQ-003").line == "ライン3"
    assert snapshot.section("manual:FL-200-r3#5.2").page_label == "5-3"
    assert {one.manual_id for one in snapshot.manuals() if one.old_revision} == {"FL-200-r2"}
    version = snapshot.version
    snapshot.close()
    ensure_sample(data)
    assert snapshot_files.current_version(data.sample.snapshots) == version
    shutil.rmtree(data.sample.snapshots)
    ensure_sample(data)
    assert snapshot_files.current_version(data.sample.snapshots) is not None


def test_a_snapshot_of_another_layout_is_left_by_replacing_it(imported: DataDir, plant: Path) -> None:
    version = snapshot_files.current_version(imported.snapshots)
    assert version
    with duckdb.connect(str(snapshot_files.snapshot_file(imported.snapshots, version))) as connection:
        connection.execute("ALTER TABLE sections ADD COLUMN page INTEGER")
    with pytest.raises(KnownError, match="snapshot_other_layout"):
        import_paths(how(imported), [plant])
    assert import_paths(how(imported, replace=True), [plant])["totals"]["equipment"] == 2
    opened(imported).close()


def make_newer(folder: Path) -> None:
    version = snapshot_files.current_version(folder)
    assert version
    with duckdb.connect(str(snapshot_files.snapshot_file(folder, version))) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE name = 'schema'")


def test_where_an_older_program_was_put_back_a_newer_snapshot_is_named_and_left_by_replacing_it(
    imported: DataDir, plant: Path
) -> None:
    make_newer(imported.snapshots)
    for refused in (lambda: import_paths(how(imported), [plant]), lambda: opened(imported)):
        with pytest.raises(KnownError) as told:
            refused()
        assert told.value.code == "snapshot_too_new"
        assert "--replace" in sentence(told.value)
    assert import_paths(how(imported, replace=True), [plant])["totals"]["equipment"] == 2
    opened(imported).close()
    assert len(snapshot_files.versions(imported.snapshots)) == 2


def test_the_sample_of_a_newer_program_is_read_in_again(data: DataDir) -> None:
    ensure_sample(data)
    make_newer(data.sample.snapshots)
    (data.sample.root / "sample.json").write_text('{"sample": "of a newer program"}', encoding="utf-8")
    ensure_sample(data)
    opened(data.sample).close()


def test_what_can_not_be_migrated_gets_no_new_snapshot(imported: DataDir, plant: Path) -> None:
    open_journal(imported, Credentials(environ={})).close()
    version = snapshot_files.current_version(imported.snapshots)
    journal = apsw.Connection(str(imported.journal))
    journal.pragma("user_version", 1)  # its tables are there already: the migration from 1 must fail
    journal.close()
    (plant / "ledger.csv").write_text(LEDGER + "EQ-001,充填機,FL-200,ライン1\n", encoding="cp932")
    with pytest.raises(KnownError, match="journal_migration_failed"):
        import_paths(how(imported), [plant])
    assert snapshot_files.current_version(imported.snapshots) == version


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_kill_at_any_moment_leaves_the_old_snapshot_and_no_debris(imported: DataDir, plant: Path) -> None:
    before = snapshot_files.current_version(imported.snapshots)
    program = """
import pathlib, sys
from desktop.paths import DataDir
from desktop.services.plant_data import Import, import_paths
data = DataDir(pathlib.Path(sys.argv[1]))
import_paths(Import(data, take_people=lambda *_: None), [pathlib.Path(sys.argv[2])])
"""
    rng = random.Random(5)
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).resolve().parents[1])}
    for number in range(4):
        (plant / "ledger.csv").write_text(LEDGER + f"EQ-{number},甲,A-1,ライン1\n", encoding="utf-8")
        child = subprocess.Popen([sys.executable, "-c", program, str(imported.root), str(plant)], env=environment)
        deadline = time.monotonic() + rng.uniform(0.05, 0.9)
        while child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        child.kill()
        child.wait()
        snapshot = opened(imported)
        assert snapshot.version >= before
        assert snapshot.record("R-1")
        snapshot.close()
    import_paths(how(imported), [plant])
    left = {path.name for path in imported.root.rglob("*") if path.is_file()}
    assert not any(name.endswith((".tmp", ".new", ".jsonl")) for name in left)
    assert len([name for name in left if name.startswith("plant-")]) <= snapshot_files.KEPT


def test_every_row_of_a_large_table_arrives(tmp_path: Path, data: DataDir) -> None:
    rows = 12_001
    machines = "".join(f"M-{n},機械{n},FL-200,ライン1\n" for n in range(rows))
    (tmp_path / "ledger.csv").write_text(LEDGER + machines, encoding="utf-8")
    (tmp_path / "parts.csv").write_text(
        "部品番号,部品名,在庫数\n" + "".join(f"P-{n},部品{n},{n}\n" for n in range(rows)), encoding="utf-8"
    )
    report = import_paths(how(data), [tmp_path / "ledger.csv", tmp_path / "parts.csv"])
    assert (report["totals"]["equipment"], report["totals"]["parts"]) == (rows, rows)
    assert report["warnings"] == []
    snapshot = Snapshot.current(data.snapshots)
    assert snapshot
    assert (snapshot.counts.equipment, snapshot.counts.parts) == (rows, rows)
    assert snapshot.equipment(f"M-{rows - 1}")
    snapshot.close()
