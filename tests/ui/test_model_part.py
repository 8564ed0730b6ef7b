"""The model's part on screen: who answers, what it is about, numbers for its sources, and what an outage leaves."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.agent import events
from desktop.domain.answer import AnswerWarning, CheckedText, Citation, CitationKind, WarningKind
from desktop.ui import theme
from desktop.ui.model_block import ModelBlock
from desktop.ui.run_card import RunCard
from desktop.ui.steps_view import StepLog
from desktop.workers import commands
from tests.fakes.station import CHECKED, CITATIONS, WHY
from tests.ui.conftest import Bench

Make = Callable[..., Bench]
QUESTION = "ライン3の充填機でE-12が出た"
REF = CITATIONS[0].ref


@pytest.fixture
def block(qtbot: QtBot) -> ModelBlock:
    made = ModelBlock()
    qtbot.addWidget(made)
    made.show()
    return made


def shown(block: ModelBlock) -> str:
    block._text.flush()
    return block._text.toPlainText()


def words(block: ModelBlock) -> str:
    QApplication.processEvents()  # what was added to a layout is shown by the next turn
    return "\n".join(label.text() for label in block.findChildren(QLabel) if label.isVisible())


def test_it_says_who_is_asked_whether_it_leaves_and_why(block: ModelBlock) -> None:
    block.ask(events.ProviderChosen("openai", "qwen", "r1"))
    assert "AI：qwen" in words(block)
    assert "社外" not in words(block)
    block.ask(events.ProviderChosen("openai", "qwen", "r1", guided=True))
    assert "AI：qwen（手順固定）" in words(block)
    block.ask(events.ProviderChosen("anthropic", "claude-opus-5-5", "r1", outside=True, why=WHY))
    assert f"AI：claude-opus-5-5　社外AIへ送信\n{WHY}" in words(block)
    block.ask(events.ProviderChosen("anthropic", "m", "r1", why=WHY, code="net_refused", values={"host": "192.0.2.7"}))
    assert f"\n{WHY}\nHN-205 192.0.2.7 " in words(block)


def test_what_it_thinks_is_shown_until_the_text_comes(block: ModelBlock) -> None:
    block.think("台帳を\n見てから、")
    block.think("E-12 を確かめる。")
    assert block.title == "AIのまとめ（考え中）"
    assert "…台帳を 見てから、E-12 を確かめる。" in words(block)
    block.think("長" * 500)
    assert len(words(block)) < 150
    block.feed("逆洗する。")
    assert block.title == "AIのまとめ（確認中）"
    assert "台帳" not in words(block)
    assert shown(block) == "逆洗する。"


@pytest.mark.parametrize(("code", "why"), [("model_overloaded", "混雑"), ("net_cut", "つながりません")])
def test_waiting_says_why_and_how_long(block: ModelBlock, code: str, why: str) -> None:
    block.wait(events.Retrying(code, 12.4))
    assert block.title == f"AIのまとめ（{why}・12秒後に再試行）"
    block.feed("逆洗")
    assert block.title == "AIのまとめ（確認中）"


def test_no_marker_is_ever_seen_and_its_number_opens_the_source(block: ModelBlock, qtbot: QtBot) -> None:
    text = f"逆洗する[ref:{REF}]。部品 ZZ-9 も使う[ref:manual:無い]。"
    for at in range(0, len(text), 3):
        block.feed(text[at : at + 3])
        assert "[" not in shown(block)
    assert shown(block) == "逆洗する。部品 ZZ-9 も使う。"
    at = text.index("[ref:manual:無い]")
    citation = Citation(7, CitationKind.MANUAL, REF, "5.2", "逆洗する")
    block.show_checked(CheckedText(text, ((at, len(text) - 1),), CHECKED.warnings, (citation,)))
    assert block._text.toPlainText() == "逆洗する［7］。部品 ZZ-9 も使う［根拠なし］。"
    assert "ZZ-999" in words(block)
    with qtbot.waitSignal(block.citation_chosen) as told:
        block._text.anchorClicked.emit(QUrl("cite:7"))
    assert told.args == [citation]
    found = block._text.document().find("［根拠なし］")
    wave = QTextCharFormat.UnderlineStyle.WaveUnderline
    assert found.charFormat().underlineStyle() is wave
    assert block._text.document().find("部品").charFormat().underlineStyle() is not wave


def test_what_a_safety_rule_forbids_is_red_and_told_first_with_the_word_not_to_follow_it(block: ModelBlock) -> None:
    ban = "カバーを短絡する。"
    text = f"部品 ZZ-999 を使う[ref:{REF}]。{ban}"
    at, word = text.index(ban), text.index("ZZ-999")
    warnings = (AnswerWarning(WarningKind.SAFETY, "安全規則が禁じる内容です（安全装置の無効化）。", "安全装置の無効化"),
                *CHECKED.warnings)  # fmt: skip
    spans = ((word, word + 6), (at, len(text)))
    block.show_checked(CheckedText(text, spans, warnings, forbidden=spans[1:]))
    told = [one for one in block.findChildren(QLabel) if one.text().startswith("⚠")]
    first, second = sorted(told, key=lambda one: one.y())
    assert first.text() == ("⚠ 安全規則が禁じる内容です（安全装置の無効化）。この文には従わないでください。")
    assert (first.property("role"), second.property("role")) == ("danger", "warn")
    assert block.title == "AIのまとめ（安全規則が禁じる内容あり）"
    red = block._text.document().find("短絡").charFormat().foreground().color().name()
    assert red == theme.tokens().danger


def test_what_was_not_even_begun_is_not_called_half_done(block: ModelBlock) -> None:
    block.ask(events.ProviderChosen("anthropic", "claude-opus-5-5", "r1"))
    block.stop("つながりません。")
    assert block.title == "AIのまとめ（なし）"
    block.feed("途中")
    block.stop("切れました。")
    assert block.title == "AIのまとめ（途中・未確認）"


def test_text_that_was_sent_back_is_void(block: ModelBlock) -> None:
    block.feed("EQ-001 を清掃[ref:")
    block.start_again()
    assert (shown(block), block.title) == ("", "AIのまとめ（書き直し中）")
    block.feed("EQ-003 を清掃")
    assert shown(block) == "EQ-003 を清掃"


def test_the_next_provider_starts_from_nothing(block: ModelBlock) -> None:
    block.feed("途中まで")
    block.stop("切れました。")
    block.ask(events.ProviderChosen("anthropic", "claude-opus-5-5", "r1"))
    assert shown(block) == ""
    assert "切れました" not in words(block)


def test_a_first_try_shown_after_all_stays_checked_when_the_second_stops(block: ModelBlock) -> None:
    block.show_checked(CHECKED)
    block.stop("切れました。")
    assert block.title == "AIのまとめ（確認できない語あり）"
    assert "切れました。" in words(block)


def test_what_was_sent_is_one_press_away(bench: Make) -> None:
    desk = bench(with_model=True)
    desk.ask(QUESTION)
    desk.wait(lambda: desk.seen("sentButton") and not desk.desk.page.running)
    desk.press("sentButton")
    desk.wait_for("manualViewer")
    run_id = desk.desk.page.runs[-1].run_id
    assert commands.OpenSent(run_id) not in desk.station.calls
    assert run_id in desk.station.calls
    assert f'"run": "{run_id}"' in desk.find("manualText").toPlainText()
    assert any(label.text() == "送信した内容" for label in desk.find("manualViewer").findChildren(QLabel))


def buttons(card: RunCard, name: str) -> list[QPushButton]:
    return [button for button in card.findChildren(QPushButton, name) if button.isVisibleTo(card)]


def test_a_question_cut_off_goes_on_in_its_own_card(bench: Make) -> None:
    desk = bench(outage=True)
    desk.ask(QUESTION)
    desk.wait(lambda: desk.seen("goOnButton") and not desk.desk.page.running)
    desk.station.outage = False
    desk.ask("ほかには")
    desk.wait(lambda: len(desk.desk.page.runs) == 2 and not desk.desk.page.running)
    first, second = desk.desk.page.runs
    (go_on,) = buttons(first, "goOnButton")
    go_on.click()
    assert desk.desk.page.running
    desk.wait(lambda: not desk.desk.page.running)
    assert commands.Continue(first.run_id, desk.desk.page.conversation_id) in desk.station.calls
    assert buttons(first, "goOnButton") == []
    assert [block.title for block in first.findChildren(ModelBlock)] == ["AIのまとめ（確認できない語あり）"]
    assert second.run_id != first.run_id


@pytest.mark.parametrize("reason", [events.StopReason.UNREACHABLE, events.StopReason.ERROR])
@pytest.mark.parametrize("asked", [True, False])
def test_the_steps_do_not_say_that_an_ai_answered_that_did_not(reason: events.StopReason, asked: bool) -> None:
    log = StepLog()
    if asked:
        log.add(events.TurnStarted(1))
    log.add(events.RunStopped(reason, "届きません。", can_go_on=True))
    assert [(step.short, step.failed) for step in log.steps] == [("AI", True)]
    log.add(events.TurnStarted(1))
    log.add(events.RunFinished("逆洗する。"))
    assert [(step.short, step.failed) for step in log.steps] == [("AI", False)]


def test_an_outage_is_said_once_with_what_can_be_pressed(bench: Make) -> None:
    desk = bench(outage=True)
    desk.ask(QUESTION)
    desk.wait(lambda: desk.seen("goOnButton") and not desk.desk.page.running)
    assert "AI×" in desk.find("stepsButton").text()
    assert desk.find("goOnButton").text() == "AIにもう一度聞く"
    assert desk.says("AIにつながりません。 api に届きません。")
    assert not desk.says("手元のデータから作りました")


def test_it_is_cut_off_again_when_the_outage_lasts(bench: Make) -> None:
    desk = bench(outage=True)
    for press in ("", "goOnButton", "goOnButton"):
        desk.press(press) if press else desk.ask(QUESTION)
        desk.wait(lambda: not desk.desk.page.running and desk.seen("goOnButton"))
    assert len(buttons(desk.desk.page.runs[0], "goOnButton")) == 1


def test_a_question_cut_off_is_settled_without_a_model(bench: Make) -> None:
    desk = bench(outage=True)
    desk.ask(QUESTION)
    desk.wait(lambda: desk.seen("settleButton") and not desk.desk.page.running)
    desk.press("settleButton")
    desk.wait(lambda: not desk.desk.page.running)
    (card,) = desk.desk.page.runs
    assert commands.Settle(card.run_id, desk.desk.page.conversation_id) in desk.station.calls
    assert not desk.seen("settleButton")


def test_what_an_outage_left_is_offered_at_the_next_start(bench: Make) -> None:
    first = bench(outage=True)
    first.ask(QUESTION)
    first.wait(lambda: first.seen("goOnButton") and not first.desk.page.running)
    first.close()
    second = bench(station=first.station)
    second.wait(lambda: second.says("途中になった質問が1件あります"))
    line = second.find("conversationList").item(0)
    assert line.text().startswith("◐ ")
    second.find("conversationList").itemClicked.emit(line)
    second.wait_for("goOnButton")
    assert not any(isinstance(call, commands.Continue) for call in second.station.calls)


def test_a_conversation_grown_too_long_is_carried_over_with_its_machine(bench: Make) -> None:
    desk = bench(full=True)
    desk.ask(QUESTION)
    desk.wait(lambda: desk.seen("carryOverButton") and not desk.desk.page.running)
    before = desk.desk.page
    desk.press("carryOverButton")
    assert desk.desk.page is not before
    assert "EQ-003" in desk.find("focusChip").accessibleName()
    assert desk.find("questionInput").toPlainText() == ""
    desk.ask("ほかには")
    desk.wait(lambda: not desk.desk.page.running)
    asked = [call for call in desk.station.calls if isinstance(call, commands.Ask)]
    assert asked[-1].equipment_id == "EQ-003"
    assert asked[-1].conversation_id != asked[0].conversation_id


def test_a_question_that_had_no_room_is_carried_over_unsent(qtbot: QtBot) -> None:
    card = RunCard("長い会話の質問")
    qtbot.addWidget(card)
    card.handle(events.RunStopped(events.StopReason.CONTEXT_FULL, "いっぱいです。"))
    with qtbot.waitSignal(card.carry_over_wanted) as told:
        buttons(card, "carryOverButton")[0].click()
    assert told.args == ["長い会話の質問"]


def test_that_questions_leave_the_plant_from_now_on_is_announced(bench: Make) -> None:
    assert bench(cloud=True).says("工場の外へ送信されます")
    assert not bench().says("工場の外へ送信されます")
