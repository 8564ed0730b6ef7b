"""doctor asks the provider for real; what it asks is kept and can be read in an export."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

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
    assert found(done)["state"] in ("ok", "failed")
    assert command("export", "all", str(tmp_path / "out"), "--data-dir", str(tmp_path)).code == 0
    told = (tmp_path / "out" / "sent.txt").read_text(encoding="utf-8")
    for body in bodies:
        assert json.dumps(body, ensure_ascii=False, indent=1) in told
