"""The commands of the public contract: thin, and free of Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from desktop import __version__
from desktop.cli import asking, backup, care, evaluate, frame, plant, requests, window
from desktop.errors import KnownError

OpenWindow = Callable[[Path | None, str], int]
"""(data directory, what to write into the question line) -> the exit code once the window is closed."""
Tell = Callable[[KnownError], None]
"""Says on screen why the window did not open."""


@click.group(invoke_without_command=True)
@click.option("--data-dir", type=click.Path(path_type=Path), help="everything a run writes goes under this directory")
@click.version_option(__version__, prog_name="hozen-navi")
@click.pass_context
def hozen_navi(context: click.Context, data_dir: Path | None) -> int | None:
    """保全ナビ: どの機械かを決め、その台帳・マニュアル・記録から出典つきで答えます。引数なしで画面を開きます。"""
    if context.invoked_subcommand is not None:
        return None
    open_window: OpenWindow = context.obj
    return open_window(frame.place(data_dir).root, "")


for _module in (asking, plant, requests, evaluate, window, care, backup):
    for _command in _module.COMMANDS:
        hozen_navi.add_command(_command)


def main(arguments: Sequence[str], open_window: OpenWindow, tell: Tell | None = None) -> int:
    """Run one command (or the window) and give the exit code; known errors become a sentence, bugs go up.

    `tell` is for whoever wanted the window and sees no terminal.
    """
    frame.speak_utf8()
    as_json = "--json" in arguments
    try:
        code = hozen_navi.main(list(arguments), prog_name="hozen-navi", standalone_mode=False, obj=open_window)
    except click.ClickException as error:
        refused = KnownError("wrong_usage", reason=error.format_message())
    except click.Abort:
        refused = KnownError("interrupted")
    except KnownError as error:
        refused = error
    else:
        return code if isinstance(code, int) else 0
    code = frame.report(refused, as_json)
    if tell is not None and not as_json and window.is_wanted(arguments) and not frame.has_terminal():
        tell(refused)
    return code
