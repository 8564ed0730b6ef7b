"""The rule that cuts texts in Python and the one in SQL are the same."""

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.text import shape
from desktop.store import search_index, search_terms
from desktop.store.duck import Connection

TEXTS = st.text(
    st.one_of(
        st.sampled_from("センサーが断線ノズルのねじE-12 klipper 弁ヴァー々〆〇、。・ﾃﾞ機Σé한𠮷"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


@pytest.fixture(scope="module")
def scratch() -> Connection:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("ATTACH ':memory:' AS scratch")
    connection.execute("CREATE TABLE records (record_no INTEGER, shaped VARCHAR)")
    connection.execute("CREATE TABLE scratch.record_cuts (key UBIGINT, tf UTINYINT)")
    return connection


@given(texts=st.lists(st.one_of(TEXTS, st.text("のがまり弁断線ノズルー、e1 ", max_size=20)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_python_and_sql_cut_alike(scratch: Connection, texts: list[str]) -> None:
    shaped = [shape(text) for text in texts]
    scratch.execute("DELETE FROM records")
    scratch.execute("DELETE FROM scratch.record_cuts")
    scratch.executemany("INSERT INTO records VALUES (?, ?)", list(enumerate(shaped)))
    search_index.cut_records(scratch, 0, len(shaped) - 1)
    cut = scratch.execute("SELECT key >> 32, (key >> 8) & 16777215, tf FROM scratch.record_cuts").fetchall()
    assert sorted(cut) == sorted(
        (term, number, list(search_terms.terms(text)).count(term))
        for number, text in enumerate(shaped)
        for term in set(search_terms.terms(text))
    )


def test_pairs_do_not_cross_into_a_new_word() -> None:
    def paired(text: str) -> bool:
        return bool(search_terms.pair(*text) & 0xFFFF)

    assert [text for text in ("詰ま", "断線", "ズル", "電磁", "ル弁", "弁ノ", "まり") if not paired(text)] == []
    assert [text for text in ("の弁", "のノ", "ルの", "弁、", "弁 ", "弁a") if paired(text)] == []


def test_kana_are_one_script_and_words_never_meet_pairs() -> None:
    assert search_terms.pair("ね", "じ") == search_terms.pair("ネ", "ジ")
    assert search_terms.word_term("klipper") < search_terms.pair("ぁ", " ")
