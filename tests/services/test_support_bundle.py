"""What leaves with a support bundle: everything that helps, no secret, and nobody's name, whatever is broken."""

import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from desktop.domain.ledger import Equipment, MaintenanceRecord, Person, Role
from desktop.domain.work_request import KnownBy, Requester
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import support_bundle
from desktop.store import people
from desktop.store.snapshot_builder import SnapshotBuilder
from tests.fakes.desk import open_desk, request_draft
from tests.fakes.keyrings import LockedKeyring, MemoryKeyring, use_keyring
from tests.fakes.plant import source

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
KEY = "plantgatewaykey-0123456789"
NAMES = {
    "roster": ("氷室 京介", "ヒムロ ケイ"),
    "requester": ("玄葉 光子",),
    "worker": ("鷲尾・犬飼",),
    "owner": ("蓮見　譲",),
    "consent": ("御手洗 潔",),
    "login": ("kusanagi.m",),
}
EVERY_FORM = (
    "氷室", "京介", "氷 室", "ﾋﾑﾛ", "ひむろ", "ヒムロ", "玄葉", "光子", "鷲尾", "犬飼", "蓮見", "御手洗", "kusanagi",
)  # fmt: skip
NEVER = (
    *EVERY_FORM, *(quote(form) for form in EVERY_FORM), *(json.dumps(form).strip('"') for form in EVERY_FORM),
    *(repr(form.encode())[2:-1] for form in EVERY_FORM),
    KEY, "693815", "api03", "hunter2", "example.co.jp", "amuro", "秘密の質問", "ノズルの内緒", "内線7777",
)  # fmt: skip


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    made = MemoryKeyring()
    made.set_password("HozenNavi/anthropic", "hozen-navi", KEY)
    with use_keyring(made):
        yield made


@pytest.fixture
def data(tmp_path: Path, cheap_pins: None, ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    """A station on which people's names lie in every store, and in what was written about them."""
    monkeypatch.setattr(support_bundle, "_SETUP_LOGS", (tmp_path / "gone.log", tmp_path / "HozenNavi-setup.log"))
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "policy.toml"))
    made = DataDir(tmp_path / "data")
    desk = open_desk(made.root, ring=ring)
    with desk.journal.transaction() as tx:
        people.put(tx, [Person(str(n), name, Role.LEADER, (), "内線7777") for n, name in enumerate(NAMES["roster"])])
    requester = Requester("9", NAMES["requester"][0], KnownBy.PIN)
    desk.approve(desk.propose(request_draft(requester=requester, title="ノズルの内緒")))
    desk.journal.close()
    with SnapshotBuilder(made.snapshots) as builder:
        builder.add_source(source("ledger"))
        builder.add_equipment("ledger", [Equipment("EQ-1", "充填機", "FL", "ライン3", owner=NAMES["owner"][0])])
        builder.add_source(source("log", "record"))
        record = MaintenanceRecord("R-1", "EQ-1", None, "E-12", "詰まり", "", "清掃", worker=NAMES["worker"][0])
        builder.add_records("log", [record])
        builder.publish()
    write_everywhere(made, tmp_path)
    return made


def write_everywhere(data: DataDir, tmp_path: Path) -> None:
    lines = [
        "2026-11-30 09:00:00,000 INFO desktop.sync.folder sent 3 items",
        r"2026-11-30 09:00:01,000 WARNING desktop.store C:\Users\kusanagi.m\AppData\Local\HozenNavi\x is held",
        r"2026-11-30 09:00:02,000 WARNING desktop.store 'C:\\Users\\kusanagi.m\\x' file:///C:/Users/kusanagi%2Em/y",
        f"key {KEY} and sk-ant-api03-secret and Bearer hunter2 password=hunter2 PIN 693815 pin=693815",
        "http://amuro.r:hunter2@proxy:8080/?key=hunter2 from someone@example.co.jp",
        "http://amuro.r:hunter2@127.0.0.1:3128 mail amuro＠工場．ｊｐ",
        'Proxy-Authorization: Digest username="amuro", nc=1',
        "Traceback (most recent call last):",
        '  File "/home/kusanagi.m/desktop/store/journal.py", line 12, in transaction',
        "KeyError: '氷室 京介'",
    ]
    for form in EVERY_FORM:
        lines += [f"{form}さんが", f"{quote(form)}", json.dumps(form), repr(form.encode()), f"/plant/{form}/a.csv"]
    for name in (one for names in NAMES.values() for one in names):
        lines += [name, name.replace(" ", "　"), " ".join(name), f"x{name.replace(' ', '')}y"]
    text = "\n".join(lines)
    for place in (data.logs, data.sample.logs):
        place.mkdir(parents=True)
        for name in ("hozen-navi.log", "hozen-navi.log.1", "faults.log", "hozen-navi.log.氷室", "氷室さん.log"):
            (place / name).write_text(text, encoding="utf-8")
        (place / "hozen-navi.log.2").write_bytes(f"{text}\n氷室".encode("cp932"))
        step = {"kind": "tool_call", "at": NOW.isoformat(), "turn": 2, "seconds": 0.5, "error": "氷室", "by": "氷室"}
        full = {"question": "秘密の質問", "input": {"氷室": "氷室"}, "head": KEY, "name": "kusanagi", "status": "done"}
        trace = f"{json.dumps({**step, **full}, ensure_ascii=False)}\n{json.dumps(step)}\nhalf a li 氷室"
        (place / "trace_20261130T090000Z_0192-ab.jsonl").write_text(trace, encoding="utf-8")
        (place / "trace_氷室_1.jsonl").write_text(trace, encoding="utf-8")
    (tmp_path / "HozenNavi-setup.log").write_text(f"{text}\nStage 3 done", encoding="utf-16")
    (data.root / "before-restore-20261130T09Z").mkdir()
    (data.root / "before-restore-20261130T09Z/氷室さんの依頼.csv").write_text(text, encoding="utf-8")
    (data.root / "windows").mkdir()
    (data.root / "windows/kusanagi.m-1.open").touch()
    (data.root / "status.json").write_text(json.dumps({"schema": 1, "氷室": "氷室", "told": [text]}), encoding="utf-8")
    data.settings.write_text(
        f'provider = "offline"\nsync.transport = "folder"\nsync.folder = "/mnt/氷室 京介/{KEY}"\n'
        f'station.code = "P07"\nstation.lines = ["ライン3", "玄葉"]\nnet.proxy = "http://amuro.r:hunter2@10.0.0.1:8080"\n',
        encoding="utf-8",
    )
    (tmp_path / "policy.toml").write_text('cloud.consent = "御手洗 潔 2026-11-01"\n', encoding="utf-8")


def bundled(data: DataDir, tmp_path: Path) -> dict[str, str]:
    """Every member's text, once nothing that must not be is found in it, nor in the file as it lies there."""
    support_bundle.save(data, tmp_path / "out.zip", NOW)
    whole = (tmp_path / "out.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, body in {"out.zip": whole, **members, **{f"name {name}": name.encode() for name in members}}.items():
        found = [
            word
            for word in NEVER
            for code in ("utf-8", "cp932", "utf-16-le", "utf-16-be")
            if word.lower().encode(code, "ignore") in body.lower() and word.encode(code, "ignore")
        ]
        assert found == [], name
    return {name: body.decode() for name, body in members.items()}


def test_no_secret_and_nobody_is_in_it_and_what_helps_is(data: DataDir, tmp_path: Path) -> None:
    members = bundled(data, tmp_path)
    assert {name for name in members if "/" not in name} == {
        "README.txt", "doctor.json", "status.json", "versions.json", "settings.json", "journal.json", "snapshot.json",
        "files.json",
    }  # fmt: skip
    assert {name for name in members if "/" in name} == {
        "installer/2-HozenNavi-setup.log",
        *(f"logs/{place}{name}" for place in ("", "sample/") for name in
          ("hozen-navi.log", "hozen-navi.log.1", "hozen-navi.log.2", "faults.log")),
        *(f"traces/{place}trace_20261130T090000Z_0192-ab.jsonl" for place in ("", "sample/")),
    }  # fmt: skip
    log = members["logs/hozen-navi.log"]
    assert "INFO desktop.sync.folder sent 3 items" in log
    assert r"C:\Users\…\AppData\Local\HozenNavi\x is held" in log
    assert 'File "/home/…/desktop/store/journal.py", line 12, in transaction' in log
    assert "Stage 3 done" in members["installer/2-HozenNavi-setup.log"]
    settings = json.loads(members["settings.json"])
    assert settings["station.code"] == {"value": "P07", "locked": False, "user": "P07"}
    assert settings["cloud.consent"] == {"value": True, "locked": True, "policy": True}
    assert settings["station.lines"]["value"][0] == "ライン3"
    assert settings["net.proxy"]["value"] == "http://…@10.0.0.1:8080"
    journal = json.loads(members["journal.json"])
    assert journal["audit"]["broken_at"] is None
    assert journal["rows"]["work_requests"] == 1
    assert [item["delivery"] for item in journal["outbox"]["items"]] == ["queued"]
    assert f"{NOW.astimezone():%Y-%m-%d %H:%M}" in members["README.txt"]
    assert json.loads(members["snapshot.json"])["records"] == 1
    assert "name" in json.loads(members["doctor.json"])["checks"][0]
    listed = {one["file"] for one in json.loads(members["files.json"])["files"]}
    assert {
        "before-restore-20261130T09Z/….csv",
        "windows/….open",
        "journal.db",
        "logs/hozen-navi.log",
    } <= listed
    first, second, third = map(json.loads, members["traces/trace_20261130T090000Z_0192-ab.jsonl"].splitlines())
    assert first == {"kind": "tool_call", "at": NOW.isoformat(), "turn": 2, "seconds": 0.5, "status": "done"}
    assert second == {"kind": "tool_call", "at": NOW.isoformat(), "turn": 2, "seconds": 0.5}
    assert third == {"kind": None}
    assert f"版 / version: {json.loads(members['versions.json'])['version']}" in members["README.txt"]


def break_journal(data: DataDir) -> None:
    data.journal.write_bytes(b"x" * 8192)


def lose_key(data: DataDir) -> None:
    data.root.joinpath("journal.key.json").unlink()


def break_snapshot(data: DataDir) -> None:
    next(data.snapshots.glob("*.duckdb")).write_bytes(b"x" * 8192)


def lose_journal(data: DataDir) -> None:
    data.journal.unlink()


@pytest.mark.parametrize("harm", [break_journal, lose_key, break_snapshot, lose_journal])
def test_where_names_cannot_be_known_no_free_text_goes(
    harm: Callable[[DataDir], None], data: DataDir, tmp_path: Path
) -> None:
    harm(data)
    unregistered = "2026-11-30 09:00:09,000 ERROR desktop.sync 誰か知らない人 failed\nValueError: 誰か知らない人\n"
    for file in (data.logs / "hozen-navi.log", tmp_path / "HozenNavi-setup.log"):
        file.write_text(unregistered + file.read_bytes().decode("utf-8", "ignore"), encoding="utf-8")
    data.settings.write_text('net.proxy = "http://誰か知らない人:80"\n', encoding="utf-8")
    members = bundled(data, tmp_path)
    assert not any("知らない" in text for text in members.values())
    log = members["logs/hozen-navi.log"].splitlines()
    assert log[:2] == ["2026-11-30 09:00:09,000 ERROR desktop.sync …", "ValueError …"]
    assert '  File "journal.py", line 12, in transaction' in log
    assert json.loads(members["settings.json"])["net.proxy"]["value"] == "…"
    checks = json.loads(members["doctor.json"])["checks"]
    assert any(check["state"] == "failed" and check["code"] for check in checks)
    assert "Names could not be read" in members["README.txt"]


def test_a_keyring_that_does_not_open_is_told_and_no_free_text_goes(
    data: DataDir, tmp_path: Path, ring: MemoryKeyring
) -> None:
    with use_keyring(LockedKeyring()):
        members = bundled(data, tmp_path)
    assert "keyring_locked" in members["README.txt"]
    assert "items" not in members["logs/hozen-navi.log"]


def test_nothing_is_overwritten_and_nothing_half_is_left(
    tmp_path: Path, ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DataDir(tmp_path / "data")
    (tmp_path / "out.zip").write_bytes(b"mine")
    with pytest.raises(KnownError, match="support_bundle_exists"):
        support_bundle.save(data, tmp_path / "out.zip", NOW)
    assert (tmp_path / "out.zip").read_bytes() == b"mine"
    with pytest.raises(KnownError, match="output_unwritable"):
        support_bundle.save(data, tmp_path / "nowhere/out.zip", NOW)
    monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(KnownError, match="output_unwritable"):
        support_bundle.save(data, tmp_path / "full.zip", NOW)
    assert not list(tmp_path.glob("*full*"))


def test_a_pc_on_which_nothing_ran_has_one_too(tmp_path: Path, ring: MemoryKeyring) -> None:
    told: Any = support_bundle.save(DataDir(tmp_path / "data"), tmp_path / "out.zip", NOW)
    assert told["unread"] == []
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert json.loads(archive.read("journal.json")) == {"missing": True}
        assert "status.json" not in archive.namelist()
