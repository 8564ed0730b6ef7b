"""What a command says to people, made from the same documents that --json prints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from desktop.domain.work_request import Delivery
from desktop.evidence.phrases import DELIVERIES, REGISTERED

Document = Mapping[str, Any]


def answer(document: Document) -> str:
    """The answer with its sources, then the model's text and what now waits for a person."""
    parts = [document["answer"]]
    if document["model_answer"]:
        parts.append(_model_text(document))
    if document["stop"]["detail"]:
        parts.append(f"AI：{document['stop']['detail']}")
    parts += _section("承認待ち", [_titled(item) for item in document["proposals"]])
    return "\n\n".join(part for part in parts if part) or _choices(document["focus"]["candidates"], document["sample"])


def _model_text(document: Document) -> str:
    """What the model wrote, who it is, why that one, and the sources that only it cites."""
    who = "・".join(filter(None, (document["provider"], document["model"], document["provider_why"])))
    sources = [
        f"[{one['n']}] {one['title']}" for one in document["citations"] if f"[{one['n']}]" not in document["answer"]
    ]
    return "\n".join([f"── AIのまとめ（{who}） ──", document["model_answer"], *sources])


def import_report(document: Document) -> str:
    """One paragraph a file, then the totals."""
    lines = []
    for file in document["files"]:
        if file["error"]:
            lines.append(f"{file['path']}：読めません。{file['error']['message']}\n（{file['error']['for_it']}）")
            continue
        counts = f"{file['accepted']} 件読込" + (f"、{file['rejected']} 件不可" if file["rejected"] else "")
        lines.append(f"{file['path']}（{file['kind']}）：{counts}")
        lines += [f"  {row['row']} 行目：{row['reason']}" for row in file["rows"][:20]]
        lines += [f"  注意：{warning}" for warning in file["warnings"]]
        if file["pages_without_text"]:
            lines.append(f"  文字のないページ：{_numbers(file['pages_without_text'])}")
    lines += [f"注意：{warning}" for warning in document["warnings"]]
    totals = "、".join(f"{_KINDS.get(kind, kind)} {count}" for kind, count in document["totals"].items() if count)
    return "\n".join([*lines, *_differences(document["difference"]), f"{_outcome(document)}：{totals or 'なし'}"])


def table_or_pages(document: Document) -> str:
    """What an import would read of one file."""
    if document["kind"] == "document":
        heads = [f"{page['page']}（{page['label'] or '-'}）{page['text'][:60]!r}" for page in document["pages"]]
        sections = [f"  {section['heading']}（{section['chars']} 文字）" for section in document["sections"]]
        return "\n".join([*heads, *_section("章", sections)])
    head = f"文字コード {document['encoding']}／見出し {document['header_row']} 行目（0 から）／{document['n_rows']} 行"
    rows = ["\t".join(document["columns"]), *("\t".join(row) for row in document["rows"])]
    return "\n".join([head, *rows])


def results(document: Document) -> str:
    """Search results, a line each field."""
    hits = ["\n".join(f"{key}: {value}" for key, value in hit.items()) for hit in document["results"]]
    return "\n\n".join([f"{len(hits)} / {document['total']} 件", *hits])


def whole(document: Document) -> str:
    """One thing with its normalised values; an original that reads otherwise stands behind."""
    return "\n".join(f"{key}: {_valued(value)}" for key, value in document.items())


def checks(document: Document) -> str:
    """doctor's findings, a line each; under what is wrong its number and what IT does about it; last the worst."""
    lines = []
    for check in document["checks"]:
        lines.append(f"{_MARKS[check['state']]} {check['name']}：{check['text']}")
        if check["for_it"]:
            lines.append(f"    {check['for_it']}")
    worst = document["worst"]
    first = f"最初に見るもの：{worst['hn']} {worst['code']}" if worst else "異常はありません。"
    return "\n".join([*lines, f"{first}（終了コード {document['exit']}）"])


def requests(document: Document) -> str:
    """Registered requests, then what still waits for a person."""
    registered = [
        f"{item['number']}　{item['equipment_id']}　{item['title']}　{_delivery(item['delivery'])}"
        for item in document["requests"]
    ]
    pending = [
        f"{item['equipment_id']}　{item['title']}　起案 {item['requester'] or '－'}" for item in document["pending"]
    ]
    sections = [*_section("保全依頼", registered), *_section("承認待ち", pending)]
    return "\n\n".join(sections) or "保全依頼はありません。"


def sync_status(document: Document) -> str:
    """How the queue stands."""
    counts = "、".join(f"{_delivery(name)} {count}件" for name, count in document["counts"].items() if count)
    last = local_time(document["last_success_at"]) if document["last_success_at"] else "まだありません"
    return f"送り方：{document['transport']}\n未送信 {document['unsent']}件（{counts or 'なし'}）\n最終同期：{last}"


def audit(document: Document) -> str:
    return f"監査記録 {document['rows']} 行、つながりに異常はありません。"


def people(document: Document) -> str:
    """The roster, a line each."""
    return "\n".join(
        f"{person['person_id']}　{person['name']}　{person['role']}　{'、'.join(person['lines']) or '全ライン'}"
        for person in document["people"]
    )


_KINDS = {
    "equipment": "設備",
    "manuals": "マニュアル",
    "sections": "章",
    "records": "記録",
    "people": "人",
    "parts": "部品",
    "open_orders": "工事",
    "aliases": "列名",
    "safety_rules": "安全規則",
}
_CHANGES = {"added": "追加", "changed": "変更", "gone": "消滅"}
_IDS_SHOWN = 5
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")  # a time of ours; a plant writes none so
_MARKS = {"ok": "○", "note": "・", "warning": "△", "failed": "×"}


def _delivery(name: str | None) -> str:
    return DELIVERIES[Delivery(name)] if name else REGISTERED


def _outcome(document: Document) -> str:
    if document["dry_run"]:
        return "試し読みです。台帳データは変えていません"
    return f"台帳データ {document['snapshot']}" + ("" if document["changed"] else "（変わったファイルはありません）")


def _differences(difference: Mapping[str, Mapping[str, Document]]) -> list[str]:
    """What came, changed and went by kind, the first ids named."""
    return [
        f"{word}　{_KINDS.get(kind, kind)} {changes[name]['count']} 件：{_first_ids(changes[name])}"
        for kind, changes in difference.items()
        for name, word in _CHANGES.items()
        if changes[name]["count"]
    ]


def _first_ids(change: Document) -> str:
    shown = change["ids"][:_IDS_SHOWN]
    return "、".join(shown) + (" ほか" if change["count"] > len(shown) else "")


def exported(document: Document) -> str:
    counts = "、".join(f"{table}.csv {count} 行" for table, count in document["rows"].items())
    documents = f"依頼と依頼案の PDF {document['pdfs']} 件、引用した資料 {document['documents']} 件"
    if document["documents_missing"]:
        documents += f"（ほかに、原本がこの PC にない資料 {document['documents_missing']} 件）"
    told = f"{document['folder']} に書き出しました：{counts}、{documents}。SHA256SUMS で照合できます。"
    behind = "書き出している間に新しい記録が増えました。それも要るなら、別のフォルダーにもう一度書き出してください。"
    return told if document["current"] else f"{told}\n{behind}"


def bundled(document: Document) -> str:
    told = f"{document['file']} に保存しました（省いた行 {document['omitted']}）。渡す前に logs をご確認ください。"
    unread = "、".join(sorted(set(document["unread"])))
    return f"{told}\n名前の控えを読めないため（{unread}）、文章はすべて省きました。" if unread else told


def export_checked(document: Document) -> str:
    left = f"承認待ち {document['pending']} 件、まだ届いていない依頼 {document['unsent']} 件"
    if not document["safe"]:
        return f"データを消すと失うものがあります：{left}。片付けるか、hozen-navi export all で書き出してください。"
    return f"{left}。書き出し {document['export']} にあります。" if document["export"] else f"{left}。"


def _choices(candidates: Sequence[Document], sample: bool) -> str:
    lines = [f"{one['line']}　{one['name']}　{one['id']}　{one['model']}" for one in candidates]
    mark = "見本（架空）　" if sample else ""
    return "\n".join([f"{mark}どの設備ですか。--equipment で指定してください。", *lines])


def _titled(proposal: Document) -> str:
    """A request as it will be called; the machine's id once."""
    title, equipment_id = str(proposal["title"]), str(proposal["equipment_id"])
    return title if title.startswith(equipment_id) else f"{equipment_id} {title}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join([f"■ {title}", *lines])] if lines else []


def _numbers(numbers: Sequence[int]) -> str:
    return "、".join(map(str, numbers))


def _valued(value: Any) -> str:
    if isinstance(value, Mapping) and value.keys() == {"value", "original"}:
        plain = _valued(value["value"])
        return plain if plain == value["original"] or not value["original"] else f"{plain}（原文：{value['original']}）"
    if isinstance(value, Mapping):
        return "、".join(f"{name} {_valued(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return "、".join(map(_valued, value))
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return local_time(value)
    return "" if value is None else str(value)


def local_time(moment: str) -> str:
    """A document's ISO time as the wall clock here shows it, to the minute."""
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"
