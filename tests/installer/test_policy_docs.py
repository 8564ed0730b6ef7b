"""The policy's reference names every setting, and both files are policies that the program reads."""

from __future__ import annotations

import re
from pathlib import Path

import policy_docs

from desktop import config

DEPLOY = Path(__file__).resolve().parents[2] / "installer" / "deploy"


def test_the_reference_is_what_the_catalogue_says() -> None:
    written = (DEPLOY / "policy.toml").read_text(encoding="utf-8")
    assert written == policy_docs.reference(), "run `python installer/policy_docs.py`"


def test_the_reference_with_every_line_taken_gives_the_defaults(tmp_path: Path) -> None:
    taken = re.sub(r"^# (\[[a-z.]+\]|[a-z_]+ = .*)$", r"\1", policy_docs.reference(), flags=re.MULTILINE)
    policy = tmp_path / "policy.toml"
    policy.write_text(taken, encoding="utf-8")
    settings = config.load(tmp_path / "none.toml", policy)
    for setting in config.CATALOGUE.values():
        assert settings.locked(setting), setting.key
        assert settings.get(setting) == setting.default, setting.key


def test_the_plants_example_is_a_policy_without_a_secret(tmp_path: Path) -> None:
    example = tmp_path / "policy.toml"
    example.write_bytes((DEPLOY / "policy.plant-example.toml").read_bytes())
    settings = config.load(tmp_path / "none.toml", example)
    assert settings.get(config.PROVIDER) == "offline"
    assert settings.get(config.STORAGE_ENCRYPTION) == "required"
    assert settings.get(config.CREDENTIALS_ALLOW_ENV) is False
