"""The ways that the settings name are walked, each once, and no other is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import pac
from desktop.agent.models.probe import Capabilities
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.pac import Answer, Outcome
from desktop.paths import DataDir
from desktop.services.diagnostics_finding import Finding, State
from desktop.services.diagnostics_network import Network, judge_probe, judge_script
from tests.fakes.keyrings import LockedKeyring, MemoryKeyring, use_keyring
from tests.fakes.loopback import LoopbackServer, json_body, raw_body
from tests.fakes.tls import HERE, Authority, TlsServer

NO_KEY = json_body({"error": {"message": "no key"}}, 401)
CLAUDE = json_body({"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5"})
KEYS = {"ANTHROPIC_API_KEY": "sk-ant-test"}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


def network(values: dict[str, object], environ: dict[str, str] | None = None) -> Network:
    return Network(Settings(values), Credentials(environ=KEYS if environ is None else environ))


def claude_at(url: str, **more: object) -> dict[str, object]:
    return {"provider": "anthropic", "anthropic.base_url": url, "net.proxy": "direct", **more}


def code(found: Finding) -> str:
    return found.cause.code if found.cause else ""


def test_offline_has_no_way_at_all(tmp_path: Path) -> None:
    ways = network({"openai.base_url": "http://127.0.0.1:9/v1", "cloud.consent": "yes"})
    assert ways.providers == ()
    assert ways.look_at_provider(DataDir(tmp_path)).state is State.OK
    assert not ways.clocks_ahead()


def test_the_way_is_told_by_stage_and_the_provider_is_then_asked(server: LoopbackServer, tmp_path: Path) -> None:
    server.script(NO_KEY, CLAUDE)
    ways = network(claude_at(server.url))
    assert ways.look_at_way("anthropic").text.endswith("名前解決○ 接続○ HTTP○")
    assert "Claude Opus 5.5" in ways.look_at_provider(DataDir(tmp_path)).text
    assert list(ways.clocks_ahead()) == [HERE]
    assert [seen.path for seen in server.seen] == ["/v1/models", "/v1/models/claude-opus-5-5"]
    assert "x-api-key" not in server.seen[0].headers


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_the_plants_own_server_is_asked_where_its_requests_go(server: LoopbackServer, base: str) -> None:
    server.script(NO_KEY)
    ways = network({"provider": "openai", "openai.base_url": server.url + base, "openai.model": "m"})
    assert ways.look_at_way("openai").state is State.OK
    assert [seen.path for seen in server.seen] == ["/v1/models"]


def test_what_stands_in_the_way_is_told_once_and_the_provider_is_left_alone(
    server: LoopbackServer, tmp_path: Path
) -> None:
    server.script(raw_body(b"<html>forbidden", "text/html", 403))
    ways = network(claude_at(server.url))
    found = ways.look_at_way("anthropic")
    assert code(found) == "net_blocked"
    assert found.text.endswith("［名前解決○ 接続○ HTTP×］")
    assert ways.look_at_provider(DataDir(tmp_path)).state is State.NOTE
    assert len(server.seen) == 1
    assert not (tmp_path / "journal.db").exists()


def test_an_inspecting_device_is_seen_by_its_issuer_where_all_works_and_where_it_does_not(tmp_path: Path) -> None:
    authority = Authority.begin(tmp_path, "Inspecting Root", "Filter Inc.")
    reply = b"HTTP/1.1 401 no\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    with TlsServer(authority.issue(HERE), reply=reply) as running:
        works = network(claude_at(running.url, **{"net.ca_file": str(authority.file)}))
        assert works.look_at_way("anthropic").state is State.OK
        assert works.look_at_certificate("anthropic").state is State.NOTE
        refused = network(claude_at(running.url))
        found = refused.look_at_way("anthropic")
    assert code(found) == "net_certificate_unknown"
    assert "TLS×" in found.text
    for ways in (works, refused):
        assert "Filter Inc. / Inspecting Root" in ways.look_at_certificate("anthropic").text


def test_without_consent_nothing_outside_is_touched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ways = network({"provider": "anthropic", "anthropic.base_url": "https://api.example"})
    monkeypatch.setattr("desktop.net_probe.walk", lambda *given: pytest.fail("it was walked"))
    found = ways.look_at_way("anthropic")
    assert found.state is State.NOTE
    assert "cloud.consent" in found.text
    assert ways.look_at_certificate("anthropic").state is State.NOTE
    assert not ways.clocks_ahead()
    with pytest.raises(KnownError) as refused:
        ways.look_at_provider(DataDir(tmp_path))
    assert refused.value.code == "model_cloud_not_allowed"


def test_where_the_keyring_does_not_say_whether_a_server_is_outside_it_is_not_touched() -> None:
    with use_keyring(LockedKeyring()):
        ways = network({"provider": "openai", "openai.base_url": "https://llm.example/v1", "openai.model": "m"}, {})
        assert "つなぎません" in ways.look_at_way("openai").text


def test_a_missing_key_does_not_hide_the_network(server: LoopbackServer, tmp_path: Path) -> None:
    server.script(NO_KEY)
    with use_keyring(MemoryKeyring()):
        ways = network(claude_at(server.url), environ={})
        assert ways.look_at_way("anthropic").state is State.OK
        with pytest.raises(KnownError) as refused:
            ways.look_at_provider(DataDir(tmp_path))
    assert refused.value.code == "model_key_missing"


def test_auto_walks_each_way_that_a_question_may_take(server: LoopbackServer) -> None:
    values = {"provider": "auto", "openai.base_url": server.url, "openai.model": "m", "anthropic.base_url": server.url}
    assert network(values).providers == ("openai", "anthropic")
    assert network({"provider": "auto", "anthropic.base_url": server.url}).providers == ("anthropic",)
    server.script(raw_body(b"", "text/plain", 451), NO_KEY)
    ways = network(values)
    assert code(ways.look_at_way("openai")) == "net_blocked"
    assert ways.look_at_way("anthropic").state is State.OK


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize(
    "url", ["https://[::1", "https://a..b", "ftp://x", "llm.example", "https://llm:99999", "https://"]
)
def test_what_is_no_address_is_named_and_no_bug(provider: str, url: str) -> None:
    values = {f"{provider}.base_url": url, "openai.model": "m", "cloud.consent": "yes"}
    assert code(network({"provider": provider, **values}).look_at_way(provider)) == "net_bad_url"


def test_a_server_that_answers_without_being_of_use_is_a_warning() -> None:
    fit = Capabilities(("m",), 8192, tools=True, chains=True, forms=True)
    assert judge_probe(fit).state is State.OK
    for unfit in (Capabilities(("m",)), Capabilities(("m",), forms=True, problem="500")):
        assert code(judge_probe(unfit)) == "model_unfit"


@pytest.mark.parametrize(
    ("answer", "state", "expected"),
    [
        (Answer(Outcome.NO_SCRIPT), State.NOTE, ""),
        (Answer(Outcome.DIRECT, "http://w/p.pac"), State.OK, ""),
        (Answer(Outcome.PROXY, "http://w/p.pac", "http://proxy:8080"), State.OK, ""),
        (Answer(Outcome.UNREACHABLE, "http://w/p.pac", said="WinHTTP 12167"), None, "net_pac_unreachable"),
        (Answer(Outcome.NOTHING, "", said="socks=a:1080"), None, "net_pac_nothing"),
    ],
)
def test_a_scripts_answer_has_its_cause(answer: Answer, state: State | None, expected: str) -> None:
    if state is not None:
        assert judge_script(answer, "api.example").state is state
        return
    with pytest.raises(KnownError) as refused:
        judge_script(answer, "api.example")
    assert refused.value.code == expected
    assert refused.value.detail["script"] == (answer.script or "WPAD")


def test_a_script_is_asked_only_where_it_names_the_proxy(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(url: str, *given: object) -> Answer:
        asked.append(url)
        return Answer(Outcome.UNREACHABLE, "http://w/p.pac")

    monkeypatch.setattr(pac, "ask", ask)
    monkeypatch.setattr("desktop.net.getproxies", dict)
    server.script(NO_KEY)
    assert network(claude_at(server.url)).look_at_script("anthropic").state is State.NOTE
    assert asked == []
    outside = {"provider": "anthropic", "anthropic.base_url": "https://no-such-host.invalid", "cloud.consent": "yes"}
    with pytest.raises(KnownError) as refused:
        network(outside).look_at_script("anthropic")
    assert refused.value.code == "net_pac_unreachable"
    assert asked[-1] == "https://no-such-host.invalid/v1/models"
