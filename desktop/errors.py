"""What the world does to us, by code, and the sentences that tell people about it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from desktop import paths

LANGUAGES = ("ja", "en")


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
        """The `error` object of CONTRACT: code, message, file, row, column."""
        message = sentence(self, language)
        return {"code": self.code, "message": message, "file": self.file, "row": self.row, "column": self.column}


def sentence(error: KnownError, language: str = "ja") -> str:
    """What happened, what is safe, what to do, in one or two sentences."""
    where = {"file": error.file or "", "row": error.row or "", "column": error.column or ""}
    text: str = _entry(error.code, language)["text"]
    return text.format_map({**where, **error.detail})


def exit_code(error: KnownError) -> int:
    """The command's exit code for this error, as CONTRACT numbers them."""
    return int(_entry(error.code, "ja")["exit"])


def known_codes() -> frozenset[str]:
    return frozenset(_catalogue("ja"))


def _entry(code: str, language: str) -> Mapping[str, Any]:
    return _catalogue(language)[code]


@cache
def _catalogue(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Every sentence by code; the tables of the file only group them."""
    tables = tomllib.loads(paths.resource(f"messages.{language}.toml").read_text(encoding="utf-8"))
    return {code: entry for table in tables.values() for code, entry in table.items()}
