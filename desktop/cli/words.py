"""What a command says to people, made from the same documents that --json prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]


def answer(document: Document) -> str:
    """The answer, then its sources, warnings and pending requests."""
    parts = [document["answer"]]
    if document["model_answer"]:
        parts.append(f"── AIのまとめ ──\n{document['model_answer']}")
    parts += _section("出典", [_citation(citation) for citation in document["citations"]])
    parts += _section("注意", [warning["text"] for warning in document["warnings"]])
    parts += _section("承認待ち", [f"{item['equipment_id']} {item['title']}" for item in document["proposals"]])
    return "\n\n".join(part for part in parts if part)


def import_report(document: Document) -> str:
    """One paragraph a file, then the totals."""
    lines = []
    for file in document["files"]:
        counts = f"{file['accepted']} 件読込" + (f"、{file['rejected']} 件不可" if file["rejected"] else "")
        lines.append(f"{file['path']}（{file['kind']}）：{counts}")
        lines += [f"  {row['row']} 行目：{row['reason']}" for row in file["rows"][:20]]
        lines += [f"  注意：{warning}" for warning in file["warnings"]]
        if file["pages_without_text"]:
            lines.append(f"  文字のないページ：{_numbers(file['pages_without_text'])}")
    totals = "、".join(f"{_KINDS.get(kind, kind)} {count}" for kind, count in document["totals"].items())
    return "\n".join([*lines, f"台帳データ {document['snapshot']}：{totals}"])


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
    """doctor's findings, a line each."""
    return "\n".join(f"{_MARKS[check['state']]} {check['name']}：{check['text']}" for check in document["checks"])


_KINDS = {
    "equipment": "設備",
    "manuals": "マニュアル",
    "sections": "章",
    "records": "記録",
    "people": "人",
    "parts": "部品",
    "open_orders": "工事",
}
_MARKS = {"ok": "○", "note": "・", "warning": "△", "failed": "×"}


def _citation(citation: Document) -> str:
    page = f" p.{citation['page_label'] or citation['page']}" if citation["page"] else ""
    revision = f" 改訂{citation['revision']}" if citation["revision"] else ""
    mark = "" if citation["verified"] else "（未確認）"
    return f"[{citation['n']}] {citation['title']}{revision}{page}{mark}"


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join([f"■ {title}", *lines])] if lines else []


def _numbers(numbers: Sequence[int]) -> str:
    return "、".join(map(str, numbers))


def _valued(value: Any) -> str:
    if isinstance(value, Mapping) and value.keys() == {"value", "original"}:
        same = str(value["value"]) == value["original"] or not value["original"]
        return str(value["value"]) if same else f"{value['value']}（原文：{value['original']}）"
    return str(value)
