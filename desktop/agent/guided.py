"""Guided mode, for small models that can't handle tools: the order is ours, the model fills in one form at a time.

It is a LanguageModel itself, so the loop and all its rules stay the same: it looks at what this question has done so
far, has the next form filled under a JSON schema, and hands the result over as a tool call or as the answer.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

import jsonschema

from desktop.agent import messages as wire
from desktop.agent.events import TextDelta
from desktop.agent.language_model import LanguageModel, Progress
from desktop.agent.messages import Reply, assistant_message, blocks_of, calls_in, marker, text_block, text_of
from desktop.agent.run_state import RunState
from desktop.errors import KnownError
from desktop.net import Cancellation

_KEYWORDS = {"type": "string", "maxLength": 60}
_DETAIL_LIMIT = 300
_ANSWER_LIMIT = 600
# Without examples: a small model copies them into the form (it searched for 「エラーコード、症状」).
_ASK = {
    "search_equipment": "どの設備かを表す言葉だけを、質問から query に写す。",
    "search_manual": "マニュアルで探す言葉を、質問から keywords に写す。model は選ぶ。",
    "search_records": "保全記録で探す言葉を、質問から keywords に写す。equipment_id は選ぶ。",
    "create_work_request": "保全依頼の案を書く。equipment_id は選ぶ。起きたことと求める作業だけを書く。",
    "answer": "【事実】と調べた結果だけを使って text に答えを書き、使った根拠を refs に選ぶ。",
}


class FormFiller(LanguageModel, Protocol):
    """A model that can be held to a JSON schema."""

    def fill(
        self, state: RunState, messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any], cancelled: Cancellation
    ) -> Generator[Progress, None, Reply]: ...


@dataclass(frozen=True, slots=True)
class Known:
    """What the harness has settled before the model is asked: (equipment id, model) of the machines meant, refs of
    the evidence in the facts, whether that evidence is strong enough to answer without another search, and whether
    the technician asked for a request: a small model proposes one for anything if it may."""

    machines: tuple[tuple[str, str], ...] = ()
    refs: tuple[str, ...] = ()
    enough: bool = False
    wants_request: bool = False


@dataclass(frozen=True, slots=True)
class Guided:
    """One question's guided model."""

    filler: FormFiller
    known: Known = Known()

    native_citations = False

    @property
    def provider(self) -> str:
        return self.filler.provider

    @property
    def name(self) -> str:
        return self.filler.name

    @property
    def context_tokens(self) -> int | None:
        return self.filler.context_tokens

    @property
    def max_tokens(self) -> int:
        return self.filler.max_tokens

    def cost(self, usage: wire.TokenUsage) -> float | None:
        return self.filler.cost(usage)

    def reply(self, state: RunState, cancelled: Cancellation) -> Generator[Progress, None, Reply]:
        """The next form, filled. Raises as LanguageModel.reply; model_reply_broken when it isn't the form asked for."""
        step, schema = self._next_form(state)
        filled = yield from self.filler.fill(state, _conversation(state, _ASK[step]), schema, cancelled)
        if filled.stop != wire.END_TURN:
            return filled
        form = _parsed(filled.text, schema)
        if step == "answer":
            marks = map(marker, dict.fromkeys(form["refs"]))
            text = form["text"] + "".join(mark for mark in marks if mark not in form["text"])
            yield TextDelta(text)
            return Reply(assistant_message([text_block(text)]), wire.END_TURN, filled.usage, filled.model)
        call = {"type": "tool_use", "id": f"call_{uuid4().hex}", "name": step, "input": form}
        return Reply(assistant_message([call]), wire.TOOL_USE, filled.usage, filled.model)

    def _next_form(self, state: RunState) -> tuple[str, Mapping[str, Any]]:
        """Machine, manual, records, request, answer: the first that is offered, possible and not yet done."""
        offered = {tool["name"] for tool in state.prompt.tools} - {call.name for call in state.calls_of_question()}
        machines = self._machines(state)
        ids = sorted({machine for machine, _ in machines})
        models = sorted({model for _, model in machines if model})
        search = not self.known.enough
        forms: list[tuple[str, bool, Mapping[str, Any]]] = [
            ("search_equipment", search and not machines, {"query": _KEYWORDS}),
            ("search_manual", search and bool(models), {"model": {"enum": models}, "keywords": _KEYWORDS}),
            ("search_records", search and bool(ids), {"equipment_id": {"enum": ids}, "keywords": _KEYWORDS}),
            ("create_work_request", self.known.wants_request and bool(ids), _request_form(ids)),
        ]
        for name, possible, fields in forms:
            if possible and name in offered:
                return name, _form(fields)
        refs = list(dict.fromkeys((*self.known.refs, *state.refs)))
        choice = {"type": "array", "items": {"enum": refs}, "maxItems": 4} if refs else {"type": "array", "maxItems": 0}
        return "answer", _form({"text": {"type": "string", "maxLength": _ANSWER_LIMIT}, "refs": choice})

    def _machines(self, state: RunState) -> tuple[tuple[str, str], ...]:
        """The machines that are meant, or else those that this question's own look-up found."""
        if self.known.machines:
            return self.known.machines
        found: list[tuple[str, str]] = []
        for call in state.calls_of_question():
            if call.name == "search_equipment" and (result := state.result_of(call.call_id)) is not None:
                found += [(hit["equipment_id"], hit.get("model", "")) for hit in _hits(result)]
        return tuple(found)


def _form(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _request_form(ids: Sequence[str]) -> Mapping[str, Any]:
    return {
        "equipment_id": {"enum": list(ids)},
        "title": {"type": "string", "maxLength": 40},
        "detail": {"type": "string", "maxLength": _DETAIL_LIMIT},
        "priority": {"enum": ["高", "中", "低"]},
    }


def _conversation(state: RunState, ask: str) -> list[Mapping[str, Any]]:
    """The history as plain talk, which every chat template can take, and the form to be filled now."""
    said: list[dict[str, str]] = [{"role": "system", "content": state.prompt.system}]
    for message in state.messages:
        for role, text in _as_talk(message):
            if said[-1]["role"] == role:
                said[-1]["content"] += f"\n\n{text}"
            else:
                said.append({"role": role, "content": text})
    said[-1]["content"] += f"\n\n次の一歩：{ask} JSON だけを返す。"
    return list(said)


def _as_talk(message: wire.Message) -> list[tuple[str, str]]:
    if message["role"] == "assistant":
        forms = [json.dumps(call.input, ensure_ascii=False) for call in calls_in(message)]
        return [("assistant", text) for text in (text_of(message), *forms) if text]
    results = [f"調べた結果：{block['content']}" for block in blocks_of(message) if block.get("type") == "tool_result"]
    return [("user", text) for text in (*results, text_of(message)) if text]


def _hits(result: wire.Block) -> Sequence[Mapping[str, Any]]:
    try:
        tree = json.loads(result["content"])
    except (TypeError, ValueError):
        return ()
    return tree.get("results", ()) if isinstance(tree, Mapping) else ()


def _parsed(text: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The filled form; a server that ignores schemas sends prose or another form, and neither is used."""
    try:
        form = json.loads(text)
    except ValueError as error:
        raise KnownError("model_reply_broken") from error
    if not isinstance(form, dict) or not jsonschema.Draft202012Validator(schema).is_valid(form):
        raise KnownError("model_reply_broken")
    return form
