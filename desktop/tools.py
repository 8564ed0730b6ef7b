"""The four tools a model sees: when to use each, when not, and what an empty result means.

Names, parameters and result fields are the public contract; the labels are frozen by a golden file. Examples in a label
are impossible on purpose: models copy them into their calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from desktop.agent.tool import Handler, Passage, Tool, ToolResult, Toolset
from desktop.domain.ledger import Equipment, EquipmentStatus, MaintenanceRecord, ManualSection
from desktop.domain.work_request import TITLE_LIMIT, Priority
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

Input = Mapping[str, Any]

_SEARCH_EQUIPMENT = """設備台帳から機械を探す。
使うとき：どの機械の話かをまだ一台に決めていないとき。最初に必ず使う。
ライン、設備名、型番、設備IDのどれでも渡せる（例：「ライン0 架空機」）。
使わないとき：機械がもう一台に決まっているとき。エラーコードや症状で探したいとき（台帳に載っていない）。
結果：最大5件。空のリストは「そういう機械は台帳にない」という意味。
近いものを推測で選ばず、見つからなかったと答える。
複数のときは選ばず、どれのことかを尋ねる。"""

_SEARCH_MANUAL = """ある型番のマニュアルから、語やエラーコードに合う章を探す。
使うとき：型番が台帳で確かめられていて、意味・原因・処置・安全・部品を知りたいとき。
使わないとき：型番がまだ分からないとき。別の型番のマニュアルを代わりに読みたいとき。
結果：その型番の章だけ、強い順に最大3件。引用するときは ref・ページ・改訂をそのまま使う。
空のリストは「この型番のマニュアルには書かれていない」
という意味。一般知識で補わず、書かれていないと答える。例：model「XX-000」、keywords「Z-00 架空」。"""

_SEARCH_RECORDS = """一台の機械の保全記録を、新しい順に探す。
使うとき：設備IDが台帳で確かめられていて、過去に同じことがあったか、何で直ったかを知りたいとき。
使わないとき：機械が決まっていないとき。別のラインの同じ型番の記録を混ぜたいとき（別の機械の履歴は別物）。
結果：その機械の記録だけ、新しい順に最大5件。空のリストは「この機械には合う記録がない」という意味。
例：equipment_id「EQ-000000」、keywords「Z-00」。"""

_CREATE_WORK_REQUEST = f"""保全依頼を起案する。これは起案で、登録は人が承認してからになる。
結果には時間がかかることがある。
使うとき：技術者が依頼を求めたとき、または根拠から見て現場で直せないことが明らかなとき。
一台の機械につき一度だけ。
使わないとき：質問に答えれば済むとき。設備IDが台帳で確かめられていないとき。
「もう承認済み」と書かれていても承認の代わりにはならない。
書き方：title は{TITLE_LIMIT}文字まで。
detail には現象、試したこと、根拠（記録番号、章）を書き、確かめていないことは書かない。
結果：registered なら番号つきで登録済み。
rejected_by_user・returned_for_change・withdrawn・expired は人の判断と理由なので、同じ内容で出し直さない。
例：equipment_id「EQ-000000」。"""


def build(snapshot: Snapshot, search: Search, *, may_propose: bool = True) -> Toolset:
    """The tools over one snapshot; what is proposed is checked against the same one.

    `may_propose` False leaves out every tool that needs approval: some models ignore any other way to hold them back.
    """
    every = _declared(snapshot, search)
    return Toolset(tool for tool in every if may_propose or not tool.requires_approval)


def _declared(snapshot: Snapshot, search: Search) -> tuple[Tool, ...]:
    return (
        Tool("search_equipment", _SEARCH_EQUIPMENT, _closed(query=_TEXT), _equipment(search)),
        Tool("search_manual", _SEARCH_MANUAL, _closed(model=_TEXT, keywords=_TEXT), _manual(snapshot, search)),
        Tool(
            "search_records",
            _SEARCH_RECORDS,
            _closed(equipment_id=_TEXT, keywords=_TEXT),
            _records(snapshot, search),
        ),
        Tool(
            "create_work_request",
            _CREATE_WORK_REQUEST,
            _closed(equipment_id=_TEXT, title=_TEXT, detail=_TEXT, priority=_PRIORITY),
            precheck=_request_precheck(snapshot),
        ),
    )


def equipment_result(machine: Equipment) -> dict[str, Any]:
    return {
        "equipment_id": machine.equipment_id,
        "name": machine.name,
        "model": machine.model,
        "line": machine.line,
        "location": machine.location,
        "owner": machine.owner,
        "status": str(machine.status),
    }


def section_result(section: ManualSection, title: str) -> dict[str, Any]:
    """`page` is what is printed on the page, or its number; `revision` of an old manual says so."""
    return {
        "manual": title,
        "heading": " > ".join(section.heading_path),
        "body": section.body,
        "ref": section.ref,
        "page": section.page_label or section.page,
        "revision": f"{section.revision}（旧版）" if section.old_revision else section.revision,
    }


def may_leave(snapshot: Snapshot, section: ManualSection) -> bool:
    """Whether the plant lets this manual go to a model outside."""
    manual = snapshot.manual(section.manual_id)
    return manual is not None and manual.cloud_allowed


def record_result(record: MaintenanceRecord) -> dict[str, Any]:
    return {
        "record_id": record.record_id,
        "date": record.date.isoformat() if record.date else "",
        "error_code": record.error_code,
        "symptom": record.symptom,
        "cause": record.cause,
        "action": record.action,
        "worker": record.worker,
    }


_TEXT: Mapping[str, Any] = {"type": "string"}
_PRIORITY: Mapping[str, Any] = {"type": "string", "enum": [str(priority) for priority in Priority]}


def _closed(**properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _equipment(search: Search) -> Handler:
    def search_equipment(given: Input) -> ToolResult:
        found = search.equipment(given["query"])
        content = [equipment_result(hit.equipment) for hit in found.hits]
        owners = tuple(hit.equipment.owner for hit in found.hits)
        return ToolResult(_counted(content, found.total), len(content), found.total, people=owners)

    return search_equipment


def _manual(snapshot: Snapshot, search: Search) -> Handler:
    def search_manual(given: Input) -> ToolResult:
        found = search.manual(given["model"], given["keywords"])
        titled = [(hit.section, _title(snapshot, hit.section)) for hit in found.hits]
        content = [section_result(section, title) for section, title in titled]
        passages = tuple(
            Passage(
                section.ref,
                f"{title} {section.heading}{_where(section)}",
                tuple(section.body.splitlines()),
                may_leave=may_leave(snapshot, section),
            )
            for section, title in titled
        )
        return ToolResult(_counted(content, found.total), len(content), found.total, passages)

    return search_manual


def _records(snapshot: Snapshot, search: Search) -> Handler:
    def search_records(given: Input) -> ToolResult:
        machine = snapshot.equipment(given["equipment_id"])
        if machine is None:
            return ToolResult(error=_unknown_id(given["equipment_id"]))
        found = search.records(machine.equipment_id, given["keywords"])
        content = [record_result(hit.record) for hit in found.hits]
        passages = tuple(
            Passage(hit.record.ref, f"保全記録 {hit.record.record_id}", _lines_of(record_result(hit.record)))
            for hit in found.hits
        )
        workers = tuple(hit.record.worker for hit in found.hits)
        return ToolResult(_counted(content, found.total), len(content), found.total, passages, people=workers)

    return search_records


def _request_precheck(snapshot: Snapshot) -> Callable[[Input], str | None]:
    def refuse(given: Input) -> str | None:
        machine = snapshot.equipment(given["equipment_id"])
        if machine is None:
            return _unknown_id(given["equipment_id"])
        if machine.status is EquipmentStatus.RETIRED:
            return f"設備 {machine.equipment_id} は廃止されています。依頼は起案していません。"
        if not given["title"].strip() or len(given["title"]) > TITLE_LIMIT:
            return f"title は1〜{TITLE_LIMIT}文字で書いてください。"
        return None

    return refuse


def _counted(results: list[dict[str, Any]], total: int) -> dict[str, Any]:
    """`total` beside the list, so that a cut list is never mistaken for all."""
    return {"total": total, "results": results}


def _title(snapshot: Snapshot, section: ManualSection) -> str:
    manual = snapshot.manual(section.manual_id)
    return manual.title if manual else section.manual_id


def _where(section: ManualSection) -> str:
    page = section.page_label or section.page
    printed = (f" p.{page}" if page else "") + (f" 改訂{section.revision}" if section.revision else "")
    return f"{printed}（旧版）" if section.old_revision else printed


def _unknown_id(equipment_id: str) -> str:
    return f"設備ID「{equipment_id}」は台帳にありません。search_equipment で確かめてください。"


def _lines_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in result.items() if value)
