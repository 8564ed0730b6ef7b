"""The whole of `doctor`: every check by itself, the worst cause, and what costs no network."""

import itertools
import logging
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import KnownError, exit_code
from desktop.paths import DataDir
from desktop.services import diagnostics, diagnostics_pc
from desktop.services.diagnostics_finding import Finding, State, exit_of, failed, note, ok, warning, worst
from tests.fakes.desk import Clock, open_desk
from tests.fakes.keyrings import LockedKeyring, use_keyring
from tests.fakes.loopback import LoopbackServer
from tests.fakes.somebody_else import as_somebody_else, reachable_folder
from tests.fakes.tls import HERE, Authority, TlsServer

BUG, BROKEN, AWAY, LOW = "internal_error", "journal_corrupt", "net_refused", "keyring_missing"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.fixture(autouse=True)
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "policy.toml"
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(file))
    return file


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    (tmp_path / "data").mkdir()
    return DataDir(tmp_path / "data")


def examined(data: DataDir, *, network: bool = True) -> dict[str, dict[str, str]]:
    report = diagnostics.examine(data, network=network)
    return {check["name"]: check for check in report["checks"]}


def failure(code: str) -> Finding:
    detail = dict.fromkeys(("log", "file", "copy", "host"), "x")
    return Finding(State.FAILED, code, KnownError(code, **detail))  # type: ignore[arg-type]


def test_the_worst_is_a_failure_before_a_warning_and_then_by_exit_code() -> None:
    found = [ok("a"), note("b"), warning(KnownError(LOW)), failure(AWAY), failure(BROKEN), failure(BUG)]
    assert [exit_code(KnownError(code)) for code in (BUG, BROKEN, AWAY)] == [5, 3, 4]
    for left, (expected, code) in enumerate(((BUG, 5), (BROKEN, 3), (AWAY, 4), (LOW, 1))):
        for order in itertools.permutations(found[: len(found) - left]):
            told = worst(order)
            assert told is not None
            assert told.cause is not None
            assert (told.cause.code, exit_of(told)) == (expected, code)
    assert worst([ok("a"), note("b")]) is None
    assert exit_of(None) == 0


def test_among_equals_the_first_is_the_worst_and_a_failure_never_exits_as_a_warning() -> None:
    first, second = failure("journal_vanished"), failure(BROKEN)
    assert worst([first, second]) is first
    assert worst([second, first]) is second
    told = worst([failed(KnownError("model_reply_empty"))])
    assert exit_code(KnownError("model_reply_empty")) == 1
    assert exit_of(told) == 3


def test_the_document_is_the_one_that_others_rely_on(data: DataDir) -> None:
    report = diagnostics.examine(data)
    assert set(report) == {"checks", "failed", "worst", "exit"}
    assert (report["failed"], report["exit"]) == (0, 1)
    assert report["worst"] == {"code": "keyring_missing", "hn": "HN-140"}
    for check in report["checks"]:
        assert set(check) == {"name", "state", "text", "code", "hn", "for_it"}
        assert bool(check["code"]) == (check["state"] in ("warning", "failed"))
        assert bool(check["code"]) == bool(check["hn"]) == bool(check["for_it"])
        assert check["for_it"].startswith(check["hn"])
    names = [check["name"] for check in report["checks"]]
    assert len(set(names)) == len(names)


def test_every_fault_is_told_beside_all_others(data: DataDir, policy: Path, cheap_pins: None) -> None:
    open_desk(data.root).journal.close()
    policy.write_text('[sync]\ntransport = "folder"\nfolder = "/nowhere"\n', encoding="utf-8")
    data.settings.write_text("provider = [", encoding="utf-8")
    (data.root / "journal.db").write_bytes(b"\xa5" * 8192)
    data.snapshots.mkdir()
    (data.snapshots / "plant-00001-20261130T000000Z.duckdb").write_bytes(b"no database")
    checks = examined(data)
    assert {name: check["code"] for name, check in checks.items() if check["code"]} == {
        "settings": "settings_unreadable",
        "station_code": "station_code_missing",
        "keyring": "keyring_missing",
        "journal": "journal_key_file_missing",
        "snapshot": "snapshot_corrupt",
        "sync": "sync_folder_missing",
    }
    policy.chmod(0o666)
    checks = examined(data)
    assert (checks["policy"]["code"], checks["settings"]["code"]) == ("policy_untrusted", "settings_unreadable")


def test_a_setting_that_is_broken_does_not_hide_those_that_can_be_read(data: DataDir, policy: Path) -> None:
    policy.write_text('traces = "off"\n', encoding="utf-8")
    data.settings.write_text('nonsense = "x"\n', encoding="utf-8")
    checks = examined(data)
    assert checks["settings"]["code"] == "setting_unknown"
    assert checks["policy"]["state"] == "ok"
    assert "traces = off" in checks["plain_stores"]["text"]


def test_a_bug_in_one_check_is_told_and_logged_and_the_others_go_on(
    data: DataDir, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(diagnostics_pc.shutil, "disk_usage", lambda _: {}["a bug"])
    with caplog.at_level(logging.ERROR, "desktop"):
        report = diagnostics.examine(data)
    checks = {check["name"]: check for check in report["checks"]}
    assert checks["disk"]["code"] == "internal_error"
    assert report["exit"] == 5
    assert report["worst"] == {"code": "internal_error", "hn": "HN-006"}
    assert checks["clock"]["state"] == "ok"
    assert "a bug" in caplog.text


@pytest.mark.parametrize(
    ("forbid", "expected"),
    [
        ("parent", {"files", "disk", "journal_files", "snapshot", "plain_stores"}),
        ("root", {"files", "snapshot", "plain_stores"}),
        ("read only", {"files", "journal_files"}),
    ],
)
def test_a_folder_without_rights_is_named_by_every_check_that_needs_it(
    forbid: str, expected: set[str], cheap_pins: None
) -> None:
    with reachable_folder() as folder:
        data = DataDir(folder / "plant" / "data")
        open_desk(data.root).journal.close()
        diagnostics.examine(data)  # imports what is out of another user's reach here
        made = (data.root.parent, data.root, *data.root.iterdir())
        before = {file: file.stat().st_mode for file in made}
        match forbid:
            case "parent":
                data.root.parent.chmod(0)
            case "root":
                data.root.chmod(0)
            case _:
                for file in made:
                    file.chmod(0o555 if file.is_dir() else 0o444)
        with as_somebody_else():
            report = diagnostics.examine(data)
        for file, mode in before.items():
            file.chmod(mode)
    codes = {check["name"]: check["code"] for check in report["checks"] if check["code"]}
    assert "internal_error" not in codes.values()
    assert {name for name, code in codes.items() if code == "pc_folder_forbidden"} >= expected
    assert codes["journal"] == "journal_unwritable"


def test_without_the_network_nothing_is_connected_and_no_share_is_touched(
    data: DataDir, policy: Path, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy.write_text(
        f'provider = "openai"\n[openai]\nbase_url = "{server.url}"\nmodel = "m"\n'
        '[sync]\ntransport = "folder"\nfolder = "/nowhere"\n[station]\ncode = "P07"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(socket.socket, "connect", lambda *given: pytest.fail("it connected"))
    checks = examined(data, network=False)
    assert server.seen == []
    assert not {"sync", "provider", "audit"} & checks.keys()
    assert not any(name.startswith(("network", "certificate", "proxy_script")) for name in checks)
    monkeypatch.undo()
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(policy))
    full = examined(data)
    assert checks.keys() < full.keys()
    assert {"sync", "provider", "audit", "network.openai", "certificate.openai", "proxy_script.openai"} <= full.keys()
    assert server.seen


def test_offline_connects_to_nobody(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any) -> None:
        pytest.fail("it connected")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert examined(data)["provider"]["state"] == "ok"


def test_a_keyring_that_does_not_open_is_named(data: DataDir) -> None:
    with use_keyring(LockedKeyring()):
        assert examined(data)["keyring"]["code"] == "keyring_locked"


def test_a_row_from_the_future_shows_a_clock_that_is_behind(data: DataDir, cheap_pins: None) -> None:
    ahead = Clock()
    ahead.now = datetime.now(UTC) + timedelta(days=3)
    desk = open_desk(data.root, clock=ahead)
    desk.propose()
    desk.journal.close()
    for network in (True, False):
        assert examined(data, network=network)["clock"]["code"] == "pc_clock_behind"


def test_the_clock_of_whoever_answers_counts_also_where_he_says_no(
    data: DataDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    authority = Authority.begin(tmp_path)
    yesterday = format_datetime(datetime.now(UTC) - timedelta(days=1, hours=1), usegmt=True)
    page = f"HTTP/1.1 403 no\r\ndate: {yesterday}\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n".encode()
    with TlsServer(authority.issue(HERE), reply=page) as filtering:
        data.settings.write_text(
            f'provider = "anthropic"\n[anthropic]\nbase_url = "{filtering.url}"\n'
            f'[net]\nproxy = "direct"\nca_file = "{authority.file}"\n',
            encoding="utf-8",
        )
        checks = examined(data)
    assert checks["network.anthropic"]["code"] == "net_blocked"
    assert (checks["clock"]["code"], checks["clock"]["state"]) == ("pc_clock_off", "failed")
    assert "Plant / Test Root" in checks["certificate.anthropic"]["text"]


def test_encryption_that_policy_requires_fails_without_a_keyring(data: DataDir, policy: Path) -> None:
    policy.write_text('[storage]\nencryption = "required"\n', encoding="utf-8")
    assert examined(data)["keyring"]["code"] == "encryption_required"
