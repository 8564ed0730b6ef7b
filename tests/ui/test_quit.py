"""A real window in its own process, prefilled by `open` and closed by `quit`; what was typed is kept."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop import open_windows
from desktop.ui.single_instance import SingleInstance
from tests.ui.conftest import Bench

_PROGRAM = "import sys; from desktop.__main__ import main; sys.exit(main(sys.argv[1:]))"
Run = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = []
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOZEN_NAVI_POLICY": str(tmp_path / "none.toml")}

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-c", _PROGRAM, *arguments, "--data-dir", str(tmp_path / "data")]
        made.append(subprocess.Popen(program, env=environment, stdout=subprocess.PIPE))
        return made[-1]

    yield start
    for one in made:
        one.kill()
        one.communicate()


def test_open_prefills_the_window_quit_closes_it_and_the_text_is_kept(qtbot: QtBot, tmp_path: Path, run: Run) -> None:
    window = run("open", "--equipment", "EQ-003")
    qtbot.waitUntil(lambda: bool(open_windows._open(tmp_path / "data")), timeout=20_000)
    assert run("open", "hozen-navi:open?code=E-12").wait(20) == 0
    assert window.poll() is None
    assert run("quit", "--wait", "20").wait(30) == 0
    assert window.wait(10) == 0
    (drafts,) = (tmp_path / "data/windows").glob("*.drafts")
    assert list(json.loads(drafts.read_text(encoding="utf-8")).values()) == [{"text": "EQ-003\nE-12"}]


def test_a_request_that_comes_before_the_window_watches_for_one_is_followed(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = SingleInstance(tmp_path)
    hold = first.files.hold

    def hold_and_be_asked() -> None:
        hold()
        next((tmp_path / "windows").glob("*.open")).with_suffix(".quit").touch()

    monkeypatch.setattr(first.files, "hold", hold_and_be_asked)
    with qtbot.waitSignal(first.close_wanted, timeout=5_000):
        assert first.claim()
    first.release()


def test_drafts_come_back_and_a_prefill_leaves_them(bench: Callable[..., Bench]) -> None:
    desk = bench()
    desk.desk.restore_drafts({"question c1": {"text": "一つ目の"}, "question c2": {"text": "二つ目の"}})
    desk.desk.prefill("EQ-003 E-12")
    assert desk.find("questionInput").toPlainText() == "二つ目の\nEQ-003 E-12"
    assert [desk.desk.drafts.question(key) for key in ("c1", "c2")] == ["一つ目の", "二つ目の\nEQ-003 E-12"]
    assert desk.desk.page.runs == []
