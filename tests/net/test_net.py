"""Routes, the plaintext rule, and causes by name, on real sockets."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from desktop import net
from desktop.errors import KnownError, known_codes
from desktop.net import Cancellation, Route
from tests.fakes.loopback import LoopbackServer, hang_up, json_body, say_nothing
from tests.fakes.tls import HERE, Authority, TlsServer

DIRECT = Route(proxy="direct")


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


def cause(url: str, route: Route = DIRECT, **timeouts: float) -> str:
    with net.open_client(url, route, **timeouts) as client, pytest.raises(httpx2.HTTPError) as caught:
        client.get(url)
    code = net.diagnose(caught.value, through_proxy=bool(net.proxy_of(url, route)))
    assert code in known_codes()
    return code


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("url", "route", "code"),
    [
        ("https://api.anthropic.com", Route(), None),
        ("http://127.0.0.1:8000/v1", Route(), None),
        ("http://[::1]:8000", Route(), None),
        ("http://localhost", Route(), None),
        ("http://llm.plant.example", Route(plant_hosts=("llm.plant.example",)), None),
        ("http://llm.plant.example", Route(), "net_plaintext_refused"),
        ("http://127.0.0.1.evil.example", Route(), "net_plaintext_refused"),
        ("ftp://llm.plant.example", Route(), "net_bad_url"),
        ("llm.plant.example", Route(), "net_bad_url"),
        ("https://", Route(), "net_bad_url"),
        ("http://[::1", Route(), "net_bad_url"),
        ("https://a..b/", Route(), "net_bad_url"),
        (f"https://{'a' * 64}.example/", Route(), "net_bad_url"),
        ("https://llm.example:99999/", Route(), "net_bad_url"),
        ("https://保全.example/", Route(), None),
    ],
)
def test_plaintext_goes_to_the_loopback_or_where_policy_says(url: str, route: Route, code: str | None) -> None:
    if code is None:
        net.require_allowed(url, route)
        return
    with pytest.raises(KnownError) as caught:
        net.require_allowed(url, route)
    assert caught.value.code == code


def test_every_way_not_to_reach_a_server_has_its_name(server: LoopbackServer) -> None:
    assert cause(f"http://127.0.0.1:{free_port()}/") == "net_refused"
    assert cause("https://no-such-host.invalid/") in ("net_name_unknown", "net_offline")
    server.script(hang_up)
    assert cause(server.url) == "net_cut"
    server.script(say_nothing)
    assert cause(server.url, read=0.05) == "net_stalled"
    assert cause(server.url.replace("http", "https")) == "net_tls_failed"
    assert net.diagnose(RuntimeError("?")) == "net_unknown"


def test_a_certificate_of_a_stranger_is_named_and_the_plants_own_authority_opens_the_door(tmp_path: Path) -> None:
    authority = Authority.begin(tmp_path)
    with TlsServer(authority.issue(HERE)) as running:
        assert cause(running.url) == "net_certificate"
        with net.open_client(running.url, Route(proxy="direct", ca_file=str(authority.file))) as client:
            assert client.get(running.url).text == "ok"
    (tmp_path / "bad.pem").write_text("no certificate", encoding="utf-8")
    with pytest.raises(KnownError) as caught:
        net.open_client("https://x.example", Route(ca_file=str(tmp_path / "bad.pem")))
    assert caught.value.code == "net_ca_unreadable"


def test_a_dead_proxy_and_one_that_wants_a_login_are_named(server: LoopbackServer) -> None:
    dead = Route(proxy=f"http://127.0.0.1:{free_port()}")
    assert cause("https://api.anthropic.com", dead) == "net_proxy"
    server.script(json_body({}, 407, proxy_authenticate="Negotiate"))
    assert cause("https://api.anthropic.com", Route(proxy=server.url)) == "net_proxy_login"


def test_the_proxy_is_used_for_others_and_never_for_the_loopback_or_an_exception(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "")
    server.script(json_body({"direct": True}))
    with net.open_client(server.url, Route()) as client:
        assert client.get(server.url).json() == {"direct": True}
    system, fixed = (
        Route(plant_hosts=("a.example",)),
        Route(proxy="http://p.example:8080", direct_hosts=("a.example",)),
    )
    assert net.proxy_of("http://a.example", system)
    assert not net.proxy_of("http://a.example", fixed)
    assert net.proxy_of("https://b.example", fixed)
    assert not net.proxy_of("http://127.0.0.1:1", fixed)


@pytest.mark.parametrize(
    "proxy", ["proxy:8080", "socks5://proxy:1080", "http://a..b:1", "http://[::1", "ftp://proxy", "http://proxy:99999"]
)
def test_a_proxy_that_can_not_be_one_is_named(proxy: str) -> None:
    with pytest.raises(KnownError) as refused:
        net.open_client("https://api.example", Route(proxy=proxy))
    assert (refused.value.code, refused.value.detail["url"]) == ("net_bad_url", proxy)


@pytest.mark.parametrize("url", ["https://api.example", "http://127.0.0.1:1"])
def test_a_proxy_of_the_system_that_can_not_be_one_is_named_without_its_password(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://taro:geheim@proxy:1080")
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(KnownError) as refused:
        net.open_client(url, Route())
    assert (refused.value.code, refused.value.detail["url"]) == ("net_bad_url", "socks5://proxy:1080")


def test_a_blocked_read_wakes_when_the_work_is_stopped(server: LoopbackServer) -> None:
    server.script(say_nothing)
    stop = Cancellation()
    outcome: list[BaseException] = []

    def work() -> None:
        with net.open_client(server.url, DIRECT, event_hooks={"request": [stop.watch]}) as client:
            try:
                client.get(server.url)
            except httpx2.HTTPError as error:
                outcome.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    assert server.holding.wait(10)
    stop.set()
    worker.join(10)
    assert not worker.is_alive()
    assert stop.is_set()
    assert outcome


def test_a_blocked_read_wakes_inside_tls_too(tmp_path: Path) -> None:
    authority = Authority.begin(tmp_path)
    stop = Cancellation()
    outcome: list[BaseException] = []
    with TlsServer(authority.issue(HERE), silent=True) as running:
        route = Route(proxy="direct", ca_file=str(authority.file))

        def work() -> None:
            with net.open_client(running.url, route, event_hooks={"request": [stop.watch]}) as client:
                try:
                    client.get(running.url)
                except (httpx2.HTTPError, ValueError) as error:
                    outcome.append(error)

        worker = threading.Thread(target=work)
        worker.start()
        assert running.asked.wait(10)
        stop.set()
        worker.join(10)
        assert not worker.is_alive()
        assert outcome


def test_a_request_begun_after_the_stop_gets_nowhere(server: LoopbackServer) -> None:
    server.script(say_nothing)
    stop = Cancellation()
    stop.set()
    with (
        net.open_client(server.url, DIRECT, event_hooks={"request": [stop.watch]}) as client,
        pytest.raises(httpx2.HTTPError),
    ):
        client.get(server.url)
