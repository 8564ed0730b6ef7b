"""The sentences of an answer that carry no fact of a machine."""

from __future__ import annotations

NO_PART = "部品番号の記載はありません。"
NEAR_ONLY = "近い記載だけが見つかりました。"
DRAFTED = "依頼案を作りました。承認者が承認するまで、どこにも送られません。"
NOT_BY_WORDS = "承認されているかどうかは、質問の言葉では確かめられません。"
WHICH = "どの設備ですか。"
LAST_TIME = "前回の設備のことですか。"
NO_MACHINE = "どの設備のことか分かりません。設備ID、ラインと設備名、または銘板の型番を入れてください。"
NO_EVIDENCE = "根拠が見つかりません。触らず停止のまま保全へ連絡してください。"
INSTEAD = "停止のまま、保全依頼を出してください（下書きあり）。"
CHOOSE_FIRST = "停止のまま、設備を選んで保全依頼を出してください。"
FOLLOW_STEPS = "上の手順を番号の順に行う。"
REQUEST_MOVE = "直らないときは保全依頼を出す（下書きあり）。"
ONLY_REQUEST = "根拠のある処置はほかにありません。保全依頼を出す（下書きに試したことを記入済み）。"
NOTHING_TO_DO = "根拠のある処置は見つかりません。保全依頼を出す（下書きあり）。"
ENOUGH_TRIED = "試した処置で直っていません。これ以上は触らず、保全依頼を出す（下書きに試したことを記入済み）。"
BY_SYMPTOM = "（コードの記載なし・現象で照合）"
IN_THE_SYMPTOM = "（コード欄の記載なし・現象欄のコードで照合）"
CALL_MAINTENANCE = "この設備には保全依頼を出せません。停止のまま保全へ連絡する。"
FORBIDDEN_RECORD = "この記録の処置は安全規則が禁じるものです。案内には使わず、ここには書きません。"
ASK_WHAT = "困っていること（コード、症状、知りたいこと）を続けて入れる。"
FIXED = "直ったのですね。現象・原因・処置を記録に残してください。"
ASK_ON = "ほかに困りごとがあれば、続けて質問を入れる。"
ALREADY_DRAFTED = "この会話の同じ依頼案が、すでに承認を待っています。新しくは作っていません。"
CLOSE_OUT = "直ったら、現象・原因・処置を記録に残す。"

ALL = (
    NO_PART,
    NEAR_ONLY,
    DRAFTED,
    NOT_BY_WORDS,
    WHICH,
    LAST_TIME,
    NO_MACHINE,
    NO_EVIDENCE,
    INSTEAD,
    CHOOSE_FIRST,
    FOLLOW_STEPS,
    REQUEST_MOVE,
    ONLY_REQUEST,
    NOTHING_TO_DO,
    ENOUGH_TRIED,
    CLOSE_OUT,
    FIXED,
    ASK_WHAT,
    FORBIDDEN_RECORD,
    CALL_MAINTENANCE,
    ASK_ON,
    ALREADY_DRAFTED,
)
