"""No key reaches the log."""

import logging
from pathlib import Path

import pytest

from desktop import logs


def test_a_planted_key_is_not_in_the_log(tmp_path: Path) -> None:
    file = logs.start(tmp_path)
    assert logs.start(tmp_path) == file
    logging.getLogger("desktop.agent").warning("call failed: %s", "Authorization: Bearer sk-ant-api03-VERYSECRET")
    text = file.read_text(encoding="utf-8")
    assert "call failed" in text
    assert "VERYSECRET" not in text


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("http://proxyuser:Pa55w0rd@127.0.0.1:3128 refused", "http://…@127.0.0.1:3128 refused"),
        ("https://taro.yamada:S3cret@gw.example/v1", "https://…@gw.example/v1"),
        ("http://taro@proxy.example:3128", "http://…@proxy.example:3128"),
        ("mail to a@b.example, see https://docs.example/a@b", "mail to a@b.example, see https://docs.example/a@b"),
    ],
)
def test_the_login_in_a_url_goes_and_its_host_stays(told: str, kept: str) -> None:
    assert logs.redact(told) == kept


def test_a_log_that_cannot_be_written_says_nothing_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = logs.start(tmp_path)
    handlers = logging.getLogger("desktop").handlers
    (ours,) = (handler for handler in handlers if getattr(handler, "baseFilename", "") == str(file))
    with file.open("r", encoding="utf-8") as unwritable:
        monkeypatch.setattr(ours, "stream", unwritable)
        logging.getLogger("desktop.store").warning("the disk is full")
        monkeypatch.undo()
    assert capsys.readouterr().err == ""
