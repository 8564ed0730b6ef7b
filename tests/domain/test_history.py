"""What worked: recurrence within thirty days, repairs too young to judge, single cases, missing fields."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.history import WINDOW_DAYS, reliability, what_worked
from desktop.domain.ledger import MaintenanceRecord

TODAY = date(2026, 11, 29)


def record(number: int, day: str | None, action: str, minutes: int | None = None) -> MaintenanceRecord:
    when = date.fromisoformat(day) if day else None
    return MaintenanceRecord(f"REC-{number:04d}", "EQ-003", when, "E-12", action=action, downtime_minutes=minutes)


def test_an_action_after_which_the_trouble_stayed_away_ranks_first() -> None:
    told = what_worked(
        [
            record(1, "2026-01-10", "ノズル清掃"),
            record(2, "2026-01-20", "Oリング交換"),
            record(3, "2026-05-01", "ノズル清掃"),
            record(4, "2026-05-30", "Ｏリング 交換"),
            record(5, "2026-08-15", "ノズル清掃"),
        ],
        TODAY,
    )
    assert [(r.action, r.held, r.judged) for r in told] == [("Ｏリング 交換", 2, 2), ("ノズル清掃", 1, 3)]
    assert [r.record_id for r in told[0].records] == ["REC-0004", "REC-0002"]


def test_yesterdays_repair_is_never_a_success() -> None:
    (only,) = what_worked([record(1, "2026-11-28", "Oリング交換")], TODAY)
    assert (only.held, only.judged, len(only.waiting), only.proven) == (0, 0, 1, False)


def test_a_young_repair_that_came_back_is_judged_at_once() -> None:
    told = {r.action: r for r in what_worked([record(1, "2026-11-20", "清掃"), record(2, "2026-11-25", "交換")], TODAY)}
    assert (told["清掃"].held, told["清掃"].judged, told["清掃"].waiting) == (0, 1, ())
    assert len(told["交換"].waiting) == 1


def test_a_single_case_never_outranks_a_proven_action() -> None:
    told = what_worked(
        [
            record(1, "2026-01-01", "ノズル交換"),
            record(2, "2026-03-01", "Oリング交換"),
            record(3, "2026-05-01", "Oリング交換"),
            record(4, "2026-05-20", "Oリング交換"),
            record(5, "2026-08-01", "調整"),
        ],
        TODAY,
    )
    assert told[0].action == "Oリング交換"
    assert [r.proven for r in told] == [True, False, False]


def test_the_window_counts_its_last_day_and_not_the_same_day() -> None:
    on_the_day = what_worked([record(1, "2026-06-01", "清掃"), record(2, "2026-06-01", "調整")], TODAY)
    assert all(r.held == 1 for r in on_the_day)
    for next_time, held in (("2026-07-01", 0), ("2026-07-02", 1)):
        told = what_worked([record(1, "2026-06-01", "清掃"), record(2, next_time, "調整")], TODAY)
        assert next(r.held for r in told if r.action == "清掃") == held


def test_two_records_of_one_day_both_come_back() -> None:
    pair = [record(1, "2026-06-01", "清掃"), record(2, "2026-06-01", "調整")]
    told = what_worked([*pair, record(3, "2026-06-10", "")], TODAY)
    assert [(r.held, r.judged) for r in told] == [(0, 1), (0, 1)]


def test_records_without_action_still_count_as_the_troubles_return() -> None:
    (only,) = what_worked([record(1, "2026-06-01", "清掃"), record(2, "2026-06-10", "")], TODAY)
    assert (only.held, only.judged) == (0, 1)


def test_undated_records_are_shown_but_not_judged() -> None:
    (only,) = what_worked([record(1, None, "清掃"), record(2, None, "清掃")], TODAY)
    assert (only.judged, len(only.waiting), len(only.records)) == (0, 0, 2)


def test_reliability_only_where_fields_exist() -> None:
    three = [record(1, "2026-01-01", "a", 30), record(2, "2026-01-31", "b"), record(3, "2026-03-02", "c", 50)]
    told = reliability(three)
    assert (told.failures, told.days_between, told.downtime_minutes, told.downtime_known) == (3, 30.0, 40.0, 2)
    bare = reliability([record(1, None, "a")])
    assert (bare.days_between, bare.downtime_minutes) == (None, None)


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["清掃", "交換", "調整", ""])), max_size=30))
def test_held_never_exceeds_judged_and_nothing_is_lost(told: list[tuple[int, str]]) -> None:
    records = [record(n, (TODAY - timedelta(days=age)).isoformat(), action) for n, (age, action) in enumerate(told)]
    remedies = what_worked(records, TODAY)
    assert all(0 <= r.held <= r.judged <= len(r.records) for r in remedies)
    assert all(r.judged + len(r.waiting) == len(r.records) for r in remedies)
    assert sum(len(r.records) for r in remedies) == sum(1 for _, action in told if action)
    young = [r for r in remedies for one in r.waiting if (TODAY - (one.date or TODAY)).days >= WINDOW_DAYS]
    assert young == []
    assert remedies == what_worked(list(reversed(records)), TODAY)
