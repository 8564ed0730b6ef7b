"""The one catalogue of settings: names, types, defaults, who may change them; and reading them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import tomlkit

from desktop.errors import KnownError

T = TypeVar("T", str, int, bool, float, tuple[str, ...])


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One setting: dotted `key`, `default` (whose type is the setting's), `text` for people, `choices` if few."""

    key: str
    default: T
    text: str
    choices: tuple[str, ...] = ()
    lockable: bool = True

    def parse(self, value: object) -> T:
        """The value in this setting's type; KnownError("setting_wrong_value") if it can't be."""
        if isinstance(self.default, tuple):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                return cast(T, tuple(value))
            raise self._refused(value, "文字列の並び")
        if type(value) is not type(self.default):
            raise self._refused(value, type(self.default).__name__)
        if self.choices and value not in self.choices:
            raise self._refused(value, " / ".join(self.choices))
        return value

    def _refused(self, value: object, expected: str) -> KnownError:
        return KnownError("setting_wrong_value", key=self.key, value=repr(value), expected=expected)


PROVIDER = Setting("provider", "offline", "回答を手伝うモデル", ("offline", "anthropic", "openai", "auto"))
ANTHROPIC_BASE_URL = Setting("anthropic.base_url", "https://api.anthropic.com", "Claude（またはゲートウェイ）の URL")
ANTHROPIC_MODEL = Setting("anthropic.model", "claude-opus-5-5", "Claude のモデル名")
SYNC_TRANSPORT = Setting("sync.transport", "none", "承認済み依頼の送り方", ("none", "folder"))
SYNC_FOLDER = Setting("sync.folder", "", "送信フォルダー（共有または USB）")
STATION_CODE = Setting("station.code", "", "端末コード（1〜6 文字の A–Z 0–9）")
STATION_LINES = Setting("station.lines", (), "この端末のライン")
TRACES = Setting("traces", "full", "質問ごとの記録の残し方", ("off", "metadata", "full"))
STORAGE_ENCRYPTION = Setting("storage.encryption", "auto", "保存データの暗号化", ("auto", "required"))
APPROVAL_SESSION_SECONDS = Setting("approval.session_seconds", 60, "一度の PIN で続けて承認できる秒数")
APPROVAL_EXPIRES_DAYS = Setting("approval.expires_days", 14, "承認待ちが期限切れになる日数")
CREDENTIALS_ALLOW_ENV = Setting("credentials.allow_env", True, "環境変数の API キーを使ってよい")

CATALOGUE: Mapping[str, Setting[Any]] = {
    setting.key: setting
    for setting in (
        PROVIDER,
        ANTHROPIC_BASE_URL,
        ANTHROPIC_MODEL,
        SYNC_TRANSPORT,
        SYNC_FOLDER,
        STATION_CODE,
        STATION_LINES,
        TRACES,
        STORAGE_ENCRYPTION,
        APPROVAL_SESSION_SECONDS,
        APPROVAL_EXPIRES_DAYS,
        CREDENTIALS_ALLOW_ENV,
    )
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


def load(user_file: Path, policy_file: Path) -> Settings:
    """Both files read and checked against the catalogue.

    Raises KnownError: settings_unreadable, setting_unknown, setting_wrong_value, policy_untrusted,
    station_code_missing (a sync target without a station code).
    """
    if policy_file.exists():
        _require_trusted(policy_file)
    settings = Settings(_read(user_file), _read(policy_file))
    if settings.get(SYNC_TRANSPORT) != "none" and not settings.get(STATION_CODE):
        raise KnownError("station_code_missing")
    return settings


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


def _read(file: Path) -> Mapping[str, Any]:
    if not file.exists():
        return {}
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KnownError("settings_unreadable", file=str(file), reason=str(error)) from error
    values = {}
    for key, value in _dotted(tree):
        if key not in CATALOGUE:
            raise KnownError("setting_unknown", file=str(file), key=key)
        values[key] = CATALOGUE[key].parse(value)
    return values


def _dotted(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _require_trusted(policy_file: Path) -> None:
    """On POSIX: owned by root or by us, and not writable by others; Windows ACLs are the installer's to set."""
    if os.name != "posix":
        return
    status = policy_file.stat()
    if status.st_uid not in (0, os.getuid()) or status.st_mode & 0o022:
        raise KnownError("policy_untrusted", file=str(policy_file))
