"""Dates as people write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.importing.dates import DateOrder, decide_order, parse_date

WRITTEN = {
    "2026-07-01": date(2026, 7, 1), "2026/7/1": date(2026, 7, 1), "2026.7.1": date(2026, 7, 1),
    "2026年7月1日": date(2026, 7, 1), "２０２６年７月１日": date(2026, 7, 1), "2026年 7月 1日(水)": date(2026, 7, 1),
    "2026/7/1 8:30": date(2026, 7, 1), "2026-07-01T08:30:00": date(2026, 7, 1), "20260701": date(2026, 7, 1),
    "令和6年4月1日": date(2024, 4, 1), "令和元年5月1日": date(2019, 5, 1), "R6.4.1": date(2024, 4, 1),
    "R6/4/1": date(2024, 4, 1), "Ｒ６．４．１": date(2024, 4, 1),
    "H31.4.30": date(2019, 4, 30), "S64.1.7": date(1989, 1, 7),
    "令6.4.1": date(2024, 4, 1), "R060401": date(2024, 4, 1), "平成17年9月12日": date(2005, 9, 12),
    "45292": date(2024, 1, 1), "45292.5": date(2024, 1, 1), "2016年4月": date(2016, 4, 1), "'24/4/1": date(2024, 4, 1),
    "㋿6年4月1日": date(2024, 4, 1),
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_every_form_met_in_japan(text: str) -> None:
    assert parse_date(text) == WRITTEN[text]


@pytest.mark.parametrize(
    "text", ["", "約40", "令和6年度", "0/1/00", "2026/13/1", "2026/2/30", "12", "E-12", "31.4.30", "99999"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_a_column_tells_day_first_from_month_first() -> None:
    assert decide_order(["01/02/2026", "13/09/2026"]) is DateOrder.DAY_FIRST
    assert decide_order(["01/02/2026", "09/13/2026"]) is DateOrder.MONTH_FIRST
    assert decide_order(["13/01/2026", "01/13/2026"]) is DateOrder.UNKNOWN
    assert decide_order(["01/02/2026"]) is DateOrder.UNKNOWN
    assert parse_date("03/04/2026") is None
    assert parse_date("03/04/2026", DateOrder.DAY_FIRST) == date(2026, 4, 3)
    assert parse_date("03/04/2026", DateOrder.MONTH_FIRST) == date(2026, 3, 4)


@given(st.dates(date(1951, 1, 1), date(2090, 12, 31)))
def test_iso_comes_back(day: date) -> None:
    assert parse_date(day.isoformat()) == day


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    parse_date(text)
