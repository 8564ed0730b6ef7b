"""A run as it can be put away and taken up again, in another process and on another day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from desktop.agent.events import Usage
from desktop.agent.messages import (
    Block,
    Message,
    ToolCall,
    answered_in,
    assistant_message,
    calls_in,
    clean,
    result_block,
    text_block,
    text_of,
    user_message,
)
from desktop.errors import KnownError

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every reply is bound to; `tools` are the declarations as sent (`Toolset.declarations`)."""

    provider: str
    model: str
    system: str
    tools: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class RunState:
    """A question on its way: everything a model has to be sent again, verbatim, and what the run has used up.

    Thinking is bound to model, system, tools and all messages before it, so none of them ever changes in place.
    `done` holds the results of the open round by call id, until every call has one and they go back together;
    real names still stand in it, only messages are what a model may see.
    `question_at` is the index of the message that asks the present question, `refs` what its tools returned,
    `people` the real name behind each stand-in on the wire, `names` the persons that results have mentioned.
    """

    run_id: str
    conversation_id: str
    prompt: Prompt
    messages: tuple[Message, ...]
    done: Mapping[str, Block] = field(default_factory=dict)
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    question_at: int = 0
    prompt_tokens: int = 0
    sent_back: bool = False
    refused: bool = False
    refs: tuple[str, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @classmethod
    def start(
        cls, run_id: str, conversation_id: str, prompt: Prompt, question: str, people: Mapping[str, str] | None = None
    ) -> Self:
        """A new conversation's first question."""
        return cls(run_id, conversation_id, prompt, (user_message(text_block(clean(question))),), people=people or {})

    @property
    def last(self) -> Message:
        return self.messages[-1]

    def unresolved(self) -> tuple[ToolCall, ...]:
        """The calls of the last reply that nothing has answered yet, in the model's order."""
        return tuple(call for call in calls_in(self.last) if call.call_id not in self.done)

    def calls_of_question(self) -> tuple[ToolCall, ...]:
        """Every call since the question was asked, the open round included."""
        return tuple(call for message in self.messages[self.question_at :] for call in calls_in(message))

    def call_ids(self) -> frozenset[str]:
        """Every call id that this conversation has used."""
        return frozenset(call.call_id for message in self.messages for call in calls_in(message))

    def result_of(self, call_id: str) -> Block | None:
        """What a call of this conversation was answered with."""
        if call_id in self.done:
            return self.done[call_id]
        return next((found for m in self.messages if (found := answered_in(m).get(call_id))), None)

    def with_reply(self, message: Message) -> Self:
        return replace(self, messages=(*self.messages, message))

    def with_result(self, call_id: str, content: Any, *, is_error: bool = False) -> Self:
        """An open call answered: `content` is text, blocks, or a JSON object that goes as its text.

        A decision enters here: {"status": "registered", "number": …} or {"status": "rejected_by_user", "reason": …}.
        Raises ValueError for a call that isn't open; a decision is taken once.
        """
        if call_id not in {call.call_id for call in self.unresolved()}:
            raise ValueError(f"call {call_id} is not waiting for a result")
        if isinstance(content, Mapping):
            content = json.dumps(content, ensure_ascii=False)
        return replace(self, done={**self.done, call_id: result_block(call_id, clean(content), is_error=is_error)})

    def with_round_closed(self) -> Self:
        """The results of the open round as one user message, in the model's order."""
        results = [self.done[call.call_id] for call in calls_in(self.last)]
        return replace(self, messages=(*self.messages, user_message(*results)), done={})

    def with_note(self, text: str) -> Self:
        """One more user message inside the same question; only a finished reply may stand before it."""
        return replace(self, messages=(*self.messages, user_message(text_block(clean(text)))))

    def follow_up(self, run_id: str, prompt: Prompt, question: str, people: Mapping[str, str] | None = None) -> Self:
        """The conversation's next question.

        With the prompt unchanged the history goes on verbatim; calls left open by a stop are answered as not
        executed, a refused question is dropped. Else only the texts of both sides are kept, because replies are
        bound to what they were made with.
        """
        same = prompt == self.prompt
        kept = self.messages[: self.question_at] if self.refused else self.messages
        history = kept if same else _texts_only(kept)
        open_results = self._not_executed() if same and not self.refused else ()
        asked = user_message(*open_results, text_block(clean(question)))
        begun = self.start(run_id, self.conversation_id, prompt, question, {**self.people, **(people or {})})
        return replace(
            begun,
            messages=(*history, asked),
            question_at=len(history),
            prompt_tokens=self.prompt_tokens if same else 0,
            names=self.names,
        )

    def _not_executed(self) -> tuple[Block, ...]:
        return tuple(
            self.done.get(call.call_id) or result_block(call.call_id, NOT_EXECUTED, is_error=True)
            for call in calls_in(self.last)
        )

    def to_json(self) -> str:
        """The whole state; reading it back and writing it again gives the same bytes."""
        tree = {"schema": SCHEMA, **_plain(self), "prompt": _plain(self.prompt), "usage": _plain(self.usage)}
        return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises KnownError: run_state_too_new, run_state_unreadable."""
        try:
            tree = json.loads(text)
            schema = tree.pop("schema")
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise KnownError("run_state_unreadable") from error
        if not isinstance(schema, int) or schema > SCHEMA:
            raise KnownError("run_state_too_new", found=schema, known=SCHEMA)
        try:
            prompt, usage = tree.pop("prompt"), tree.pop("usage")
            return cls(
                **{
                    **tree,
                    "messages": tuple(tree["messages"]),
                    "refs": tuple(tree["refs"]),
                    "names": tuple(tree.get("names", ())),
                },
                prompt=Prompt(**{**prompt, "tools": tuple(prompt["tools"])}),
                usage=Usage(**usage),
            )
        except (TypeError, KeyError, AttributeError) as error:
            raise KnownError("run_state_unreadable") from error


NOT_EXECUTED = "実行されませんでした（質問が中断されました）。"


def _plain(value: Any) -> dict[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value)}


def _texts_only(messages: Sequence[Message]) -> tuple[Message, ...]:
    """What both sides said, without calls, results and thinking; neighbours of one role are joined."""
    kept: list[tuple[str, str]] = []
    for message in messages:
        role, text = message["role"], text_of(message)
        if not text:
            continue
        if kept and kept[-1][0] == role:
            text = f"{kept.pop()[1]}\n{text}"
        kept.append((role, text))
    return tuple(
        user_message(text_block(text)) if role == "user" else assistant_message([text_block(text)])
        for role, text in kept
    )
