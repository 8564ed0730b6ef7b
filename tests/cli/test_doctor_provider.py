"""doctor asks the provider for real; what it asks is kept and can be read in an export."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.__main__ import main
from tests.cli.conftest import Done
from tests.fakes.loopback import json_body
from tests.fakes.messages_server import MessagesServer

Command = Callable[..., Done]
NO_KEY = json_body({"error": {"message": "no key"}}, 401)
"""What a server says to the walk that comes before its own test, which shows no key."""


def found(done: Done) -> dict[str, str]:
    check: dict[str, str] = next(check for check in done.document["checks"] if check["name"] == "provider")
    return check


def test_claude_is_asked_for_its_model(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-key")
    with MessagesServer() as server:
        (tmp_path / "settings.toml").write_text(
            f'provider = "anthropic"\n[anthropic]\nbase_url = "{server.url}"\n', encoding="utf-8"
        )
        server.script(NO_KEY, json_body({"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5"}))
        done = command("doctor", "--data-dir", str(tmp_path))
    assert found(done)["state"] == "ok"
    assert "Claude Opus 5.5" in found(done)["text"]


def test_what_the_probe_of_a_plants_server_sends_can_be_read(command: Command, tmp_path: Path) -> None:
    with MessagesServer() as server:
        (tmp_path / "settings.toml").write_text(
            f'provider = "openai"\n[openai]\nbase_url = "{server.url}/v1"\nmodel = "m"\n', encoding="utf-8"
        )
        server.script(NO_KEY, json_body({"data": [{"id": "m"}]}), *[json_body({"error": {"message": "no"}}, 400)] * 6)
        done = command("doctor", "--data-dir", str(tmp_path))
        bodies = [json.loads(seen.raw) for seen in server.seen if seen.raw]
    assert bodies
    assert (found(done)["state"], found(done)["code"]) == ("warning", "model_unfit")
    assert command("export", "all", str(tmp_path / "out"), "--data-dir", str(tmp_path)).code == 0
    told = (tmp_path / "out" / "sent.txt").read_text(encoding="utf-8")
    for body in bodies:
        assert json.dumps(body, ensure_ascii=False, indent=1) in told


def test_each_cause_stands_with_its_number_and_its_line_and_the_worst_ends_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "settings.toml").write_text(
        '[sync]\ntransport = "folder"\nfolder = "/nowhere"\n[station]\ncode = "P07"\n', encoding="utf-8"
    )
    assert main(["doctor", "--data-dir", str(tmp_path)]) == 4
    told = capsys.readouterr().out.splitlines()
    (failed,) = (number for number, line in enumerate(told) if line.startswith("× sync："))
    assert told[failed + 1].strip().startswith("HN-402 ")
    assert told[-1] == "最初に見るもの：HN-402 sync_folder_missing（終了コード 4）"


def test_its_help_says_what_the_exit_codes_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--help"]) == 0
    said = "".join(capsys.readouterr().out.split())
    assert all(f"{code}" in said for code in ("0よい", "1注意だけ", "3壊れた", "4届かない", "5プログラムの不具合"))
