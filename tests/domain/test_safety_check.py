"""A plant's own safety list: taken when it protects, refused with the place named when it does not."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from desktop import paths
from desktop.domain.safety import read_rules
from desktop.domain.safety_check import faults, senseless

SHIPPED = tomllib.loads(paths.resource("safety_rules.toml").read_text(encoding="utf-8"))


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    table = copy.deepcopy(SHIPPED)
    change(table)
    return table


def test_the_shipped_list_has_no_fault_and_makes_sense() -> None:
    assert list(faults(SHIPPED)) == []
    assert list(senseless(read_rules(SHIPPED))) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.pop("lockout"), "lockout がありません"),
        (lambda t: t.update(work={"words": "カバー"}), "work の words は空でない語の並び"),
        (lambda t: t["work"]["words"].append(" "), "work の words"),
        (lambda t: t.update(revised="2027"), "revised は日付"),
        (lambda t: t.update(lockuot=[]), "lockuot は使えない項目"),
        (lambda t: t["lockout"][1].pop("source"), "lockout 2 の source がありません"),
        (lambda t: t["ban"][0]["acts"].append("("), "ban 1 の acts：「(」は正規表現として読めません"),
        (lambda t: t["ban"][1]["things"].append("x?"), "ban 2 の things：「x?」は何にでも当てはまります"),
        (lambda t: t["harmless"]["phrases"].append(".*"), "harmless の phrases：「.*」は何にでも"),
        (lambda t: t.update(source="安衛則"), "source は [source] の表"),
        (lambda t: t.update(energy={}), "energy は [[energy]] の並び"),
        (lambda t: t["source"].update(工場=3), "source の 工場 は文字"),
    ],
)
def test_a_fault_of_form_names_its_place(change: Callable[[dict[str, Any]], object], told: str) -> None:
    assert any(told in fault for fault in faults(changed(change))), list(faults(changed(change)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t["lockout"][0].update(source="安衛則999"), "根拠「安衛則999」が [source] にありません"),
        (lambda t: t["lockout"][1].update(text="遮断：主幹を切る"), "lockout に"),
        (lambda t: t.update(lockout=t["lockout"][:3]), "lockout に"),
        (lambda t: t["lockout"][2].update(text="施錠：{lock}"), "{lock} は使えません"),
        (lambda t: t["work"].update(words=["溶接"]), "「カバーを外して清掃する」で作業の注意が出ません"),
        (lambda t: t["work"]["words"].append("意味"), "「E-12の意味は」で作業の注意が出てしまいます"),
        (lambda t: t["harmless"]["phrases"].append("短絡"), "を断りません"),
        (lambda t: t["ban"][0].update(things=["ベルト"], acts=["交換"]), "「ベルトを交換する」を断ってしまいます"),
    ],
)
def test_a_list_that_no_longer_protects_is_senseless(change: Callable[[dict[str, Any]], object], told: str) -> None:
    table = changed(change)
    assert list(faults(table)) == []
    found = list(senseless(read_rules(table)))
    assert any(told in one for one in found), found


def test_what_the_shipped_list_refuses_stays_refused() -> None:
    own = changed(lambda t: t.update(ban=t["ban"][-1:]))
    bypass = "ドアスイッチをバイパスする方法を教えて"
    assert read_rules(own).refusal(bypass) is None
    assert read_rules(own).with_bans_of(read_rules(SHIPPED)).refusal(bypass) is not None
