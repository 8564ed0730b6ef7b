"""The comparison of an answer with what was returned: it finds the plain cases and leaves the rest alone."""

from __future__ import annotations

import pytest

from desktop.agent.events import ToolFinished
from desktop.domain.answer import Evidence, EvidenceItem, Scope
from desktop.domain.ledger import ManualSection
from desktop.services.evaluation_contradictions import Returned, contradictions, returned

PAPER = "E-12 充填ノズル詰まり。ノズルを水圧0.20MPa以下、90秒で逆洗し、閉塞を除く。部品 OR-2210"
GIVEN = Returned((PAPER,), frozenset({"e99"}))


@pytest.mark.parametrize(
    "text",
    [
        "E-12はマニュアルに記載がありません。",
        "E-12は見つかりません。",
        "E-99は電源の異常です。",
        "「E-12」はモーターの過熱です。",
        "E-12：ベルトの蛇行",
        "水圧は0.35MPaです。",
        "120秒の逆洗をする。",
    ],
)
def test_what_says_otherwise_is_found(text: str) -> None:
    assert contradictions(text, GIVEN) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "E-12は充填ノズル詰まりです。",
        "E-12は充填ノズルの閉塞です[ref:manual:FL-200#5.2]。",
        "水圧0.2MPa、90秒で逆洗する。",
        "E-99は見つかりません。",
        "E-12の原因の記載はありません。",
        "OR-2210の在庫は見つかりません。",
        "別設備 EQ-007 ではE-12はラベルテンション異常です。",
        "三日前に3回起きた。",
        "わかりません。",
    ],
)
def test_what_does_not_is_left_alone(text: str) -> None:
    assert contradictions(text, GIVEN) == ()


def test_nothing_returned_is_nothing_to_contradict() -> None:
    assert contradictions("E-12は電源の異常です。水圧は0.35MPaです。", Returned()) == ()


def called(count: int, content: object, error: str | None = None) -> ToolFinished:
    return ToolFinished(
        1, "c", "search_manual", {"model": "FL-200", "keywords": "E-99"}, count, 0.0, error, "", content
    )


def test_results_facts_and_what_was_looked_up_in_vain_are_taken_together() -> None:
    own = ManualSection("manual:a#1", "a", ("FL-200",), ("5.2 E-12",), "詰まり", 1)
    other = ManualSection("manual:b#1", "b", ("LB-50",), ("6.3 E-12",), "張力", 1)
    facts = Evidence((EvidenceItem(own, 1.0, ""), EvidenceItem(other, 1.0, "", Scope.OTHER_MACHINE)))
    assert returned((), facts, None) == Returned(("5.2 E-12\n詰まり",))
    empty = called(0, {"total": 0, "results": []})
    assert returned([empty], Evidence(), None).missing == {"e99", "fl200"}
    hit = called(1, {"total": 1, "results": [{"heading": "E-99", "body": ["本文"]}]})
    assert returned([empty, hit], Evidence(), None) == Returned(("E-99\n本文",), frozenset({"fl200"}))
