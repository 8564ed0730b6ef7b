"""Four small tools over two machines: enough for a conversation, whatever the real ones become."""

from collections.abc import Mapping
from typing import Any

from desktop.agent.tool import Passage, Tool, ToolResult, Toolset

MACHINES = {
    "EQ-001": {"equipment_id": "EQ-001", "name": "充填機", "model": "FL-200", "line": "ライン1"},
    "EQ-003": {"equipment_id": "EQ-003", "name": "充填機", "model": "FL-200", "line": "ライン3"},
}


def schema(**properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


WORD = {"type": "string"}


def found(*hits: Mapping[str, Any], passages: tuple[Passage, ...] = ()) -> ToolResult:
    return ToolResult({"total": len(hits), "results": list(hits)}, len(hits), len(hits), passages)


def search_equipment(given: Mapping[str, Any]) -> ToolResult:
    hits = [machine for machine in MACHINES.values() if machine["line"] in given["query"]]
    return found(*hits, passages=tuple(Passage(f"ledger:{m['equipment_id']}", m["name"], (str(m),)) for m in hits))


def search_manual(given: Mapping[str, Any]) -> ToolResult:
    if given["model"] != "FL-200":
        return found()
    passage = Passage(
        "manual:FL-200#5.2", "FL-200 取扱説明書 5.2 E-12", ("E-12 はノズル詰まり。", "ノズルを外して清掃する。")
    )
    hit = {"manual": "FL-200 取扱説明書", "heading": "5.2 E-12", "body": "".join(passage.lines), "ref": passage.ref}
    return found(hit, passages=(passage,))


def search_records(given: Mapping[str, Any]) -> ToolResult:
    if given["equipment_id"] == "EQ-404":
        raise FileNotFoundError("/home/plant/secret/records.xlsx")
    if given["equipment_id"] not in MACHINES:
        return ToolResult(error="設備 ID が台帳にありません。")
    passage = Passage("record:MR-0007", "保全記録 MR-0007", ("処置: ノズルを清掃した。担当: 佐藤",))
    return found({"record_id": "MR-0007", "action": "ノズルを清掃した。", "worker": "佐藤"}, passages=(passage,))


def unknown_machine(given: Mapping[str, Any]) -> str | None:
    return None if given["equipment_id"] in MACHINES else "その設備 ID は台帳にありません。"


def plant_tools() -> Toolset:
    return Toolset(
        [
            Tool("search_equipment", "台帳を探す", schema(query=WORD), search_equipment),
            Tool("search_manual", "マニュアルを探す", schema(model=WORD, keywords=WORD), search_manual),
            Tool("search_records", "保全記録を探す", schema(equipment_id=WORD, keywords=WORD), search_records),
            Tool(
                "create_work_request",
                "保全依頼の案を作る",
                schema(
                    equipment_id=WORD, title=WORD, detail=WORD, priority={"type": "string", "enum": ["高", "中", "低"]}
                ),
                precheck=unknown_machine,
            ),
        ]
    )


REQUEST = {"equipment_id": "EQ-003", "title": "ノズル交換", "detail": "詰まりが続く", "priority": "高"}
