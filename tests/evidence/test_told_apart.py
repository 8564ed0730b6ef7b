"""What a question is answered with when it asks for history, a number, a retired machine, or a request alone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from desktop.domain.answer import AnswerStatus
from desktop.evidence.check_answer import check_answer
from desktop.evidence.compose_text import markdown
from desktop.evidence.fixed_words import CALL_MAINTENANCE
from desktop.evidence.rules import shipped_rules
from desktop.store.snapshot import Snapshot
from tests.evidence.conftest import Ask


@pytest.mark.parametrize(
    "question", ["EQ-003の履歴見せて", "EQ-003を最後に誰が触った", "EQ-003の最近の記録", "EQ-003の履歴"]
)
def test_a_machines_history_is_its_last_records_newest_first(ask: Ask, plant: Snapshot, question: str) -> None:
    answer = ask(question).answer
    (block,) = answer.blocks
    rules = shipped_rules()
    newest = [one for one in plant.records_of("EQ-003") if rules.refusal(one.action) is None]
    assert answer.status is AnswerStatus.ANSWERED
    assert block.history_total == len(newest)
    for line, record in zip(block.history, newest, strict=False):
        assert record.date is not None
        for word in (record.date.isoformat(), record.record_id, record.action, record.worker):
            assert word in line.text
    assert answer.lockout == ()


def test_who_mended_it_is_told_by_name(ask: Ask) -> None:
    (block,) = ask("EQ-003のE-12、いつ誰が直した？").answer.blocks
    assert "2026-11-19 REC-0151" in block.history[0].text
    assert block.history[0].text.endswith("作業者 田中")
    days = [re.findall(r"\d{4}-\d\d-\d\d", line.text)[0] for line in block.history]
    assert days == sorted(days, reverse=True)


def test_several_codes_each_have_a_next_move(ask: Ask) -> None:
    answer = ask("EQ-003 E-12とE-21が出た").answer
    assert [line.label for line in answer.next_moves[:2]] == ["E-12", "E-21"]
    assert "Oリング交換" in answer.next_moves[0].text
    assert "センサー清掃" in answer.next_moves[1].text


def test_no_request_is_offered_for_a_retired_machine(ask: Ask) -> None:
    answer = ask("EQ-012 液面センサー異常").answer
    assert answer.request_draft is None
    assert answer.next_moves[-1].text == CALL_MAINTENANCE
    assert "保全依頼を出す" not in markdown(answer)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("EQ-015 修理依頼を作成", "EQ-015 検査機 保全依頼"),
        ("修理依頼 EQ-003", "EQ-003 充填機 保全依頼"),
        ("EQ-003 修理依頼", "EQ-003 充填機 保全依頼"),
        ("EQ-003 E-12の修理依頼", "EQ-003 充填機 E-12 充填ノズル詰まり"),
    ],
)
def test_a_request_is_called_by_machine_and_trouble(ask: Ask, question: str, title: str) -> None:
    answer = ask(question).answer
    assert answer.status is AnswerStatus.AWAITING_APPROVAL
    assert answer.request_draft is not None
    assert answer.request_draft.title == title


@pytest.mark.parametrize(
    "question", ["EQ-003の修理依頼は出ている？", "EQ-003 修理依頼の状況", "EQ-003の依頼はどうなった"]
)
def test_asking_after_a_request_asks_for_none(ask: Ask, question: str) -> None:
    assert ask(question).answer.status is not AnswerStatus.AWAITING_APPROVAL


def test_a_record_named_by_number_is_shown(ask: Ask) -> None:
    answer = ask("REC-0151 の処置").answer
    assert answer.equipment is not None
    assert (answer.status, answer.equipment.equipment_id) == (AnswerStatus.ANSWERED, "EQ-003")
    for word in ("2026-11-19", "「Oリング交換」", "「Oリング劣化」", "田中", "停止47分"):
        assert word in answer.summary
    assert [one.record_id for one in answer.citations] == ["REC-0151"]
    assert answer.warnings == ()


def test_a_forbidden_action_is_not_shown_even_by_number(ask: Ask, plant: Snapshot) -> None:
    record = plant.record("REC-0023")
    assert record is not None
    assert shipped_rules().refusal(record.action) is not None
    answer = ask("REC-0023の内容").answer
    assert answer.status is AnswerStatus.ANSWERED
    assert record.action not in markdown(answer)


def test_an_order_named_by_number_is_shown_without_any_work(ask: Ask) -> None:
    answer = ask("WO-26-0318の状況").answer
    assert answer.status is AnswerStatus.ANSWERED
    assert "WO-26-0318 充填ノズル 全数点検(8本) 計画済 予定2026-12-05" in answer.summary
    assert (answer.lockout, answer.next_moves) == ((), ())


@pytest.mark.parametrize("number", ["WR-9999", "REC-9999"])
def test_an_unknown_number_beside_a_known_machine_is_told_and_kills_nothing(ask: Ask, number: str) -> None:
    answer = ask(f"EQ-003 E-12 {number}").answer
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.blocks[0].subject == "E-12"
    assert [warning.name for warning in answer.warnings] == [number]
    assert "台帳になし" in answer.warnings[0].text
    assert ask(f"{number}の内容").answer.status is AnswerStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("question", "records"),
    [("EQ-012 液面センサー異常", {"REC-0001"}), ("EQ-018 キュルキュル", {"REC-0137", "REC-0148"})],
)
def test_a_symptom_finds_the_log_that_says_it_in_other_words(ask: Ask, question: str, records: set[str]) -> None:
    answer = ask(question).answer
    assert records <= {one.record_id for one in answer.citations}
    assert answer.warnings == ()


@pytest.mark.parametrize("question", ["EQ-003の遮断点は？", "EQ-003の担当は？", "EQ-003の連絡先の電話は？"])
def test_a_ledgers_entry_is_cited_as_it_stands(ask: Ask, question: str) -> None:
    answer = ask(question).answer
    cited = [one for one in answer.citations if one.ref == "ledger:EQ-003"]
    assert [one.quote for one in cited] == [answer.blocks[0].conclusion.text]
    assert answer.blocks[0].conclusion.cites[0] == cited[0].n
    assert cited[0].verified
    assert "近い記載だけ" not in answer.summary


def test_a_changed_ledger_entry_is_found_out(ask: Ask) -> None:
    got = ask("EQ-003の遮断点は？")
    (cited,) = got.answer.citations
    wrong = replace(got.answer, citations=(replace(cited, quote="遮断点：主幹NFB-9"),))
    assert check_answer(wrong, got.resolution, got.evidence, got.context)


@pytest.mark.parametrize("question", ["EQ-003", "ライン2の充填機", "EQ-003 ペンキの色は？"])
def test_nothing_found_is_no_dead_end(ask: Ask, question: str) -> None:
    answer = ask(question).answer
    if answer.status is AnswerStatus.NOT_FOUND:
        assert "連絡先：" in answer.summary
        assert answer.next_moves


def test_another_revision_than_the_one_asked_for_is_said(ask: Ask) -> None:
    answer = ask("EQ-003 改訂2のE-12の手順").answer
    (warning,) = answer.warnings
    assert "改訂2をお尋ねですが、表示しているのは改訂3です" in warning.text
    assert ask("EQ-003 改訂3のE-12の手順").answer.warnings == ()


def test_a_pasted_mark_of_a_source_is_no_part_of_the_code(ask: Ask) -> None:
    answer = ask("EQ-003 E-12 [1] の件").answer
    assert answer.status is AnswerStatus.ANSWERED
    assert [block.subject for block in answer.blocks] == ["E-12"]


def test_the_supply_is_what_the_ledger_says(ask: Ask) -> None:
    answer = ask("EQ-003 電源電圧は？").answer
    assert "電気AC200V" in answer.summary
    assert [one.ref for one in answer.citations][:1] == ["ledger:EQ-003"]


def test_a_setting_asked_for_alone_is_told_alone(ask: Ask) -> None:
    answer = ask("EQ-003 リターン弁の開度は？").answer
    assert "40%" in answer.summary
    assert answer.blocks[0].steps == ()
    assert answer.lockout == ()
