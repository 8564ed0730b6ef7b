"""What every command shares: its options, its one output, and how errors leave the program."""

from __future__ import annotations

import functools
import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from desktop import config, logs
from desktop.errors import KnownError, exit_code, for_it, sentence
from desktop.paths import DataDir

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Output:
    """What a command found: `payload` for --json, `text` for people, `code` 0 or 1."""

    payload: dict[str, Any]
    text: str
    code: int = 0


def command(name: str) -> Callable[[Callable[..., Output]], click.Command]:
    """A command with the shared options; its function gets `data: DataDir` and returns an Output."""

    def declare(function: Callable[..., Output]) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="one JSON document on stdout")
        @click.option("--data-dir", type=click.Path(path_type=Path), help="work under this directory")
        @functools.wraps(function)
        def run(as_json: bool, data_dir: Path | None, **options: Any) -> int:
            data = place(data_dir or click.get_current_context().find_root().params.get("data_dir"))
            log = logs.start(data.logs)
            try:
                output = function(data=data, **options)
            except (KnownError, click.ClickException):
                raise
            except Exception as error:  # the process's border: a bug ends in exit code 5, its traceback in the log
                _log.exception("internal error in %s", name)
                raise KnownError("internal_error", log=str(log)) from error
            click.echo(as_document(output.payload) if as_json else output.text)
            return output.code

        return click.command(name)(run)

    return declare


def place(named: Path | None) -> DataDir:
    """Where this command works; said on stderr where --data-dir does not count."""
    data = config.data_dir(named)
    if named is not None and data.root != named:
        click.echo(f"この PC では方針が許さないため --data-dir を使いません。{data.root} で動きます。", err=True)
    return data


def write_file(file: Path, text: str) -> None:
    """A file that a person asked for; KnownError("output_unwritable")."""
    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise KnownError("output_unwritable", file=str(file), reason=error.strerror or str(error)) from error


def as_document(payload: dict[str, Any]) -> str:
    return json.dumps(payload, ensure_ascii=False, indent=2, default=str)


def report(error: KnownError, as_json: bool) -> int:
    """The error as CONTRACT has it, JSON on stdout or its sentence and IT's line on stderr; its exit code."""
    if as_json:
        click.echo(as_document({"error": error.to_json()}))
    else:
        click.echo(f"{sentence(error)}\n（{for_it(error)}）", err=True)
    return exit_code(error)


def has_terminal() -> bool:
    """Whether somebody reads what goes to stderr; the window's program on Windows has none at all."""
    return sys.stderr is not None and sys.stderr.isatty()


def speak_utf8() -> None:
    """A Japanese Windows console pipe defaults to CP932, in which a JSON document could not be written whole."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
