"""Machines behind loosely named records, and revisions that replace others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.domain.ledger import AppliesTo, Equipment, MaintenanceRecord, Manual, ManualSection
from desktop.services.plant_merge import Machines, renamed, superseded

LEDGER = [
    Equipment("EQ-001", "充填機", "FL-200", "ライン1", nicknames=("1号充填",)),
    Equipment("EQ-003", "充填機", "FL-200", "ライン3"),
    Equipment("EQ-004", "検査機", "IV-70", "ライン3"),
]


@pytest.mark.parametrize(
    ("written", "cells", "expected"),
    [
        ("ＥＱ００１", {}, "EQ-001"),
        ("eq 003", {}, "EQ-003"),
        ("", {"設備": "検査機"}, "EQ-004"),
        ("", {"設備": "充填機", "ライン": "ﾗｲﾝ３"}, "EQ-003"),
        ("", {"設備": "１号充填"}, "EQ-001"),
        ("", {"設備": "充填機"}, "充填機"),
        ("EQ-9", {}, "EQ-9"),
    ],
)
def test_a_record_finds_its_machine_or_stays_as_written(written: str, cells: dict[str, str], expected: str) -> None:
    machines = Machines(LEDGER)
    record = MaintenanceRecord("R-1", written, None, original=cells)
    [settled] = machines.settled([record], ("設備", "ライン"))
    assert settled.equipment_id == expected
    assert machines.unknown.total() == (0 if expected.startswith("EQ-00") else 1)


def manual(manual_id: str, revision: str, title: str = "FL-200 取扱説明書", **more: AppliesTo) -> Manual:
    return Manual(manual_id, ("FL-200",), title, revision, **more)


WHOLE = AppliesTo(series=("FL-200",))
LATER = AppliesTo(serial_from="F2-0100")


@pytest.mark.parametrize(
    ("older", "newer", "old"),
    [
        (manual("a", "2"), manual("b", "10"), True),
        (manual("a", "1.2", "FL-200 取扱説明書 改訂1.2"), manual("b", "1.10", "FL-200取扱説明書（改訂1.10）"), True),
        (manual("a", "B"), manual("b", "C"), True),
        (manual("a", "2"), manual("b", "3", "FL-200 保守要領書"), False),
        (manual("a", ""), manual("b", "3"), False),
        (manual("a", "2", applies_to=WHOLE), manual("b", "3", applies_to=WHOLE), True),
        (manual("a", "2", applies_to=WHOLE), manual("b", "3", applies_to=LATER), False),
        (manual("a", "2"), manual("b", "3", applies_to=LATER), False),
        (replace(manual("a", "2", applies_to=WHOLE), old_revision=True), manual("b", "3", applies_to=LATER), True),
    ],
)
def test_a_newer_revision_replaces_only_what_it_covers(older: Manual, newer: Manual, old: bool) -> None:
    assert superseded([older, newer]) == {"a": old, "b": False}


def test_a_renamed_manual_takes_its_refs_along() -> None:
    section = ManualSection("manual:a#5.2", "a", ("FL-200",), ("5.2",), "本文", 0)
    moved, sections = renamed(manual("a", "2"), [section], "a-2")
    assert moved.manual_id == "a-2"
    assert [one.ref for one in sections] == ["manual:a-2#5.2"]
