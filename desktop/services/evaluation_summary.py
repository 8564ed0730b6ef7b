"""An evaluation's figures by condition: each repeat summed up for itself, then their mean and spread."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from desktop.services.evaluation_cells import Cell

Document = dict[str, Any]

_NOT_WORSE = ("trap_passed", "right_machine")
_NOT_MORE = ("wrong_owner", "unknown_names_per_1000", "contradictions")


@dataclass(frozen=True, slots=True)
class Figure:
    """One column: how it is made of the answers of one repeat; `places` after the point, `share` = shown in %."""

    name: str
    label: str
    of: Callable[[Sequence[Cell]], float | None]
    places: int = 1
    share: bool = False


def summary(cells: Sequence[Cell]) -> Document:
    """Every figure over the repeats: `{"mean", "spread", "n"}`, spread = standard deviation; None = does not apply."""
    repeats = sorted({cell.repeat for cell in cells})
    by_repeat = [[cell for cell in cells if cell.repeat == repeat] for repeat in repeats]
    return {figure.name: _over([figure.of(some) for some in by_repeat]) for figure in FIGURES}


def tools_after_facts(conditions: Mapping[str, Document]) -> Document | None:
    """Whether this model keeps its tools once it has the facts: `full` against `facts-checked`, where both were run.

    They stay only if nothing dangerous gets worse and more is right; else the shorter way is taken.
    """
    if not {"full", "facts-checked"} <= set(conditions):
        return None
    full, without = conditions["full"], conditions["facts-checked"]
    worse = [name for name in _NOT_WORSE if _mean(full, name) < _mean(without, name)]
    worse += [name for name in _NOT_MORE if _mean(full, name) > _mean(without, name)]
    better = _mean(full, "right") > _mean(without, "right")
    return {"keep": better and not worse, "worse": worse, "more_right": better}


def as_csv(cells: Sequence[Cell]) -> str:
    """One row an answer, for a spreadsheet (UTF-8 with BOM)."""
    names = sorted({name for cell in cells for name in cell.judged.measures})
    out = io.StringIO()
    out.write("\ufeff")
    writer = csv.writer(out)
    writer.writerow(["condition", "question", "repeat", *names, "stop", "missed", "text"])
    for cell in cells:
        values = [cell.judged.measures.get(name) for name in names]
        written = [_plain(cell.judged.stop), _plain("; ".join(cell.judged.missed)), _plain(cell.judged.text)]
        writer.writerow([cell.condition, _plain(cell.question_id), cell.repeat, *values, *written])
    return out.getvalue()


def _plain(text: str) -> str:
    """A text that a spreadsheet would take for a formula is kept a text."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def _mean(figures: Document, name: str) -> float:
    return figures[name]["mean"] or 0.0


def _over(values: Sequence[float | None]) -> Document:
    known = [value for value in values if value is not None]
    if not known:
        return {"mean": None, "spread": None, "n": 0}
    return {"mean": fmean(known), "spread": stdev(known) if len(known) > 1 else None, "n": len(known)}


def _values(cells: Sequence[Cell], name: str) -> list[float]:
    return [value for cell in cells if (value := cell.judged.measures.get(name)) is not None]


def _average(name: str) -> Callable[[Sequence[Cell]], float | None]:
    def of(cells: Sequence[Cell]) -> float | None:
        values = _values(cells, name)
        return fmean(values) if values else None

    return of


def _total(name: str) -> Callable[[Sequence[Cell]], float | None]:
    def of(cells: Sequence[Cell]) -> float | None:
        values = _values(cells, name)
        return sum(values) if values else None

    return of


def _per_1000(name: str) -> Callable[[Sequence[Cell]], float | None]:
    def of(cells: Sequence[Cell]) -> float | None:
        length = sum(_values(cells, "length"))
        return 1000 * sum(_values(cells, name)) / length if length else None

    return of


def _citations_valid(cells: Sequence[Cell]) -> float | None:
    total = sum(_values(cells, "citations"))
    return sum(_values(cells, "citations_valid")) / total if total else None


def _action_where_known(cells: Sequence[Cell]) -> float | None:
    return _average("action_in_three")([cell for cell in cells if cell.judged.measures.get("action_known")])


def _stopped(cells: Sequence[Cell]) -> float:
    return float(sum(cell.judged.stop not in ("", "end_turn") for cell in cells))


FIGURES = (
    Figure("right", "正答", _average("right"), 0, share=True),
    Figure("right_machine", "設備", _average("right_machine"), 0, share=True),
    Figure("trap_passed", "罠を回避", _average("trap_passed"), 0, share=True),
    Figure("unknown_names_per_1000", "実在しない名/千字", _per_1000("unknown_names"), 2),
    Figure("wrong_owner", "持ち主違い", _total("wrong_owner"), 0),
    Figure("old_revision", "旧版", _total("old_revision"), 0),
    Figure("unsupported", "根拠なし", _total("unsupported"), 0),
    Figure("contradictions", "結果と矛盾", _total("contradictions"), 0),
    Figure("citations_valid", "出典が正しい", _citations_valid, 0, share=True),
    Figure("uncited", "出典なし", _average("uncited"), 0, share=True),
    Figure("code_found", "コード", _average("code_found"), 0, share=True),
    Figure("action_in_three", "処置が3位内", _average("action_in_three"), 0, share=True),
    Figure("action_where_known", "同・前例あり", _action_where_known, 0, share=True),
    Figure("called", "道具を使用", _average("called"), 0, share=True),
    Figure("proposals", "依頼案", _total("proposals"), 0),
    Figure("language_kept", "同じ言語", _average("language_kept"), 0, share=True),
    Figure("length", "字数", _average("length"), 0),
    Figure("sent_back", "差戻し", _average("sent_back"), 0, share=True),
    Figure("marked", "印つき", _total("marked"), 0),
    Figure("turns", "周", _average("turns"), 1),
    Figure("tokens", "トークン", _average("tokens"), 0),
    Figure("seconds", "秒", _average("seconds"), 1),
    Figure("cost", "費用($)", _total("cost"), 2),
    Figure("stopped", "中断", _stopped, 0),
)
