"""Any server that speaks /v1/chat/completions (vLLM, llama.cpp, Ollama, hosted ones), over httpx2."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from desktop import net
from desktop.agent.language_model import Interrupted, Progress
from desktop.agent.messages import Reply, TokenUsage
from desktop.agent.models.chat_wire import BrokenReply, ChatReply, chat_messages, chat_tools
from desktop.agent.models.failure import Failure, Patience, by_status, patiently, seconds_asked_for, usable_key
from desktop.agent.models.prices import Prices
from desktop.agent.run_state import RunState
from desktop.errors import KnownError
from desktop.net import Cancellation, Sent

PROVIDER = "openai"
_LONGEST_LINE = 8_000_000  # characters; a server that never ends a line would fill the memory


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """`stream_with_tools` False: servers that lose streamed calls are asked for whole replies when tools go along.

    `parallel` None = nothing is said about it. `context_tokens` 0 = unknown. `read_timeout` in seconds; a small
    server on a busy PC thinks for minutes before its first word.
    """

    base_url: str
    model: str
    max_tokens: int = 2048
    context_tokens: int = 0
    stream_with_tools: bool = False
    parallel: bool | None = None
    temperature: float | None = None
    read_timeout: float = 300.0
    patience: Patience = field(default_factory=Patience)
    prices: Prices = field(default_factory=Prices)


class OpenAICompatible:
    """One server's model; `key` "" = the server wants none, `sent` gets every request. One reply at a time.

    Raises KnownError: model_key_wrong, net_bad_url, net_plaintext_refused, net_ca_unreadable.
    """

    provider = PROVIDER
    native_citations = False

    def __init__(self, key: str, options: ChatOptions, route: net.Route, sent: Sent | None = None) -> None:
        self._options = options
        self._route = route
        self._cancelled = Cancellation()
        key = usable_key(key)
        self._http = net.open_client(
            options.base_url,
            route,
            read=options.read_timeout,
            headers={"authorization": f"Bearer {key}"} if key else {},
            event_hooks={"request": [lambda request: self._cancelled.watch(request), *net.reporting(sent)]},
        )

    @property
    def name(self) -> str:
        return self._options.model

    @property
    def context_tokens(self) -> int | None:
        return self._options.context_tokens or None

    @property
    def max_tokens(self) -> int:
        return self._options.max_tokens

    def close(self) -> None:
        self._http.close()

    def cost(self, usage: TokenUsage) -> float | None:
        return self._options.prices.cost(self.name, usage)

    def reply(self, state: RunState, cancelled: Cancellation) -> Generator[Progress, None, Reply]:
        """See LanguageModel; errors by kind as `failure.by_status` and `net.diagnose` name them."""
        self._cancelled = cancelled
        body = self._body(state.prompt.model, chat_messages(state), chat_tools(state.prompt.tools))
        return (yield from patiently(lambda: self._attempt(body, state.call_ids()), self._options.patience, cancelled))

    def fill(
        self, state: RunState, messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any], cancelled: Cancellation
    ) -> Generator[Progress, None, Reply]:
        """One JSON object that fits `schema`, as the reply's text; nothing of it is shown."""
        self._cancelled = cancelled
        body = self._body(state.prompt.model, messages, [])
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "step", "strict": True, "schema": schema},
        }
        body["stream"] = False
        body.pop("stream_options", None)
        return (
            yield from patiently(
                lambda: self._attempt(body, frozenset(), show=False), self._options.patience, cancelled
            )
        )

    def get(self, path: str) -> Any:
        """A JSON document of the server; raises KnownError with the named cause."""
        try:
            with self._named_failures():
                answer = self._http.get(self._url(path))
                self._require_success(answer)
                return answer.json()
        except Failure as failure:
            raise failure.error from failure

    def _body(
        self, model: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": model, "messages": list(messages), "max_tokens": self._options.max_tokens}
        if self._options.temperature is not None:
            body["temperature"] = self._options.temperature
        if tools:
            body["tools"] = list(tools)
            if self._options.parallel is not None:
                body["parallel_tool_calls"] = self._options.parallel
        body["stream"] = self._options.stream_with_tools or not tools
        if body["stream"]:
            body["stream_options"] = {"include_usage": True}
        return body

    def _attempt(
        self, body: Mapping[str, Any], used_ids: frozenset[str], *, show: bool = True
    ) -> Generator[Progress, None, Reply]:
        with self._named_failures(), self._http.stream("POST", self._url("/chat/completions"), json=body) as answer:
            self._require_success(answer)
            if "text/event-stream" in answer.headers.get("content-type", ""):
                return (yield from self._streamed(answer, ChatReply(used_ids)))
            answer.read()
            gathered = ChatReply(used_ids)
            pieces = list(gathered.take(answer.json()))
            yield from pieces if show else ()
            return gathered.finish()

    def _streamed(self, answer: httpx2.Response, gathered: ChatReply) -> Generator[Progress, None, Reply]:
        for line in _lines(answer):
            if self._cancelled.is_set():
                raise Interrupted
            if not line.startswith("data:"):
                continue
            data = line[5:].strip()
            if data == "[DONE]":
                break
            yield from gathered.take(json.loads(data))
        return gathered.finish()

    def _require_success(self, answer: httpx2.Response) -> None:
        kind = answer.headers.get("content-type", "")
        if answer.is_success and "text/html" in kind:
            raise Failure(KnownError("net_captive_portal"))
        if not answer.is_success:
            answer.read()
            after = seconds_asked_for(answer.headers.get("retry-after"))
            raise by_status(answer.status_code, "", answer.text, after, self.name)

    def _url(self, path: str) -> str:
        base = self._options.base_url.rstrip("/")
        return f"{base if base.endswith('/v1') else f'{base}/v1'}{path}"

    @contextmanager
    def _named_failures(self) -> Iterator[None]:
        try:
            yield
        except (httpx2.HTTPError, httpx2.InvalidURL, BrokenReply, ValueError) as error:
            if self._cancelled.is_set():
                raise Interrupted from error
            if not isinstance(error, (httpx2.HTTPError, httpx2.InvalidURL)):
                raise Failure(KnownError("model_reply_broken")) from error
            cause = net.named(error, self._options.base_url, self._route)
            raise Failure(cause, again=cause.code in net.PASSING) from error


def _lines(answer: httpx2.Response) -> Iterator[str]:
    for line in answer.iter_lines():
        if len(line) > _LONGEST_LINE:
            raise BrokenReply
        yield line
