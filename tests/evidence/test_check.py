"""The check of a model's words: invented, paraphrased, outdated and misplaced things are caught, true ones never."""

from __future__ import annotations

import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.answer import CitationKind, WarningKind
from desktop.domain.text import find_codes
from desktop.evidence.check import check_proposal, check_text
from desktop.store.snapshot import Snapshot
from tests.evidence.conftest import TODAY, Ask, Asked, bundled_questions

TRUE_THINGS = (
    "EQ-003（ライン3の充填機、FL-200）のE-12は充填ノズル詰まりです（改訂3、p.5-3）。",
    "「ノズルを水圧0.20MPa以下、90秒で逆洗し、閉塞を除く」[ref:manual:FL-200-r3#5.2]",
    "締付トルクは 4.5 N・m、供給フィルタの差圧は0.03MPaです。",
    "この設備ではOリング交換が再発なし 4/4、ノズル清掃は再発なし 1/7です。",
    "REC-0151（2026年11月19日）はOリング交換で、まだ11日・判定前です。",
    "部品は OR-2210、棚は A-03-2、在庫は12個（2026/11/27時点）。",
    "主幹NFB-3、エアー元弁V-31、製品元弁V-32を遮断します。",
    "1. 停止する。2. 遮断する。3. ノズルを外す。",
    "安全カバーのインターロックは無効にしないでください。",
)
FALSE_THINGS = (
    ("REC-0034でもフィルタ清掃で直っています。", WarningKind.WRONG_OWNER, "REC-0034"),
    ("EQ-001と同じ処置です。", WarningKind.WRONG_OWNER, "EQ-001"),
    ("ライン1の充填機ではフィルタ清掃でした。", WarningKind.WRONG_OWNER, "ライン1"),
    ("キャッパーも点検します。", WarningKind.WRONG_OWNER, "キャッパー"),
    ("CH-80-3を交換します。", WarningKind.WRONG_OWNER, "CH-80-3"),
    ("CP-80の手順です。", WarningKind.WRONG_OWNER, "CP-80"),
    ("AL-205も確かめます。", WarningKind.WRONG_OWNER, "AL-205"),
    ("水圧0.35MPaで逆洗します。", WarningKind.OLD_REVISION, "0.35MPa"),
    ("締付トルクは7.0N・mです。", WarningKind.OLD_REVISION, "7.0N・m"),
    ("改訂2の手順です。", WarningKind.OLD_REVISION, "改訂2"),
    ("部品 OR-9999 を使います。", WarningKind.UNKNOWN_NAME, "OR-9999"),
    ("EQ-999の記録です。", WarningKind.UNKNOWN_NAME, "EQ-999"),
    ("ライン9にも同じ機械があります。", WarningKind.UNKNOWN_NAME, "ライン9"),
    ("「ノズルは0.2MPaで90秒洗うこと」と書かれています。", WarningKind.NOT_IN_EVIDENCE, "ノズルは0.2MPaで90秒洗うこと"),
    ("マニュアルのp.5-4にあります。", WarningKind.NOT_IN_EVIDENCE, "p.5-4"),
    ("REC-0151（2026-11-20）で直りました。", WarningKind.NOT_IN_EVIDENCE, "2026-11-20"),
    ("REC-0151（2026-07-29）で直りました。", WarningKind.NOT_IN_EVIDENCE, "2026-07-29"),
    ("E-13の節も見ます。", WarningKind.NOT_IN_EVIDENCE, "E-13"),
    ("5.7を見てください。", WarningKind.NOT_IN_EVIDENCE, "5.7"),
    ("120秒待ちます。", WarningKind.NOT_IN_EVIDENCE, "120秒"),
    ("Oリング交換は再発なし 5/5です。", WarningKind.NOT_IN_EVIDENCE, "再発なし 5/5"),
    ("[ref:manual:FL-200-r3#9.9]", WarningKind.NOT_IN_EVIDENCE, "manual:FL-200-r3#9.9"),
    ("清掃する[ref:9章]。", WarningKind.NOT_IN_EVIDENCE, "9章"),
    ("安全カバーのスイッチを短絡して動かします。", WarningKind.SAFETY, "安全装置の無効化"),
)


@pytest.fixture(scope="module")
def e12(ask: Ask) -> Asked:
    return ask("ライン3の充填機でE-12が出た")


@pytest.mark.parametrize("text", TRUE_THINGS)
def test_true_things_are_not_marked(e12: Asked, plant: Snapshot, text: str) -> None:
    assert check_text(text, e12.resolution, e12.evidence, plant, today=TODAY).warnings == ()


@pytest.mark.parametrize(("text", "kind", "name"), FALSE_THINGS)
def test_false_things_are_caught_and_marked_where_they_stand(
    e12: Asked, plant: Snapshot, text: str, kind: WarningKind, name: str
) -> None:
    checked = check_text(f"正しい文です。{text}", e12.resolution, e12.evidence, plant)
    assert (kind, name) in {(one.kind, one.name) for one in checked.warnings}
    assert all(start >= len("正しい文です。") for start, _ in checked.marked)
    marked = [checked.text[start:end] for start, end in checked.marked]
    assert any(name in words or words.strip("「」") in name for words in marked) or kind is WarningKind.SAFETY


def test_what_a_safety_rule_forbids_comes_first_and_is_marked_as_forbidden(e12: Asked, plant: Snapshot) -> None:
    ban = "OR-9999の後、安全カバーのインターロックを短絡して運転を続けます。"
    checked = check_text(f"部品 ZZ-999 を使います。{ban}", e12.resolution, e12.evidence, plant)
    assert checked.warnings[0].kind is WarningKind.SAFETY
    assert WarningKind.UNKNOWN_NAME in {one.kind for one in checked.warnings[1:]}
    assert [checked.text[start:end] for start, end in checked.forbidden] == [ban]
    assert set(checked.forbidden) < set(checked.marked)
    assert check_text("部品 ZZ-999 を使います。", e12.resolution, e12.evidence, plant).forbidden == ()


@pytest.mark.parametrize("question", bundled_questions(), ids=lambda one: one["id"])
def test_no_false_alarm_over_the_bundled_answers(ask: Ask, plant: Snapshot, question: dict[str, str]) -> None:
    got = ask(question["question"], role=question.get("role", ""), preset=question.get("equipment"))
    lines = (
        line
        for block in got.answer.blocks
        for line in (block.conclusion, *block.causes, *block.steps, *block.history, *block.same_model, *block.parts)
    )
    text = "\n".join(f"{line.label} {line.text}" for line in lines)
    assert check_text(text, got.resolution, got.evidence, plant, today=TODAY).warnings == ()


def test_another_machine_may_be_spoken_of_if_it_is_named_as_such(ask: Ask, plant: Snapshot) -> None:
    got = ask("ライン2の検査機で803が出た")
    (other,) = {one.equipment_id for one in got.evidence.records() if one.equipment_id != "EQ-015"} or {"EQ-014"}
    record = next(item.source for item in got.evidence.items if getattr(item.source, "equipment_id", "") == other)
    named = f"別設備 {other} の記録 {record.ref.removeprefix('record:')} では別の処置でした。"
    assert check_text(named, got.resolution, got.evidence, plant).warnings == ()
    for bare in (named.replace("別設備 ", ""), named.replace(f"{other} の", "の")):
        found = check_text(bare, got.resolution, got.evidence, plant).warnings
        assert WarningKind.WRONG_OWNER in {one.kind for one in found}


def test_an_old_value_may_be_told_as_old(e12: Asked, plant: Snapshot) -> None:
    assert check_text("旧版（改訂2）では0.35MPaでした。", e12.resolution, e12.evidence, plant).clean


def test_an_absent_name_may_be_said_to_be_absent_and_nothing_else(ask: Ask, plant: Snapshot) -> None:
    got = ask("EQ-003でE-99が出た")
    said = check_text("FL-200のマニュアルにE-99はありません。", got.resolution, got.evidence, plant)
    assert said.clean
    invented = check_text("E-99は流量計の異常です。", got.resolution, got.evidence, plant)
    assert [one.kind for one in invented.warnings] == [WarningKind.UNKNOWN_NAME]


def test_what_a_tool_returned_counts_with_its_owner(e12: Asked, plant: Snapshot) -> None:
    text = "E-13は液面センサー異常です[ref:manual:FL-200-r3#5.3]。"
    assert not check_text(text, e12.resolution, e12.evidence, plant).clean
    assert check_text(text, e12.resolution, e12.evidence, plant, refs=("manual:FL-200-r3#5.3",)).clean
    theirs = check_text("REC-0034と同じです。", e12.resolution, e12.evidence, plant, refs=("record:REC-0034",))
    assert [one.kind for one in theirs.warnings] == [WarningKind.WRONG_OWNER]


def test_named_sources_become_verified_citations(e12: Asked, plant: Snapshot) -> None:
    text = "REC-0151を見る。「ノズルを締付トルク4.5N・mで取り付ける」[ref:manual:FL-200-r3#5.2]"
    checked = check_text(text, e12.resolution, e12.evidence, plant)
    assert checked.clean
    assert {one.kind for one in checked.citations} == {CitationKind.RECORD, CitationKind.MANUAL}
    assert all(one.verified for one in checked.citations)
    assert {one.page_label for one in checked.citations if one.kind is CitationKind.MANUAL} == {"5-3"}


def test_a_proposal_is_checked_like_a_text(e12: Asked, plant: Snapshot) -> None:
    draft = e12.answer.request_draft
    assert draft is not None
    assert len(draft.title) <= 40
    assert check_proposal("EQ-003", draft.title, "REC-0151参照", e12.resolution, e12.evidence, plant) == ()
    wrong = check_proposal("EQ-001", "E-12", "OR-9999を手配", e12.resolution, e12.evidence, plant)
    assert {one.kind for one in wrong} == {WarningKind.WRONG_OWNER, WarningKind.UNKNOWN_NAME}


names = st.from_regex(r"[A-Z]{1,3}-[0-9]{2,4}", fullmatch=True)
frames = st.sampled_from(
    ["{}を交換します。", "記録{}のとおりです。", "{}が出ます。", "部品{}", "「{}」と表示", "設備{}です"]
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names, frames)
def test_a_name_that_is_not_in_evidence_never_passes(e12: Asked, plant: Snapshot, name: str, frame: str) -> None:
    papers = "\n".join(
        str(getattr(item.source, field, "")) for item in e12.evidence.items for field in ("body", "action", "symptom")
    )
    known = {code.key for code in find_codes(papers)}
    (code,) = find_codes(f"コード {name}")
    text = frame.format(name)
    if code.key in known or plant.part(name) or plant.equipment(name) or name.startswith(("OR-", "V-", "CP-", "NFB-")):
        return
    checked = check_text(text, e12.resolution, e12.evidence, plant)
    machine_words = {"E-12", "FL-200", "EQ-003", "FE-200", "RV-200"}
    assert not checked.clean or name in machine_words or code.key in {"e12"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet=string.printable + "「」ライン充填機\n[]ref:記録", max_size=60))
def test_any_text_is_read_and_marked_within_itself(e12: Asked, plant: Snapshot, text: str) -> None:
    checked = check_text(text, e12.resolution, e12.evidence, plant)
    assert checked.text == text
    assert all(0 <= start < end <= len(text) for start, end in checked.marked)
