"""What a chat-completions server can do, found out by asking it, in words for whoever sets it up."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from desktop.agent.language_model import Progress
from desktop.agent.messages import Reply
from desktop.agent.models.openai_compatible import OpenAICompatible
from desktop.agent.run_state import Prompt, RunState
from desktop.errors import KnownError, sentence
from desktop.net import Cancellation

_NUMBERS = [7, 8]
_FOUND = "ZX-731"


def _tool(name: str, description: str, /, **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "input_schema": schema}


_REPORT = _tool("report_number", "数を一つ報告する", number={"type": "integer"})
_CHAIN = (
    _tool("find_machine", "機械の名前から機械IDを調べる", name={"type": "string"}),
    _tool(
        "machine_history",
        "機械IDの履歴を調べる。IDは find_machine で調べたものだけを使う",
        machine_id={"type": "string"},
    ),
)
_COLOUR: Mapping[str, Any] = {
    "type": "object",
    "properties": {"colour": {"enum": ["赤", "青"]}},
    "required": ["colour"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`tools`: calls a tool when asked to; `parallel`: two in one reply; `forms`: can be held to a JSON schema;
    `chains`: looks an id up before it uses it, instead of inventing one.

    `context_tokens` 0 = the server doesn't say; `models` are the names it serves.
    """

    models: tuple[str, ...] = ()
    context_tokens: int = 0
    tools: bool = False
    parallel: bool = False
    chains: bool = False
    forms: bool = False
    problem: str = ""

    @property
    def mode(self) -> str | None:
        """The setting openai.mode that fits: tools, guided, or None if neither works."""
        return "tools" if self.tools and self.chains else "guided" if self.forms else None

    def lines(self) -> tuple[str, ...]:
        """The result, readable."""
        context = f"{self.context_tokens} トークン" if self.context_tokens else "サーバーが答えない（設定に書く）"
        mode = {"tools": "道具を自分で選ばせる", "guided": "手順固定", None: "使えない"}[self.mode]
        return (
            f"モデル：{'、'.join(self.models) or '一覧なし'}",
            f"送れる量：{context}",
            f"道具の呼び出し：{_yes(self.tools)}（同時に二つ：{_yes(self.parallel)}）",
            f"調べた ID を次に使う：{_yes(self.chains)}",
            f"決まった形での応答：{_yes(self.forms)}",
            f"すすめる使い方：{mode}",
            *([f"問題：{self.problem}"] if self.problem else []),
        )


def probe(model: OpenAICompatible) -> Capabilities:
    """A few short questions; raises KnownError if the server can't be reached at all."""
    found = Capabilities(*_served(model))
    try:
        asked = f"道具 report_number を使って、{_NUMBERS[0]} と {_NUMBERS[1]} を報告してください。"
        calls = _whole(model.reply(_state(model, asked, (_REPORT,)), Cancellation())).calls
        numbers = [call.input.get("number") for call in calls if call.name == "report_number" and call.input]
        found = replace(found, tools=_NUMBERS[0] in numbers, parallel=numbers[:2] == _NUMBERS)
        found = replace(found, chains=found.tools and _chains(model))
        found = replace(found, forms=_fills_forms(model))
    except KnownError as error:
        return replace(found, problem=sentence(error))
    return found


def _served(model: OpenAICompatible) -> tuple[tuple[str, ...], int]:
    """The names of /v1/models, and the context size as vLLM (max_model_len) or llama.cpp (meta.n_ctx) tell it."""
    tree = model.get("/models")
    entries = (
        [entry for entry in tree.get("data") or () if isinstance(entry, Mapping)] if isinstance(tree, Mapping) else []
    )
    sizes = [_size(entry) for entry in entries if entry.get("id") == model.name] or [_size(e) for e in entries[:1]]
    return tuple(str(entry.get("id")) for entry in entries), next(iter(sizes), 0)


def _size(entry: Mapping[str, Any]) -> int:
    meta = entry.get("meta")
    size = entry.get("max_model_len") or (meta.get("n_ctx") if isinstance(meta, Mapping) else 0)
    return size if isinstance(size, int) else 0


def _chains(model: OpenAICompatible) -> bool:
    """Whether the second call uses what the first one found."""
    state = _state(model, "機械「検査機」の履歴を、道具で調べてください。", _CHAIN)
    first = _whole(model.reply(state, Cancellation()))
    if [call.name for call in first.calls] != ["find_machine"]:
        return False
    state = state.with_reply(first.message).with_result(first.calls[0].call_id, {"machine_id": _FOUND})
    second = _whole(model.reply(state.with_round_closed(), Cancellation()))
    return [(call.name, call.input) for call in second.calls] == [("machine_history", {"machine_id": _FOUND})]


def _fills_forms(model: OpenAICompatible) -> bool:
    messages = [{"role": "user", "content": "空の色を JSON で答えてください。"}]
    reply = _whole(model.fill(_state(model, "", ()), messages, _COLOUR, Cancellation()))
    try:
        filled = json.loads(reply.text)
    except ValueError:
        return False
    return isinstance(filled, dict) and filled.get("colour") in ("赤", "青")


def _state(model: OpenAICompatible, question: str, tools: tuple[Mapping[str, Any], ...]) -> RunState:
    return RunState.start("probe", "probe", Prompt(model.provider, model.name, "短く答える。", tools), question)


def _whole(pieces: Generator[Progress, None, Reply]) -> Reply:
    while True:
        try:
            next(pieces)
        except StopIteration as done:
            reply: Reply = done.value
            return reply


def _yes(value: bool) -> str:
    return "できる" if value else "できない"
