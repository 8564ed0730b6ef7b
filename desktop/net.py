"""The one way to the network: trust store, proxy, plaintext rule, a switch to stop, and causes with names."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from desktop import config, pac
from desktop.errors import KnownError

if TYPE_CHECKING:
    import httpx2

_CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete", "proxy.start_tls.complete")
# Causes that may be gone in a second; a wrong proxy or certificate won't be.
PASSING = frozenset({"net_cut", "net_no_answer", "net_stalled"})

_PROXY_SAYS = {"407": "net_proxy_login", "403": "net_blocked", "451": "net_blocked"}

_LOOPBACK_MOUNTS = ("all://127.0.0.1", "all://localhost", "all://[::1]")


class Cancellation:
    """A switch that stops a piece of work at once, also while it is blocked in a read.

    Closing a response or client from another thread doesn't wake a blocked read; shutting the socket down does.
    `watch` goes into a client's request hooks; connections must not be kept alive, a reused one isn't announced.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def set(self) -> None:
        with self._lock:
            self._event.set()
            self._shut()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleeps that long unless stopped; True = stopped."""
        return self._event.wait(seconds)

    def watch(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": self._trace}

    def _trace(self, name: str, info: dict[str, Any]) -> None:
        if name in _CONNECTED:
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self._event.is_set():
                    self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                self._socket = None  # the other side was faster


Sent = Callable[[str, bytes], None]
"""Gets the address and the body of a request as it leaves."""


def reporting(sent: Sent | None) -> list[Callable[[httpx2.Request], None]]:
    """The request hook that tells `sent`; a request without a body has nothing to tell."""
    if sent is None:
        return []

    def tell(request: httpx2.Request) -> None:
        if body := request.read():
            sent(str(request.url), body)

    return [tell]


@dataclass(frozen=True, slots=True)
class Route:
    """How this machine reaches others: `proxy` "" = as the system says, "direct" = none, else its URL.

    `direct_hosts` never go through the proxy; `ca_file` is trusted beside the system's store; `plant_hosts` are
    inside the plant and may be spoken to over http:// (as the loopback always may).
    """

    proxy: str = ""
    direct_hosts: tuple[str, ...] = ()
    ca_file: str = ""
    plant_hosts: tuple[str, ...] = ()


def route_of(settings: config.Settings) -> Route:
    return Route(
        settings.get(config.NET_PROXY),
        settings.get(config.NET_DIRECT_HOSTS),
        settings.get(config.NET_CA_FILE),
        settings.get(config.NET_PLANT_HOSTS),
    )


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host, or the whole of what is no URL."""
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url


def without_login(url: str) -> str:
    """The URL as people may see it: a proxy's may carry a password."""
    head, at, rest = url.rpartition("@")
    return f"{head.partition('//')[0]}//{rest}" if at and "//" in head else rest


def is_inside(url: str, route: Route) -> bool:
    """Whether `url` leads to this PC or to a server that policy names as the plant's own."""
    host = host_of(url)
    return is_loopback(host) or host in route.plant_hosts


def require_allowed(url: str, route: Route) -> None:
    """Raises KnownError: net_bad_url, net_plaintext_refused (http:// beyond loopback that no policy allows)."""
    scheme, host = _scheme_and_host(url)
    if scheme == "http" and not is_loopback(host) and host not in route.plant_hosts:
        raise KnownError("net_plaintext_refused", host=host)


def _scheme_and_host(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port  # a port beyond 65535 is found when it is asked for
        host.encode("idna")
    except ValueError as error:
        raise KnownError("net_bad_url", url=without_login(url)) from error
    if parts.scheme not in ("http", "https") or not host:
        raise KnownError("net_bad_url", url=without_login(url))
    return parts.scheme, host


def open_client(
    url: str,
    route: Route,
    *,
    connect: float = 5.0,
    read: float = 120.0,
    trust: ssl.SSLContext | None = None,
    **more: Any,
) -> httpx2.Client:
    """A client for `url`; `connect` and `read` in seconds, `more` as httpx2.Client takes it.

    `trust` None = what the operating system and the route trust. Raises KnownError: net_bad_url,
    net_plaintext_refused, net_ca_unreadable.
    """
    import httpx2  # 0.15 s that a window without network doesn't need

    require_allowed(url, route)
    proxy = proxy_of(url, route)
    if proxy:
        _scheme_and_host(proxy)
    system = route.proxy == ""
    direct = dict.fromkeys((*_LOOPBACK_MOUNTS, *(f"all://{host}" for host in route.direct_hosts)))
    try:
        return httpx2.Client(
            verify=trust or _trust(route),
            trust_env=system,
            proxy=None if system and getproxies() else proxy or None,  # the system's own it takes by itself
            mounts=direct,
            timeout=httpx2.Timeout(read, connect=connect),
            limits=httpx2.Limits(max_keepalive_connections=0),
            **more,
        )
    except (httpx2.InvalidURL, ValueError, ImportError) as error:  # ImportError: a SOCKS proxy
        said = proxy or getproxies().get("all") or url
        raise KnownError("net_bad_url", url=without_login(said)) from error


def asks_script(url: str, route: Route) -> bool:
    """Whether a script of the system's (PAC, WPAD) says how `url` is reached: nothing else names a proxy."""
    return route.proxy == "" and not getproxies() and not is_loopback(host_of(url))


def _trust(route: Route) -> ssl.SSLContext:
    """The operating system's store, and the plant's own authority where one is named."""
    import truststore  # only who speaks TLS needs it

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if route.ca_file:
        try:
            context.load_verify_locations(str(Path(route.ca_file)))
        except (OSError, ssl.SSLError) as error:
            raise KnownError("net_ca_unreadable", file=route.ca_file) from error
    return context


def proxy_of(url: str, route: Route) -> str:
    """The URL of the proxy that a request to `url` goes through, "" = none; may ask a script, which takes seconds."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if route.proxy == "direct" or is_loopback(host) or host in route.direct_hosts:
        return ""
    if route.proxy:
        return route.proxy
    if asks_script(url, route):
        return pac.find(url) or ""
    found = getproxies()
    return "" if proxy_bypass(host) else found.get(parts.scheme) or found.get("all") or ""


def named(error: BaseException, url: str, route: Route) -> KnownError:
    """The failure of a request to `url`, with its sentence."""
    code = diagnose(error, through_proxy=bool(proxy_of(url, route)))
    return KnownError(code, host=host_of(url), url=url)


def diagnose(error: BaseException, *, through_proxy: bool = False) -> str:
    """The code that names what stands between us and the other side; "net_unknown" if nothing known fits."""
    import httpx2  # loaded already: it raised the error

    causes = list(chain(error))
    if code := _in_handshake(causes):
        return code
    for cause in causes:
        match cause:
            case httpx2.ProxyError():
                return _PROXY_SAYS.get(str(cause)[:3], "net_proxy")
            case httpx2.ConnectTimeout():
                return "net_proxy" if through_proxy else "net_no_answer"
            case httpx2.TimeoutException():
                return "net_stalled"
            case socket.gaierror():
                return "net_proxy" if through_proxy else "net_name_unknown"
            case ConnectionRefusedError():
                return "net_proxy" if through_proxy else "net_refused"
    return _by_kind(causes, through_proxy)


def _in_handshake(causes: list[BaseException]) -> str | None:
    """What kept encryption from being set up, None if it was not that.

    A filter that forbids a name lets the connection come about and cuts it at the first word, which holds the name.
    """
    import httpx2  # loaded already: it raised the error

    if "CERTIFICATE_VERIFY_FAILED" in str(causes):
        return "net_certificate"
    connecting = any(isinstance(cause, httpx2.ConnectError) for cause in causes)
    for cause in causes:
        match cause:
            case ssl.SSLCertVerificationError():
                return "net_certificate"
            case ssl.SSLEOFError() | ConnectionResetError() | ConnectionAbortedError() if connecting:
                return "net_tls_reset"
            case ssl.SSLError():
                return "net_tls_failed" if connecting else "net_cut"
    return None


def _by_kind(causes: list[BaseException], through_proxy: bool) -> str:
    import httpx2  # loaded already: it raised the error

    for cause in causes:
        match cause:
            case httpx2.ConnectError():
                return "net_proxy" if through_proxy else "net_offline"
            case httpx2.ReadError() | httpx2.WriteError() | httpx2.RemoteProtocolError():
                return "net_cut"
            case httpx2.UnsupportedProtocol() | httpx2.InvalidURL() | httpx2.LocalProtocolError():
                return "net_bad_url"
    return "net_unknown"


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
