"""Whether a plant's own safety list can be used: its form, and whether it still protects whom it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from string import Formatter
from typing import Any

from desktop.domain.safety import SafetyRules
from desktop.domain.text import fold

_FILLED = frozenset({"isolation", "residual", "protection"})
_FEWEST_STEPS = 5  # stop, isolate, lock and tag, release residual energy, verify zero

# What any list must still do, in sentences; that they are tried at all also shows a pattern that never ends.
_REFUSED = (
    "インターロックを短絡して運転したい",
    "安全カバーを外したまま運転したい",
    "ドアスイッチをバイパスする方法",
    "センサーをだまして運転を続けたい",
    "運転中に手を入れて詰まりを取る方法",
    "アラームが出ないように設定値を変えたい",
)
_WORK = ("カバーを外して清掃する", "ベルトを交換する")
_HARMLESS = ("E-12の意味は", "担当者は誰")
_LONG = ("あ" * 400 + "a" * 400 + "1" * 400) * 2

TEXT, MAYBE_TEXT, WORDS = "text", "maybe", "words"
_FORM: Mapping[str, Any] = {
    "revised": date,
    "confirmed_by": MAYBE_TEXT,
    "source": {"*": TEXT},
    "work": {"words": WORDS},
    "lockout": [{"text": TEXT, "source": TEXT}],
    "energy": [{"words": WORDS, "residual?": MAYBE_TEXT, "protection?": MAYBE_TEXT}],
    "no_energy": {"residual": TEXT, "protection": TEXT},
    "ban": [{"name": TEXT, "refusal": TEXT, "source": TEXT, "things": WORDS, "acts": WORDS}],
    "harmless": {"phrases": WORDS, "not_done": WORDS, "prohibited": WORDS},
}


def faults(table: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the form of a parsed safety list, in words that name the place."""
    yield from form_faults(table, _FORM, "")
    patterns = [("harmless", table.get("harmless"))]
    bans = table.get("ban")
    patterns += [(f"ban {number}", ban) for number, ban in enumerate(bans if isinstance(bans, list) else (), start=1)]
    for where, part in patterns:
        for key in ("things", "acts", "phrases", "not_done", "prohibited"):
            words = part.get(key) if isinstance(part, Mapping) else None
            for word in words if isinstance(words, list) else ():
                if isinstance(word, str) and (fault := _pattern_fault(word)):
                    yield f"{where} の {key}：「{word}」{fault}"


def senseless(rules: SafetyRules) -> Iterator[str]:
    """What makes a well-formed list no protection; `rules` as they will hold."""
    named = {step.source for step in rules.steps} | {ban.source for ban in rules.bans}
    for source in sorted(named - set(rules.sources)):
        yield f"根拠「{source}」が [source] にありません"
    filled = set[str]()
    for step in rules.steps:
        names = {name for _, name, _, _ in Formatter().parse(step.text) if name is not None}
        filled |= names
        if names - _FILLED:
            yield f"lockout の {{{'・'.join(sorted(names - _FILLED))}}} は使えません"
    if len(rules.steps) < _FEWEST_STEPS or not {"isolation", "residual"} <= filled:
        yield "lockout に、停止・遮断（{isolation}）・施錠と札掛け・残りの力（{residual}）・ゼロ確認がそろっていません"
    yield from (f"「{text}」を断りません" for text in _REFUSED if rules.refusal(text) is None)
    yield from (f"「{text}」で作業の注意が出ません" for text in _WORK if not rules.implies_work(text))
    yield from (f"「{text}」を断ってしまいます" for text in (*_WORK, *_HARMLESS, _LONG) if rules.refusal(text))
    yield from (f"「{text}」で作業の注意が出てしまいます" for text in _HARMLESS if rules.implies_work(text))


def form_faults(value: Any, form: Any, where: str) -> Iterator[str]:
    """Where a TOML value differs from a form: tables with their keys (`key?` may lack, `*` any), lists, texts."""
    match form:
        case dict():
            yield from _table_faults(value, form, where)
        case [each]:
            if not isinstance(value, list) or not value:
                yield f"{where} は [[{where}]] の並びでなければなりません"
                return
            for number, item in enumerate(value, start=1):
                yield from form_faults(item, each, f"{where} {number}")
        case "words":
            if not isinstance(value, list) or not value or not all(_is_text(word) for word in value):
                yield f"{where} は空でない語の並びでなければなりません"
        case "text" | "maybe":
            if not isinstance(value, str) or (form == TEXT and not value.strip()):
                yield f"{where} は文字でなければなりません"
        case _:
            if not isinstance(value, date) or isinstance(value, datetime):
                yield f"{where} は日付（2026-11-29 の形）でなければなりません"


def _table_faults(value: Any, form: Mapping[str, Any], where: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{where} は [{where}] の表でなければなりません"
        return
    known = {key.removesuffix("?"): (each, key.endswith("?")) for key, each in form.items()}
    for key, (each, may_lack) in known.items():
        place = f"{where} の {key}" if where else key
        if key in value:
            yield from form_faults(value[key], each, place)
        elif key != "*" and not may_lack:
            yield f"{place} がありません"
    for key, item in value.items():
        if key in known:
            continue
        if "*" in known:
            yield from form_faults(item, known["*"][0], f"{where} の {key}")
        else:
            yield f"{where} の {key} は使えない項目です".strip()


def _is_text(word: Any) -> bool:
    return isinstance(word, str) and bool(fold(word).strip())


def _pattern_fault(word: str) -> str:
    try:
        pattern = re.compile(fold(word))
    except (re.error, RecursionError, OverflowError) as error:
        return f"は正規表現として読めません（{error}）"
    return "は何にでも当てはまります" if pattern.search("") and not word.endswith("$") else ""
