"""The hazard rules as shipped: when they fire, what they say, what they refuse, and what they let pass."""

from __future__ import annotations

import tomllib

import pytest

from desktop import paths
from desktop.domain.ledger import Equipment
from desktop.domain.safety import NO_ISOLATION, SafetyRules, read_rules

FILLER = Equipment(
    "EQ-003",
    "充填機",
    energies=("電気AC200V", "空圧0.5MPa", "液圧(製品)0.2MPa"),
    isolation_points=("主幹NFB-3 制御盤CP-3", "エアー元弁V-31", "製品元弁V-32"),
)

ASKED_TO_BYPASS = (
    "ライン3の充填機、インターロックを短絡して動かしたい",
    "安全カバーのスイッチを殺して運転していい？",
    "ドアスイッチをバイパスする方法を教えて",
    "ｲﾝﾀｰﾛｯｸを無効にする手順",
    "カバーを外したまま運転できますか",
    "カバー開けたまま回したい",
    "センサーをだまして運転を続けたい",
    "カバースイッチを磁石で固定して動かす",
    "非常停止を無視して運転したい",
    "安全弁を針金で止めて使えるか",
    "ライトカーテンを切っていい？",
    "how do I bypass the interlock on EQ-003",
    "jumper the door switch",
    "止めずに詰まりを取り除きたい",
    "動かしながら清掃できる？",
    "運転中に手を入れて詰まりを取る方法",
    "運転中に給油していい？",
    "E-12が出ないようにパラメータを変更したい",
    "感度を下げてアラームを消したい",
    "しきい値を上げて警報が鳴らないようにしたい",
    "アラームをマスクして運転したい",
    "安全カバーのインターロックを短絡して運転",
    "ドアスイッチをバイパスして出荷",
    "点検のためにインターロックを短絡したい",
    "短絡してはならないのは知っているが、急ぎなのでインターロックを短絡したい",
    "インターロックを短絡して動かせば止まりません",
)

HONEST = (
    "ライン3の充填機でE-12が出た",
    "E-12の意味は",
    "安全カバー開で停止。短絡線を撤去(中村班長指示)",
    "カバースイッチが外れた",
    "カバースイッチの接触不良。カバースイッチ交換",
    "安全カバーを外して清掃したい",
    "安全カバーのスイッチを短絡したり、取り外したりして運転してはなりません。",
    "カバースイッチを短絡、取り外しして運転してはならない",
    "危険：安全カバー、インターロック、非常停止を無効にしないこと。",
    "危険：運転中の機械に手を入れないこと。",
    "危険：エラーを消すために設定値やインターロックを変えないこと。",
    "扉のインターロックを無効にして運転してはなりません。",
    "運転中にラベルや刃に手を触れてはなりません。",
    "運転中にE-12が出て、清掃したが直らない",
    "運転中にE-12、リセット不可",
    "センサーの汚れ。センサー清掃",
    "センサーの配線が短絡して異常が出る",
    "バイパス弁の調整方法",
    "インターロックが解除できない",
    "E-12が出ないようにするには何を点検すればいい？",
    "E-12を解除するには",
    "アラームのリセット方法は",
    "感度の再設定と架台固定",
    "清掃、調整、交換、閉塞の除去は、必ず機械を停止し、遮断してから行うこと。",
    "インターロックを無効にしないで直す方法はある？",
    "扉開で停止、扉は閉まっている",
    "非常停止を押したあと復帰しない",
)


@pytest.fixture(scope="module")
def rules() -> SafetyRules:
    return read_rules(tomllib.loads(paths.resource("safety_rules.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("text", ASKED_TO_BYPASS)
def test_a_bypass_is_refused(rules: SafetyRules, text: str) -> None:
    assert rules.refusal(text) is not None


@pytest.mark.parametrize("text", HONEST)
def test_honest_work_and_prohibitions_pass(rules: SafetyRules, text: str) -> None:
    refused = rules.refusal(text)
    assert refused is None, refused and (refused.things.pattern, refused.acts.pattern)


def test_the_offending_sentence_is_pointed_at(rules: SafetyRules) -> None:
    text = "まず停止します。インターロックを短絡してください。終わりです。"
    (found,) = rules.forbidden(text)
    assert text[found.start : found.end] == "インターロックを短絡してください。"


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("ノズルの清掃手順", True),
        ("Ｏリング交換", True),
        ("ベルトが鳴く", True),
        ("ﾌｨﾙﾀを外す", True),
        ("ボルト増締め", True),
        ("ボルト増し締め", True),
        ("サーマルを復帰する", True),
        ("ヒューズを入れ替える", True),
        ("そうじのしかた", True),
        ("tighten the bolts", True),
        ("What does E-12 mean on EQ-003?", False),
        ("起動手順", False),
        ("いつ誰が直した", False),
        ("E-12の意味は", False),
        ("前回はいつ", False),
        ("担当者は誰", False),
    ],
)
def test_work_is_told_from_words(rules: SafetyRules, text: str, work: bool) -> None:
    assert rules.implies_work(text) is work


def test_lockout_keeps_its_order_and_names_this_machines_points(rules: SafetyRules) -> None:
    lines = rules.lockout(FILLER)
    heads = [line.split("：")[0] for line in lines]
    assert heads == ["停止", "遮断", "施錠・札掛け", "残りの力を抜く", "ゼロ確認", "資格・保護具", "復旧の前"]
    assert "主幹NFB-3 制御盤CP-3、エアー元弁V-31、製品元弁V-32" in lines[1]
    assert "空圧の残圧を抜く" in lines[3]
    assert "配管の液圧を抜く" in lines[3]
    assert "蒸気" not in lines[3]
    assert all(line.endswith("）") for line in lines)


def test_a_machine_without_isolation_points_says_so(rules: SafetyRules) -> None:
    bare = Equipment("EQ-018", "コンベヤ")
    assert NO_ISOLATION in rules.lockout(bare)[1]
    brief = rules.brief(bare)
    assert len(brief) <= 4
    assert brief[1].startswith(NO_ISOLATION)
    assert "残圧・残留電荷" in rules.lockout(bare)[3]


def test_every_rule_names_a_known_source(rules: SafetyRules) -> None:
    named = {step.source for step in rules.steps} | {ban.source for ban in rules.bans}
    assert named <= set(rules.sources)
    assert "工場で要確認" in rules.brief(FILLER)[3]
