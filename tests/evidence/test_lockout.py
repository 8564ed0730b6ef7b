"""The lock-out block stands above work, and above nothing else."""

from __future__ import annotations

import pytest

from tests.evidence.conftest import Ask


@pytest.mark.parametrize(
    "question",
    [
        "What does E-12 mean on EQ-003?",
        "what is E-12 on EQ-003",
        "EQ-003 前回E-12はいつ誰が直した？",
        "EQ-003のE-12を最後に直したのは誰がいつ直しましたか",
        "EQ-003 E-12 history",
        "EQ-003 E-12は何回出た？",
        "EQ-003 起動手順",
        "EQ-003 起動の方法",
        "EQ-003 ノズルの数",
        "EQ-003のノズルの材質は？",
        "EQ-003 安全カバーのスイッチの品番",
    ],
)
def test_no_block_where_nobody_lays_hands_on_the_machine(ask: Ask, question: str) -> None:
    answer = ask(question).answer
    assert (answer.safety, answer.lockout) == ((), ())


@pytest.mark.parametrize(
    "question",
    [
        "コンプのサーマルが落ちる。何回も押していい？",
        "EQ-003 E-12 いつ直したらいい？",
        "EQ-003 E-12 どう直した",
        "What does E-12 mean on EQ-003 and how do I fix it?",
        "EQ-003 E-12。いつ誰が直した？",
        "EQ-003のE-12を直す手順と起動手順",
        "EQ-003 ノズルの清掃手順",
        "ライン3のコンベヤから異音。起動手順も",
    ],
)
def test_the_block_stands_above_work_however_it_is_asked_for(ask: Ask, question: str) -> None:
    answer = ask(question).answer
    assert answer.safety
    assert answer.lockout


def test_resetting_a_thermal_relay_again_and_again_is_answered_by_the_manual(ask: Ask) -> None:
    (block,) = ask("コンプのサーマルが飛んだ。何回も押していい？").answer.blocks
    assert any("15分以上待ってから復帰する" in step.text for step in block.steps)
