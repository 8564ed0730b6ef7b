"""What a tool is: a label, a strict schema, and either a handler that reads or a proposal that waits for a person."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jsonschema

from desktop.agent.messages import Block, ToolCall, clean, result_block, text_block
from desktop.errors import KnownError

_log = logging.getLogger(__name__)

RESULT_LIMIT = 24_000  # characters of one result that a model gets; the screen gets all
WITHHELD = "未送信（社外の AI への送信が許可されていない資料です。画面には表示されています。）"
_HEAD = 200


@dataclass(frozen=True, slots=True)
class Passage:
    """A source that may be cited word by word: one sentence or step a line, `ref` as the rest of the program has it.

    `may_leave` False: its text is for the screen only and never goes to a model outside the plant.
    """

    ref: str
    title: str
    lines: tuple[str, ...]
    may_leave: bool = True


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back: `content` is the JSON of CONTRACT, `count` of `total` hits are in it.

    `passages` are the same hits as citable text, empty where there is nothing to cite; `error` set = it failed,
    with a sentence for the model; `people` are the names of persons that occur in it.
    """

    content: Any = None
    count: int = 0
    total: int = 0
    passages: tuple[Passage, ...] = ()
    error: str | None = None
    people: tuple[str, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(passage.ref for passage in self.passages)

    @property
    def head(self) -> str:
        return (self.error or json.dumps(self.content, ensure_ascii=False))[:_HEAD]


Handler = Callable[[Mapping[str, Any]], ToolResult]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the model. With no `handler` it can't act: a call becomes a proposal for a person.

    `schema` is JSON Schema of the strict subset: every object closed, every property required.
    `precheck` gives the reason why an input that fits the schema is refused before anyone is asked, or None.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    handler: Handler | None = None
    precheck: Callable[[Mapping[str, Any]], str | None] = lambda _input: None

    def __post_init__(self) -> None:
        jsonschema.Draft202012Validator.check_schema(self.schema)
        if self.schema.get("additionalProperties") is not False:
            raise ValueError(f"{self.name}: the schema must be closed")
        if set(self.schema.get("required", ())) != set(self.schema.get("properties", ())):
            raise ValueError(f"{self.name}: every property must be required")

    @property
    def requires_approval(self) -> bool:
        return self.handler is None

    def declaration(self) -> Mapping[str, Any]:
        """As the Messages API takes it."""
        return {
            "name": self.name,
            "description": self.description,
            "strict": True,
            "input_schema": self.schema,
        }

    def refusal(self, given: Mapping[str, Any] | None) -> str | None:
        """Why this input can't be accepted, as a sentence for the model; None = it can.

        Asked before a person is, and again before an approved input is executed.
        """
        if given is None:
            return "引数が JSON として読めません。"
        validator = jsonschema.Draft202012Validator(self.schema)
        wrong = sorted(validator.iter_errors(given), key=lambda error: list(map(str, error.path)))
        if wrong:
            return "引数が合いません：" + "；".join(_place(error) + error.message[:_HEAD] for error in wrong)
        return self.precheck(given)


class Toolset:
    """The tools offered in one conversation, by name."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}

    @cached_property
    def declarations(self) -> tuple[Mapping[str, Any], ...]:
        """In one fixed order, so that caches and bound thinking hold."""
        return tuple(tool.declaration() for tool in self._tools.values())

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def refusal(self, call: ToolCall) -> str | None:
        """Why this call is answered with an error at once; None = it may be executed or proposed."""
        tool = self.find(call.name)
        if tool is None:
            return f"「{call.name}」という道具はありません。使えるもの：{'、'.join(self._tools)}"
        return tool.refusal(call.input)

    def execute(self, call: ToolCall) -> ToolResult:
        """Runs a read; whatever goes wrong inside becomes an error result, without paths and traceback."""
        tool = self.find(call.name)
        if tool is None or tool.handler is None or call.input is None:
            raise ValueError(f"{call.name} is not a read")
        try:
            return tool.handler(call.input)
        except KnownError as error:
            _log.warning("tool %s failed: %s", call.name, error.code)
            return ToolResult(error=f"調べられませんでした（{error.code}）。")
        except Exception:  # noqa: BLE001  the border: no tool may take the conversation down
            _log.exception("tool %s failed", call.name)
            return ToolResult(error="調べられませんでした（道具の内部エラー）。")


def wire_result(call_id: str, result: ToolResult, *, native_citations: bool, outside: bool = False) -> Block:
    """The result as a model gets it, cut to RESULT_LIMIT; passages go as citable blocks where the model can cite.

    To a model `outside` the plant a passage that may not leave goes as WITHHELD, with its ref and nothing else.
    """
    if result.error is not None:
        return result_block(call_id, clean(result.error), is_error=True)
    if outside:
        result = _without_private(result)
    if native_citations and result.passages:
        return result_block(call_id, _search_results(result))
    text = json.dumps(clean(result.content), ensure_ascii=False)
    if len(text) > RESULT_LIMIT:
        text = f"{text[:RESULT_LIMIT]}…（長いため、ここまで。全 {len(text)} 文字）"
    return result_block(call_id, text)


def _without_private(result: ToolResult) -> ToolResult:
    private = {passage.ref for passage in result.passages if not passage.may_leave}
    if not private:
        return result
    passages = tuple(
        passage if passage.may_leave else Passage(passage.ref, passage.ref, (WITHHELD,)) for passage in result.passages
    )
    hits = [
        {"ref": hit["ref"], "body": WITHHELD} if hit.get("ref") in private else hit for hit in result.content["results"]
    ]
    return replace(result, content={**result.content, "results": hits}, passages=passages)


def _search_results(result: ToolResult) -> list[Block]:
    """One search_result a passage; the title says how many hits there are, so that a cut list isn't taken for all."""
    room = RESULT_LIMIT // len(result.passages)
    return [
        {
            "type": "search_result",
            "source": passage.ref,
            "title": clean(f"{passage.title}（{number}/{result.total}件）"),
            "content": [text_block(clean(line)) for line in _fitting(passage.lines, room)],
            "citations": {"enabled": True},
        }
        for number, passage in enumerate(result.passages, start=1)
    ]


def _fitting(lines: tuple[str, ...], room: int) -> list[str]:
    """The lines that fit, never an empty one: the API refuses empty text."""
    kept: list[str] = []
    for line in filter(str.strip, lines):
        if len(line) > room:
            return [*kept, f"{line[:room]}…（以下略）"]
        kept.append(line)
        room -= len(line)
    return kept or ["（本文なし）"]


def _place(error: jsonschema.ValidationError) -> str:
    path = "/".join(map(str, error.path))
    return f"{path}: " if path else ""
