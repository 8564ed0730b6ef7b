"""Each thing that can stand between this PC and a server, real on the loopback, and the name that it gets."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from desktop.net import Route
from desktop.net_probe import Certificate, Stage, walk
from tests.fakes.loopback import SIGN_IN_PAGE, LoopbackServer, json_body, raw_body, say_nothing
from tests.fakes.tls import DAY, HERE, Authority, TlsServer, breaking_off, tunnel_to

DIRECT = Route(proxy="direct")
ALL = (Stage.NAME, Stage.CONNECTION, Stage.TLS, Stage.HTTP)
NO_KEY = b"HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.begin(tmp_path, "Inspecting Root", "Filter Inc.")


def trusting(authority: Authority, proxy: str = "direct") -> Route:
    return Route(proxy=proxy, ca_file=str(authority.file))


def code(url: str, route: Route = DIRECT, **seconds: float) -> str:
    cause = walk(url, route, **seconds).cause
    return cause.code if cause else ""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HERE, 0))
        return int(listener.getsockname()[1])


def test_a_server_that_says_no_in_json_was_reached_and_its_certificates_issuer_is_told(authority: Authority) -> None:
    with TlsServer(authority.issue(HERE, "api.example"), reply=NO_KEY) as running:
        way = walk(f"{running.url}/v1/models", trusting(authority))
    assert way.cause is None
    assert way.passed == ALL
    assert way.certificate is not None
    assert way.certificate.issuer == "Filter Inc. / Inspecting Root"
    assert way.certificate.subject == HERE
    assert set(way.certificate.names) == {HERE, "api.example"}


def test_an_unknown_issuer_is_named_with_what_it_claims_and_gets_no_request(authority: Authority) -> None:
    with TlsServer(authority.issue(HERE)) as running:
        way = walk(running.url, DIRECT)
        assert not running.asked.is_set(), "something was sent to a server that is not trusted"
    assert way.cause is not None
    assert way.cause.code == "net_certificate_unknown"
    assert way.cause.detail == {"host": HERE, "issuer": "Filter Inc. / Inspecting Root", "subject": HERE}
    assert way.passed == (Stage.NAME, Stage.CONNECTION)
    assert way.stopped_at is Stage.TLS


@pytest.mark.parametrize("known", [True, False], ids=["known issuer", "unknown issuer"])
@pytest.mark.parametrize(
    ("names", "since", "until", "expected"),
    [
        ((HERE,), -3 * DAY, -2 * DAY, "net_certificate_expired"),
        ((HERE,), 2 * DAY, 3 * DAY, "net_certificate_not_yet"),
        (("block.filter.example",), -DAY, DAY, "net_certificate_wrong_host"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_told_apart(
    authority: Authority, names: tuple[str, ...], since: timedelta, until: timedelta, expected: str, known: bool
) -> None:
    with TlsServer(authority.issue(*names, since=since, until=until)) as running:
        way = walk(running.url, trusting(authority) if known else DIRECT)
        assert not running.asked.is_set()
    assert way.cause is not None
    assert way.cause.code == expected
    assert way.cause.detail["issuer"] == "Filter Inc. / Inspecting Root"


def test_a_certificate_covers_its_names_and_one_label_of_a_wildcard() -> None:
    now = datetime.now(UTC)
    shown = Certificate("a", "b", ("*.plant.example", "LLM.example", "10.0.0.1", "::1"), now, now)
    assert all(map(shown.covers, ("api.plant.example", "llm.example", "10.0.0.1", "0:0:0:0:0:0:0:1")))
    assert not any(map(shown.covers, ("plant.example", "a.b.plant.example", "10.0.0.2", "xllm.example")))


@pytest.mark.parametrize("reset", [True, False])
def test_a_handshake_that_is_cut_is_a_blocked_address(reset: bool) -> None:
    with breaking_off(reset=reset) as url:
        way = walk(url, DIRECT)
    assert way.cause is not None
    assert way.cause.code == "net_tls_reset"
    assert way.stopped_at is Stage.TLS


def test_a_server_without_tls_is_not_a_matter_of_certificates(server: LoopbackServer) -> None:
    assert code(server.url.replace("http:", "https:")) == "net_tls_failed"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (json_body({}, 302, location="http://portal.example/"), "net_captive_portal"),
        (SIGN_IN_PAGE, "net_captive_portal"),
        (raw_body(b"<html>sign in", "text/html", 511), "net_captive_portal"),
        (raw_body(b"<html>not found", "text/html; charset=utf-8", 404), "net_captive_portal"),
        (raw_body(b"<html>blocked", "text/html", 403), "net_blocked"),
        (raw_body(b"", "text/plain", 451), "net_blocked"),
        (json_body({"error": {}}, 403), ""),
        (json_body({"error": {}}, 401), ""),
        (json_body({"data": []}), ""),
        (raw_body(b"<html>bad gateway", "text/html", 502), ""),
    ],
)
def test_a_page_in_the_servers_place_is_told_from_the_servers_own_no(
    server: LoopbackServer, step: object, expected: str
) -> None:
    server.script(step)  # type: ignore[arg-type]
    way = walk(server.url, DIRECT)
    assert (way.cause.code if way.cause else "") == expected
    assert (Stage.HTTP in way.passed) == (not expected)
    assert Stage.TLS not in way.passed


def test_neither_a_key_nor_a_body_goes_with_the_question(server: LoopbackServer) -> None:
    server.script(json_body({}, 401))
    walk(f"{server.url}/v1/models", DIRECT)
    (seen,) = server.seen
    assert seen.raw == b""
    assert not {"authorization", "x-api-key"} & seen.headers.keys()


def test_the_servers_time_is_compared_with_ours(server: LoopbackServer, authority: Authority) -> None:
    now = walk(server.url, DIRECT).clock_ahead
    assert now is not None
    assert abs(now) < timedelta(minutes=1)
    two_hours_ago = format_datetime(datetime.now(UTC) - timedelta(hours=2), usegmt=True)
    dated = NO_KEY.replace(b"\r\n", f"\r\ndate: {two_hours_ago}\r\n".encode(), 1)
    with TlsServer(authority.issue(HERE), reply=dated) as other:
        ahead = walk(other.url, trusting(authority)).clock_ahead
    assert ahead is not None
    assert abs(ahead - timedelta(hours=2)) < timedelta(minutes=1)


def test_where_a_connection_ends_is_told_by_stage(server: LoopbackServer) -> None:
    refused = walk(f"http://{HERE}:{free_port()}", DIRECT)
    assert refused.cause is not None
    assert (refused.cause.code, refused.passed) == ("net_refused", (Stage.NAME,))
    nowhere = walk("https://no-such-host.invalid/", DIRECT)
    assert nowhere.cause is not None
    if nowhere.cause.code != "net_offline":  # a name server that answers for every name
        assert (nowhere.cause.code, nowhere.stopped_at) == ("net_name_unknown", Stage.NAME)
    server.script(say_nothing)
    stalled = walk(server.url, DIRECT, read=0.1)
    assert stalled.cause is not None
    assert (stalled.cause.code, stalled.stopped_at) == ("net_stalled", Stage.HTTP)
    refused_by_rule = walk("http://llm.example/v1/models", DIRECT)
    assert refused_by_rule.cause is not None
    assert (refused_by_rule.cause.code, refused_by_rule.passed) == ("net_plaintext_refused", ())


def test_a_handshake_that_nobody_answers_is_no_answer() -> None:
    with socket.create_server((HERE, 0)) as listener:
        way = walk(f"https://{HERE}:{listener.getsockname()[1]}", DIRECT, connect=0.2)
    assert way.cause is not None
    assert (way.cause.code, way.stopped_at) == ("net_no_answer", Stage.TLS)


# A proxy is never used for the loopback: the names are of others, and the proxy leads them here.
def test_a_proxy_that_is_down_wants_a_login_or_forbids_is_named(server: LoopbackServer) -> None:
    url, through = "https://api.example/v1/models", Route(proxy=server.url)
    assert code(url, Route(proxy=f"http://{HERE}:{free_port()}")) == "net_proxy"
    server.script(json_body({}, 407, proxy_authenticate="Negotiate"))
    assert code(url, through) == "net_proxy_login"
    server.script(raw_body(b"<html>no", "text/html", 403))
    assert code(url, through) == "net_blocked"
    server.script(raw_body(b"<html>no", "text/html", 503))
    assert code(url, through) == "net_proxy"


def test_a_plain_address_through_a_proxy_is_told_apart_too(server: LoopbackServer) -> None:
    url, through = "http://llm.example/v1/models", Route(proxy=server.url, plant_hosts=("llm.example",))
    server.script(raw_body(b"", "text/html", 407))
    assert code(url, through) == "net_proxy_login"
    server.script(raw_body(b"<html>no route", "text/html", 502))
    assert code(url, through) == "net_proxy"
    server.script(json_body({"data": []}))
    assert code(url, through) == ""


def test_an_inspecting_proxy_is_seen_whether_it_is_trusted_or_not(server: LoopbackServer, authority: Authority) -> None:
    url = "https://api.example/v1/models"
    with TlsServer(authority.issue("api.example"), reply=NO_KEY) as inspecting:
        server.script(*[tunnel_to(inspecting.port)] * 3)
        refused = walk(url, Route(proxy=server.url))
        assert refused.cause is not None
        assert refused.cause.code == "net_certificate_unknown"
        assert refused.cause.detail["issuer"] == "Filter Inc. / Inspecting Root"
        assert not inspecting.asked.is_set()
        server.script(*[tunnel_to(inspecting.port)] * 2)
        works = walk(url, trusting(authority, server.url))
    assert works.cause is None
    assert works.proxy == server.url
    assert works.certificate is not None
    assert works.certificate.issuer == "Filter Inc. / Inspecting Root"


def test_a_proxys_password_is_not_shown(server: LoopbackServer) -> None:
    server.script(json_body({}, 407))
    way = walk("https://api.example/", Route(proxy=server.url.replace("//", "//taro:geheim@")))
    assert way.proxy == server.url
    assert "geheim" not in repr(way)
