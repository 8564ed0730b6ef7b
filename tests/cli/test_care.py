"""`export` as IT and the uninstaller call it; `support-bundle`; `credentials`, whose value nobody sees."""

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Done
from tests.fakes.desk import open_desk
from tests.fakes.keyrings import MemoryKeyring, use_keyring

Command = Callable[..., Done]


def test_a_pc_without_any_record_has_nothing_to_lose_and_gets_none_by_asking(command: Command, tmp_path: Path) -> None:
    assert command("export", "check", "--data-dir", str(tmp_path)).code == 0
    assert not (tmp_path / "journal.db").exists()


def test_check_refuses_until_all_is_exported(command: Command, tmp_path: Path) -> None:
    desk = open_desk(tmp_path / "data")
    desk.propose()
    desk.journal.close()
    data = ("--data-dir", str(tmp_path / "data"))
    refused = command("export", "check", *data)
    assert (refused.code, refused.document["pending"]) == (1, 1)
    assert command("export", "all", str(tmp_path / "out"), *data).document["rows"]["proposals"] == 1
    assert command("export", "check", *data).code == 0
    assert command("export", "all", str(tmp_path / "out"), *data).document["error"]["code"] == "export_exists"


def test_a_support_bundle_is_written_once(command: Command, tmp_path: Path, ring: MemoryKeyring) -> None:
    bundle = ("support-bundle", str(tmp_path / "bundle.zip"), "--data-dir", str(tmp_path / "data"))
    assert command(*bundle).document["unread"] == []
    assert zipfile.is_zipfile(tmp_path / "bundle.zip")
    assert command(*bundle).document["error"]["code"] == "support_bundle_exists"


@pytest.mark.parametrize("arguments", [("all",), ("check", "somewhere")])
def test_half_a_command_is_refused(command: Command, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert command("export", *arguments, "--data-dir", str(tmp_path)).code == 2


def test_a_journal_that_cannot_be_read_is_never_called_safe(command: Command, tmp_path: Path) -> None:
    open_desk(tmp_path).journal.close()
    (tmp_path / "journal.db").write_bytes(b"x" * 4096)
    assert command("export", "check", "--data-dir", str(tmp_path)).code == 3


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    made = MemoryKeyring()
    with use_keyring(made):
        yield made


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_key_goes_from_standard_input_to_the_keyring_and_nowhere_else(
    command: Command, tmp_path: Path, ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "\ufeffsk-planted-0123456789\r\n")
    done = command("credentials", "set", "anthropic", "--data-dir", str(tmp_path))
    assert (done.code, done.document) == (0, {"name": "anthropic", "scope": "user"})
    assert list(ring.kept.values()) == ["sk-planted-0123456789"]
    assert "planted" not in done.stderr
    assert not any(b"planted" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "secret_malformed"), ("two words\n", "secret_malformed"), ("ｋｅｙ\n", "secret_malformed"),
     ("k" * 1201, "secret_too_long")],
)  # fmt: skip
def test_what_can_be_no_key_is_not_kept(
    text: str, code: str, command: Command, tmp_path: Path, ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, text)
    done = command("credentials", "set", "openai", "--data-dir", str(tmp_path))
    assert (done.code, done.document["error"]["code"], ring.kept) == (2, code, {})


def test_a_key_for_the_machine_needs_an_installation_that_is_shared(
    command: Command, tmp_path: Path, ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "sk-planted\n")
    done = command("credentials", "set", "anthropic", "--scope", "machine", "--data-dir", str(tmp_path))
    assert (done.code, done.document["error"]["code"], ring.kept) == (2, "machine_scope_missing", {})
