"""What the program does differently where an installer put it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from desktop import config, paths
from desktop.cli import frame
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.importing import reader
from desktop.machine_keys import MachineKeys
from tests.fakes.keyrings import MemoryKeyring, use_keyring


def install(folder: Path, scope: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "install.toml").write_text(f'scope = "{scope}"\nkind = "msi"\n', encoding="utf-8")
    monkeypatch.setattr(sys, "executable", str(folder / "HozenNavi.exe"))


def test_a_development_run_is_no_installation() -> None:
    assert paths.installation() is None


def test_an_installed_program_reads_files_through_its_own_console_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "user", monkeypatch)
    assert reader._command() == [str(tmp_path / "hozen-navi.exe"), "_read"]


@pytest.mark.parametrize("scope", ["user", "machine"])
def test_an_installed_program_is_not_led_elsewhere_by_the_environment(
    scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOZEN_NAVI_DATA_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "own-policy.toml"))
    install(tmp_path / "program", scope, monkeypatch)
    assert paths.policy_file() == paths.machine_dir() / "policy.toml"
    assert paths.default_data_dir() != tmp_path / "elsewhere"
    assert (paths.default_data_dir() == paths.machine_dir() / "data") == (scope == "machine")


def test_an_installed_program_is_led_elsewhere_by_its_option_only_where_policy_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.toml"
    monkeypatch.setattr(paths, "policy_file", lambda: policy)
    assert frame.place(tmp_path / "own").root == tmp_path / "own"
    install(tmp_path / "program", "user", monkeypatch)
    assert frame.place(tmp_path / "own").root == paths.default_data_dir()
    assert "--data-dir" in capsys.readouterr().err
    policy.write_text("installed.allow_data_dir = true\n", encoding="utf-8")
    assert frame.place(tmp_path / "own").root == tmp_path / "own"


def test_an_installed_program_keeps_only_metadata_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none, own = tmp_path / "none.toml", tmp_path / "own.toml"
    assert config.load(none, none).get(config.TRACES) == "full"
    install(tmp_path / "program", "user", monkeypatch)
    assert config.load(none, none).get(config.TRACES) == "metadata"
    own.write_text("traces = 'off'\n", encoding="utf-8")
    assert config.load(own, none).get(config.TRACES) == "off"
    assert config.load(none, own).get(config.TRACES) == "off"


def test_a_shared_installation_keeps_its_own_secrets_with_the_pc_and_an_api_key_with_its_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "program", "machine", monkeypatch)
    kept = MachineKeys(tmp_path / "keys", seal=lambda plain: plain[::-1], unseal=lambda sealed: sealed[::-1])
    monkeypatch.setattr("desktop.credentials.MachineKeys", lambda _folder: kept)
    ring = MemoryKeyring()
    with use_keyring(ring):
        credentials = Credentials(environ={})
        credentials.set("journal/1", "共有の鍵")
        credentials.set("anthropic", "key-of-a-person")
        assert credentials.get("journal/1") == "共有の鍵"
        assert credentials.get("anthropic") == "key-of-a-person"
        assert credentials.get("journal/2") is None
        assert credentials.backend() == kept.name
    assert set(ring.kept.values()) == {"key-of-a-person"}
    files = list((tmp_path / "keys").iterdir())
    assert len(files) == 1
    assert "共有の鍵".encode() not in files[0].read_bytes()


def test_an_api_key_of_the_pc_serves_everyone_who_has_none_of_his_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "program", "machine", monkeypatch)
    kept = MachineKeys(tmp_path / "keys", seal=lambda plain: plain[::-1], unseal=lambda sealed: sealed[::-1])
    monkeypatch.setattr("desktop.credentials.MachineKeys", lambda _folder: kept)
    with use_keyring(MemoryKeyring()):
        credentials = Credentials(environ={})
        credentials.set_for_machine("openai", "key-of-the-pc")
        assert credentials.get("openai") == "key-of-the-pc"
        credentials.set("openai", "key-of-a-person")
        assert credentials.get("openai") == "key-of-a-person"
    with use_keyring(MemoryKeyring()):
        assert Credentials(environ={}).get("openai") == "key-of-the-pc"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows can seal")
def test_a_store_that_cannot_seal_is_named_and_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "program", "machine", monkeypatch)
    monkeypatch.setattr("desktop.credentials.MachineKeys", lambda _folder: MachineKeys(tmp_path / "keys"))
    with pytest.raises(KnownError) as told:
        Credentials(environ={}).set("journal/1", "secret")
    assert told.value.code == "keyring_locked"
