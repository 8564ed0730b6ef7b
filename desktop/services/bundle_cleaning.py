"""Text as it may leave the plant with a support bundle: secrets masked, and no line that tells of a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from desktop.logs import redact
from desktop.services.bundle_names import Names, Secrets, views

OMITTED = "（個人名か秘密の値があるため省略 / omitted: a person's name or a secret）"
_CUT = "…"
_BETWEEN = r"(?:[\\/]|%5c|%2f|%255c|%252f)+"
_USER_FOLDER = re.compile(
    rf"(?P<before>(?:[\\/]|%5c|%2f|\b)(?:users|home|documents(?:%20|\s)and(?:%20|\s)settings){_BETWEEN})"
    rf"(?P<login>(?:(?!{_BETWEEN})[^\r\n\"'<>|*?,;:()])+)",
    re.IGNORECASE,
)
_HOME = str(Path.home())
_NOBODY = frozenset({"public", "default", "all users", "default user"})
_MASKS = (
    (re.compile(r"[\w.+-]+(?:@|＠|%40)[\w-]+(?:[.．][\w-]+)+"), _CUT),
    (re.compile(r"\b(username\s*=\s*[\"']?)[^\s\"',;]+", re.IGNORECASE), rf"\1{_CUT}"),
    (re.compile(r"(https?://[^\s?\"']+)\?[^\s\"']+"), rf"\1?{_CUT}"),
    (re.compile(r"\b((?:basic|bearer)\s+)\S+", re.IGNORECASE), rf"\1{_CUT}"),
    (
        re.compile(
            r"((?:password|passwd|pwd|secret|token|api[_-]?key|authorization|cookie|パスワード|\bpin|暗証番号)"
            r"[\"']?\s*[:=：＝]\s*[\"']?)[^\s\"',;]+",
            re.IGNORECASE,
        ),
        rf"\1{_CUT}",
    ),
    (re.compile(r"(?<![\w.:-])\d{6,12}(?![\w.:-])"), _CUT),  # what could be a PIN or a badge
    (re.compile(r"[A-Za-z0-9_]{40,}"), _CUT),
)
_LOG_HEAD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ desktop[\w.]*", re.ASCII)
_FRAME = re.compile(r"\s+File \".*?(\w+\.py)\", line (\d+),? in (<?\w+>?)", re.ASCII)
_RAISED = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)(?=:|$)", re.ASCII)
_FAULT = re.compile(r"(?:Fatal Python error|Windows fatal exception): [A-Za-z ]+|(?:Current t|T)hread 0x[0-9a-f]+")


class Cleaner:
    """`everyone_known` False = a store of names could not be read: then of a log only each line's `skeleton` goes."""

    def __init__(self, people: Iterable[str], secrets: Iterable[str], *, everyone_known: bool) -> None:
        self._names = Names(people)
        self._secrets = Secrets(secrets)
        self.everyone_known = everyone_known

    def lines(self, text: str) -> str:
        """A log, line by line; one that can't be cleaned is left out and leaves a note."""
        shown = self.line if self.everyone_known else skeleton
        return "".join(f"{shown(line)}\n" for line in text.splitlines())

    def word(self, text: str) -> str:
        """The text where everyone is known, else only that there is one."""
        return self.line(text) if self.everyone_known else _CUT

    def line(self, text: str) -> str:
        """The line without secrets and user folders, or the note that it was left out."""
        if self._secrets.told_in(text):
            return OMITTED
        cleaned = _masked(text)
        return OMITTED if self._names.told_in(cleaned) else cleaned

    def value(self, value: Any) -> Any:
        """JSON with every text in it cleaned."""
        match value:
            case str():
                return "\n".join(map(self.line, value.splitlines()))
            case Mapping():
                return {key: self.value(item) for key, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
        return value


def logins_in(text: str) -> Iterator[str]:
    """Everyone whose folder the text names."""
    for view in views(text):
        for found in _USER_FOLDER.finditer(view):
            if found["login"].strip().casefold() not in _NOBODY:
                yield found["login"].strip()


def skeleton(line: str) -> str:
    """What of a log's line is ours alone: when, how bad, which module, where in the code; nothing that was written."""
    for pattern in (_LOG_HEAD, _RAISED, _FAULT):
        if found := pattern.match(line):
            return f"{found[0]} {_CUT}"
    if found := _FRAME.match(line):
        return f'  File "{found[1]}", line {found[2]}, in {found[3]}'
    return _CUT


def _masked(text: str) -> str:
    text = redact(text).replace(_HOME, _CUT)
    text = _USER_FOLDER.sub(lambda found: f"{found['before']}{_CUT}", text)
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return text
