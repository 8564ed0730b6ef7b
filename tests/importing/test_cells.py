"""Single cells as values."""

from __future__ import annotations

import pytest

from desktop.domain.ledger import EquipmentStatus, Role
from desktop.importing import cells
from desktop.importing.workbooks import number_text


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("30", "分", 30), ("30", "", 30), ("1.5", "h", 90), ("2", "時間", 120), ("90", "秒", 2), ("1:30", "", 90),
        ("01:30:00", "", 90), ("1時間30分", "", 90), ("45分", "時間", 45), ("0.5h", "", 30), ("1,200", "", 1200),
        ("３０分", "", 30), ("約40", "", None), ("不明", "", None), ("", "", None), ("1日", "", 1440),
    ],
)  # fmt: skip
def test_a_duration_in_minutes(text: str, unit: str, expected: int | None) -> None:
    assert cells.minutes(text, unit) == expected


def test_lists_are_cut_outside_parentheses_only() -> None:
    assert cells.split_entries("電気AC200V；空圧0.5MPa、薬品(苛性ソーダ2、3%)") == (
        "電気AC200V",
        "空圧0.5MPa",
        "薬品(苛性ソーダ2、3%)",
    )
    assert cells.split_list("ライン1;ライン2／ライン3") == ("ライン1", "ライン2", "ライン3")
    assert cells.split_entries("なし") == ()


def test_whole_numbers_and_ruined_ones() -> None:
    assert cells.whole_number("1,200個") == 1200
    assert cells.whole_number("１２") == 12
    assert cells.whole_number("約5") is None
    assert cells.whole_number("3～5") is None
    assert cells.is_ruined_number("1.23457E+11")
    assert not cells.is_ruined_number("E-12")


def test_states_and_roles_in_the_plants_words() -> None:
    assert cells.state_of("休止（部品待ち）") is EquipmentStatus.AT_REST
    assert cells.state_of("撤去済") is EquipmentStatus.RETIRED
    assert cells.state_of("たぶん動く") is None
    assert cells.role_of("オペレーター") is Role.OPERATOR
    assert cells.role_of("社長") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1001.0, "1001"),
        (23279743112.0, "23279743112"),
        (99.2, "99.2"),
        (0.1 + 0.2, "0.3"),
        (1.5e-7, "0.00000015"),
        (-4.0, "-4"),
    ],
)
def test_excels_floats_turn_back(value: float, text: str) -> None:
    assert number_text(value) == text
