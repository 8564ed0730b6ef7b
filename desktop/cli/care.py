"""For IT: `doctor`."""

from __future__ import annotations

from desktop.cli import words
from desktop.cli.frame import Output, command
from desktop.paths import DataDir
from desktop.services import diagnostics


@command("doctor")
def doctor(data: DataDir) -> Output:
    """この PC の自己診断：版、場所、キーリング、暗号化、台帳データ、送信先。"""
    document = diagnostics.examine(data)
    return Output(document, words.checks(document), 1 if document["failed"] else 0)


COMMANDS = (doctor,)
