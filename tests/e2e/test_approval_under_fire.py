"""The short runs of the approval scripts: twenty kills, and two processes at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the scripts fork")
@pytest.mark.parametrize(
    "command",
    [
        ("kill_between_proposal_and_folder.py", "--kills", "20"),
        ("two_processes_on_one_journal.py", "--processes", "2", "--rounds", "15"),
    ],
    ids=["kills", "two processes"],
)
def test_nothing_is_lost_and_nothing_comes_twice(command: tuple[str, ...]) -> None:
    script, *arguments = command
    done = subprocess.run(
        [sys.executable, str(HERE / script), *arguments], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
