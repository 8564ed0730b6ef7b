"""The one catalogue of settings: names, types, defaults, who may change them; and reading them."""

from __future__ import annotations

import platform
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import tomlkit

from desktop import file_trust, paths
from desktop.errors import KnownError

T = TypeVar("T", str, int, bool, float, tuple[str, ...])


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One setting: dotted `key`, `default` (whose type is the setting's), `text` for people, `choices` if few.

    `pattern`: the whole value must match it.
    """

    key: str
    default: T
    text: str
    choices: tuple[str, ...] = ()
    lockable: bool = True
    pattern: str = ""

    def parse(self, value: object) -> T:
        """The value in this setting's type; KnownError("setting_wrong_value") if it can't be."""
        if isinstance(self.default, tuple):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                return cast(T, tuple(value))
            raise self._refused(value, "文字列の並び")
        if isinstance(self.default, float) and type(value) is int:
            value = float(value)
        if type(value) is not type(self.default):
            raise self._refused(value, type(self.default).__name__)
        if self.choices and value not in self.choices:
            raise self._refused(value, " / ".join(self.choices))
        if self.pattern and not re.fullmatch(self.pattern, str(value)):
            raise self._refused(value, self.text)
        return value

    def _refused(self, value: object, expected: str) -> KnownError:
        return KnownError("setting_wrong_value", key=self.key, value=repr(value), expected=expected)


PROVIDER = Setting("provider", "offline", "回答を手伝うモデル", ("offline", "anthropic", "openai", "auto"))
ANTHROPIC_BASE_URL = Setting("anthropic.base_url", "https://api.anthropic.com", "Claude（またはゲートウェイ）の URL")
ANTHROPIC_MODEL = Setting("anthropic.model", "claude-opus-5-5", "Claude のモデル名")
ANTHROPIC_MAX_TOKENS = Setting("anthropic.max_tokens", 8192, "Claude の一回の応答の上限（トークン、思考を含む）")
ANTHROPIC_EFFORT = Setting(
    "anthropic.effort", "low", "Claude がどれだけ考えるか（深いほど遅い）", ("low", "medium", "high", "xhigh", "max")
)
ANTHROPIC_BASIC = Setting("anthropic.basic", False, "基本の機能だけを使う（古いゲートウェイ向け）")
ANTHROPIC_FALLBACK_MODEL = Setting(
    "anthropic.fallback_model", "", "回答を断られたときに代わりに聞くモデル（空なら聞かない）"
)
OPENAI_BASE_URL = Setting("openai.base_url", "", "社内 AI サーバー（OpenAI 互換）の URL")
OPENAI_MODEL = Setting("openai.model", "", "社内 AI サーバーのモデル名")
OPENAI_MAX_TOKENS = Setting("openai.max_tokens", 1024, "社内 AI の一回の応答の上限（トークン）")
OPENAI_CONTEXT_TOKENS = Setting("openai.context_tokens", 0, "社内 AI に送れる量（トークン、0 なら不明）")
OPENAI_TIMEOUT = Setting("openai.timeout", 900, "社内 AI の応答を待つ秒数（遅い PC では最初の一語まで数分かかる）")
OPENAI_STREAM_TOOLS = Setting("openai.stream_tools", False, "道具を使うときも応答を少しずつ受け取る")
OPENAI_PARALLEL_TOOLS = Setting(
    "openai.parallel_tools", "", "道具を同時に使ってよいと伝えるか（空なら伝えない）", ("", "yes", "no")
)
OPENAI_MODE = Setting(
    "openai.mode", "guided", "社内 AI の使い方（道具を自分で選ばせる／手順固定）", ("tools", "guided")
)
CLOUD_CONSENT = Setting("cloud.consent", "", "社外 AI の利用を認めた人と日付（空なら社外 AI を使わない）")
NET_PROXY = Setting("net.proxy", "", "プロキシの URL（空ならシステムの設定、direct なら使わない）")
NET_DIRECT_HOSTS = Setting("net.direct_hosts", (), "プロキシを通さない相手")
NET_CA_FILE = Setting("net.ca_file", "", "社内認証局の証明書（PEM）")
NET_PLANT_HOSTS = Setting("net.plant_hosts", (), "工場内のサーバー（暗号化なしの http を許し、社外とみなさない）")
MODEL_PRICES = Setting(
    "model.prices",
    (
        "claude-opus-5-5 4 20",
        "claude-sonnet-5-5 2 10",
        "claude-haiku-5-5 0.10 0.50",
        "claude-haiku-5-5 0.50 2.50 above 100000",
    ),
    "AI の料金（モデル名、百万トークンあたりの入力と出力、ドル）",
)
BUDGET_TOKENS = Setting("budget.question_tokens", 400_000, "一つの質問で使えるトークン（0 なら制限なし）")
BUDGET_SECONDS = Setting("budget.question_seconds", 600, "一つの質問で AI が働ける秒数（0 なら制限なし）")
BUDGET_QUESTION_COST = Setting("budget.question_cost", 1.0, "一つの質問の費用の上限（ドル、0 なら制限なし）")
BUDGET_DAY_COST = Setting("budget.day_cost", 0.0, "一日の費用の上限（ドル、0 なら制限なし）")
BUDGET_MONTH_COST = Setting("budget.month_cost", 0.0, "一か月の費用の上限（ドル、0 なら制限なし）")
SYNC_TRANSPORT = Setting("sync.transport", "none", "承認済み依頼の送り方", ("none", "folder"))
SYNC_FOLDER = Setting("sync.folder", "", "送信フォルダー（共有または USB）")
STATION_CODE = Setting("station.code", "", "端末コード（1〜6 文字の A–Z 0–9）", pattern="[A-Z0-9]{0,6}")
STATION_CODE_FROM = Setting(
    "station.code_from",
    "",
    "端末コードの決め方（hostname:正規表現。ホスト名全体に一致し、一つ目の括弧がコード。方針の station.code が優先）",
    pattern="(hostname:.+)?",
)
STATION_LINES = Setting("station.lines", (), "この端末のライン")
TRACES = Setting(
    "traces",
    "full",
    "質問ごとの記録の残し方（インストーラーで入れた PC の既定は metadata）",
    ("off", "metadata", "full"),
)
STORAGE_ENCRYPTION = Setting("storage.encryption", "auto", "保存データの暗号化", ("auto", "required"))
APPROVAL_SESSION_SECONDS = Setting("approval.session_seconds", 60, "一度の PIN で続けて承認できる秒数")
APPROVAL_EXPIRES_DAYS = Setting("approval.expires_days", 14, "承認待ちが期限切れになる日数")
RETENTION_QUESTIONS_DAYS = Setting(
    "retention.questions_days",
    180,
    "質問と回答を残す日数（0 なら消さない。依頼案になった質問、依頼・決定・監査は消さない）",
    pattern="[0-9]{1,5}",
)
RETENTION_TRACES_DAYS = Setting(
    "retention.traces_days", 30, "質問ごとの記録（logs の trace）を残す日数（0 なら消さない）", pattern="[0-9]{1,5}"
)
CREDENTIALS_ALLOW_ENV = Setting("credentials.allow_env", True, "環境変数の API キーを使ってよい")
INSTALLED_ALLOW_DATA_DIR = Setting(
    "installed.allow_data_dir", False, "インストーラーで入れた PC でも --data-dir を使ってよい（方針にだけ書ける）"
)

CATALOGUE: Mapping[str, Setting[Any]] = {
    setting.key: setting
    for setting in (
        PROVIDER,
        ANTHROPIC_BASE_URL,
        ANTHROPIC_MODEL,
        ANTHROPIC_MAX_TOKENS,
        ANTHROPIC_EFFORT,
        ANTHROPIC_BASIC,
        ANTHROPIC_FALLBACK_MODEL,
        OPENAI_BASE_URL,
        OPENAI_MODEL,
        OPENAI_MAX_TOKENS,
        OPENAI_CONTEXT_TOKENS,
        OPENAI_TIMEOUT,
        OPENAI_STREAM_TOOLS,
        OPENAI_PARALLEL_TOOLS,
        OPENAI_MODE,
        CLOUD_CONSENT,
        NET_PROXY,
        NET_DIRECT_HOSTS,
        NET_CA_FILE,
        NET_PLANT_HOSTS,
        MODEL_PRICES,
        BUDGET_TOKENS,
        BUDGET_SECONDS,
        BUDGET_QUESTION_COST,
        BUDGET_DAY_COST,
        BUDGET_MONTH_COST,
        SYNC_TRANSPORT,
        SYNC_FOLDER,
        STATION_CODE,
        STATION_CODE_FROM,
        STATION_LINES,
        TRACES,
        STORAGE_ENCRYPTION,
        APPROVAL_SESSION_SECONDS,
        APPROVAL_EXPIRES_DAYS,
        RETENTION_QUESTIONS_DAYS,
        RETENTION_TRACES_DAYS,
        CREDENTIALS_ALLOW_ENV,
        INSTALLED_ALLOW_DATA_DIR,
    )
}


# What opens a way out of the plant: in an installed build only policy gives it.
_ADMINS_WORD = frozenset({CLOUD_CONSENT.key, NET_PLANT_HOSTS.key})
# Nobody at the PC can mend a policy: what is wrong in it is said to them in other words.
_OF_POLICY = {
    "settings_unreadable": "policy_unreadable",
    "setting_unknown": "policy_setting_unknown",
    "setting_wrong_value": "policy_wrong_value",
}


class Settings:
    """Policy over user settings over defaults, key by key."""

    def __init__(self, user: Mapping[str, Any] | None = None, policy: Mapping[str, Any] | None = None) -> None:
        self._user = dict(user or {})
        self._policy = dict(policy or {})

    def get(self, setting: Setting[T]) -> T:
        for source in (self._policy, self._user):
            if setting.key in source:
                return cast(T, source[setting.key])
        return setting.default

    def locked(self, setting: Setting[Any]) -> bool:
        return setting.key in self._policy

    def given(self, setting: Setting[Any]) -> Mapping[str, Any]:
        """What "policy" and "user" say of it, each only if it says something."""
        sources = {"policy": self._policy, "user": self._user}
        return {name: source[setting.key] for name, source in sources.items() if setting.key in source}


def load(user_file: Path, policy_file: Path) -> Settings:
    """What `read` gives and raises; a sync target without a station code is refused: KnownError
    station_code_missing, station_code_underivable."""
    settings = read(user_file, policy_file)
    require_station_code(settings)
    return settings


def read(user_file: Path | None, policy_file: Path | None) -> Settings:
    """Both files (None = without it) read and checked against the catalogue; a station code that is derived stands as
    station.code.

    Raises KnownError: settings_unreadable, setting_unknown, setting_wrong_value, and of the policy policy_unreadable,
    policy_setting_unknown, policy_wrong_value, policy_untrusted.
    """
    user = _read(user_file) if user_file else {}
    policy = _read_policy(policy_file) if policy_file else {}
    if paths.installation():
        user = {TRACES.key: "metadata", **{key: value for key, value in user.items() if key not in _ADMINS_WORD}}
    return _with_station_code(user, policy)


def readable(user_file: Path, policy_file: Path) -> Settings:
    """What can be read of both, the policy first, for checks and repairs, which must go on; raises nothing."""
    for user, policy in ((user_file, policy_file), (None, policy_file), (user_file, None)):
        with suppress(KnownError):
            return read(user, policy)
    return Settings()


def require_station_code(settings: Settings) -> None:
    """Raises KnownError: station_code_missing, station_code_underivable."""
    if settings.get(SYNC_TRANSPORT) != "none" and not settings.get(STATION_CODE):
        if rule := settings.get(STATION_CODE_FROM):
            raise KnownError("station_code_underivable", host=_host_name(), rule=rule)
        raise KnownError("station_code_missing")


def data_dir(named: Path | None) -> paths.DataDir:
    """Where a run writes: what --data-dir named, which an installed build heeds only where policy says so.

    Raises what `load` raises of a policy.
    """
    if named is not None and paths.installation():
        policy = Settings(policy=_read_policy(paths.policy_file()))
        named = named if policy.get(INSTALLED_ALLOW_DATA_DIR) else None
    return paths.DataDir(named or paths.default_data_dir())


def save(user_file: Path, setting: Setting[T], value: T, settings: Settings) -> None:
    """One user setting written back, comments kept; KnownError("setting_locked") when policy holds it."""
    if settings.locked(setting):
        raise KnownError("setting_locked", key=setting.key)
    document = tomlkit.parse(user_file.read_text(encoding="utf-8")) if user_file.exists() else tomlkit.document()
    table: Any = document
    *parents, name = setting.key.split(".")
    for parent in parents:
        table = table.setdefault(parent, tomlkit.table())
    table[name] = list(value) if isinstance(value, tuple) else value
    user_file.parent.mkdir(parents=True, exist_ok=True)
    draft = user_file.with_suffix(".toml.new")
    draft.write_text(tomlkit.dumps(document), encoding="utf-8")
    draft.replace(user_file)


def _with_station_code(user: Mapping[str, Any], policy: Mapping[str, Any]) -> Settings:
    """The settings with the code that station.code_from gives, locked if policy says how; "" where it gives none."""
    given = Settings(user, policy)
    rule = given.get(STATION_CODE_FROM)
    if not rule or given.locked(STATION_CODE):
        return given
    found = _derivation(rule, by_policy=given.locked(STATION_CODE_FROM)).fullmatch(_host_name())
    code = (found[1] or "").upper() if found else ""
    derived = {STATION_CODE.key: code if re.fullmatch(STATION_CODE.pattern, code) else ""}
    if given.locked(STATION_CODE_FROM):
        return Settings(user, {**policy, **derived})
    return Settings({**user, **derived}, policy)


def _derivation(rule: str, *, by_policy: bool) -> re.Pattern[str]:
    told = {"key": STATION_CODE_FROM.key, "value": rule, "expected": STATION_CODE_FROM.text}
    code, file = ("policy_wrong_value", "policy.toml") if by_policy else ("setting_wrong_value", None)
    refused = KnownError(code, file=file, **cast(Any, told))
    try:
        pattern = re.compile(rule.removeprefix("hostname:"), re.IGNORECASE)
    except re.error:
        raise refused from None
    if not pattern.groups:
        raise refused
    return pattern


def _host_name() -> str:
    return platform.node().partition(".")[0]


def _read_policy(file: Path) -> Mapping[str, Any]:
    try:
        with _named_reading(file):
            trusted = not file.exists() or file_trust.from_administrators(file)
        if not trusted:
            raise KnownError("policy_untrusted", file=str(file))
        return _read(file)
    except KnownError as error:
        code = _OF_POLICY.get(error.code, error.code)
        raise KnownError(code, file=str(file), **cast(Any, error.detail)) from error


def _read(file: Path) -> Mapping[str, Any]:
    with _named_reading(file):
        tree = tomllib.loads(file.read_text(encoding="utf-8-sig")) if file.exists() else {}
    values = {}
    for key, value in _dotted(tree):
        if key not in CATALOGUE:
            raise KnownError("setting_unknown", file=str(file), key=key)
        values[key] = CATALOGUE[key].parse(value)
    return values


@contextmanager
def _named_reading(file: Path) -> Iterator[None]:
    """A file that may not even be looked for (its folder is forbidden) is not the same as none."""
    try:
        yield
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KnownError("settings_unreadable", file=str(file), reason=str(error)) from error


def _dotted(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
