"""A build is published whole or not at all, keeps what other sources gave, and says what would change."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.errors import KnownError
from desktop.store import duck
from desktop.store.search import Search
from desktop.store.snapshot import Counts, Snapshot
from desktop.store.snapshot_builder import Difference, SnapshotBuilder, rollback
from desktop.store.snapshot_files import snapshot_file, tidy, versions
from tests.fakes.plant import MACHINES, MANUALS, RECORDS, fill, section, small_plant, source

NO_DIFFERENCE = dict.fromkeys(("equipment", "manuals", "records", "parts", "open_orders"), Difference())
BUILD_FOREVER = """
import sys
from pathlib import Path
from types import SimpleNamespace
from tests.fakes.plant import fill, section
from desktop.domain.ledger import Manual
from desktop.store.snapshot_builder import SnapshotBuilder
while True:
    with SnapshotBuilder(Path(sys.argv[1])) as builder:
        fill(builder)
        sections = [section("FL-9r1", n, f"E-{n} 詰まり", "処置" * 20, f"E-{n}") for n in range(2000)]
        builder.add_manual("manuals", Manual("FL-9r1", ("FL-9",), "大きな取説"), sections)
        print("building", flush=True)
        builder.publish(lambda share: print(share, flush=True))
"""


@pytest.fixture
def plant(tmp_path: Path) -> Iterator[Snapshot]:
    snapshot = small_plant(tmp_path)
    yield snapshot
    snapshot.close()


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} - {"build.lock"}


def current(folder: Path) -> Snapshot:
    snapshot = Snapshot.current(folder)
    assert snapshot
    return snapshot


def finds_the_code(snapshot: Snapshot) -> bool:
    return [hit.section.ref for hit in Search(snapshot).manual("FL-200", "E-12").hits][:1] == ["manual:FL-200r3#1"]


def test_nothing_is_seen_and_nothing_left_of_a_build_that_is_not_published(plant: Snapshot, tmp_path: Path) -> None:
    before = names(tmp_path)
    with SnapshotBuilder(tmp_path) as builder:
        fill(builder, MACHINES[:1])
    assert names(tmp_path) == before
    with suppress(ZeroDivisionError), SnapshotBuilder(tmp_path) as builder:
        fill(builder)
        raise ZeroDivisionError
    assert names(tmp_path) == before
    assert current(tmp_path).version == plant.version


def test_the_last_two_are_kept_and_the_one_before_can_return(plant: Snapshot, tmp_path: Path) -> None:
    made = [plant.version]
    for count in (2, 3):
        with SnapshotBuilder(tmp_path) as builder:
            builder.add_equipment("ledger", MACHINES[:count])
            made.append(builder.publish())
    assert versions(tmp_path) == tuple(made[1:])
    assert len(current(tmp_path).all_equipment()) == 3
    assert rollback(tmp_path) == made[1]
    assert len(current(tmp_path).all_equipment()) == 2
    with pytest.raises(KnownError, match="snapshot_no_previous"):
        rollback(tmp_path)


def test_an_open_snapshot_goes_on_answering_while_the_next_is_published(plant: Snapshot, tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(plant)
        builder.publish()
    assert finds_the_code(plant)
    assert finds_the_code(current(tmp_path))


def test_a_rebuild_of_the_same_is_the_same(plant: Snapshot, tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        fill(builder)
        assert builder.difference(plant) == NO_DIFFERENCE
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(plant)
        assert builder.difference(plant) == NO_DIFFERENCE


def test_the_difference_names_what_is_added_changed_and_gone(plant: Snapshot, tmp_path: Path) -> None:
    moved = replace(MACHINES[1], location="第4工場")
    with SnapshotBuilder(tmp_path) as builder:
        builder.add_equipment("ledger", [MACHINES[0], moved, Equipment("EQ-100", "新しい機械")])
        builder.add_manual("manuals", MANUALS[0][0], [*MANUALS[0][1][:-1], replace(MANUALS[0][1][-1], body="直した")])
        builder.add_records("log", [*RECORDS[1:], replace(RECORDS[0], record_id="R-9")])
        found = builder.difference(plant)
    assert found["equipment"] == Difference(("EQ-100",), ("EQ-003",), ("EQ-011", "EQ-012", "EQ-030"))
    assert found["manuals"] == Difference((), ("FL-200r3",), ("CP-80r1", "FL-200r2", "PK-10r1"))
    assert found["records"] == Difference(("R-9",), (), ("R-1",))
    assert found["parts"] == Difference((), (), ("OR-2210",))


def test_other_sources_are_kept_without_being_read_again(plant: Snapshot, tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(plant, except_sources=["ledger"])
        builder.add_source(source("ledger"))
        builder.add_equipment("ledger", MACHINES[:2])
        builder.publish()
    kept = current(tmp_path)
    assert kept.all_equipment() == MACHINES[:2]
    assert kept.sections("FL-200r3") == plant.sections("FL-200r3")
    assert kept.records_of("EQ-003") == plant.records_of("EQ-003")
    assert kept.parts_for("FL-200") == ()
    for query in ("E-12", "8011[30]", "ベアリング", "給油", "OR-2210"):
        for model in ("FL-200", "CP-80"):
            assert Search(kept).manual(model, query) == Search(plant).manual(model, query)
        assert Search(kept).records_anywhere(query) == Search(plant).records_anywhere(query)
        assert Search(kept).sections_anywhere(query) == Search(plant).sections_anywhere(query)


def test_a_manual_in_the_middle_can_go_and_come_back_changed(plant: Snapshot, tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(plant, except_sources=["manuals"])
        builder.add_manual("manuals", *MANUALS[2])
        builder.add_manual("manuals", *MANUALS[0])
        builder.publish()
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(current(tmp_path))
        builder.add_manual("manuals", MANUALS[2][0], [section("CP-80r1", 1, "E-08 トルク異常", "締め直す", "E-08")])
        builder.publish()
    found = current(tmp_path)
    assert [manual.manual_id for manual in found.manuals()] == ["FL-200r3", "CP-80r1"]
    assert [one.heading for one in found.sections("CP-80r1")] == ["E-08 トルク異常"]
    assert not found.code_owners("2105")
    assert finds_the_code(found)
    assert Search(found).sections_anywhere("トルク異常").hits[0].section.heading == "E-08 トルク異常"
    assert Search(found).sections_anywhere("ホッパー").hits == ()


def test_manuals_move_up_when_one_before_them_goes(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        for source_id, number in (("a", 2), ("b", 0), ("c", 1), ("b", 3)):
            builder.add_manual(source_id, *MANUALS[number])
        builder.publish()
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(current(tmp_path), except_sources=["a", "c"])
        builder.publish()
    moved = current(tmp_path)
    assert [manual.manual_id for manual in moved.manuals()] == ["FL-200r3", "PK-10r1"]
    for manual, sections in (MANUALS[0], MANUALS[3]):
        assert moved.sections(manual.manual_id) == sections
    assert finds_the_code(moved)
    assert [hit.section.ref for hit in Search(moved).manual("PK-20", "E-31").hits] == ["manual:PK-10r1#2"]
    assert moved.code_owners("8011.30").models == ("FL-200",)
    assert not moved.code_owners("e07")


def test_what_comes_twice_counts_once_as_it_came_last(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        builder.add_equipment("a", [MACHINES[0], replace(MACHINES[0], name="充填機A")])
        builder.add_equipment("b", [replace(MACHINES[0], equipment_id="ＥＱ００１", name="充填機B")])
        builder.add_records("a", [RECORDS[0], replace(RECORDS[0], symptom="二度目")])
        builder.add_manual("a", *MANUALS[0])
        builder.add_manual("b", MANUALS[0][0], [section("FL-200r3", 1, "E-13 新しい章", "", "E-13")])
        builder.publish()
    snapshot = current(tmp_path)
    assert [machine.name for machine in snapshot.all_equipment()] == ["充填機B"]
    assert [record.symptom for record in snapshot.records_of("EQ-003")] == ["二度目"]
    assert [one.heading for one in snapshot.sections("FL-200r3")] == ["E-13 新しい章"]
    assert Search(snapshot).manual("FL-200", "E-12").hits == ()


def test_an_empty_plant_can_be_published_and_searched(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        builder.publish()
    search = Search(current(tmp_path))
    assert search.equipment("充填機").total == search.sections_anywhere("E-12 詰まり").total == 0
    assert search.records("EQ-001", "").total == search.manual("FL-200", "詰まり").total == 0


def test_only_one_builds_at_a_time(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path), pytest.raises(KnownError, match="snapshot_build_running"):
        SnapshotBuilder(tmp_path)
    with SnapshotBuilder(tmp_path):
        pass


def test_a_full_disk_is_named_before_and_while_writing(
    plant: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KnownError, match="snapshot_disk_full"), duck.our_words(tmp_path):
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=70 * 2**20))
    with pytest.raises(KnownError, match="snapshot_disk_full"):
        SnapshotBuilder(tmp_path)
    assert finds_the_code(current(tmp_path))


def test_the_start_of_the_program_tidies_up_but_never_a_running_build(tmp_path: Path) -> None:
    tidy(tmp_path / "none")
    with SnapshotBuilder(tmp_path) as builder:
        fill(builder)
        before = names(tmp_path)
        tidy(tmp_path)
        assert names(tmp_path) == before
    (tmp_path / "plant-00007-20260101T000000Z.duckdb.tmp").write_bytes(b"half")
    tidy(tmp_path)
    assert names(tmp_path) == set()


def test_a_cancelled_publish_leaves_the_old_one(plant: Snapshot, tmp_path: Path) -> None:
    before, shares = names(tmp_path), []
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(plant)
        with pytest.raises(KnownError, match="snapshot_build_cancelled"):
            builder.publish(shares.append, cancelled=lambda: len(shares) > 2)
    assert names(tmp_path) == before
    assert shares == sorted(shares)


def test_a_build_that_does_not_read_back_is_not_published(
    plant: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damage(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
        file.write_bytes(content)

    monkeypatch.setattr("desktop.store.snapshot_files.sync_file", damage)
    before = names(tmp_path)
    with SnapshotBuilder(tmp_path) as builder:
        fill(builder)
        with pytest.raises(KnownError, match="snapshot_corrupt"):
            builder.publish()
    assert names(tmp_path) == before
    assert finds_the_code(current(tmp_path))


@pytest.mark.parametrize("steps", [1, 3, 7, 11])
def test_a_killed_build_leaves_the_old_one_and_no_debris_for_long(tmp_path: Path, steps: int) -> None:
    small_plant(tmp_path).close()
    repository = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", BUILD_FOREVER, str(tmp_path)], cwd=repository, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    for _ in range(steps):
        child.stdout.readline()
    child.kill()
    child.communicate()
    snapshot = current(tmp_path)
    assert finds_the_code(snapshot)
    snapshot.close()
    with SnapshotBuilder(tmp_path):
        pass
    assert names(tmp_path) == {"current.json", *(snapshot_file(tmp_path, one).name for one in versions(tmp_path))}


def test_sections_may_come_from_a_generator(tmp_path: Path) -> None:
    def read() -> Iterator[ManualSection]:
        yield from MANUALS[0][1]

    with SnapshotBuilder(tmp_path) as builder:
        builder.add_manual("m", MANUALS[0][0], read())
        builder.publish()
    assert current(tmp_path).sections("FL-200r3") == MANUALS[0][1]


MANY = 23


def add_many(builder: SnapshotBuilder, count: int) -> None:
    """So many of everything a plant has, each with codes and a printed range."""
    numbers = range(count)
    builder.add_equipment("s", (Equipment(f"M-{n}", "機械", "FL-9") for n in numbers))
    builder.add_parts("s", (Part(f"P-{n}", "部品") for n in numbers))
    builder.add_open_orders("s", (OpenOrder(f"W-{n}", f"M-{n}", "点検", "計画済") for n in numbers))
    builder.add_synonyms("s", ((f"語{n}", f"言葉{n}") for n in numbers))
    builder.add_records("s", (MaintenanceRecord(f"R-{n}", f"M-{n}", None, f"E-{n + 100}", "詰まり") for n in numbers))
    sections = (section("FL-9r1", n, f"E-{n} 詰まり", "処置", f"E-{n}", f"80{n}[1 - 5]") for n in numbers)
    builder.add_manual("s", Manual("FL-9r1", ("FL-9",), "取説"), sections)
    for n in numbers:
        builder.add_source(source(f"s{n}"))
        builder.add_plant_list(f"s{n}", "alias", "")
        builder.add_manual("s", Manual(f"FL-8r{n}", ("FL-8",), "取説"), [section(f"FL-8r{n}", 1, "E-1", "", "E-1")])


def test_no_batch_of_any_table_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.store.snapshot_builder._BATCH", 5)
    with SnapshotBuilder(tmp_path) as builder:
        add_many(builder, MANY)
        add_many(builder, MANY)  # all of it comes again, manuals drop their sections first
        builder.publish()
    found = current(tmp_path)
    assert found.counts == Counts(
        equipment=MANY, manuals=MANY + 1, sections=2 * MANY, records=MANY, parts=MANY, open_orders=MANY
    )
    assert len(found.sources) == MANY
    for table, rows in {"plant_lists": MANY, "synonyms": 2 * MANY, "section_code_ranges": 2 * MANY}.items():
        assert found.rows(f"SELECT count(*) FROM {table}") == [(rows,)]
    for n in range(MANY):
        assert found.code_owners(f"e{n + 100}").equipment_ids == (f"M-{n}",)
        assert found.equipment(f"M-{n}")
        assert found.record(f"R-{n}")
    with SnapshotBuilder(tmp_path) as builder:
        builder.keep_from(found)
        builder.add_manual("s", Manual("FL-9r1", ("FL-9",), "取説"), [section("FL-9r1", 1, "E-1", "", "E-1")])
        builder.publish()
    assert current(tmp_path).counts.sections == MANY + 1
    found.close()


@pytest.mark.parametrize("table", ["equipment", "synonyms", "sections", "arrived_records", "record_codes"])
def test_a_build_that_lost_rows_is_not_published(
    plant: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    before, hand_over = names(tmp_path), SnapshotBuilder._hand_over

    def lose_one(builder: SnapshotBuilder, name: str) -> None:
        if name == table:
            builder._waiting[name].pop()
        hand_over(builder, name)

    monkeypatch.setattr(SnapshotBuilder, "_hand_over", lose_one)
    with SnapshotBuilder(tmp_path) as builder:
        fill(builder)
        with pytest.raises(KnownError, match="snapshot_incomplete") as refused:
            builder.publish()
    assert refused.value.detail["table"] == table
    assert names(tmp_path) == before
