"""No key reaches the log."""

import logging
from pathlib import Path

from desktop import logs


def test_a_planted_key_is_not_in_the_log(tmp_path: Path) -> None:
    file = logs.start(tmp_path)
    assert logs.start(tmp_path) == file
    logging.getLogger("desktop.agent").warning("call failed: %s", "Authorization: Bearer sk-ant-api03-VERYSECRET")
    text = file.read_text(encoding="utf-8")
    assert "call failed" in text
    assert "VERYSECRET" not in text
