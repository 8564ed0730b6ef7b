"""People under stand-ins: 担当A leaves the plant, the real name comes back on screen."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from desktop.agent.events import TextDelta, Thinking
from desktop.agent.language_model import Progress
from desktop.agent.messages import Block, Reply, blocks_of
from desktop.agent.run_state import RunState

_PREFIX = "担当"
_STAND_IN = re.compile(f"{_PREFIX}[A-Z]+")
_UNFINISHED = re.compile(f"(?:担|{_PREFIX}[A-Z]*)$")
_SPACES = re.compile(r"[\s\u3000]+")
_SPOKEN_KEYS = ("text", "title")


def hide_last(state: RunState, names: Iterable[str]) -> RunState:
    """The state with every name of a person in its newest message replaced; `state.people` learns the stand-ins.

    `names` are all that may occur (roster, workers of records, owners of machines) beside those in `state.names`;
    without any nothing is hidden.
    Called once for a message, when it is appended: what a model has been sent never changes afterwards.
    """
    forms = _written_forms((*names, *state.names))
    if not forms:
        return state
    people = dict(state.people)
    pattern = re.compile("|".join(map(re.escape, forms)) + f"|{_STAND_IN.pattern}")
    blocks = [_hidden_block(block, pattern, people) for block in blocks_of(state.last)]
    message = {**state.last, "content": blocks}
    return replace(state, messages=(*state.messages[:-1], message), people=people)


def reveal(value: Any, people: Mapping[str, str]) -> Any:
    """Text, or JSON with text in it, with the real names back."""
    if not people:
        return value
    match value:
        case str():
            return _STAND_IN.sub(lambda found: _real(found[0], people), value)
        case Mapping():
            return {key: reveal(item, people) for key, item in value.items()}
        case list() | tuple():
            return [reveal(item, people) for item in value]
    return value


def revealed(pieces: Generator[Progress, None, Reply], people: Mapping[str, str]) -> Generator[Progress, None, Reply]:
    """A reply on its way to the screen; a stand-in that comes in two pieces is held back until it is whole."""
    held = ""
    with closing(pieces):
        while True:
            try:
                piece = next(pieces)
            except StopIteration as done:
                if held:
                    yield TextDelta(reveal(held, people))
                reply: Reply = done.value
                return reply
            match piece:
                case TextDelta(text):
                    text, held = _split(held + text)
                    if text:
                        yield TextDelta(reveal(text, people))
                case Thinking(text):
                    yield Thinking(reveal(text, people))
                case _:
                    yield piece


def _split(text: str) -> tuple[str, str]:
    """What may be shown now, and an end that may still become a stand-in."""
    unfinished = _UNFINISHED.search(text)
    return (text[: unfinished.start()], unfinished[0]) if unfinished else (text, "")


def _written_forms(names: Iterable[str]) -> list[str]:
    """How each person may be written, longest first: in full, without the space, by the family name alone.

    A single character is nobody's name for sure (東, 林 in 林立), so it is left alone.
    """
    forms: set[str] = set()
    for name in names:
        parts = [part for part in _SPACES.split(name.strip()) if part]
        if not parts:
            continue
        forms |= {name.strip(), " ".join(parts), "\u3000".join(parts), "".join(parts), parts[0]}
    return sorted((form for form in forms if len(form) > 1), key=lambda form: (-len(form), form))


def _hidden_block(block: Block, pattern: re.Pattern[str], people: dict[str, str]) -> Block:
    """Only what is said is touched, never ids, types and refs."""
    hidden = dict(block)
    for key in _SPOKEN_KEYS:
        if isinstance(block.get(key), str):
            hidden[key] = _hidden(block[key], pattern, people)
    content = block.get("content")
    if isinstance(content, str):
        hidden["content"] = _hidden(content, pattern, people)
    elif isinstance(content, (list, tuple)):
        hidden["content"] = [_hidden_block(part, pattern, people) for part in content]
    return hidden


def _hidden(text: str, pattern: re.Pattern[str], people: dict[str, str]) -> str:
    return pattern.sub(lambda found: _stand_in_for(found[0], people), text)


def _stand_in_for(form: str, people: dict[str, str]) -> str:
    """One stand-in for each way of writing, so that a quotation comes back letter by letter.

    A 担当A that a document itself contains gets one too, else it would come back as somebody's name.
    """
    for stand_in, real in people.items():
        if real == form:
            return stand_in
    stand_in = next(candidate for candidate in _candidates() if candidate not in people)
    people[stand_in] = form
    return stand_in


def _candidates() -> Iterator[str]:
    for length in range(1, 5):
        for number in range(26**length):
            letters = ""
            for _ in range(length):
                number, rest = divmod(number, 26)
                letters = ascii_uppercase[rest] + letters
            yield _PREFIX + letters


def _real(stand_in: str, people: Mapping[str, str]) -> str:
    """The name behind the longest known beginning: 担当AE-12 is 担当A and the code that follows."""
    for end in range(len(stand_in), len(_PREFIX), -1):
        if stand_in[:end] in people:
            return people[stand_in[:end]] + stand_in[end:]
    return stand_in
