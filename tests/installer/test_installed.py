"""What the program does differently where an installer put it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from desktop import paths
from desktop.importing import reader


def test_an_installed_program_reads_files_through_its_own_console_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "HozenNavi.exe"))
    assert paths.console_program() is None
    (tmp_path / "install.toml").write_text('scope = "machine"\n', encoding="utf-8")
    assert reader._command() == [str(tmp_path / "hozen-navi.exe"), "_read"]
