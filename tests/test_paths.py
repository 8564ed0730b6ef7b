"""What we ship is found, and the environment can name the data directory."""

from pathlib import Path

import pytest

from desktop import paths


def test_shipped_files_are_found() -> None:
    assert paths.resource("messages.ja.toml").is_file()
    assert (paths.sample_plant() / "questions.json").is_file()


def test_the_environment_names_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOZEN_NAVI_DATA_DIR", str(tmp_path / "保全"))
    assert paths.default_data_dir() == tmp_path / "保全"


def test_sample_data_lives_apart(tmp_path: Path) -> None:
    data = paths.DataDir(tmp_path)
    assert data.sample.journal.is_relative_to(tmp_path / "sample")
    assert data.journal != data.sample.journal
