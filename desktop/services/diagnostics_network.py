"""The ways to the servers that the settings use, and to no other; with `offline` there is none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from desktop import config, net, net_probe, pac
from desktop.config import Settings
from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.net_probe import Way
from desktop.paths import DataDir
from desktop.services import diagnostics_finding as finding
from desktop.services.diagnostics_finding import Finding
from desktop.services.sent_record import SentRecord
from desktop.store.journal import open_journal

if TYPE_CHECKING:
    from desktop.agent.models.choose import Models
    from desktop.agent.models.probe import Capabilities

_BASE = {"anthropic": config.ANTHROPIC_BASE_URL, "openai": config.OPENAI_BASE_URL}
# Why a provider is not spoken to at all, by a question either.
_NEVER_ASKED = frozenset({"model_cloud_not_allowed", "model_not_set_up", "keyring_locked"})


class Network:
    """Each way is walked once, when the first check asks for it."""

    def __init__(self, settings: Settings, credentials: Credentials) -> None:
        self._settings = settings
        self._credentials = credentials
        self._route = net.route_of(settings)
        self.way = cache(self._walk)

    @property
    def providers(self) -> tuple[str, ...]:
        """Those that a question may go to; with `auto` each that has an address."""
        match self._settings.get(config.PROVIDER):
            case "offline":
                return ()
            case "auto":
                return ("openai", "anthropic") if self._settings.get(config.OPENAI_BASE_URL) else ("anthropic",)
            case provider:
                return (provider,)

    def look_at_way(self, provider: str) -> Finding:
        way = self.way(provider)
        if isinstance(way, KnownError):
            return finding.note(f"つなぎません：{sentence(way)}")
        if way.cause is not None:
            return finding.failed(way.cause, f"［{_stages(way)}］")
        return finding.ok(f"{way.host}：{_stages(way)}")

    def look_at_certificate(self, provider: str) -> Finding:
        """Who vouches for the server: a name that is not a public authority's is a device that inspects."""
        way = self.way(provider)
        certificate = None if isinstance(way, KnownError) else way.certificate
        if certificate is None:
            return finding.note("証明書を見ていません。")
        names = "、".join(certificate.names[:3])
        dates = f"{certificate.since:%Y-%m-%d}〜{certificate.until:%Y-%m-%d}"
        return finding.note(f"発行者 {certificate.issuer}、名前 {certificate.subject}（{names}）、{dates}")

    def look_at_script(self, provider: str) -> Finding:
        """The script (PAC) that names this provider's proxy, where the system has one."""
        way, url = self.way(provider), self._url(provider)
        if isinstance(way, KnownError) or not net.asks_script(url, self._route):
            return finding.note("自動構成スクリプトは使いません。")
        return judge_script(pac.ask(url), net.host_of(url))

    def look_at_provider(self, data: DataDir) -> Finding:
        """The provider's own test, once the way to it is open; what it asks is kept like every body that leaves."""
        provider = self._settings.get(config.PROVIDER)
        if provider == "offline":
            return finding.ok("offline（どこにもつなぎません）")
        tried = [way for way in map(self.way, self.providers) if isinstance(way, Way)]
        if tried and all(way.cause for way in tried):
            return finding.note("つながらないため、試していません。")
        encryption = self._settings.get(config.STORAGE_ENCRYPTION)
        with closing(open_journal(data, self._credentials, encryption=encryption)) as journal:
            return self._tested(provider, SentRecord(journal, lambda: datetime.now(UTC)))

    def clocks_ahead(self) -> Mapping[str, timedelta]:
        """How far this PC's clock is ahead of each server's that answered, by host."""
        ways = [way for way in map(self.way, self.providers) if isinstance(way, Way)]
        return {way.host: way.clock_ahead for way in ways if way.clock_ahead is not None}

    def _tested(self, provider: str, sent: SentRecord) -> Finding:
        from desktop.agent.models.choose import Chosen
        from desktop.agent.models.claude import Claude
        from desktop.agent.models.openai_compatible import OpenAICompatible
        from desktop.agent.models.probe import probe

        with closing(self._models(sent)) as models:
            match models.choose(provider):
                case Chosen(model=Claude() as claude):
                    return finding.ok(f"Claude：{claude.test()['name']} につながりました。")
                case Chosen(model=OpenAICompatible() as server):
                    return judge_probe(probe(server))
                case chosen:
                    raise chosen.reason

    def _walk(self, provider: str) -> Way | KnownError:
        """The way, or why no question would take it."""
        with closing(self._models()) as models:
            try:
                models.choose(provider)
            except KnownError as error:
                if error.code in _NEVER_ASKED:
                    return error
        return net_probe.walk(self._url(provider), self._route)

    def _url(self, provider: str) -> str:
        """The list of models, which both protocols have at the same place and give for nothing."""
        base = self._settings.get(_BASE[provider]).rstrip("/")
        return f"{base.removesuffix('/v1') if provider == 'openai' else base}/v1/models"

    def _models(self, sent: SentRecord | None = None) -> Models:
        from desktop.agent.models.choose import Models  # seconds that a check without a provider doesn't need

        return Models(self._settings, self._credentials.get, sent)


def judge_probe(found: Capabilities) -> Finding:
    """A server that answers may still be of no use to a question."""
    told = "、".join(found.lines())
    if found.problem or found.mode is None:
        return finding.warning(KnownError("model_unfit", found=found.problem or told))
    return finding.ok(told)


def judge_script(answer: pac.Answer, host: str) -> Finding:
    """What the script's answer for `host` means to who has to mend it."""
    script = answer.script or "WPAD"
    match answer.outcome:
        case pac.Outcome.NO_SCRIPT:
            return finding.note("自動構成スクリプトは設定されていません。")
        case pac.Outcome.DIRECT:
            return finding.ok(f"{script}：プロキシなし")
        case pac.Outcome.PROXY:
            return finding.ok(f"{script}：{answer.proxy}")
        case pac.Outcome.UNREACHABLE:
            raise KnownError("net_pac_unreachable", script=script)
        case pac.Outcome.NOTHING:
            raise KnownError("net_pac_nothing", script=script, host=host, reason=answer.said or "-")


def _stages(way: Way) -> str:
    """名前解決○ 接続○ TLS×: what held, and where it ended."""
    held = [f"{stage}○" for stage in way.passed]
    if way.cause is not None:
        held.append(f"{way.stopped_at}×")
    via = f"、プロキシ {way.proxy} 経由" if way.proxy else ""
    return " ".join(held) + via
