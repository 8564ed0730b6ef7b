"""What is kept of a snapshot is what it says, of that snapshot alone, and no longer than it lives."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from desktop.evidence.papers import _MOST_CODES, owners_of, section_of, sections_of
from desktop.store.snapshot import Snapshot
from tests.evidence import small_plant


def test_what_is_kept_is_what_the_snapshot_says(plant: Snapshot, tmp_path: Path) -> None:
    for manual in plant.manuals():
        read = plant.sections(manual.manual_id)
        for _ in range(2):
            assert sections_of(plant, manual.manual_id) == read
        assert [section_of(plant, one.ref) for one in read] == list(read)
    assert section_of(plant, "manual:FL-200-r3#nothing") is None
    assert owners_of(plant, "e12") == owners_of(plant, "e12") == plant.code_owners("e12")
    other = small_plant.build(tmp_path)
    assert not owners_of(other, "e12")
    other.close()


def test_one_section_is_looked_up_without_its_manual(tmp_path: Path) -> None:
    snapshot = small_plant.build(tmp_path)
    (first, *_) = snapshot.sections(snapshot.manuals()[0].manual_id)
    assert section_of(snapshot, first.ref) == first
    snapshot.close()


def test_a_snapshot_that_is_no_longer_used_is_let_go(tmp_path: Path) -> None:
    snapshot = small_plant.build(tmp_path)
    for number in range(_MOST_CODES + 10):
        owners_of(snapshot, f"x{number}")
    seen = weakref.ref(snapshot)
    snapshot.close()
    del snapshot
    gc.collect()
    assert seen() is None
