"""What is found, in which order, through what, and what is not."""

from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.ledger import MaintenanceRecord
from desktop.store import search_candidates
from desktop.store.search import Found, RecordHit, Search, SectionHit
from desktop.store.snapshot import Snapshot
from tests.fakes.plant import small_plant


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    snapshot = small_plant(tmp_path_factory.mktemp("snapshots"))
    yield snapshot
    snapshot.close()


@pytest.fixture
def search(plant: Snapshot) -> Search:
    return Search(plant)


def refs(found: Found[SectionHit]) -> list[str]:
    return [hit.section.ref.removeprefix("manual:") for hit in found.hits]


def ids(found: Found[RecordHit]) -> list[str]:
    return [hit.record.record_id for hit in found.hits]


@pytest.mark.parametrize(
    "typed", ["E-12", "Ｅ－１２", "e 12", "E12", "Eー12", "E−12", "E-12が出た", "エラーE-12", "E12アラーム"]
)
def test_a_code_is_found_first_however_it_is_typed_and_alone(search: Search, typed: str) -> None:
    found = search.manual("FL-200", typed)
    assert refs(found) == ["FL-200r3#1", "FL-200r2#1"]  # never E-120; the old revision behind the new one
    assert [hit.score for hit in found.hits] == [1.0, 1.0]
    assert search.sections_anywhere(typed).hits[0].score == 1.0


def test_a_code_that_does_not_exist_finds_nothing(search: Search) -> None:
    for typed in ("E-99", "アラーム 9999", "E-1", "エラーコードE-99が出た"):
        assert search.manual("FL-200", typed) == Found()
        assert search.sections_anywhere(typed) == Found()
        assert search.records_anywhere(typed) == Found()


def test_a_code_of_another_model_is_not_found_here(search: Search) -> None:
    assert search.manual("FL-200", "E-07") == Found()
    assert refs(search.manual("CP-80", "E-07")) == ["CP-80r1#1"]
    assert refs(search.manual("CP-85", "E-07")) == ["CP-80r1#1"]  # the manual is for the series


def test_a_manual_for_two_models_keeps_their_sections_apart(search: Search) -> None:
    assert refs(search.manual("PK-10", "E-31")) == ["PK-10r1#1"]
    assert refs(search.manual("PK-20", "E-31")) == ["PK-10r1#2"]
    assert len(search.sections_anywhere("E-31").hits) == 2


def test_printed_ranges_and_wildcards_are_found_the_narrower_first(search: Search) -> None:
    assert refs(search.manual("FL-200", "8011[30]")) == ["FL-200r3#3", "FL-200r3#4"]
    assert refs(search.manual("FL-200", "8011 サブコード 60")) == ["FL-200r3#4"]
    assert refs(search.manual("CP-80", "アラーム2105")) == ["CP-80r1#2"]
    assert refs(search.sections_anywhere("アラーム2105")) == ["CP-80r1#2"]


def test_a_hit_says_through_which_word_it_came(search: Search) -> None:
    ((hit, *_), total) = (found := search.manual("FL-200", "ノズルの詰まり")).hits, found.total
    assert hit.section.ref == "manual:FL-200r3#1"
    assert hit.why == "ノズル 詰まり→閉塞"
    assert total == 2
    assert search.manual("FL-200", "センサ").hits[0].why == "センサ"
    assert search.manual("FL-200", "ｾﾝｻｰ").hits[0].section.ref == "manual:FL-200r3#3"


@pytest.mark.parametrize(("word", "ref"), [("弁", "FL-200r3#1"), ("軸", "FL-200r3#5"), ("ヒータ", "FL-200r3#2")])
def test_short_words_are_found_in_scope_and_without(search: Search, word: str, ref: str) -> None:
    assert refs(search.manual("FL-200", word)) == [ref]
    assert refs(search.sections_anywhere(word)) == [ref]


def test_part_of_a_compound_is_no_support_for_its_whole(search: Search) -> None:
    assert refs(search.manual("FL-200", "モータードライバの給油")) == ["FL-200r3#5"]
    assert search.manual("FL-200", "冷却塔") == Found()
    assert search.manual("FL-200", "どうすればいいですか？") == Found()
    assert search.manual("FL-200", "") == Found()
    assert search.manual("", "E-12") == Found()
    assert search.manual("ZZ-1", "E-12") == Found()


def test_scores_rank_a_heading_over_a_body_and_never_rise(search: Search) -> None:
    found = search.manual("FL-200", "給油 ノズル", limit=10)
    assert refs(found)[0] == "FL-200r3#5"
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    assert found.total == len(found.hits)


def test_records_are_those_of_the_machine_newest_first(search: Search) -> None:
    assert ids(search.records("EQ-003", "E-12")) == ["R-2", "R-1"]
    assert ids(search.records("ｅｑ００１", "E-12")) == ["R-4"]
    assert ids(search.records("EQ-003", "異音")) == ["R-3"]
    assert ids(search.records("EQ-003", "")) == ["R-2", "R-1", "R-3"]
    assert search.records("EQ-011", "E-12") == Found()
    assert ids(search.records("EQ-003", "E-12", limit=1)) == ["R-2"]
    assert search.records("EQ-003", "E-12", limit=1).total == 2


@given(
    st.text(
        st.one_of(
            st.sampled_from("E-12 ８０１１[]'\"%_;詰まり漏れるの弁センサーｾﾝｻライン3機〜x"),
            st.characters(exclude_categories=["Cs"]),
        ),
        max_size=20,
    )
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_typed_gets_an_answer_with_support(plant: Snapshot, typed: str) -> None:
    search = Search(plant, lambda: (MaintenanceRecord("L-1", "EQ-003", None, "E-12", "異音"),))
    for found in (
        search.manual("FL-200", typed),
        search.sections_anywhere(typed),
        search.records_anywhere(typed),
        search.equipment(typed),
    ):
        assert len(found.hits) <= found.total
        assert all(hit.why and 0 < hit.score <= 1 for hit in found.hits)
    assert search.records("EQ-003", typed).total <= 4


def test_records_of_all_machines_by_part_number_and_word(search: Search) -> None:
    assert ids(search.records_anywhere("OR2210")) == ["R-1"]
    assert search.records_anywhere("OR2210").hits[0].score == pytest.approx(0.6)
    assert ids(search.records_anywhere("パッキン")) == ["R-4"]
    assert set(ids(search.records_anywhere("E-12"))) == {"R-1", "R-2", "R-4"}


def test_rows_added_here_are_searched_beside_the_snapshot(plant: Snapshot) -> None:
    added = (
        MaintenanceRecord("L-1", "eq003", date(2026, 11, 30), "E-12", "またノズル詰まり", "", "清掃", made_here=True),
        MaintenanceRecord("L-2", "EQ-001", date(2026, 11, 30), "", "異音", "", "", made_here=True),
    )
    search = Search(plant, lambda: added)
    assert ids(search.records("EQ-003", "E-12")) == ["L-1", "R-2", "R-1"]
    assert ids(search.records("EQ-003", "")) == ["L-1", "R-2", "R-1", "R-3"]
    assert search.records("EQ-003", "E-12").total == 3
    assert ids(search.records("EQ-003", "冷却水")) == []
    assert ids(search.records_anywhere("異音")) == ["L-2", "R-3"]


@pytest.mark.parametrize(
    "query", ["E-12", "ノズルの詰まり", "8011[30]", "弁", "センサーの配線", "アラーム2105", "E-12 温度上昇"]
)
def test_a_scope_too_large_to_read_gives_the_same_through_the_index(
    plant: Snapshot, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    whole = refs(Search(plant).manual("FL-200", query))
    monkeypatch.setattr(search_candidates.Kind.SECTION, "scanned_whole", 0)
    assert refs(Search(plant).manual("FL-200", query)) == whole
