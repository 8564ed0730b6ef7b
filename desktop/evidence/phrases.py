"""Every fixed sentence of a composed answer that carries facts, made from domain values alone.

`check` makes them anew from the snapshot, so that a changed number in an answer matches none of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from desktop.domain.answer import Citation, Mention, OpenRequest
from desktop.domain.history import Reliability, Remedy, days_since
from desktop.domain.ledger import Equipment, EquipmentStatus, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.domain.machine_note import MachineNote
from desktop.domain.outcome import Outcome
from desktop.domain.safety import Ban
from desktop.domain.text import fold, fold_code, shape
from desktop.domain.work_request import Delivery, WorkRequest

_OWNERS_NAMED = 5
NO_CAUSE = "原因の記載なし"
REGISTERED = "登録済"
"""Of a request while there is nowhere to send it."""
DELIVERIES = {
    Delivery.QUEUED: "送信待ち",
    Delivery.SENDING: "送信中",
    Delivery.HANDED_OVER: "提出済",
    Delivery.ACCEPTED: "受付",
    Delivery.REFUSED: "受付拒否",
    Delivery.NEEDS_ATTENTION: "要対応",
}
_SOURCES = {"request": "依頼", "order": "手配"}


def machine_words(machine: Equipment) -> str:
    """Line first: ライン3 充填機 EQ-003 FL-200 第2工場 1F 東。"""
    words = (machine.line, machine.name, machine.equipment_id, machine.model or "型番の登録なし", machine.location)
    return " ".join(filter(None, words))


def short_words(machine: Equipment) -> str:
    place = f"（{machine.line}）" if machine.line else ""
    return f"{machine.equipment_id} {machine.name}{place}"


def status_words(machine: Equipment) -> str:
    match machine.status:
        case EquipmentStatus.RETIRED:
            return f"{machine.equipment_id}は台帳で「廃止」です。保全依頼は出せません。"
        case EquipmentStatus.AT_REST:
            return f"{machine.equipment_id}は台帳で「休止」です。動かす前に担当へ確かめてください。"
        case _:
            return ""


def as_open(order: OpenOrder) -> OpenRequest:
    due = f" 予定{order.promised_on.isoformat()}" if order.promised_on else ""
    return OpenRequest(order.number, order.title, f"{order.state}{due}".strip(), "order")


def as_request(request: WorkRequest) -> OpenRequest:
    return OpenRequest(request.number, request.title, DELIVERIES[request.delivery] if request.delivery else REGISTERED)


def under_way(requests: Iterable[WorkRequest], orders: Iterable[OpenOrder]) -> tuple[OpenRequest, ...]:
    """Requests of ours that were not refused, then what the plant has ordered."""
    ours = (as_request(one) for one in requests if one.delivery is not Delivery.REFUSED)
    return (*ours, *map(as_open, orders))


def all_told(requests: Iterable[WorkRequest], orders: Iterable[OpenOrder]) -> tuple[OpenRequest, ...]:
    """Every request and order, those refused included."""
    return (*map(as_request, requests), *map(as_open, orders))


def no_request(machine: Equipment) -> str:
    """Why a request for this machine is not even drafted; "" where it is."""
    return status_words(machine) if machine.status is EquipmentStatus.RETIRED else ""


def open_words(request: OpenRequest) -> str:
    return f"未完了の{_SOURCES[request.source]} {request.number} {request.title} {request.state}".rstrip()


def note_words(note: MachineNote) -> str:
    until = f"・{note.valid_until.isoformat()}まで" if note.valid_until else ""
    instead = f"（{note.overrides} より優先）" if note.overrides else ""
    return f"現場メモ：{quoted(note.text)}{instead}（{note.author}、承認 {note.approver}{until}）"


def recurrence(remedy: Remedy, today: date) -> str:
    """再発なし k/n; one case is only told, never called a success; a young repair is not yet judged."""
    young = days_since(remedy.waiting[0], today) if remedy.waiting else None
    waiting = f"経過{young}日・判定前" if young is not None else ""
    if remedy.judged > 1:
        told = f"再発なし {remedy.held}/{remedy.judged}"
    elif remedy.judged == 1:
        told = "1件だけ・30日以内の再発なし" if remedy.held else "1件だけ・30日以内に再発"
    else:
        told = "" if waiting else "日付がなく判定できない"
    return "、".join(filter(None, (told, waiting)))


def remedy_row(remedy: Remedy, today: date, *, matched: str) -> str:
    """「Oリング交換」 再発なし 4/4、経過10日・判定前 最新 2026-11-19 REC-0150 原因「…」; `matched` tells by what."""
    newest = remedy.newest
    cause = f"原因{quoted(newest.cause)}" if newest.cause.strip() else NO_CAUSE
    return f"{quoted(remedy.action)} {recurrence(remedy, today)} {record_words(newest)} {cause}{matched}"


def of_code(record: MaintenanceRecord) -> str:
    """The code whose records a figure counts, where the question named none."""
    return f"（{shape(record.error_code).strip().upper()}の記録）"


def record_words(record: MaintenanceRecord) -> str:
    day = record.date.isoformat() if record.date else "日付なし"
    return f"最新 {day} {record.record_id}"


def plain_record(record: MaintenanceRecord) -> str:
    """A record as it stands, for the list of what exists."""
    day = record.date.isoformat() if record.date else "日付なし"
    code = f"{record.error_code} " if record.error_code else ""
    action = f"処置{quoted(record.action)}" if record.action.strip() else "処置の記載なし"
    worker = f" 作業者 {record.worker}" if record.worker.strip() else ""
    return f"{day} {record.record_id} {code}{quoted(record.symptom)} {action}{worker}"


def whole_record(record: MaintenanceRecord) -> str:
    """All that stands in a record."""
    cause = f"原因{quoted(record.cause)}" if record.cause.strip() else NO_CAUSE
    parts = f"部品{quoted(record.parts)}" if record.parts.strip() else ""
    minutes = f"停止{record.downtime_minutes}分" if record.downtime_minutes is not None else ""
    return " ".join(filter(None, (plain_record(record), cause, parts, minutes)))


def not_in_ledger(name: str) -> str:
    return f"{quoted(name)}は台帳になし（記録・手配・依頼にもありません）。"


def twin_row(machine: Equipment, remedy: Remedy, today: date) -> str:
    newest = remedy.newest
    cause = f"原因{quoted(newest.cause)}" if newest.cause.strip() else NO_CAUSE
    told = f"{quoted(remedy.action)} {recurrence(remedy, today)} {record_words(newest)} {cause}"
    return f"別設備 {short_words(machine)}：{told}"


def best_words(remedy: Remedy, today: date) -> str:
    """What the conclusion says of this machine's history."""
    if remedy.proven and remedy.held * 2 > remedy.judged:
        return f"この設備で再発が少ない処置は{quoted(remedy.action)}（{recurrence(remedy, today)}）。"
    return f"この設備の記録は{quoted(remedy.action)}（{recurrence(remedy, today)}）。"


def trial_words(step: str, outcome: str) -> str:
    return f"{step}：{outcome}"


def tried_words(word: str) -> str:
    return trial_words(word, Outcome.NOT_FIXED)


def move(remedy: Remedy, today: date) -> str:
    """An action of this machine's history as the next thing to do."""
    return f"{quoted(remedy.action)}（この設備で {recurrence(remedy, today)}）"


def source_words(citation: Citation) -> str:
    """A source in one breath, for the detail of a request."""
    page = citation.page_label or citation.page
    revision = f" 改訂{citation.revision}" if citation.revision else ""
    return f"{citation.title}{revision}{f' p.{page}' if page else ''}"


def reliability_words(told: Reliability) -> str:
    between = f"、間隔の平均{told.days_between:.0f}日（暦日）" if told.days_between is not None else ""
    minutes = f"、停止の平均{told.downtime_minutes:.0f}分（{told.downtime_known}件）" if told.downtime_minutes else ""
    return f"この設備の記録は{told.failures}件{between}{minutes}。"


def most_frequent(records: Sequence[MaintenanceRecord]) -> str:
    """多い順：E-12 13件、E-21 5件。; "" where no record has a code."""
    counted = Counter(fold_code(one.error_code) for one in records if one.error_code.strip())
    spelled = Counter(shape(one.error_code).upper() for one in records if one.error_code.strip())
    written = {fold_code(spelling): spelling for spelling, _ in reversed(spelled.most_common())}
    told = "、".join(f"{written[key]} {n}件" for key, n in counted.most_common(3))
    return f"多い順：{told}。" if told else ""


def part_row(part: Part) -> str:
    shelf = f" 棚 {part.shelf}" if part.shelf else ""
    when = f"（{part.as_of.isoformat()}時点）" if part.as_of else ""
    stock = f" 在庫 {part.quantity}{when}" if part.quantity is not None else ""
    return f"{part.part_number} {part.name}{shelf}{stock}"


def caution_words(section: ManualSection, text: str) -> str:
    page = f" p.{section.page_label or section.page}" if section.page_label or section.page else ""
    return f"マニュアル{page}：{quoted(text)}"


def withheld(section: ManualSection) -> str:
    return f"「{section.heading}」に安全規則が禁じる手順があり、表示していません。"


def refusal_warning(ban: Ban) -> str:
    return f"{ban.name}は案内できません（{ban.source}）。"


def unsure_manual(machine: Equipment) -> str:
    return (
        f"このマニュアルが{machine.equipment_id}に当てはまるか、データでは決められません。対象号機を確認してください。"
    )


def no_such_code(machine: Equipment, code: str) -> str:
    if not machine.model:
        return f"{machine.equipment_id}には型番の登録がなく、{code}を調べるマニュアルがありません。"
    return f"{machine.model}のマニュアルに{code}はありません。"


def of_other_models(code: Mention) -> str:
    """The first few of them: a short code may be on a hundred."""
    rest = len(code.owners) - _OWNERS_NAMED
    more = f" ほか{rest}型番" if rest > 0 else ""
    return f"{code.text}は別設備の型番（{'、'.join(code.owners[:_OWNERS_NAMED])}{more}）のコードです。"


def only_in_old(machine: Equipment, code: str, revision: str) -> str:
    return f"{machine.model}の現行のマニュアルに{code}はありません。旧版（改訂{revision}）にだけあります。"


def no_manual(machine: Equipment) -> str:
    if not machine.model:
        return f"{machine.equipment_id}には型番の登録がなく、マニュアルもありません。"
    return f"{machine.model}のマニュアルは取り込まれていません。"


def nothing_of(machine: Equipment) -> str:
    return f"{machine.equipment_id}の台帳・マニュアル・記録に、答えになる記載がありません。"


_FACTS: tuple[tuple[str, str, Callable[[Equipment], str]], ...] = (
    ("ドノ(?:機械|設備|装置)", "設備", lambda one: machine_words(one)),
    ("電源電圧|電圧ハ|電源ハ(?:$|[?？。 ナ何])", "エネルギー", lambda one: "、".join(one.energies)),
    ("遮断点|エネルギー", "遮断点", lambda one: "、".join(one.isolation_points)),
    ("担当", "担当", lambda one: one.owner),
    ("電話|連絡先", "連絡先", lambda one: phones(one)),
    ("メーカ", "メーカー", lambda one: f"{one.maker} {one.maker_phone}".strip()),
    ("場所|ドコ", "設置場所", lambda one: f"{one.line} {one.location}".strip()),
    ("型番|型式|機種", "型番", lambda one: one.model),
    ("製造番号|シリアル", "製造番号", lambda one: one.serial),
    ("導入|据付|設置日", "導入日", lambda one: one.installed_on.isoformat() if one.installed_on else ""),
)


def ledger_fact(machine: Equipment, question: str) -> str:
    """What the ledger says where the question asks for one of its columns; "" where it asks for none."""
    text = fold(question)
    for words, name, value in _FACTS:
        if re.search(words, text) and not re.search("部品", text):
            return f"{name}：{value(machine) or '台帳に登録なし'}"
    return ""


def nothing_on(title: str) -> str:
    return f"{title}：記載なし"


def no_such_part(text: str) -> str:
    return f"部品表に{text}はありません。"


def other_revision(asked: str, shown: Iterable[str]) -> str:
    return f"改訂{asked}をお尋ねですが、表示しているのは改訂{'・'.join(shown)}です。"


def near_codes(codes: Iterable[str]) -> str:
    return f"近い番号：{told}（別のコードです）。" if (told := "、".join(codes)) else ""


def on_other_model(model: str, heading: str) -> str:
    return f"別設備の型番 {model} のマニュアルには{quoted(heading)}があります。"


def phones(machine: Equipment) -> str:
    """Whom to call, as far as the ledger says."""
    told = (
        f"保全 {machine.on_call_phone}" if machine.on_call_phone else "",
        f"メーカー {machine.maker} {machine.maker_phone}" if machine.maker_phone else "",
    )
    return "、".join(filter(None, told)) or "台帳に登録なし"


def telling(machines: Sequence[Equipment]) -> tuple[str, ...]:
    """The fewest fields that tell the machines apart, the line first."""
    for fields in _DETAILS:
        if len({tuple(getattr(one, name) for name in (*fields, "name")) for one in machines}) == len(machines):
            return fields
    return _DETAILS[-1]


_DETAILS = (("line",), ("line", "location"), ("line", "location", "model"), ("line", "location", "model", "serial"))


def candidate_words(machine: Equipment, *, show: Iterable[str]) -> str:
    """A machine in a choice, with no more than tells it apart; `show` are field names of Equipment."""
    details = " ".join(str(getattr(machine, name)) or "—" for name in show)
    rest = "" if machine.status is EquipmentStatus.RUNNING else f"（{machine.status}）"
    return f"{details} {machine.name} {machine.equipment_id}{rest}".strip()


def more_machines(n: int) -> str:
    return f"ほかに{n}台あります。ラインか設備IDを足してください。"


def footer(published: date, manuals: Iterable[Manual], records_until: date | None, *, sample: bool) -> str:
    """見本（架空）・台帳 11/29・マニュアル改訂3・記録 11/28まで・AI不使用。"""
    revisions = dict.fromkeys(manual.revision for manual in manuals if manual.revision)
    parts = (
        "見本（架空）" if sample else "",
        f"台帳 {_day(published)}",
        f"マニュアル改訂{'・'.join(revisions)}" if revisions else "",
        f"記録 {_day(records_until)}まで" if records_until else "記録なし",
        "AI不使用",
    )
    return "・".join(filter(None, parts))


def quoted(text: str) -> str:
    """A quotation on one line; quotation marks inside it become 『』."""
    return f"「{' '.join(text.split()).replace('「', '『').replace('」', '』')}」"


def _day(day: date) -> str:
    return f"{day.month}/{day.day}"
