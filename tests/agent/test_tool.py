"""What may be declared a tool, and what a model gets of a result."""

import json

import pytest

from desktop.agent.tool import RESULT_LIMIT, Passage, Tool, ToolResult, wire_result
from tests.fakes.plant_tools import WORD, plant_tools, schema


def test_a_tool_without_a_handler_requires_approval_and_one_with_reads() -> None:
    tools = plant_tools()
    assert {name: tools.find(name).requires_approval for name in ("search_manual", "create_work_request")} == {
        "search_manual": False,
        "create_work_request": True,
    }


@pytest.mark.parametrize(
    "open_schema",
    [
        {"type": "object", "properties": {"a": WORD}, "required": ["a"]},
        {"type": "object", "properties": {"a": WORD}, "required": [], "additionalProperties": False},
    ],
)
def test_a_schema_that_is_not_strict_is_a_mistake_of_ours(open_schema: dict) -> None:
    with pytest.raises(ValueError, match="t"):
        Tool("t", "", open_schema)


def test_declarations_are_strict_closed_and_in_a_fixed_order() -> None:
    declared = plant_tools().declarations
    assert [tool["name"] for tool in declared] == sorted(tool["name"] for tool in declared)
    assert all(tool["strict"] for tool in declared)


def test_hits_go_as_citable_blocks_that_say_how_many_there_are() -> None:
    passages = (Passage("record:1", "記録 1", ("一行目", " ", "二行目")), Passage("record:2", "記録 2", ()))
    block = wire_result("t1", ToolResult({}, 2, 12, passages), native_citations=True)
    assert [result["title"] for result in block["content"]] == ["記録 1（1/12件）", "記録 2（2/12件）"]
    assert [[line["text"] for line in result["content"]] for result in block["content"]] == [
        ["一行目", "二行目"],
        ["（本文なし）"],
    ]


@pytest.mark.parametrize("native", [True, False])
def test_a_model_gets_at_most_so_much_of_a_result_and_is_told(native: bool) -> None:
    body = "長" * (2 * RESULT_LIMIT)
    result = ToolResult({"results": [body]}, 1, 1, (Passage("manual:A#1", "A 1", (body,)),))
    text = json.dumps(wire_result("t1", result, native_citations=native), ensure_ascii=False)
    assert len(text) < RESULT_LIMIT + 400
    assert "以下略" in text or "ここまで" in text


def test_nothing_found_stays_plain_json_for_a_model_that_cites() -> None:
    block = wire_result("t1", ToolResult({"total": 0, "results": []}), native_citations=True)
    assert json.loads(block["content"]) == {"total": 0, "results": []}


def test_a_property_named_like_a_type_is_just_a_property() -> None:
    tool = Tool("t", "", schema(type=WORD), lambda given: ToolResult(given))
    assert tool.refusal({"type": "x"}) is None
    assert "type" in str(tool.refusal({}))
