"""Codes of the lower layers in words for people."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, cast

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from desktop import errors
from desktop.agent.events import ProviderChosen, StopReason, Usage
from desktop.domain.outcome import Outcome
from desktop.domain.work_request import (
    Decision,
    Delivery,
    KnownBy,
    Meaning,
    Proposal,
    ProposalState,
    Requester,
    WorkRequest,
)
from desktop.errors import KnownError
from desktop.ui.language import language
from desktop.workers.station import CameBack, Reach

_STEPS: dict[str, object] = {
    "equipment": QT_TRANSLATE_NOOP("messages", "台帳"),
    "manual": QT_TRANSLATE_NOOP("messages", "マニュアル"),
    "record": QT_TRANSLATE_NOOP("messages", "記録"),
    "part": QT_TRANSLATE_NOOP("messages", "部品"),
    "order": QT_TRANSLATE_NOOP("messages", "手配"),
    "request": QT_TRANSLATE_NOOP("messages", "依頼"),
    "turn": QT_TRANSLATE_NOOP("messages", "AI"),
    "check": QT_TRANSLATE_NOOP("messages", "確認"),
    "approval": QT_TRANSLATE_NOOP("messages", "承認待ち"),
}
_STOPS: dict[StopReason, object] = {
    StopReason.TURN_LIMIT: QT_TRANSLATE_NOOP("messages", "決められた回数で終わらず、AIのまとめを止めました。"),
    StopReason.MAX_TOKENS: QT_TRANSLATE_NOOP("messages", "AIのまとめが長すぎて途中で切れました。"),
    StopReason.REFUSAL: QT_TRANSLATE_NOOP("messages", "AIはこの質問に答えませんでした。"),
    StopReason.CANCELLED: QT_TRANSLATE_NOOP("messages", "中止しました。"),
    StopReason.ERROR: QT_TRANSLATE_NOOP("messages", "AIのまとめの途中で問題が起きました。"),
    StopReason.REPEAT_LIMIT: QT_TRANSLATE_NOOP("messages", "AIが同じ調べものを繰り返したので止めました。"),
    StopReason.BUDGET: QT_TRANSLATE_NOOP("messages", "決められた量を超えたのでAIのまとめを止めました。"),
    StopReason.CONTEXT_FULL: QT_TRANSLATE_NOOP("messages", "やりとりが長すぎます。新しい質問から始めてください。"),
    StopReason.UNREACHABLE: QT_TRANSLATE_NOOP("messages", "AIにつながりません。"),
}
_BUSY = frozenset({"model_overloaded", "model_rate_limit"})
_WAITS: dict[str, object] = {
    "busy": QT_TRANSLATE_NOOP("messages", "混雑"),
    "gone": QT_TRANSLATE_NOOP("messages", "つながりません"),
}
_DELIVERIES: dict[Delivery, object] = {
    Delivery.QUEUED: QT_TRANSLATE_NOOP("messages", "送信待ち"),
    Delivery.SENDING: QT_TRANSLATE_NOOP("messages", "送信中"),
    Delivery.HANDED_OVER: QT_TRANSLATE_NOOP("messages", "提出済"),
    Delivery.ACCEPTED: QT_TRANSLATE_NOOP("messages", "受付"),
    Delivery.REFUSED: QT_TRANSLATE_NOOP("messages", "受付拒否"),
    Delivery.NEEDS_ATTENTION: QT_TRANSLATE_NOOP("messages", "要対応"),
}
_KNOWN_BY: dict[KnownBy, object] = {
    KnownBy.PIN: QT_TRANSLATE_NOOP("messages", "PINで確認"),
    KnownBy.BADGE: QT_TRANSLATE_NOOP("messages", "社員証で確認"),
    KnownBy.WINDOWS: QT_TRANSLATE_NOOP("messages", "Windowsで確認"),
    KnownBy.CHOSEN: QT_TRANSLATE_NOOP("messages", "名簿から選択・未確認"),
    KnownBy.NONE: QT_TRANSLATE_NOOP("messages", "不明"),
}
_REACHES: dict[Reach, object] = {
    Reach.NOT_SET: QT_TRANSLATE_NOOP("messages", "送信先なし"),
    Reach.UNKNOWN: QT_TRANSLATE_NOOP("messages", "送信先を確認中"),
    Reach.REACHED: QT_TRANSLATE_NOOP("messages", "● 接続"),
    Reach.UNREACHED: QT_TRANSLATE_NOOP("messages", "▲ 送信先に届きません"),
}
_OUTCOMES: dict[Outcome, object] = {
    Outcome.FIXED: QT_TRANSLATE_NOOP("messages", "直った"),
    Outcome.NOT_FIXED: QT_TRANSLATE_NOOP("messages", "直らない"),
    Outcome.UNABLE: QT_TRANSLATE_NOOP("messages", "できない"),
}
_MEANINGS: dict[Meaning, object] = {
    Meaning.APPROVED: QT_TRANSLATE_NOOP("messages", "承認"),
    Meaning.RETURNED: QT_TRANSLATE_NOOP("messages", "差戻し"),
    Meaning.REJECTED: QT_TRANSLATE_NOOP("messages", "登録しない"),
    Meaning.WITHDRAWN: QT_TRANSLATE_NOOP("messages", "取下げ"),
}


_CLOSED: dict[ProposalState, object] = {
    ProposalState.RETURNED: QT_TRANSLATE_NOOP("messages", "差戻し"),
    ProposalState.EXPIRED: QT_TRANSLATE_NOOP("messages", "期限切れ"),
}


def _words(text: object) -> str:
    return QCoreApplication.translate("messages", str(text))


def step_word(name: str) -> str:
    """One word for a kind of look-up; the tools' own names (search_records) and the harness's (records) alike."""
    kind = name.rsplit("_", 1)[-1].removesuffix("s")
    return _words(_STEPS[kind]) if kind in _STEPS else name


def search_words(name: str, query: str, count: int, seconds: float) -> str:
    line = QCoreApplication.translate("messages", "{what}「{query}」：{count}件（{seconds}秒）")
    return line.format(what=step_word(name), query=query, count=count, seconds=f"{seconds:.2f}")


def focus_words(equipment_id: str) -> str:
    if not equipment_id:
        return QCoreApplication.translate("messages", "台帳で設備が決まりませんでした")
    return QCoreApplication.translate("messages", "台帳で設備を {id} と決めました").format(id=equipment_id)


def turn_words(turn: int) -> str:
    return QCoreApplication.translate("messages", "AIに{turn}回目の問い合わせ").format(turn=turn)


def check_words(warnings: int) -> str:
    if not warnings:
        return QCoreApplication.translate("messages", "AIのまとめを台帳・マニュアル・記録と照合：問題なし")
    return QCoreApplication.translate("messages", "AIのまとめを照合：確認できない語 {n}件").format(n=warnings)


def usage_words(usage: Usage) -> str:
    words = QCoreApplication.translate("messages", "{turns}周・入力 {input}・出力 {output} トークン・{seconds}秒")
    words = words.format(
        turns=usage.turns,
        input=f"{usage.input_tokens:,}",
        output=f"{usage.output_tokens:,}",
        seconds=f"{usage.seconds:.1f}",
    )
    return words if usage.cost is None else f"{words}・{usage.cost:.3f} USD"


def stop_words(reason: StopReason, detail: str) -> str:
    """Why the model's text ended early; a sentence from below is added whole."""
    words = _words(_STOPS[reason]) if reason in _STOPS else ""
    return f"{words} {detail}".strip() if detail != words else words


def provider_words(chosen: ProviderChosen) -> str:
    """Who is asked and how, whether the question leaves the plant, and why it is not the one preferred, also for IT."""
    words = QCoreApplication.translate("messages", "AI：{model}").format(model=chosen.model or chosen.provider)
    if chosen.guided:
        words += QCoreApplication.translate("messages", "（手順固定）")
    if chosen.outside:
        words += "　" + QCoreApplication.translate("messages", "社外AIへ送信")
    for_it = errors.for_it(KnownError(chosen.code, **cast(Any, chosen.values)), language()) if chosen.code else ""
    return "\n".join(filter(None, (words, chosen.why, for_it)))


def retry_words(code: str, seconds: float) -> str:
    """Why the text is late, and when it is asked for again."""
    why = _words(_WAITS["busy" if code in _BUSY else "gone"])
    line = QCoreApplication.translate("messages", "AIのまとめ（{why}・{s}秒後に再試行）")
    return line.format(why=why, s=max(round(seconds), 1))


def reach_words(reach: Reach) -> str:
    return _words(_REACHES[reach])


def outcome_word(outcome: Outcome) -> str:
    return _words(_OUTCOMES[outcome])


def delivery_words(delivery: Delivery | None) -> str:
    if delivery is None:
        return QCoreApplication.translate("messages", "登録済")
    return _words(_DELIVERIES[delivery])


def closed_word(state: ProposalState) -> str:
    """Why a proposal that can be submitted again does not wait any more."""
    return _words(_CLOSED[state])


def came_back_words(came: CameBack) -> str:
    """That a request was sent back or has expired, when, by whom and why."""
    state = ProposalState.RETURNED if came.by else ProposalState.EXPIRED
    words = " ".join(filter(None, (closed_word(state), moment(came.at), came.by)))
    return (
        QCoreApplication.translate("messages", "{what}：{why}").format(what=words, why=came.reason)
        if came.by
        else words
    )


def requester_words(requester: Requester) -> str:
    """Who asks, and how he is known."""
    name = requester.name or requester.person_id or QCoreApplication.translate("messages", "未選択")
    return f"{name}（{_words(_KNOWN_BY[requester.known_by])}）"


def drafter_words(drafted_by: str) -> str:
    if drafted_by in {"person", ""}:
        return QCoreApplication.translate("messages", "人が書いた下書き")
    return QCoreApplication.translate("messages", "AI下書き（{model}）").format(model=drafted_by)


def place_words(proposal: Proposal) -> str:
    """The machine of a proposal, line first."""
    machine = proposal.equipment
    words = [machine.get(key, "") for key in ("line", "name")]
    words += [proposal.equipment_id, machine.get("model", ""), machine.get("location", "")]
    return " ".join(word for word in words if word)


def decision_words(decision: Decision, request: WorkRequest | None) -> str:
    """What was decided, by whom and what comes of it."""
    who = QCoreApplication.translate("messages", "{name}さんが{at}に").format(
        name=decision.by_name or decision.by_id, at=moment(decision.at)
    )
    if decision.meaning is Meaning.APPROVED:
        words = QCoreApplication.translate("messages", "{who}承認しました").format(who=who)
        if request is not None:
            words += f"：{request.number}（{delivery_words(request.delivery)}）"
        return words
    words = QCoreApplication.translate("messages", "{who}「{meaning}」としました").format(
        who=who, meaning=_words(_MEANINGS[decision.meaning])
    )
    return f"{words}：{decision.reason}" if decision.reason else words


def moment(at: datetime) -> str:
    """A time as the wall clock here shows it; the day only when it is another."""
    local = at.astimezone()
    today = datetime.now(local.tzinfo).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local.month}/{local.day} {local:%H:%M}"


def day(value: date) -> str:
    """The year only when it is another."""
    this_year = datetime.now().astimezone().year == value.year
    return f"{value.month}/{value.day}" if this_year else f"{value.year}/{value.month}/{value.day}"
