"""Names in a question: which machine, which codes, what does not exist; never a machine that nobody named."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.answer import Focus, MentionKind
from desktop.evidence.lexicon import lexicon_of
from desktop.evidence.resolve import resolve
from desktop.evidence.words import near, squeeze
from desktop.store.snapshot import Snapshot

HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\u30fc\uff70"
E12 = [*(f"E{hyphen}12" for hyphen in HYPHENS), "E12", "e12", "Ｅ１２", "E 12", "ｅ－１２", "E\u00ad12", "e 12"]


def focus(plant: Snapshot, question: str, **known: object) -> str:
    found = resolve(question, plant, **known).focus  # type: ignore[arg-type]
    return found.equipment.equipment_id if found.equipment else ""


def candidates(plant: Snapshot, question: str, **known: object) -> list[str]:
    return [one.equipment_id for one in resolve(question, plant, **known).focus.candidates]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "machine"),
    [
        ("ライン3の充填機でE-12が出た", "EQ-003"),
        ("ﾗｲﾝ３　充填機", "EQ-003"),
        ("3ラインの充填機", "EQ-003"),
        ("第3ラインの充填機", "EQ-003"),
        ("三ラインの充填機", "EQ-003"),
        ("Line 3 の充填機", "EQ-003"),
        ("ライン3のFL200", "EQ-003"),
        ("EQ 003", "EQ-003"),
        ("ｅｑ−００３", "EQ-003"),
        ("F2-0342 の充填機", "EQ-003"),
        ("３号充填", "EQ-003"),
        ("第2工場の充填機", "EQ-003"),
        ("充てん機 ライン3", "EQ-003"),
        ("ライン2のコンベア", "EQ-011"),
        ("ばいぱすではなくパスで温度低下", "EQ-016"),
        ("金探が誤検知", "EQ-019"),
        ("パレタイザーが止まった", "EQ-010"),
        ("ライン3のラベルがずれる", "EQ-007"),
        ("制御盤CP-3を開けたい", "EQ-003"),
        ("REC-0151の件", "EQ-003"),
        ("ライン2の充填機", "EQ-012"),
        ("WO-26-0318はどうなった。EQ-003", "EQ-003"),
    ],
)
def test_one_machine_is_found_however_it_is_written(plant: Snapshot, question: str, machine: str) -> None:
    assert focus(plant, question) == machine


@pytest.mark.parametrize(
    ("question", "machines"),
    [
        ("充填機でE-12", ["EQ-001", "EQ-003"]),
        ("FL-200でE-12", ["EQ-001", "EQ-003"]),
        ("E-12", ["EQ-001", "EQ-003", "EQ-007"]),
        ("ライン3でE-12が出た", ["EQ-003", "EQ-007"]),
        ("検査機で803", ["EQ-014", "EQ-015"]),
        ("EQ-001とEQ-003でE-12", ["EQ-001", "EQ-003"]),
        ("ライン1のEQ-003", ["EQ-003", "EQ-001"]),
        ("ラベルがずれる", ["EQ-007"]),
        ("ラベラーから異音がする", ["EQ-007", "EQ-004"]),
        ("ライン1のラベラーから異音", ["EQ-004"]),
    ],
)
def test_several_machines_are_offered_and_none_is_taken(plant: Snapshot, question: str, machines: list[str]) -> None:
    assert focus(plant, question) == ""
    assert candidates(plant, question) == machines


def test_a_name_that_another_ends_in_is_settled_by_line_code_or_conversation(plant: Snapshot) -> None:
    """A シュリンクラベラー is a ラベラー too: said alone, the word means either."""
    assert focus(plant, "ライン3のラベラーから異音") == "EQ-007"
    assert focus(plant, "シュリンクラベラーから異音") == "EQ-004"
    assert focus(plant, "ラベラーでE-12が出た") == "EQ-007"
    assert focus(plant, "LB-50のラベラーから異音") == "EQ-007"
    assert focus(plant, "ラベラーから異音", preset="EQ-004") == "EQ-004"
    assert focus(plant, "ラベラーから異音", previous=Focus(plant.equipment("EQ-004"))) == "EQ-004"
    assert candidates(plant, "ラベラーから異音", station_lines=("ライン1",)) == ["EQ-004", "EQ-007"]


def test_this_stations_lines_come_first(plant: Snapshot) -> None:
    assert candidates(plant, "充填機でE-12", station_lines=("ライン３",)) == ["EQ-003", "EQ-001"]


@pytest.mark.parametrize(
    ("question", "unresolved"),
    [
        ("ライン9の充填機でE-12", "ライン9"),
        ("EQ-999でE-12が出た", "EQ-999"),
        ("EQ-077でE-02", "EQ-077"),
        ("ライン3の包装機でE-12", "包装機"),
        ("FL-300でE-12", "FL-300"),
        ("塗装ラインの充填機", "塗装ライン"),
    ],
)
def test_what_the_ledger_lacks_is_said_and_not_replaced(plant: Snapshot, question: str, unresolved: str) -> None:
    found = resolve(question, plant).focus
    assert found.equipment is None
    assert found.candidates == ()
    assert unresolved in found.unresolved


def test_a_spelling_slip_is_suggested_and_never_decides(plant: Snapshot) -> None:
    found = resolve("EQ-0O3で異音", plant)
    assert found.focus.equipment is None
    slipped = resolve("EQ-3で異音", plant)
    assert slipped.focus.equipment is None
    assert "EQ-003" in [one.equipment_id for one in slipped.focus.suggestions]
    kappa = resolve("ライン3の検査器で異音", plant).focus
    assert kappa.equipment is None


def test_near_words_are_those_one_or_two_slips_away() -> None:
    known = dict.fromkeys(("eq003", "eq030", "eq300", "eq1003", "充填機", "コンベヤ", "パレタイザ", "エアコンプレッサ"))
    assert near("eq030", known) == ("eq003", "eq300")
    assert near("eq0003", known) == ("eq003", "eq1003", "eq030")
    assert near("充填器", known) == ("充填機",)
    assert near("パレッタザ", known) == ()
    assert near("エアコンブレサ", known) == ("エアコンプレッサ",)
    assert near("eq003", {"eq003": ()}) == ()
    many = dict.fromkeys(f"eq{number:05}" for number in range(5_000))
    assert near("eq99999", many) == ()
    assert near("eq0499x", many) == ("eq04990", "eq04991", "eq04992")


def test_names_that_exist_but_not_together_are_not_found(plant: Snapshot) -> None:
    found = resolve("ライン2のキャッパーでE-07", plant).focus
    assert found.equipment is None
    assert {one.equipment_id for one in found.suggestions} == {"EQ-002", "EQ-006"}


@pytest.mark.parametrize("code", E12)
def test_a_code_is_one_in_every_width_and_hyphen(plant: Snapshot, code: str) -> None:
    found = resolve(f"ライン3の充填機で{code}が出た", plant)
    assert [one.key for one in found.codes] == ["e12"]
    assert found.codes[0].exists
    assert found.codes[0].owners == ("FL-200", "LB-50")


@pytest.mark.parametrize("code", ["E-1", "E-120", "E-99"])
def test_a_code_nobody_has_does_not_exist(plant: Snapshot, code: str) -> None:
    (found,) = resolve(f"EQ-003で{code}", plant).codes
    assert found.text == code
    assert found.exists is (code == "E-1" and bool(plant.code_owners("e1")))


def test_several_codes_and_symptoms_are_all_found(plant: Snapshot) -> None:
    found = resolve("EQ-003でE-12とE-13、それと液だれ", plant)
    assert [one.key for one in found.codes] == ["e12", "e13"]
    assert "液だれ" in found.symptoms


@pytest.mark.parametrize(("question", "key"), [("ライン3の検査機で806", "806"), ("溶接で8003の[4]が出た", "8003.4")])
def test_bare_numbers_are_codes_where_one_is_expected(plant: Snapshot, question: str, key: str) -> None:
    assert [one.key for one in resolve(question, plant).codes] == [key]


def test_a_conversation_carries_its_machine_on(plant: Snapshot) -> None:
    before = Focus(plant.equipment("EQ-003"))
    carried = resolve("E-13は？", plant, previous=before).focus
    assert carried.equipment == plant.equipment("EQ-003")
    assert carried.carried_over
    changed = resolve("ライン1のキャッパーでE-07", plant, previous=before).focus
    assert changed.equipment == plant.equipment("EQ-002")
    assert not changed.carried_over


def test_that_one_on_line_3_is_of_the_same_kind(plant: Snapshot) -> None:
    before = Focus(plant.equipment("EQ-001"))
    assert focus(plant, "3ラインのやつは？", previous=before) == "EQ-003"
    offered = resolve("充填機でE-12", plant).focus
    assert focus(plant, "3ラインのやつ", previous=offered) == "EQ-003"


def test_a_lapsed_machine_is_offered_first_and_never_taken(plant: Snapshot) -> None:
    found = resolve("E-12", plant, lapsed=Focus(plant.equipment("EQ-007"))).focus
    assert found.equipment is None
    assert [one.equipment_id for one in found.candidates] == ["EQ-007", "EQ-001", "EQ-003"]


def test_a_follow_up_goes_on_about_the_same_trouble(plant: Snapshot) -> None:
    before = Focus(plant.equipment("EQ-003"))
    found = resolve("清掃したが直らない", plant, previous=before, earlier="ライン3の充填機でE-12が出た")
    assert found.focus.equipment == plant.equipment("EQ-003")
    assert [one.key for one in found.codes] == ["e12"]
    assert "清掃" not in found.symptoms
    elsewhere = resolve("ライン1の充填機、清掃したが直らない", plant, previous=before, earlier="E-12")
    assert elsewhere.codes == ()


def test_a_picked_machine_settles_what_the_text_leaves_open(plant: Snapshot) -> None:
    assert focus(plant, "E-12が出た", preset="EQ-001") == "EQ-001"
    assert focus(plant, "充填機でE-12", preset="EQ-003") == "EQ-003"
    assert focus(plant, "ライン3の充填機でE-12", preset="EQ-001") == "EQ-003"
    assert focus(plant, "ライン9の充填機", preset="EQ-001") == ""
    assert resolve("E-12", plant, preset="EQ-555").focus.unresolved == ("EQ-555",)


def test_request_numbers_lead_to_their_machine(plant: Snapshot) -> None:
    found = resolve("WR-0001はどうなった", plant, requests={"WR-0001": "EQ-016"})
    assert found.focus.equipment == plant.equipment("EQ-016")
    assert [one.kind for one in found.mentions] == [MentionKind.REQUEST]
    assert not resolve("WR-0002は？", plant).mentions[0].exists


def test_out_of_scope_words_name_nobody(plant: Snapshot) -> None:
    assert resolve("明日の天気は？", plant).focus == Focus()


WORDS = (
    *(
        "ライン1",
        "ライン3",
        "ライン9",
        "充填機",
        "ラベラー",
        "EQ-003",
        "EQ-999",
        "E-12",
        "FL-200",
        "異音",
        "コンベヤ",
        "2号",
    ),
    *(
        "パス",
        "バイパス",
        "エアコンプレッサ",
        "の",
        "で",
        "が",
        "さっきの",
        "詰まり",
        "１",
        "号機",
        "工場",
        "3",
        "EQ",
        "-",
        "検査",
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), min_size=1, max_size=7))
def test_a_machine_that_nobody_named_is_never_the_focus(plant: Snapshot, pieces: list[str]) -> None:
    question = "".join(pieces)
    found = resolve(question, plant)
    machine = found.focus.equipment
    if machine is None:
        return
    named = {owner for one in found.mentions if one.kind is not MentionKind.CODE for owner in one.owners}
    assert machine.equipment_id in named
    text, lexicon = squeeze(question), lexicon_of(plant)
    tables = (lexicon.names, lexicon.weak, lexicon.places, lexicon.ids, lexicon.models, lexicon.fixtures)
    words = [squeeze(word) for table in tables for word, ids in table.items() if machine.equipment_id in ids]
    assert any(word in text or word in text.replace("-", "") for word in words)
