"""What a provider's failure is called, whether asking again helps, and asking again with patience."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time

from desktop.agent.events import Retrying
from desktop.agent.language_model import Interrupted, Progress
from desktop.agent.messages import Reply
from desktop.errors import KnownError
from desktop.net import Cancellation

_OVERLOADED = 529
_BY_TYPE = {
    "overloaded_error": _OVERLOADED,
    "rate_limit_error": 429,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "timeout_error": 504,
    "api_error": 500,
}
_CODES = {
    **dict.fromkeys(range(300, 400), "net_captive_portal"),
    401: "model_key_wrong",
    402: "model_quota",
    403: "model_forbidden",
    404: "model_not_found",
    407: "net_proxy_login",
    413: "model_request_too_large",
    _OVERLOADED: "model_overloaded",
}
_PASSING = (408, 409, 425)
_QUOTA_WORDS = ("credit balance", "insufficient_quota", "billing", "quota")
_CONTEXT_WORDS = ("prompt is too long", "context length", "context window", "context size", "maximum context")


class Failure(Exception):
    """One attempt failed: `error` is for people, `again` says that a later attempt may do better.

    `after` is how many seconds the provider asked for, None if it didn't say.
    """

    def __init__(self, error: KnownError, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(error.code)
        self.error = error
        self.again = again
        self.after = after


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a provider is waited for; `cap` is the longest single wait, in seconds."""

    attempts: int = 3
    first: float = 1.0
    cap: float = 60.0

    def pause(self, attempt: int, asked_for: float | None) -> float | None:
        """Seconds before the attempt after the `attempt`-th; None = not worth waiting for."""
        if attempt >= self.attempts:
            return None
        if asked_for is not None:
            return asked_for if asked_for <= self.cap else None
        return min(self.cap, self.first * (1 << (attempt - 1))) * random.uniform(0.5, 1.0)


def patiently(
    attempt: Callable[[], Generator[Progress, None, Reply]], patience: Patience, cancelled: Cancellation
) -> Generator[Progress, None, Reply]:
    """The first attempt that succeeds; none after something was shown, so that nothing is shown twice.

    Raises Interrupted, or the last failure's KnownError.
    """
    number = 0
    while True:
        number += 1
        shown = False
        with closing(attempt()) as pieces:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as done:
                    reply: Reply = done.value
                    return reply
                except Failure as caught:
                    failure = caught
                    break
                shown = True
                yield piece
        if cancelled.is_set():
            raise Interrupted from failure
        pause = patience.pause(number, failure.after) if failure.again and not shown else None
        if pause is None:
            raise failure.error from failure
        yield Retrying(failure.error.code, pause)
        if cancelled.wait(pause):
            raise Interrupted from failure


def by_status(status: int, kind: str, message: str, after: float | None, model: str) -> Failure:
    """The failure that an HTTP status, an error type in a stream, and a provider's words amount to."""
    status = _BY_TYPE.get(kind, status) if status < 400 or kind == "overloaded_error" else status
    said = message.lower()
    if status in (400, 413) and any(words in said for words in _CONTEXT_WORDS):
        return Failure(KnownError("run_context_full"))
    if status in (400, 403, 429) and any(words in said for words in _QUOTA_WORDS):
        return Failure(KnownError("model_quota"))
    if status == 429:
        seconds = "-" if after is None else str(round(after))
        return Failure(KnownError("model_rate_limit", seconds=seconds), again=True, after=after)
    if status in _CODES:
        return Failure(KnownError(_CODES[status], model=model), again=status == _OVERLOADED, after=after)
    if status in _PASSING or status >= 500:
        return Failure(KnownError("model_server_error", status=status), again=True, after=after)
    return Failure(KnownError("model_request_refused", status=status, said=message[:200] or "-"))


def seconds_asked_for(header: str | None) -> float | None:
    """A retry-after header in seconds, given as a number or a date; None if it is neither."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time())
    except ValueError:
        return None


def usable_key(key: str) -> str:
    """The key without the blanks that pasting leaves; KnownError("model_key_wrong") if no header could carry it."""
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise KnownError("model_key_wrong")
    return key
