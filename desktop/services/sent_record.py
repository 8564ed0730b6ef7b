"""送信した内容: every request body is on disk before it leaves this PC."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from urllib.parse import urlsplit

from desktop.domain.canonical import sha256
from desktop.store import sent
from desktop.store.journal import Journal
from desktop.store.sent import SentBody


class SentRecord:
    """Called with the address and the body of a request as it leaves; what can't be kept is not sent.

    Used on the one thread that the session's models are used on. Raises what `Journal.transaction` raises.
    """

    def __init__(self, journal: Journal, clock: Callable[[], datetime]) -> None:
        self._journal = journal
        self._clock = clock
        self._run_id: str | None = None

    def __call__(self, url: str, body: bytes) -> None:
        with self._journal.transaction() as tx:
            sent.keep(tx, self._run_id, SentBody(self._clock(), _place(url), body))

    @contextmanager
    def of_question(self, run_id: str) -> Iterator[None]:
        """What leaves meanwhile is of this run."""
        self._run_id = run_id
        try:
            yield
        finally:
            self._run_id = None


def sent_text(bodies: tuple[SentBody, ...]) -> str:
    """All of it to read, each body under a line that says when, where to, how many bytes and which (SHA-256).

    Nothing is left out; only line breaks are put between the parts of a body, which is one line on the wire.
    """
    return "\n\n".join(
        f"{number}　{one.at.astimezone():%Y-%m-%d %H:%M:%S}　{one.url}\n"
        f"{len(one.body):,} bytes　SHA-256 {sha256(one.body)}\n{_readable(one.body)}"
        for number, one in enumerate(bodies, start=1)
    )


def _readable(body: bytes) -> str:
    text = body.decode("utf-8", "backslashreplace")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except ValueError:
        return text


def _place(url: str) -> str:
    """Without user, password and query, where a gateway's key may stand."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
