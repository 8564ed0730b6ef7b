"""The twelve places where a look-up or a check can stand, and what a model gets under each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from desktop import paths, tools
from desktop.agent.messages import marker
from desktop.agent.tool import Tool, ToolResult, Toolset
from desktop.domain.ledger import MaintenanceRecord, ManualSection
from desktop.evidence.quotes import source_text
from desktop.services.station import Plant

_PASSAGES = 4
_PASSAGE_LENGTH = 1_500
_SHORT = {
    "search_equipment": "設備台帳を探す。",
    "search_manual": "マニュアルを探す。",
    "search_records": "保全記録を探す。",
    "create_work_request": "保全依頼を起案する。",
}
_MENU = "食堂の今日の献立を見る。献立を聞かれたときに使う。"


class Attached(StrEnum):
    """The tools that a model sees."""

    NONE = "none"
    REAL = "real"
    SHORT_LABEL = "short_label"
    UNRELATED = "unrelated"


class Told(StrEnum):
    """What stands behind the question: passages found by its words alone, or facts that the program looked up."""

    NOTHING = "nothing"
    PASSAGES = "passages"
    PLANNED = "planned"
    FACTS = "facts"


@dataclass(frozen=True, slots=True)
class Condition:
    """`more_tokens` multiplies what one reply may be long; `urged` adds insistence to the system prompt."""

    name: str
    attached: Attached = Attached.NONE
    told: Told = Told.NOTHING
    checked: bool = False
    urged: bool = False
    more_tokens: int = 1

    @property
    def offers_look_up(self) -> bool:
        return self.attached in (Attached.REAL, Attached.SHORT_LABEL)

    @property
    def without_model(self) -> bool:
        """Whether it means something with no model at all: the program looks up, composes and checks by itself."""
        return self.told is Told.FACTS and self.attached is Attached.NONE and self.checked


CONDITIONS: Mapping[str, Condition] = {
    condition.name: condition
    for condition in (
        Condition("none"),
        Condition("in-corpus", told=Told.PASSAGES),
        Condition("tools", Attached.REAL),
        Condition("tools-short-label", Attached.SHORT_LABEL),
        Condition("tools-dummy", Attached.UNRELATED),
        Condition("tools-more-tokens", Attached.REAL, more_tokens=4),
        Condition("tools-urged", Attached.REAL, urged=True),
        Condition("facts-planned", told=Told.PLANNED),
        Condition("facts", told=Told.FACTS),
        Condition("checked", Attached.REAL, checked=True),
        Condition("facts-checked", told=Told.FACTS, checked=True),
        Condition("full", Attached.REAL, Told.FACTS, checked=True),
    )
}


def system_prompt(condition: Condition, *, guided: bool) -> str:
    """The product's own prompt wherever there are real tools or facts; a plain one where it would speak of neither."""
    if not condition.offers_look_up and condition.told in (Told.NOTHING, Told.PASSAGES):
        return _prompt("evaluation_plain")
    own = _prompt("guided_answer" if guided else "system")
    return own + _prompt("evaluation_urged") if condition.urged else own


def planning_prompt() -> str:
    return _prompt("evaluation_plan")


def toolset(condition: Condition, plant: Plant, *, may_propose: bool) -> Toolset:
    """What the condition attaches; `may_propose` False leaves the write tool out."""
    real = tools.build(plant.snapshot, plant.search, may_propose=may_propose)
    match condition.attached:
        case Attached.NONE:
            return Toolset([])
        case Attached.REAL:
            return real
        case Attached.SHORT_LABEL:
            named = ((real.find(name), label) for name, label in _SHORT.items())
            return Toolset(replace(tool, description=label) for tool, label in named if tool is not None)
        case Attached.UNRELATED:
            return Toolset([Tool("cafeteria_menu", _MENU, _one_day(), _menu)])


@dataclass(frozen=True, slots=True)
class Passages:
    """Text found by a question's words; `people` are those it mentions."""

    text: str = ""
    refs: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def passages(question: str, plant: Plant, *, outside: bool) -> Passages:
    """What plain search by the question's words gives, whoever it belongs to."""
    sections = [hit.section for hit in plant.search.sections_anywhere(question, _PASSAGES).hits]
    if outside:
        sections = [section for section in sections if tools.may_leave(plant.snapshot, section)]
    records = [hit.record for hit in plant.search.records_anywhere(question, _PASSAGES).hits]
    found: list[ManualSection | MaintenanceRecord] = [*sections, *records]
    texts = [f"{marker(one.ref)}\n{source_text(one)[:_PASSAGE_LENGTH]}" for one in found]
    people = tuple(record.worker for record in records if record.worker)
    return Passages("\n\n".join(("【資料】", *texts)) if texts else "", tuple(one.ref for one in found), people)


def _prompt(name: str) -> str:
    return paths.resource(f"prompts/{name}.ja.md").read_text(encoding="utf-8")


def _one_day() -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {"day": {"type": "string"}},
        "required": ["day"],
        "additionalProperties": False,
    }


def _menu(_given: Mapping[str, Any]) -> ToolResult:
    return ToolResult({"total": 0, "results": []})
