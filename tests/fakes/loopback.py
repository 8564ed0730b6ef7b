"""A scripted HTTP server on the loopback: every request takes the next step of the script."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Step = Callable[["Handler"], None]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived; `raw` are the bytes of its body."""

    path: str
    headers: dict[str, str]
    raw: bytes
    body: Any = field(repr=False)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "LoopbackServer"

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._take_step()

    def do_POST(self) -> None:
        self._take_step()

    def do_CONNECT(self) -> None:
        """What a proxy is asked for; here a step like any other."""
        self._take_step()

    def _take_step(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.close_connection = True
        step = self.server.next_step(
            Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, raw, json.loads(raw) if raw else None)
        )
        try:
            step(self)
        except (BrokenPipeError, ConnectionResetError):
            self.server.left.set()

    def send_body(self, status: int, body: bytes, content_type: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": content_type, "request-id": "req_1", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def start_stream(self, content_type: str = "text/event-stream") -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def cut(self) -> None:
        """The connection breaks as when a cable is pulled: reset, nothing said."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RDWR)

    def hold(self) -> None:
        """Silence until the client leaves or the test lets go; the socket stays open."""
        self.server.holding.set()
        self.server.let_go.wait(30)


class LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[Seen] = []
        self.holding, self.let_go, self.left = threading.Event(), threading.Event(), threading.Event()
        self._steps: list[Step] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.let_go.set()
        self.shutdown()
        self.server_close()
        self._thread.join()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is no news; everything else is a mistake in the test."""
        self.left.set()

    def script(self, *steps: Step) -> None:
        """From now on these steps; what was seen before is forgotten."""
        with self._lock:
            self._steps[:] = steps
            self.seen.clear()

    def next_step(self, seen: Seen) -> Step:
        with self._lock:
            self.seen.append(seen)
            return self._steps.pop(0) if self._steps else unscripted

    @property
    def done(self) -> bool:
        """Every step of the script was taken."""
        return not self._steps


def unscripted(handler: Handler) -> None:
    handler.send_body(418, b'{"error":{"message":"no step left in the script"}}', "application/json", {})


def json_body(tree: Any, status: int = 200, **headers: str) -> Step:
    body = json.dumps(tree, ensure_ascii=False).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.send_body(status, body, "application/json", named)


def raw_body(body: bytes, content_type: str, status: int = 200, **headers: str) -> Step:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.send_body(status, body, content_type, named)


SIGN_IN_PAGE = raw_body(b"<!doctype html><title>Wi-Fi</title><p>Sign in", "text/html; charset=utf-8")


def hang_up(handler: Handler) -> None:
    """Accepts the request and breaks the connection without a word."""
    handler.cut()


def say_nothing(handler: Handler) -> None:
    """Accepts the request and stays silent: no headers, no end."""
    handler.hold()


def stream(chunks: Iterable[bytes], *, end: str = "whole", after: int | None = None) -> Step:
    """A chunked event stream; `after` that many chunks it ends as `end` says.

    whole = regularly, with all chunks; stop = regularly but too early; cut = the connection breaks;
    hold = silence.
    """
    listed = list(chunks)

    def step(handler: Handler) -> None:
        handler.start_stream()
        for chunk in listed if after is None else listed[:after]:
            handler.send_chunk(chunk)
        match end:
            case "cut":
                handler.cut()
            case "hold":
                handler.hold()
            case _:
                handler.end_stream()

    return step
