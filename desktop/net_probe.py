"""How far the way to a server goes, with the program's own route: name, connection, encryption, answer."""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from desktop import net
from desktop.errors import KnownError
from desktop.net import Route

if TYPE_CHECKING:
    import httpx2

_READ_SECONDS = 10.0
_IGNORE_TIME = 0x200000  # X509_V_FLAG_NO_CHECK_TIME, which ssl has no name for
_DATES = ("notBefore", "notAfter")
_SIGN_IN_NEEDED = 511


class Stage(StrEnum):
    NAME = "名前解決"
    CONNECTION = "接続"
    TLS = "TLS"
    HTTP = "HTTP"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a server showed, trusted or not; `names` are the hosts it is for."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    since: datetime
    until: datetime

    def covers(self, host: str) -> bool:
        return any(_same_host(name, host) for name in self.names)


@dataclass(frozen=True, slots=True)
class Way:
    """How far a request got: `passed` are the stages that held, `cause` is what stands in the next one, None = the
    server itself answered. `proxy` is shown to people; `clock_ahead` is this PC's clock against the answer's.
    """

    url: str
    proxy: str
    passed: tuple[Stage, ...]
    cause: KnownError | None = None
    certificate: Certificate | None = None
    clock_ahead: timedelta | None = None

    @property
    def host(self) -> str:
        return net.host_of(self.url)

    @property
    def stopped_at(self) -> Stage:
        """The first stage that did not hold."""
        encrypted = self.url.startswith("https:")
        return next(stage for stage in Stage if stage not in self.passed and (encrypted or stage is not Stage.TLS))


class _Enough(Exception):
    """Ends a request that was only made for its handshake, before its first byte."""


class _Steps:
    """What the client reports as it goes; `leaf` is the server's certificate as it came."""

    def __init__(self, *, handshake_only: bool = False) -> None:
        self.passed: list[Stage] = []
        self.leaf = b""
        self.told: Mapping[str, Any] = {}
        self._handshake_only = handshake_only

    def __call__(self, name: str, info: Mapping[str, Any]) -> None:
        if name.endswith("connect_tcp.complete"):
            self.passed = [Stage.NAME, Stage.CONNECTION]
        if name.endswith("start_tls.complete"):
            self.passed.append(Stage.TLS)
            stream = info["return_value"]
            session = stream.get_extra_info("ssl_object")
            self.leaf, self.told = session.getpeercert(True) or b"", session.getpeercert() or {}
            if self._handshake_only:
                stream.close()  # the client has not taken it over yet
                raise _Enough


def walk(url: str, route: Route, *, connect: float = 5.0, read: float = _READ_SECONDS) -> Way:
    """Asks for `url` without a key or a body, which the right server answers in JSON, if only to say no.

    `connect` and `read` are the seconds that each of the two may take.
    """
    import httpx2  # 0.15 s that only a process with network pays

    steps = _Steps()
    try:
        net.require_allowed(url, route)
        proxy = net.without_login(net.proxy_of(url, route))
        with (
            net.open_client(url, route, connect=connect, read=read) as client,
            client.stream("GET", url, headers={"accept": "application/json"}, extensions={"trace": steps}) as reply,
        ):
            ahead = _ahead(reply.headers.get("date", ""))
            cause = _not_the_server(reply, net.host_of(url), proxy)
    except KnownError as error:
        return Way(url, "", (), error)
    except httpx2.HTTPError as error:
        return _stopped(error, url, route, proxy, steps)
    certificate = _certificate(_told(url, route, steps.leaf)) if steps.leaf else None
    passed = (*steps.passed, *([] if cause else [Stage.HTTP]))
    return Way(url, proxy, passed, cause, certificate, ahead)


def _stopped(error: Exception, url: str, route: Route, proxy: str, steps: _Steps) -> Way:
    cause = net.named(error, url, route)
    if not steps.passed and not any(isinstance(one, socket.gaierror) for one in net.chain(error)):
        steps.passed.append(Stage.NAME)
    if cause.code != "net_certificate":
        return Way(url, proxy, tuple(steps.passed), cause)
    certificate = presented(url, route)
    return Way(url, proxy, tuple(steps.passed), refusal(certificate, net.host_of(url)), certificate)


def presented(url: str, route: Route) -> Certificate | None:
    """The certificate that is shown on the way to `url`, whoever shows it, in handshakes after which nothing is sent;
    None if there is none to be had."""
    anyone = _context()
    anyone.verify_mode = ssl.CERT_NONE
    leaf = _handshake(url, route, anyone).leaf
    return _certificate(_told(url, route, leaf)) if leaf else None


def refusal(certificate: Certificate | None, host: str) -> KnownError:
    """Why a certificate that did not hold did not: its dates and names first, else who issued it."""
    if certificate is None:
        return KnownError("net_certificate", host=host)
    now = datetime.now(UTC)
    who: dict[str, Any] = {"host": host, "issuer": certificate.issuer, "subject": certificate.subject}
    if now < certificate.since:
        return KnownError("net_certificate_not_yet", since=f"{certificate.since:%Y-%m-%d}", **who)
    if now > certificate.until:
        return KnownError("net_certificate_expired", until=f"{certificate.until:%Y-%m-%d}", **who)
    if not certificate.covers(host):
        return KnownError("net_certificate_wrong_host", names="、".join(certificate.names[:3]) or "-", **who)
    return KnownError("net_certificate_unknown", **who)


def _context() -> ssl.SSLContext:
    """Also for what is too weak to be trusted: it is only to be read."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    return context


def _told(url: str, route: Route, leaf: bytes) -> Mapping[str, Any]:
    """The certificate's fields. ssl tells them only of a certificate that it verified, and on Windows, where another
    verifies, of none; so it is asked once more with this very certificate as the only one to trust."""
    itself = _context()
    itself.load_verify_locations(cadata=leaf)
    itself.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN | ssl.VerifyFlags(_IGNORE_TIME)
    return _handshake(url, route, itself).told


def _handshake(url: str, route: Route, trust: ssl.SSLContext) -> _Steps:
    import httpx2  # loaded already: it was refused before

    steps = _Steps(handshake_only=True)
    try:
        with net.open_client(url, route, read=_READ_SECONDS, trust=trust) as client:
            client.get(url, extensions={"trace": steps})
    except (httpx2.HTTPError, _Enough):
        pass
    return steps


def _certificate(told: Mapping[str, Any]) -> Certificate | None:
    if not told:
        return None
    since, until = (datetime.fromtimestamp(ssl.cert_time_to_seconds(told[name]), UTC) for name in _DATES)
    names = tuple(value for kind, value in told.get("subjectAltName", ()) if kind in ("DNS", "IP Address"))
    return Certificate(_name(told["subject"]), _name(told["issuer"]), names, since, until)


def _name(parts: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    """Organisation and name, which is what a person recognises."""
    fields = {key: value for group in parts for key, value in group}
    named = (fields.get("organizationName"), fields.get("commonName"))
    return " / ".join(dict.fromkeys(filter(None, named))) or "-"


def _same_host(name: str, host: str) -> bool:
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(host)
    except ValueError:
        pass
    wanted, given = host.lower(), name.lower()
    return wanted == given or (given.startswith("*.") and wanted.partition(".")[2] == given[2:])


def _not_the_server(reply: httpx2.Response, host: str, proxy: str) -> KnownError | None:
    """What answered instead of the server: a sign-in page, a filter, a proxy. A refusal in JSON is the server's own."""
    status, page = reply.status_code, "html" in reply.headers.get("content-type", "")
    if status == 407:
        return KnownError("net_proxy_login")
    if status == 451 or (status == 403 and page):
        return KnownError("net_blocked", host=host)
    if 300 <= status < 400 or status == _SIGN_IN_NEEDED or (page and status < 500):
        return KnownError("net_captive_portal")
    if proxy and page:
        return KnownError("net_proxy", host=host)
    return None


def _ahead(date: str) -> timedelta | None:
    """How far this PC's clock is ahead of the answer's, None if the answer tells no time."""
    try:
        at = parsedate_to_datetime(date)
    except ValueError:
        return None
    return datetime.now(UTC) - (at if at.tzinfo else at.replace(tzinfo=UTC))
