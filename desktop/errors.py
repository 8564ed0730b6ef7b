"""What the world does to us, by code, and the sentences that tell people about it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from desktop import paths

LANGUAGES = ("ja", "en")
_NO_COPY = {"ja": "なし", "en": "none"}
_ABOUT_PEOPLE = ("people", "approval")  # tables whose sentences may name somebody
_NOBODY = frozenset({"left", "limit", "length", "shortest", "role", "line", "equipment"})  # their fields that never do


class KnownError(Exception):
    """Something outside went wrong in a way we know: `code` names the sentence, `detail` fills it.

    `file`, `row` (from 1, as Excel shows it) and `column` say where, when bad input is the cause.
    """

    def __init__(
        self, code: str, *, file: str | None = None, row: int | None = None, column: str | None = None, **detail: object
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail: Mapping[str, object] = detail
        self.file = file
        self.row = row
        self.column = column

    def __str__(self) -> str:
        return f"{self.code} {dict(self.detail)}"

    def to_json(self, language: str = "ja") -> dict[str, Any]:
        """The `error` object of CONTRACT: code, message, file, row, column; the code's number `hn` and IT's line."""
        where = {"file": self.file, "row": self.row, "column": self.column}
        told = {"message": sentence(self, language), "for_it": for_it(self, language)}
        return {"code": self.code, "hn": hn(self.code), **told, **where}


def sentence(error: KnownError, language: str = "ja") -> str:
    """What happened, what is safe, what to do, in one or two sentences."""
    text: str = _entry(error.code, language)["text"]
    return text.format_map(_filling(error, language))


def hn(code: str) -> str:
    """The number that people read out on the phone and IT filters by: "HN-101", the same in every version."""
    return f"HN-{_for_it()[code]['hn']:03}"


def for_it(error: KnownError, language: str = "ja") -> str:
    """The one line that tells IT what to do about it, with its number in front."""
    text: str = _for_it()[error.code][language]
    return f"{hn(error.code)} {text.format_map(_filling(error, language))}"


def concerns_it(code: str) -> bool:
    """False where a person's own input or choice is all there is to it."""
    return bool(_for_it()[code].get("it", True))


def anonymous(error: KnownError) -> KnownError:
    """The same without anybody's name, and without what a model said of the question: fit to be passed on."""
    named = {key for key in error.detail if key not in _NOBODY} if error.code in _codes_about_people() else {"why"}
    detail = {key: "＊" if key in named else value for key, value in error.detail.items()}
    return KnownError(error.code, file=error.file, row=error.row, column=error.column, **detail)


def exit_code(error: KnownError) -> int:
    """The command's exit code for this error, as CONTRACT numbers them."""
    return int(_entry(error.code, "ja")["exit"])


def known_codes() -> frozenset[str]:
    return frozenset(_catalogue("ja"))


def _filling(error: KnownError, language: str) -> Mapping[str, object]:
    where = {"file": error.file or "", "row": error.row or "", "column": error.column or ""}
    none = {"copy": _NO_COPY[language]} if error.detail.get("copy") == "" else {}
    return {**where, **error.detail, **none}


def _entry(code: str, language: str) -> Mapping[str, Any]:
    return _catalogue(language)[code]


@cache
def _catalogue(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Every sentence by code."""
    return _by_code(f"messages.{language}.toml")


@cache
def _for_it() -> Mapping[str, Mapping[str, Any]]:
    return _by_code("hn.toml")


@cache
def _codes_about_people() -> frozenset[str]:
    tables = _tables("messages.ja.toml")
    return frozenset(code for table in _ABOUT_PEOPLE for code in tables[table])


def _by_code(name: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a resource; its tables only group them."""
    return {code: entry for table in _tables(name).values() for code, entry in table.items()}


def _tables(name: str) -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(paths.resource(name).read_text(encoding="utf-8"))
