"""`export` as IT and the uninstaller call it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done
from tests.fakes.desk import open_desk

Command = Callable[..., Done]


def test_a_pc_without_any_record_has_nothing_to_lose_and_gets_none_by_asking(command: Command, tmp_path: Path) -> None:
    assert command("export", "check", "--data-dir", str(tmp_path)).code == 0
    assert not (tmp_path / "journal.db").exists()


def test_check_refuses_until_all_is_exported(command: Command, tmp_path: Path) -> None:
    desk = open_desk(tmp_path / "data")
    desk.propose()
    desk.journal.close()
    data = ("--data-dir", str(tmp_path / "data"))
    refused = command("export", "check", *data)
    assert (refused.code, refused.document["pending"]) == (1, 1)
    assert command("export", "all", str(tmp_path / "out"), *data).document["rows"]["proposals"] == 1
    assert command("export", "check", *data).code == 0
    assert command("export", "all", str(tmp_path / "out"), *data).document["error"]["code"] == "export_exists"


@pytest.mark.parametrize("arguments", [("all",), ("check", "somewhere")])
def test_half_a_command_is_refused(command: Command, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert command("export", *arguments, "--data-dir", str(tmp_path)).code == 2
