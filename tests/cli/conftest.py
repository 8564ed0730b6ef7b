"""One imported sample plant for all command tests, and a way to run a command in this process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from desktop.__main__ import main


@dataclass(frozen=True)
class Done:
    """How a command ended: exit code, its JSON document, what it wrote beside."""

    code: int
    document: dict[str, Any]
    stderr: str


@pytest.fixture(scope="session")
def sample_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("見本")


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run one command with --json and read its document."""

    def run(*arguments: str) -> Done:
        code = main([*arguments, "--json"])
        captured = capsys.readouterr()
        return Done(code, json.loads(captured.out), captured.err)

    return run


@pytest.fixture
def ask(command: Callable[..., Done], sample_dir: Path) -> Callable[..., Done]:
    """Ask the bundled plant."""

    def run(question: str, *more: str) -> Done:
        return command("ask", question, "--sample", "--data-dir", str(sample_dir), *more)

    return run
