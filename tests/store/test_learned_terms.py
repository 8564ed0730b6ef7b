"""Words of the log and of the manuals that mean one thing are learned, listed and can be forbidden."""

from datetime import date
from pathlib import Path

from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual
from desktop.store.learned_terms import learned
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_builder import SnapshotBuilder
from tests.fakes.plant import section

# The floor says ダマ where the manual says 凝固; that stands in no list of synonyms.
TROUBLES = (
    ("E-21", "ホッパー凝固", "ホッパーにダマ"),
    ("E-22", "配管凝固", "配管にダマ"),
    ("E-23", "刃の摩耗", "切れが悪い"),
)


def plant(folder: Path, unlearned: str = "") -> Snapshot:
    with SnapshotBuilder(folder) as builder:
        builder.add_equipment("s", [Equipment("EQ-1", "混合機", "MX-1")])
        sections = [section("MX-1r1", n, f"{code} {said}", "", code) for n, (code, said, _) in enumerate(TROUBLES)]
        builder.add_manual("s", Manual("MX-1r1", ("MX-1",), "混合機"), sections)
        builder.add_records(
            "s",
            (
                MaintenanceRecord(f"R-{code}-{n}", "EQ-1", date(2026, 1, 1 + n), code, said)
                for code, _, said in TROUBLES
                for n in range(3)
            ),
        )
        if unlearned:
            builder.add_plant_list("s", "unlearned", unlearned)
        builder.publish()
    snapshot = Snapshot.current(folder)
    assert snapshot
    return snapshot


def test_a_word_of_the_floor_finds_the_word_of_the_manual(tmp_path: Path) -> None:
    snapshot = plant(tmp_path)
    assert snapshot.learned_terms() == {"ダマ": ("凝固",), "凝固": ("ダマ",)}
    found = Search(snapshot).manual("MX-1", "ダマ")
    assert {hit.section.heading for hit in found.hits} == {"E-21 ホッパー凝固", "E-22 配管凝固"}
    assert {hit.why for hit in found.hits} == {"ダマ→凝固"}


def test_what_the_plant_forbids_is_not_learned(tmp_path: Path) -> None:
    snapshot = plant(tmp_path, "凝固,だま\n")
    assert snapshot.learned_terms() == {}
    assert Search(snapshot).manual("MX-1", "ダマ").hits == ()


def test_one_meeting_or_many_apart_teach_nothing() -> None:
    assert list(learned([({"詰まり"}, {"閉塞"})])) == []
    apart = [({"詰まり"}, {"閉塞"}), ({"詰まり"}, {"閉塞"}), *[({"詰まり"}, {"摩耗"})] * 9]
    assert [row for row in learned(apart) if "閉塞" in row] == []
