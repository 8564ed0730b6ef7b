"""A snapshot gives back what was put in, in any spelling, from any thread, and names what is wrong with a file."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest

from desktop.errors import KnownError
from desktop.store.snapshot import CodeOwners, Snapshot
from desktop.store.snapshot_files import POINTER
from tests.fakes.plant import MACHINES, MANUALS, RECORDS, small_plant, source

HOLD = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("snapshots")
    small_plant(folder).close()
    return folder


@pytest.fixture
def plant(folder: Path) -> Iterator[Snapshot]:
    snapshot = Snapshot.current(folder)
    assert snapshot
    yield snapshot
    snapshot.close()


def test_what_was_put_in_comes_out(plant: Snapshot) -> None:
    assert plant.all_equipment() == MACHINES
    assert plant.manuals() == tuple(manual for manual, _ in MANUALS)
    assert plant.sections("FL-200r3") == MANUALS[0][1]
    assert [plant.record(record.record_id) for record in RECORDS] == list(RECORDS)
    assert plant.sources == (source("ledger"), source("log", "record"), source("manuals", "manual"))


@pytest.mark.parametrize("typed", ["EQ-003", "eq003", "ＥＱ－００３", "EQ 003", "EQ−003"])
def test_a_machine_is_found_in_any_spelling_with_its_original_cells(plant: Snapshot, typed: str) -> None:
    machine = plant.equipment(typed)
    assert machine
    assert machine.equipment_id == "EQ-003"
    assert dict(machine.original) == {"設備ID": "ＥＱ－００３", "型番": "FL200"}


def test_near_ids_are_other_machines(plant: Snapshot) -> None:
    assert plant.equipment("EQ-03") is None
    assert plant.equipment("EQ-0030") is None


def test_names_are_listed_once(plant: Snapshot) -> None:
    assert plant.lines() == ("ライン1", "ライン3", "ライン2", "ライン30")
    assert plant.models() == ("FL-200", "CV-500", "CP-80", "PK-10", "PK-20")


def test_manuals_are_those_of_the_model_or_its_series(plant: Snapshot) -> None:
    assert [manual.manual_id for manual in plant.manuals("ｆｌ２００")] == ["FL-200r3", "FL-200r2"]
    assert [manual.manual_id for manual in plant.manuals("CP-85")] == ["CP-80r1"]
    assert plant.manuals("FL-20") == ()


def test_a_section_is_found_by_its_ref(plant: Snapshot) -> None:
    assert plant.section("manual:FL-200r3#2") == MANUALS[0][1][1]
    assert plant.section("manual:FL-200r3#99") is None
    assert plant.section("manual:FL-2#1") is None
    assert plant.section("nonsense") is None


def test_a_machines_records_are_its_own_newest_first_undated_last(plant: Snapshot) -> None:
    assert [record.record_id for record in plant.records_of("eq 003")] == ["R-2", "R-1", "R-3"]
    assert [record.record_id for record in plant.records_of("EQ-999")] == [
        "R-5"
    ]  # not in the ledger, kept all the same
    assert plant.records_of("EQ-011") == ()
    assert plant.data_as_of == date(2026, 4, 2)


def test_a_code_is_owned_by_the_models_and_machines_that_have_it(plant: Snapshot) -> None:
    assert plant.code_owners("e12") == CodeOwners(("FL-200",), ("EQ-001", "EQ-003"))
    assert plant.code_owners("e07") == CodeOwners(("CP-80",), ("EQ-999",))
    assert plant.code_owners("8011.30") == CodeOwners(("FL-200",))
    assert plant.code_owners("2105") == CodeOwners(("CP-80",))
    assert not plant.code_owners("e1")
    assert not plant.code_owners("e99")


def test_parts_and_open_orders(plant: Snapshot) -> None:
    part = plant.part("ｏｒ２２１０")
    assert part
    assert (part.shelf, part.quantity, part.as_of) == ("A-03", 12, date(2026, 11, 1))
    assert plant.parts_for("FL200") == (part,)
    assert [order.number for order in plant.open_orders("EQ003")] == ["WO-1"]


def test_the_plants_synonyms_come_before_the_shipped_ones(plant: Snapshot) -> None:
    assert plant.synonyms()["チョコ停"] == ("短時間停止",)
    assert "リーク" in plant.synonyms()["漏レ"]


def test_every_thread_reads_on_its_own(plant: Snapshot) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(plant.records_of("EQ-003")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 8


def broken(folder: Path, content: bytes) -> Path:
    file = folder / "plant-00009-20260101T000000Z.duckdb"
    file.write_bytes(content)
    return file


def code_of(file: Path, key: bytes | None = None) -> str:
    with pytest.raises(KnownError) as refused:
        Snapshot.open(file, key)
    return refused.value.code


def test_a_damaged_file_is_named_as_such(folder: Path, tmp_path: Path) -> None:
    whole = next(folder.glob("plant-*.duckdb")).read_bytes()
    assert code_of(tmp_path / "none.duckdb") == "snapshot_missing"
    assert code_of(broken(tmp_path, b"")) == "snapshot_corrupt"
    assert code_of(broken(tmp_path, b"not a database" * 1000)) == "snapshot_corrupt"
    assert code_of(broken(tmp_path, whole[:9000])) == "snapshot_corrupt"
    flipped = bytearray(whole)
    flipped[12_300::4_096] = bytes(len(flipped[12_300::4_096]))
    assert code_of(broken(tmp_path, bytes(flipped))) == "snapshot_corrupt"


def test_another_database_is_no_snapshot(tmp_path: Path) -> None:
    file = tmp_path / "other.duckdb"
    duckdb.connect(str(file)).execute("CREATE TABLE t (i INTEGER)").close()
    assert code_of(file) == "snapshot_corrupt"


def test_a_newer_schema_is_refused(folder: Path, tmp_path: Path) -> None:
    file = broken(tmp_path, next(folder.glob("plant-*.duckdb")).read_bytes())
    with duckdb.connect(str(file)) as connection:
        connection.execute("UPDATE meta SET value = '999' WHERE name = 'schema'")
    assert code_of(file) == "snapshot_too_new"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE sections ADD COLUMN page INTEGER",
        "ALTER TABLE equipment DROP COLUMN maker_phone",
        "ALTER TABLE parts RENAME COLUMN shelf TO place",
        "ALTER TABLE record_postings ALTER df TYPE BIGINT",
        "DROP TABLE learned_terms",
        "UPDATE meta SET value = '0' WHERE name = 'schema'",
    ],
)
def test_tables_of_another_layout_are_refused_by_name(folder: Path, tmp_path: Path, change: str) -> None:
    file = broken(tmp_path, next(folder.glob("plant-*.duckdb")).read_bytes())
    with duckdb.connect(str(file)) as connection:
        connection.execute(change)
    assert code_of(file) == "snapshot_other_layout"


def test_an_encrypted_snapshot_opens_with_its_key_only(tmp_path: Path) -> None:
    key, file = bytes(range(32)), tmp_path / "encrypted.duckdb"
    small_plant(tmp_path / "plain").close()
    plain = next((tmp_path / "plain").glob("plant-*.duckdb"))
    with duckdb.connect(
        config={"force_mbedtls_unsafe": True}
    ) as publisher:  # a publisher's extension is not in the wheel
        publisher.execute(f"ATTACH '{plain}' AS plain (READ_ONLY)")
        publisher.execute(f"ATTACH '{file}' AS made (ENCRYPTION_KEY '{key.hex()}')")
        publisher.execute("COPY FROM DATABASE plain TO made")
    snapshot = Snapshot.open(file, key)
    assert snapshot.equipment("EQ-003")
    snapshot.close()
    assert code_of(file) == "snapshot_wrong_key"
    assert code_of(file, bytes(32)) == "snapshot_wrong_key"


def test_a_file_that_another_process_writes_to_is_in_use(folder: Path, tmp_path: Path) -> None:
    file = broken(tmp_path, next(folder.glob("plant-*.duckdb")).read_bytes())
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    assert code_of(file) == "snapshot_in_use"
    holder.communicate("\n")
    Snapshot.open(file).close()


def test_nothing_outside_can_be_reached_through_it(plant: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    for statement in (f"SELECT * FROM '{tmp_path}/secret.csv'", "SET enable_external_access = true", "LOAD httpfs"):
        with pytest.raises(duckdb.Error):
            plant.rows(statement)


def test_a_lost_pointer_does_not_hide_the_data(folder: Path) -> None:
    for content in (None, "", "{}", '{"version": "gone"}', "[1]"):
        (folder / POINTER).unlink() if content is None else (folder / POINTER).write_text(content, encoding="utf-8")
        snapshot = Snapshot.current(folder)
        assert snapshot
        snapshot.close()


def test_an_empty_folder_has_no_current_snapshot(tmp_path: Path) -> None:
    assert Snapshot.current(tmp_path) is None
    assert Snapshot.current(tmp_path / "none") is None
