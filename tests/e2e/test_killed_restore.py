"""The short run of the script: a few kills in backup and restore."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the script forks")
def test_there_is_always_the_old_or_the_new_data_and_never_half_a_backup() -> None:
    script = Path(__file__).parent / "kill_during_restore.py"
    command = [sys.executable, str(script), "--kills", "6"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
