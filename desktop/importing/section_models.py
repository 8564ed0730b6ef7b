"""Which of a manual's several models a section is for, by the model that its heading or its own 型番 line names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from desktop.domain.text import find_codes, fold_code
from desktop.importing.front_matter import KEYS, fields_in

_FIELDS = (*KEYS["model"], *KEYS["applies"])
_EXCEPT = re.compile(r"\s*(?:は|を)?(?:以外|除く|のぞく|を除)|\s*(?:excluded|not applicable)", re.IGNORECASE)
_NOT = re.compile(r"(?:except|without|excluding|除く[:：])\s*$", re.IGNORECASE)
_WIDER = re.compile(r"\s*(?:以降|以上|以下|以前|シリーズ|系|から|より|[~～〜]|series)", re.IGNORECASE)
_MORE = re.compile(r"\s*[/／、,・&]\s*-?([0-9]{1,5}[A-Za-z]{0,3})(?![A-Za-z0-9-])")
_WORD = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


def section_models(models: Sequence[str], heading_path: Sequence[str], body: str) -> tuple[str, ...]:
    """All `models` unless the section's own field lines, or the deepest heading that names any, name only some.

    What is written for "XR-10" is never shown for "XR-20" then. A span (XR-10以降) or a series leaves all.
    """
    if len(models) < 2:
        return tuple(models)
    for text in (_fields(body), *reversed(heading_path)):
        if named := _named(text, models):
            return named
    return tuple(models)


def _fields(body: str) -> str:
    """The values of the model lines among the `key：value` lines that the body begins with."""
    values: list[str] = []
    for line in body.split("\n"):
        pairs = fields_in(line)
        if not pairs:
            break
        values += [value for key, value in pairs if unicodedata.normalize("NFKC", key).strip().lower() in _FIELDS]
    return "、".join(values)


def _named(text: str, models: Sequence[str]) -> tuple[str, ...]:
    """Those of the models that the text is for; () = it says nothing of them, or something wider than names."""
    shaped = unicodedata.normalize("NFKC", text)
    own = {fold_code(model): model for model in models}
    meant: set[str] = set()
    others: set[str] = set()
    for key, end, start in _words(shaped):
        if key not in own:
            continue
        if _WIDER.match(shaped, end):
            return ()
        excepted = _EXCEPT.match(shaped, end) or _NOT.search(shaped[:start])
        (others if excepted else meant).update({key, *_shortened(shaped, start, end)})
    if others:
        meant = set(own) - others
    return tuple(model for key, model in own.items() if key in meant)


def _words(text: str) -> list[tuple[str, int, int]]:
    """(key, end, start) of everything that could be a model's name."""
    words = {(fold_code(found[0]), found.end(), found.start()) for found in _WORD.finditer(text)}
    return sorted(words | {(code.key, code.end, code.start) for code in find_codes(text)}, key=lambda one: one[1])


def _shortened(text: str, start: int, end: int) -> list[str]:
    """XR-10/20: the further names that leave out what they share with the first."""
    stem = re.sub(r"[0-9]+[A-Za-z]*$", "", text[start:end])
    keys = []
    while stem and (more := _MORE.match(text, end)):
        keys.append(fold_code(stem + more[1]))
        end = more.end()
    return keys
