"""Claude over the anthropic SDK, streaming; the SDK is loaded when the first Claude is opened, not before."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from desktop import net
from desktop.agent.events import TextDelta, Thinking
from desktop.agent.language_model import Interrupted, Progress
from desktop.agent.messages import REFUSAL, Reply, TokenUsage, assistant_message, clean, markers_of
from desktop.agent.models.failure import Failure, Patience, by_status, patiently, seconds_asked_for, usable_key
from desktop.agent.models.prices import Prices
from desktop.agent.run_state import RunState
from desktop.errors import KnownError
from desktop.net import Cancellation, Sent

_log = logging.getLogger(__name__)

PROVIDER = "anthropic"
CONTEXT_TOKENS = 1_000_000

# What the SDK raises on a stream that breaks its rules (HTML, wrong JSON, deltas without a block), none of it its own.
_BROKEN = (AssertionError, ValueError, LookupError, TypeError, AttributeError, RuntimeError)


@dataclass(frozen=True, slots=True)
class ClaudeOptions:
    """`basic` = a gateway that knows the plain protocol only: no thinking, caching, strict tools or citations.

    `effort` "" = the model's own default; `fallback_model` is asked when the first refuses ("" = nobody is);
    `read_timeout` is the longest silence, in seconds.
    """

    base_url: str
    model: str
    max_tokens: int = 8192
    effort: str = ""
    basic: bool = False
    fallback_model: str = ""
    read_timeout: float = 120.0
    patience: Patience = field(default_factory=Patience)
    prices: Prices = field(default_factory=Prices)


def open_claude(key: str, options: ClaudeOptions, route: net.Route, sent: Sent | None = None) -> Claude:
    """Loads the SDK (seconds: call it on a worker) and connects nothing yet; `sent` gets every request that leaves.

    Raises KnownError: model_key_missing, model_key_wrong, net_bad_url, net_plaintext_refused, net_ca_unreadable.
    """
    key = usable_key(key)
    if not key:
        raise KnownError("model_key_missing")
    net.require_allowed(options.base_url, route)
    os.environ.pop("ANTHROPIC_CUSTOM_HEADERS", None)  # the SDK would send them along, with no way to opt out
    first = "anthropic" not in sys.modules
    import anthropic  # 3,000 modules: only who talks to Claude pays for them

    if first:
        gc.freeze()  # they stay for good; a collection on the window's thread needn't walk them again (90 ms)
    return Claude(anthropic, key, options, route, sent)


class Claude:
    """One Claude; one reply at a time."""

    provider = PROVIDER
    context_tokens = CONTEXT_TOKENS

    def __init__(self, sdk: ModuleType, key: str, options: ClaudeOptions, route: net.Route, sent: Sent | None) -> None:
        self._sdk = sdk
        self._options = options
        self._route = route
        self._cancelled = Cancellation()
        http = net.open_client(
            options.base_url,
            route,
            read=options.read_timeout,
            event_hooks={"request": [lambda request: self._cancelled.watch(request), *net.reporting(sent)]},
        )
        self._client = sdk.Anthropic(
            api_key=key, base_url=options.base_url, max_retries=0, open_telemetry=False, http_client=http
        )

    @property
    def name(self) -> str:
        return self._options.model

    @property
    def native_citations(self) -> bool:
        return not self._options.basic

    @property
    def max_tokens(self) -> int:
        return self._options.max_tokens

    def close(self) -> None:
        self._client.close()

    def cost(self, usage: TokenUsage) -> float | None:
        return self._options.prices.cost(self.name, usage)

    def reply(self, state: RunState, cancelled: Cancellation) -> Generator[Progress, None, Reply]:
        """See LanguageModel; errors by kind as `failure.by_status` and `net.diagnose` name them."""
        self._cancelled = cancelled
        reply = yield from patiently(
            lambda: self._attempt(state, state.prompt.model), self._options.patience, cancelled
        )
        fallback = self._options.fallback_model
        if reply.stop != REFUSAL or not fallback or reply.text:
            return reply
        return (yield from patiently(lambda: self._attempt(state, fallback), self._options.patience, cancelled))

    def test(self) -> Mapping[str, Any]:
        """Asks for the model by name, which costs nothing; raises KnownError with the named cause."""
        self._cancelled = Cancellation()
        try:
            with self._named_failures():
                found = self._client.models.retrieve(self._options.model)
        except Failure as failure:
            raise failure.error from failure
        return {"id": found.id, "name": getattr(found, "display_name", found.id)}

    def _attempt(self, state: RunState, model: str) -> Generator[Progress, None, Reply]:
        with self._named_failures(), self._client.messages.stream(**self._request(state, model)) as stream:
            _require_event_stream(stream.response.headers.get("content-type", ""))
            whole = False
            for event in stream:
                if self._cancelled.is_set():
                    raise Interrupted
                yield from _progress(event)
                whole = whole or event.type == "message_stop"
            return _reply(stream.get_final_message(), whole=whole)

    def _request(self, state: RunState, model: str) -> dict[str, Any]:
        """Everything bound to thinking comes from the state; system and tools first, so that the cache holds."""
        prompt = state.prompt
        request: dict[str, Any] = {
            "model": model,
            "max_tokens": self._options.max_tokens,
            "system": [{"type": "text", "text": prompt.system}],
            "tools": list(prompt.tools),
            "messages": [{"role": message["role"], "content": message["content"]} for message in state.messages],
        }
        if self._options.basic:
            return request | {"tools": [{k: v for k, v in tool.items() if k != "strict"} for tool in prompt.tools]}
        request["system"][-1]["cache_control"] = {"type": "ephemeral"}
        request["cache_control"] = {"type": "ephemeral"}
        request["thinking"] = {"type": "adaptive", "display": "summarized"}
        if self._options.effort:
            request["output_config"] = {"effort": self._options.effort}
        return request

    @contextmanager
    def _named_failures(self) -> Iterator[None]:
        """Whatever the SDK or the network raises, as a Failure; once stopped, it is an interruption."""
        import httpx2  # the SDK has loaded it

        try:
            yield
        except (self._sdk.AnthropicError, httpx2.HTTPError, *_BROKEN) as error:
            if self._cancelled.is_set():
                raise Interrupted from error
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> Failure:
        sdk = self._sdk
        if isinstance(error.__cause__, KnownError):  # what kept the request from leaving; the SDK wraps it
            return Failure(error.__cause__)
        match error:
            case sdk.APIResponseValidationError():
                return Failure(KnownError("model_reply_broken"))
            case sdk.APIStatusError():
                after = seconds_asked_for(error.response.headers.get("retry-after"))
                return by_status(error.status_code, str(error.type or ""), str(error.message), after, self.name)
            case sdk.AnthropicError() if not isinstance(error, sdk.APIConnectionError):
                return Failure(KnownError("model_reply_broken"))
        if isinstance(error, _BROKEN):
            _log.warning("the reply could not be read: %s", type(error).__name__)  # its text would quote the reply
            return Failure(KnownError("model_reply_broken"))
        cause = net.named(error, self._options.base_url, self._route)
        return Failure(cause, again=cause.code in net.PASSING)


def _require_event_stream(content_type: str) -> None:
    """A sign-in page of a hotel or a firewall answers 200 too."""
    if "text/html" in content_type:
        raise Failure(KnownError("net_captive_portal"))
    if "text/event-stream" not in content_type:
        raise Failure(KnownError("model_reply_broken"))


def _progress(event: Any) -> Iterator[Progress]:
    match event.type:
        case "text" if event.text:
            yield TextDelta(clean(event.text))
        case "thinking" if event.thinking:
            yield Thinking(clean(event.thinking))
        case "content_block_stop":
            block = event.content_block
            if block.type == "text" and (markers := markers_of(block.to_dict(mode="json", warnings=False))):
                yield TextDelta(markers)


def _reply(message: Any, *, whole: bool) -> Reply:
    """The finished message block by block as it came; unknown types and fields included.

    One that was cut off ends without an exception; only its missing last event tells.
    """
    blocks = [clean(block.to_dict(mode="json", warnings=False)) for block in message.content]
    return Reply(
        assistant_message(blocks),
        message.stop_reason if whole else None,
        _usage(message.usage),
        str(message.model),
        str(getattr(message.stop_details, "explanation", None) or ""),
    )


def _usage(usage: Any) -> TokenUsage:
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return TokenUsage((usage.input_tokens or 0) + read + written, usage.output_tokens or 0, read, written)
