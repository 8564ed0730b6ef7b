"""A whole run of the program as IT reads it: started, what went wrong, ended."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from desktop import __version__, start_failure
from desktop.errors import KnownError, hn

PROGRAM = """
import sys
from functools import partial
from pathlib import Path
from PySide6.QtCore import QTimer
from desktop import app
from desktop.workers import crew
from desktop.workers.health_worker import HealthWorker

crew.HealthWorker = partial(HealthWorker, after_start=0)
original = app.App.show

def fail():
    raise ZeroDivisionError("鈴木")

def show(self, text):
    def close_when_looked_at():
        if (Path(sys.argv[1]) / "status.json").exists():
            self.window.close()

    original(self, text)
    for at in (0, 1, 2):
        QTimer.singleShot(at, fail)
    self.looking = QTimer(self)
    self.looking.timeout.connect(close_when_looked_at)
    self.looking.start(20)

app.App.show = show
print("code", app.main(Path(sys.argv[1]), ""))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="offscreen only")
def test_a_run_is_told_from_its_start_to_its_end_and_a_bug_in_it_once(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOZEN_NAVI_POLICY": str(tmp_path / "none.toml")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "data")],
        capture_output=True, text=True, check=True, env=environment, timeout=100,
    )  # fmt: skip
    assert done.stdout.strip() == "code 0", done.stderr
    log = (tmp_path / "data" / "logs" / "hozen-navi.log").read_text(encoding="utf-8")
    told = re.findall(r"event: (HN-\d+) (.*)", log)
    assert sorted(number for number, _ in told) == ["HN-006", "HN-140", "HN-900", "HN-901"]
    assert told[-1] == ("HN-901", f"保全ナビ {__version__} を終了しました。")
    assert ("HN-900", f"保全ナビ {__version__} を開始しました。") in told
    status = json.loads((tmp_path / "data" / "status.json").read_text(encoding="ascii"))
    assert status["worst"] == {"code": "keyring_missing", "hn": "HN-140"}


@pytest.mark.parametrize(
    ("code", "told"), [("start_folder_unwritable", True), ("internal_error", True), ("link_not_understood", False)]
)
def test_a_window_that_does_not_open_is_told_unless_only_its_link_was_wrong(
    code: str, told: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(start_failure, "_has_screen", lambda: False)
    start_failure.tell(KnownError(code, file="x", reason="y", log="z", link="w", folder="v"))
    assert [hn(code) in record.getMessage() for record in caplog.records] == [True] * told
