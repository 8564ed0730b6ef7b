"""Which model answers a question: the one that settings name, or with `auto` whichever can be reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from desktop import config, net
from desktop.agent.events import RunStopped, StopReason
from desktop.agent.language_model import LanguageModel
from desktop.agent.limits import Limits
from desktop.agent.models.claude import Claude, ClaudeOptions, open_claude
from desktop.agent.models.openai_compatible import ChatOptions, OpenAICompatible
from desktop.agent.models.prices import read_prices
from desktop.config import Settings
from desktop.errors import KnownError
from desktop.net import Sent

OFFLINE = "offline"
AUTO = "auto"
ANTHROPIC = "anthropic"
OPENAI = "openai"

_REST = 60.0  # seconds for which an unreachable provider isn't asked again by `auto`

Secret = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Chosen:
    """`model` None = this question is answered without one.

    `why` and `values` say why it is not the provider that `auto` prefers ("" = it is). `outside`: what is sent leaves
    the plant. `guided`: wrap the model in `guided.Guided` for this question.
    """

    provider: str
    model: LanguageModel | None = None
    outside: bool = False
    guided: bool = False
    why: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reason(self) -> KnownError:
        """`why` as an error that has its sentence."""
        return KnownError(self.why, **self.values)


class Models:
    """The models of one session, opened when first needed and kept; used from one thread.

    `secret` gives a key by name ("anthropic", "openai"); `sent` gets address and bytes of every request that leaves.
    """

    def __init__(
        self, settings: Settings, secret: Secret, sent: Sent | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._secret = secret
        self._sent = sent
        self._clock = clock
        self._route = net.route_of(settings)
        self._open: dict[str, Claude | OpenAICompatible] = {}
        self._resting: dict[str, tuple[float, RunStopped]] = {}

    def choose(self, wanted: str) -> Chosen:
        """For `wanted` as setting `provider` has it. A provider named outright is opened or its KnownError raised:
        model_key_missing, model_not_set_up, model_cloud_not_allowed, net_bad_url, net_plaintext_refused,
        net_ca_unreadable, price_unreadable. `auto` raises nothing: it gives the first that works, or offline, and why
        the first was passed over.
        """
        if wanted == OFFLINE:
            return Chosen(OFFLINE)
        if wanted != AUTO:
            return self._chosen(wanted)
        skipped: list[KnownError] = []
        for provider in self._set_up():
            until, stopped = self._resting.get(provider, (0.0, RunStopped(StopReason.UNREACHABLE)))
            if self._clock() < until:
                values: dict[str, Any] = dict(stopped.values)
                skipped.append(KnownError(stopped.code, **values))
                continue
            try:
                chosen = self._chosen(provider)
            except KnownError as error:
                skipped.append(error)
                continue
            return replace(chosen, why=skipped[0].code, values=skipped[0].detail) if skipped else chosen
        return Chosen(OFFLINE, why=skipped[0].code, values=skipped[0].detail)

    def note(self, provider: str, stopped: RunStopped) -> None:
        """How a run ended: a provider that could not be reached is left in peace for a while."""
        if stopped.reason is StopReason.UNREACHABLE:
            self._resting[provider] = (self._clock() + _REST, stopped)

    def close(self) -> None:
        for model in self._open.values():
            model.close()
        self._open.clear()

    def _set_up(self) -> list[str]:
        """Providers with an address, the plant's own server first."""
        named = [OPENAI] if self._settings.get(config.OPENAI_BASE_URL) else []
        return [*named, ANTHROPIC]

    def _chosen(self, provider: str) -> Chosen:
        outside = self._is_outside(provider)
        if outside and not self._settings.get(config.CLOUD_CONSENT):
            raise KnownError("model_cloud_not_allowed")
        if provider not in self._open:
            self._open[provider] = self._claude() if provider == ANTHROPIC else self._chat()
        guided = provider == OPENAI and self._settings.get(config.OPENAI_MODE) == "guided"
        return Chosen(provider, self._open[provider], outside, guided)

    def _is_outside(self, provider: str) -> bool:
        """Claude is, through whatever gateway, unless it is this very PC; another server is by https and key."""
        if provider == ANTHROPIC:
            return not net.is_loopback(net.host_of(self._settings.get(config.ANTHROPIC_BASE_URL)))
        url = self._settings.get(config.OPENAI_BASE_URL)
        encrypted = url.startswith("https://")
        return encrypted and bool(self._secret(OPENAI)) and not net.is_inside(url, self._route)

    def _claude(self) -> Claude:
        settings = self._settings
        options = ClaudeOptions(
            base_url=settings.get(config.ANTHROPIC_BASE_URL),
            model=settings.get(config.ANTHROPIC_MODEL),
            max_tokens=settings.get(config.ANTHROPIC_MAX_TOKENS),
            effort=settings.get(config.ANTHROPIC_EFFORT),
            basic=settings.get(config.ANTHROPIC_BASIC),
            fallback_model=settings.get(config.ANTHROPIC_FALLBACK_MODEL),
            prices=read_prices(settings.get(config.MODEL_PRICES)),
        )
        return open_claude(self._secret(ANTHROPIC) or "", options, self._route, self._sent)

    def _chat(self) -> OpenAICompatible:
        settings = self._settings
        options = ChatOptions(
            base_url=settings.get(config.OPENAI_BASE_URL),
            model=settings.get(config.OPENAI_MODEL),
            max_tokens=settings.get(config.OPENAI_MAX_TOKENS),
            context_tokens=settings.get(config.OPENAI_CONTEXT_TOKENS),
            read_timeout=float(settings.get(config.OPENAI_TIMEOUT)),
            stream_with_tools=settings.get(config.OPENAI_STREAM_TOOLS),
            parallel={"yes": True, "no": False}.get(settings.get(config.OPENAI_PARALLEL_TOOLS)),
            prices=read_prices(settings.get(config.MODEL_PRICES)),
        )
        if not options.base_url or not options.model:
            raise KnownError("model_not_set_up")
        return OpenAICompatible(self._secret(OPENAI) or "", options, self._route, self._sent)


def limits_of(settings: Settings, spent_today: float = 0.0, spent_this_month: float = 0.0) -> Limits:
    """The budgets of the settings; of the money the narrowest that is left counts, in US dollars."""
    budgets = [
        (settings.get(config.BUDGET_QUESTION_COST), 0.0, "質問"),
        (settings.get(config.BUDGET_DAY_COST), spent_today, "今日"),
        (settings.get(config.BUDGET_MONTH_COST), spent_this_month, "今月"),
    ]
    left = [(max(0.0, budget - spent), period) for budget, spent, period in budgets if budget]
    cost, period = min(left, default=(None, "質問"))
    return Limits(
        tokens=settings.get(config.BUDGET_TOKENS),
        seconds=float(settings.get(config.BUDGET_SECONDS)),
        cost=cost,
        cost_period=period,
    )
