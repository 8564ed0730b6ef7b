"""Which provider answers, and why."""

import pytest

from desktop.agent.events import RunStopped, StopReason
from desktop.agent.limits import Limits
from desktop.agent.messages import TokenUsage
from desktop.agent.models.choose import Chosen, Models, limits_of
from desktop.agent.models.prices import read_prices
from desktop.config import Settings
from desktop.errors import KnownError, sentence

LOCAL = {"openai.base_url": "http://127.0.0.1:8000", "openai.model": "local"}
KEYS = {"anthropic": "sk-ant-1", "openai": "sk-1"}


def test_offline_is_no_model_at_all() -> None:
    assert Models(Settings(LOCAL), KEYS.get).choose("offline") == Chosen("offline")


@pytest.mark.parametrize(
    ("wanted", "values", "secrets", "code"),
    [
        ("anthropic", {}, KEYS, "model_cloud_not_allowed"),
        ("anthropic", {"cloud.consent": "課長 2026-11-30"}, {}, "model_key_missing"),
        ("anthropic", {"anthropic.base_url": "http://gateway.example"}, KEYS, "model_cloud_not_allowed"),
        ("openai", {"openai.base_url": ""}, {}, "model_not_set_up"),
        ("openai", {"openai.base_url": "https://api.openai.example/v1"}, KEYS, "model_cloud_not_allowed"),
        ("openai", {"openai.base_url": "http://llm.example"}, {}, "net_plaintext_refused"),
        ("openai", {"model.prices": ("claude",)}, {}, "price_unreadable"),
    ],
)
def test_a_provider_named_outright_is_opened_or_the_reason_said(
    wanted: str, values: dict[str, object], secrets: dict[str, str], code: str
) -> None:
    with pytest.raises(KnownError) as caught:
        Models(Settings(LOCAL | values), secrets.get).choose(wanted)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("values", "secrets", "outside"),
    [
        ({}, {}, False),
        ({}, KEYS, False),
        ({"openai.base_url": "https://llm.plant.example"}, {}, False),
        ({"openai.base_url": "https://llm.plant.example"}, KEYS, True),
        ({"openai.base_url": "https://llm.plant.example", "net.plant_hosts": ("llm.plant.example",)}, KEYS, False),
        ({"openai.base_url": "http://llm.plant.example", "net.plant_hosts": ("llm.plant.example",)}, KEYS, False),
    ],
)
def test_https_and_a_key_count_as_outside_unless_the_host_is_the_plants(
    values: dict[str, object], secrets: dict[str, str], outside: bool
) -> None:
    models = Models(Settings(LOCAL | {"cloud.consent": "課長"} | values), secrets.get)
    chosen = models.choose("openai")
    assert (chosen.provider, chosen.outside, chosen.guided) == ("openai", outside, True)
    assert models.choose("openai").model is chosen.model
    models.close()


def test_auto_takes_the_plants_own_server_and_goes_offline_for_a_while_when_it_is_gone() -> None:
    now = [0.0]
    models = Models(Settings(LOCAL), {}.get, clock=lambda: now[0])
    assert models.choose("auto").provider == "openai"
    models.note("openai", RunStopped(StopReason.ERROR, code="model_reply_broken"))
    assert models.choose("auto").provider == "openai"
    gone = {"host": "127.0.0.1", "url": LOCAL["openai.base_url"]}
    models.note("openai", RunStopped(StopReason.UNREACHABLE, code="net_refused", values=gone))
    assert models.choose("auto") == Chosen("offline", why="net_refused", values=gone)
    assert "127.0.0.1" in sentence(models.choose("auto").reason)
    assert models.choose("openai").provider == "openai"  # named outright it is always tried
    now[0] = 61.0
    assert models.choose("auto").provider == "openai"
    models.close()


def test_auto_goes_on_to_claude_when_the_plants_own_server_is_gone_and_says_why() -> None:
    consent = {"cloud.consent": "課長", "anthropic.base_url": "https://gateway.example"}
    models = Models(Settings(LOCAL | consent), KEYS.get)
    models.note("openai", RunStopped(StopReason.UNREACHABLE, code="net_refused", values={"host": "h"}))
    chosen = models.choose("auto")
    assert (chosen.provider, chosen.outside, chosen.why) == ("anthropic", True, "net_refused")
    models.close()


def test_auto_without_anything_set_up_is_offline_and_says_why() -> None:
    assert Models(Settings({"cloud.consent": "課長"}), {}.get).choose("auto") == Chosen(
        "offline", why="model_key_missing"
    )


def test_the_narrowest_budget_counts() -> None:
    assert limits_of(Settings()) == Limits(tokens=400_000, seconds=600.0, cost=1.0)
    day = Settings({"budget.day_cost": 3.0, "budget.month_cost": 50.0})
    assert (limits_of(day, 2.5, 20.0).cost, limits_of(day, 2.5, 20.0).cost_period) == (0.5, "今日")
    assert limits_of(day, 2.5, 60.0).cost == 0.0
    none = Settings({"budget.question_cost": 0.0, "budget.question_tokens": 0, "budget.question_seconds": 0})
    assert limits_of(none) == Limits(tokens=0, seconds=0.0, cost=None)


def test_prices_by_model_and_by_the_size_of_the_prompt() -> None:
    prices = read_prices(["claude-haiku-5-5 0.10 0.50", "claude-haiku-5-5 0.50 2.50 above 100000"])
    assert prices.cost("claude-haiku-5-5", TokenUsage(100_000, 1000)) == pytest.approx(0.0105)
    assert prices.cost("claude-haiku-5-5", TokenUsage(100_001, 1000)) == pytest.approx(0.0525005)
    assert prices.cost("unknown", TokenUsage(1, 1)) is None
