"""doctor leaves what it found in status.json, and says the same whether or not it can."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.services.health import FILE
from tests.cli.conftest import Done

Command = Callable[..., Done]


@pytest.fixture
def doctor(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Done]:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    return lambda: command("doctor", "--data-dir", str(tmp_path / "data"))


def test_monitoring_finds_what_doctor_found(doctor: Callable[[], Done], tmp_path: Path) -> None:
    done = doctor()
    told = json.loads((tmp_path / "data" / FILE).read_text(encoding="ascii"))
    assert (told["exit"], told["worst"]) == (done.code, done.document["worst"])
    assert [check["name"] for check in told["checks"]] == [check["name"] for check in done.document["checks"]]
    assert {cause["by"] for cause in told["told"]} == {"doctor"}
    assert not any("text" in check for check in told["checks"])


def test_doctor_goes_on_where_nothing_can_be_written(doctor: Callable[[], Done], tmp_path: Path) -> None:
    before = doctor()
    (tmp_path / "data" / FILE).unlink()
    (tmp_path / "data" / FILE).mkdir()
    after = doctor()
    assert (after.code, after.document["worst"]) == (before.code, before.document["worst"])
    assert list((tmp_path / "data").glob("*.new")) == []
