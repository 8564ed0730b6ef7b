"""The four tools: labels as frozen, results as the contract names them, and what must never reach a person."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import tools, wiring
from desktop.agent.messages import ToolCall
from desktop.agent.tool import Toolset
from desktop.paths import DataDir

GOLDEN = Path(__file__).parent / "golden" / "tools.json"


@pytest.fixture(scope="module")
def toolset(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolset]:
    with wiring.open_services(DataDir(tmp_path_factory.mktemp("plant")), sample=True) as services:
        plant = services.plant()
        yield tools.build(plant.snapshot, plant.search)


def test_the_labels_are_the_frozen_ones(toolset: Toolset) -> None:
    """A changed label changes what models do: it shows in review as a change of the golden file."""
    assert [dict(one) for one in toolset.declarations] == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_examples_in_labels_are_impossible(toolset: Toolset) -> None:
    labels = " ".join(str(one["description"]) for one in toolset.declarations)
    assert "EQ-003" not in labels
    assert "FL-200" not in labels
    assert "E-12" not in labels


def test_only_the_write_needs_approval(toolset: Toolset) -> None:
    names = [str(one["name"]) for one in toolset.declarations]
    waiting = [name for name in names if (tool := toolset.find(name)) and tool.requires_approval]
    assert waiting == ["create_work_request"]


@pytest.mark.parametrize(
    ("name", "given", "fields"),
    [
        ("search_equipment", {"query": "ライン3 充填機"}, "equipment_id name model line location owner status"),
        ("search_manual", {"model": "FL-200", "keywords": "E-12"}, "manual heading body ref page revision"),
        (
            "search_records",
            {"equipment_id": "EQ-003", "keywords": "E-12"},
            "record_id date error_code symptom cause action worker",
        ),
    ],
)
def test_results_have_the_contracts_fields(toolset: Toolset, name: str, given: dict[str, str], fields: str) -> None:
    result = toolset.execute(ToolCall("c1", name, given))
    assert result.error is None
    assert result.count >= 1
    assert list(result.content["results"][0]) == fields.split()
    assert result.content["total"] == result.total >= result.count


@pytest.mark.parametrize("keywords", [*(f"E-{n:02}" for n in range(1, 32)), "E-12 ノズル", "E-12 逆洗 圧力", "逆洗"])
def test_an_old_revision_never_comes_before_the_current_one(toolset: Toolset, keywords: str) -> None:
    result = toolset.execute(ToolCall("c1", "search_manual", {"model": "FL-200", "keywords": keywords}))
    old = [str(section["revision"]).endswith("（旧版）") for section in result.content["results"]]
    assert old == sorted(old)


def test_records_come_newest_first_and_only_of_the_machine(toolset: Toolset) -> None:
    given = {"equipment_id": "EQ-003", "keywords": "E-12"}
    result = toolset.execute(ToolCall("c1", "search_records", given))
    dates = [record["date"] for record in result.content["results"]]
    assert dates == sorted(dates, reverse=True)
    assert len(dates) == 5
    assert result.total > 5


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("search_equipment", {"query": "ライン9の溶接機"}),
        ("search_manual", {"model": "FL-200", "keywords": "E-99"}),
        ("search_manual", {"model": "QQ-1", "keywords": "E-12"}),
        ("search_records", {"equipment_id": "EQ-003", "keywords": "Z-77"}),
    ],
)
def test_nothing_found_is_an_empty_list(toolset: Toolset, name: str, given: dict[str, str]) -> None:
    result = toolset.execute(ToolCall("c1", name, given))
    assert result.error is None
    assert result.content == {"total": 0, "results": []}


def test_an_unknown_machine_is_an_error_result(toolset: Toolset) -> None:
    result = toolset.execute(ToolCall("c1", "search_records", {"equipment_id": "EQ-999", "keywords": "E-12"}))
    assert result.error is not None
    assert "EQ-999" in result.error


REQUEST = {"equipment_id": "EQ-003", "title": "Oリング交換", "detail": "E-12が再発", "priority": "中"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"equipment_id": "EQ-999"},
        {"equipment_id": "EQ-012"},
        {"priority": "至急"},
        {"title": ""},
        {"title": "長" * 41},
        {"approved": True},
    ],
    ids=["unknown", "retired", "priority", "no title", "long title", "extra"],
)
def test_a_wrong_request_never_reaches_a_person(toolset: Toolset, wrong: dict[str, object]) -> None:
    assert toolset.refusal(ToolCall("c1", "create_work_request", REQUEST)) is None
    assert toolset.refusal(ToolCall("c1", "create_work_request", {**REQUEST, **wrong})) is not None
