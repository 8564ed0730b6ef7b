"""Sections taken apart, quotations compared, revisions weighed, words cut: the small parts under the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.ledger import AppliesTo, Equipment, Manual, ManualSection
from desktop.evidence.anatomy import Label, anatomy
from desktop.evidence.claims import ClaimKind, sentences
from desktop.evidence.quotes import bare, stands_in
from desktop.evidence.revisions import Standing, applies, standings
from desktop.evidence.words import edits, near, segments, squeezed

BODY = """意味：流量が80%を下回りました。
操作盤に番号が出ます。
原因：
(a) 先端の固着
(b) Oリングの劣化
処置：
(1) 停止し、2.1の遮断を行う。
(2) ノズルを水圧0.20MPa以下、90秒で逆洗し、閉塞を除いてから先端の傷と付着物がないことを明るい所で確かめ、傷
があれば交換する。
安全：先端を針金で突かないこと。
部品：OR-2210"""


def section(body: str) -> ManualSection:
    return ManualSection("manual:m#1", "m", ("M",), ("1 E-12",), body, 1)


def test_a_section_comes_apart_under_its_labels() -> None:
    parts = anatomy(section(BODY))
    assert [item.text for item in parts.of(Label.MEANING)] == ["流量が80%を下回りました。", "操作盤に番号が出ます。"]
    assert [item.label for item in parts.of(Label.CAUSE)] == ["(a)", "(b)"]
    assert [item.label for item in parts.steps] == ["(1)", "(2)"]
    assert parts.steps[1].text.endswith("傷があれば交換する。")
    assert [item.text for item in parts.of(Label.SAFETY)] == ["先端を針金で突かないこと。"]


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        ("コード：E-11\n名称：圧低下\n処置：5.1", []),
        ("コード：E-03\n処置：元圧を確認", ["元圧を確認"]),
        ("1. 外す。\n2. 拭く。", ["外す。", "拭く。"]),
        ("Cause: wear\nSolution:\n1. Replace the pad.", ["Replace the pad."]),
        ("■処置\n①止める\n②開ける", ["止める", "開ける"]),
        ("本文だけの章です。", []),
    ],
)
def test_steps_in_many_forms(body: str, steps: list[str]) -> None:
    assert [item.text for item in anatomy(section(body)).steps] == steps


@given(st.lists(st.sampled_from(BODY.splitlines()), min_size=1, max_size=12))
def test_every_statement_stands_in_its_source(lines: list[str]) -> None:
    body = "\n".join(lines)
    assert all(stands_in(item.text, body) for _, item in anatomy(section(body)).items)


def test_quotations_forgive_form_and_not_words() -> None:
    assert stands_in("ﾉｽﾞﾙを 水圧０．２０MPa以下", BODY)
    assert stands_in("流量が…下回りました", BODY)
    assert not stands_in("下回りました…流量が", BODY)
    assert not stands_in("ノズルを水圧0.25MPa以下", BODY)
    assert not stands_in("", BODY)
    assert bare("「Ｅ－１２」") == bare("E-12")


MACHINE = Equipment("EQ-1", "充填機", "FL-200", serial="F2-0342")


def paper(name: str, applies_to: AppliesTo, *, old: bool = False) -> Manual:
    return Manual(name, ("FL-200",), name, name, old, applies_to)


@pytest.mark.parametrize(
    ("to", "machine", "fits"),
    [
        (AppliesTo(equipment_ids=("ＥＱ－１",)), MACHINE, True),
        (AppliesTo(equipment_ids=("EQ-2",)), MACHINE, False),
        (AppliesTo(serial_from="F2-0100"), MACHINE, True),
        (AppliesTo(serial_from="F2-0400"), MACHINE, False),
        (AppliesTo(serial_to="F2-99"), MACHINE, False),
        (AppliesTo(serial_from="F2-0100"), replace(MACHINE, serial="不明"), None),
        (AppliesTo(series=("FL-200",)), MACHINE, True),
        (AppliesTo(series=("FL-300",)), MACHINE, None),
        (AppliesTo(), MACHINE, None),
    ],
)
def test_a_manuals_own_words_say_for_whom_it_is(to: AppliesTo, machine: Equipment, fits: bool | None) -> None:
    assert applies(paper("r1", to), machine) is fits


def test_the_newer_supersedes_the_older_only_where_both_apply() -> None:
    late, unknown = AppliesTo(serial_from="F2-0400"), AppliesTo()
    assert standings([paper("r1", unknown, old=True), paper("r2", unknown)], MACHINE) == {
        "r1": Standing.OLD,
        "r2": Standing.CURRENT,
    }
    assert standings([paper("r1", unknown, old=True), paper("r2", late)], MACHINE) == {
        "r1": Standing.CURRENT,
        "r2": Standing.FOREIGN,
    }
    unsure = standings([paper("r1", unknown, old=True), paper("r2", late)], replace(MACHINE, serial=""))
    assert set(unsure.values()) == {Standing.UNCERTAIN}


def test_words_are_cut_at_particles_and_chatter() -> None:
    assert segments("洗浄液の温度が上がらないのですが、どうすればいいですか") == ("洗浄液", "温度", "上がらない")
    assert segments("カバースイッチが短絡されていないか点検したい") == ("カバースイッチ", "短絡", "点検")
    assert "ずれる" in segments("ラベルがずれる")
    assert segments("前扉から水が出ない") == ("前扉", "水", "出ない")
    assert segments("教えてください") == ()


def test_a_name_is_not_found_inside_a_longer_word() -> None:
    text = squeezed("バイパスとパス、エアコンプレッサ、ライン12、3号充填")
    assert [text.source[slice(*text.source_span(*span))] for span in text.find("パス")] == ["パス"]
    assert list(text.find("コンプ")) == []
    assert list(text.find("ライン1")) == []


@given(st.text("abcあい12-", max_size=8), st.text("abcあい12-", max_size=8))
def test_edits_are_a_distance(left: str, right: str) -> None:
    assert edits(left, right, 20) == edits(right, left, 20)
    assert (edits(left, right, 20) == 0) is (left == right)
    assert edits(left, right, 1) == min(edits(left, right, 20), 2)


def test_near_words_are_near() -> None:
    assert near("充填器", ["充填機", "検査機", "充填機械室"]) == ("充填機",)
    assert near("e12", ["e12"]) == ()


def test_claims_are_read_where_they_stand() -> None:
    text = "E-12は改訂3のp.5-3、令和8年3月27日に0.20MPaで90秒。「逆洗する」[ref:record:REC-1]"
    found = {(claim.kind, claim.key) for one in sentences(text) for claim in one.claims}
    assert {
        (ClaimKind.CODE, "e12"),
        (ClaimKind.REVISION, "3"),
        (ClaimKind.PAGE, "5-3"),
        (ClaimKind.DATE, "2026-03-27"),
        (ClaimKind.QUANTITY, "0.2mpa"),
        (ClaimKind.QUANTITY, "90秒"),
        (ClaimKind.QUOTE, "逆洗する"),
        (ClaimKind.REF, "record:REC-1"),
    } == found
    assert all(text[claim.start : claim.end].strip() for one in sentences(text) for claim in one.claims)
