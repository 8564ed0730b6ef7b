"""What `evaluate` says to people, made from the document that --json prints."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from desktop.services.evaluation_summary import FIGURES, Figure

Document = Mapping[str, Any]

_MISSES_SHOWN = 30
_COLUMNS = 9


def evaluation(document: Document) -> str:
    """The table, the lock-out rates, what was missed, and what it means for this model's tools."""
    asked = document["asked"]
    model = f"・{document['model']}" if document["model"] else ""
    questions = f"質問 {asked['questions']}（うち罠 {asked['traps']}）× {document['repeat']} 回"
    head = f"評価：{document['provider']}{model}　{questions}"
    parts = [head, *_tables(document["conditions"]), _lockout(document["lockout"]), *_missed(document["missed"])]
    if document["not_run"]:
        parts.append(f"モデルが要るため測っていない条件：{'、'.join(document['not_run'])}")
    if document["tools_after_facts"]:
        parts.append(_tools(document["tools_after_facts"]))
    if document["stopped"]:
        parts.append(f"途中まで：{document['stopped']}")
    return "\n\n".join(parts)


def _tables(conditions: Mapping[str, Document]) -> list[str]:
    """Columns that apply to something, a few at a time, so that a line fits a screen."""
    used = [one for one in FIGURES if any(row[one.name]["mean"] is not None for row in conditions.values())]
    groups = [used[at : at + _COLUMNS] for at in range(0, len(used), _COLUMNS)]
    return [_table(conditions, group) for group in groups]


def _table(conditions: Mapping[str, Document], figures: Sequence[Figure]) -> str:
    rows = [["条件", *(figure.label for figure in figures)]]
    rows += [[name, *(_value(row[figure.name], figure) for figure in figures)] for name, row in conditions.items()]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _value(figure: Document, how: Figure) -> str:
    if figure["mean"] is None:
        return "－"
    times, sign = (100, "%") if how.share else (1, "")
    spread = f"±{figure['spread'] * times:.{how.places}f}" if figure["spread"] is not None else ""
    return f"{figure['mean'] * times:.{how.places}f}{spread}{sign}"


def _lockout(rates: Document) -> str:
    (work, of_work), (rest, of_rest) = rates["work"], rates["elsewhere"]
    return f"安全の囲み：作業をともなう質問 {work}/{of_work}、ともなわない質問 {rest}/{of_rest}"


def _missed(missed: Sequence[Document]) -> list[str]:
    if not missed:
        return ["外れ：なし"]
    lines = [f"{one['condition']} {one['question']}「{one['text']}」{'；'.join(one['missed'])}" for one in missed]
    rest = [f"他 {len(lines) - _MISSES_SHOWN} 件（--json または --csv に全部）"] if len(lines) > _MISSES_SHOWN else []
    return ["\n".join(["外れ：", *lines[:_MISSES_SHOWN], *rest])]


def _tools(decision: Document) -> str:
    if decision["keep"]:
        return "事実を渡したあとの道具：残す（正答が増え、危ない誤りは増えない）"
    why = "、".join(decision["worse"]) or "正答が増えない"
    return f"事実を渡したあとの道具：外す（{why}）"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
