"""backup, restore and key as IT calls them, on the real bundled plant."""

import io
import json
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from desktop import paths
from desktop.__main__ import main
from desktop.cli import backup_words
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.workers.plant_station import PlantStation
from tests.cli.conftest import Done
from tests.fakes.certificate_owner import opened_by_openssl, owner
from tests.fakes.desk import RealClock, open_desk
from tests.fakes.keyrings import MemoryKeyring, use_keyring

Command = Callable[..., Done]


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    made = MemoryKeyring()
    with use_keyring(made):
        yield made


@pytest.fixture
def data(tmp_path: Path, ring: MemoryKeyring, command: Command) -> tuple[str, str]:
    """The bundled plant read in as one's own, with something waiting."""
    where = ("--data-dir", str(tmp_path / "data"))
    assert command("import", str(paths.sample_plant()), *where).code == 0
    desk = open_desk(tmp_path / "data", station="", ring=ring, clock=RealClock())
    desk.propose()
    desk.journal.close()
    return where


def test_a_plant_comes_back_on_a_new_pc_and_answers(
    command: Command, tmp_path: Path, data: tuple[str, str], ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    admin = owner(tmp_path, rsa.generate_private_key(65537, 2048), days=(-3000, 3000))
    escrow = ("key", "escrow", "--to", str(admin.certificate), "--out", str(tmp_path / "key.p7m"))
    assert command(*escrow, *data).code == 0
    backup = command("backup", str(tmp_path / "b.zip"), *data)
    assert (backup.code, backup.document["originals"]) == (0, len(list((tmp_path / "data" / "files").iterdir())))
    asked = command("ask", "ライン3の充填機でE-12が出た", *data)
    ring.kept.clear()
    new = ("--data-dir", str(tmp_path / "new"))
    missing = command("restore", str(tmp_path / "b.zip"), *new)
    assert (missing.code, missing.document["error"]["code"]) == (4, "journal_key_missing")
    opened = opened_by_openssl(tmp_path / "key.p7m", admin.private_key).stdout.decode()
    monkeypatch.setattr("sys.stdin", io.StringIO(opened))
    returned = command("key", "return", *new)
    assert (returned.code, returned.document["own"]) == (0, False)
    restored = command("restore", str(tmp_path / "b.zip"), *new)
    assert (restored.code, restored.document["pending"]) == (0, 1)
    again = command("ask", "ライン3の充填機でE-12が出た", *new)
    assert again.document["answer"] == asked.document["answer"]
    assert command("audit", "verify", *new).code == 0
    assert command("requests", *new).document["pending"][0]["equipment_id"] == "EQ-003"
    for text in (backup.document, returned.document, restored.document):
        assert json.loads(opened)["key"] not in json.dumps(text)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_it_says_what_it_is_worth_and_what_to_look_at(
    tmp_path: Path, data: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = told(capsys, "backup", str(tmp_path / "b.zip"), *data)
    assert code == 0
    for words in (
        "b.zip",
        "SHA-256",
        "平文で入っているもの：原本、台帳データ",
        "memory にしかありません",
        "key escrow",
    ):
        assert words in out
    code, out, _ = told(capsys, "restore", str(tmp_path / "b.zip"), *data)
    assert code == 0
    for words in ("before-restore-", "承認待ちは 1 件", "工場の一覧と照らして", f"{platform.node()} の控え"):
        assert words in out
    assert re.search(r"（\d{4}-\d\d-\d\d \d\d:\d\d、", out)
    assert re.search(r"番号は \d{1,2}01 から", out)


def lose_snapshot(root: Path) -> None:
    for file in (root / "snapshots").glob("*.duckdb"):
        file.unlink()


def break_snapshot(root: Path) -> None:
    for file in (root / "snapshots").glob("*.duckdb"):
        file.write_bytes(b"x" * 9000)


def lose_originals(root: Path) -> None:
    shutil.rmtree(root / "files")


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (lose_snapshot, "snapshot_missing"),
        (break_snapshot, "snapshot_corrupt"),
        (lose_originals, "originals_missing"),
    ],
)
def test_a_backup_that_goes_on_without_what_was_there_says_so(
    command: Command, tmp_path: Path, data: tuple[str, str], harm: Callable[[Path], None], expected: str
) -> None:
    harm(tmp_path / "data")
    done = command("backup", str(tmp_path / "b.zip"), *data)
    assert (done.code, done.document["missing"]["code"]) == (1, expected)
    assert done.document["missing"]["message"] in backup_words.backed_up(done.document)
    assert (tmp_path / "b.zip").exists()


def test_a_pc_without_any_record_has_nothing_to_back_up_and_gets_none_by_asking(
    command: Command, tmp_path: Path
) -> None:
    for arguments in (("backup", str(tmp_path / "b.zip")), ("key", "escrow", "--to", str(tmp_path / "c.cer"))):
        refused = command(*arguments, "--data-dir", str(tmp_path / "data"))
        assert (refused.code, refused.document["error"]["code"]) == (3, "nothing_to_back_up")
    assert not (tmp_path / "data" / "journal.db").exists()


@pytest.mark.parametrize(
    "arguments", [("escrow",), ("return", "--to", "c.cer"), ("return", "--out", "k"), ("escrow", "--out", "k"), ()]
)
def test_half_a_command_is_refused(command: Command, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert command("key", *arguments, "--data-dir", str(tmp_path)).code == 2


def test_an_unfinished_restore_is_told_by_every_command_and_finished_by_the_same(
    command: Command, tmp_path: Path, data: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command("backup", str(tmp_path / "b.zip"), *data)
    with monkeypatch.context() as patch:
        patch.setattr("desktop.store.data_swap.finish", lambda _: (_ for _ in ()).throw(OSError(5, "cut")))
        assert command("restore", str(tmp_path / "b.zip"), *data).document["error"]["code"] == "restore_stopped"
    for arguments in (("requests",), ("audit", "verify"), ("ask", "E-12"), ("export", "check")):
        refused = command(*arguments, *data)
        assert (refused.code, refused.document["error"]["code"]) == (4, "restore_unfinished")
    refused = command("import", str(paths.sample_plant()), *data)
    assert refused.document["error"]["code"] == "restore_unfinished"
    assert command("restore", str(tmp_path / "elsewhere.zip"), *data).code == 1
    assert command("audit", "verify", *data).code == 0


def cut_off(command: Command, tmp_path: Path, data: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A restore of `b.zip` that stops between two names."""
    command("backup", str(tmp_path / "b.zip"), *data)
    rename = Path.rename

    def cut(self: Path, target: Path) -> Path:
        if self.name == "files":
            raise OSError(5, "cut")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cut)
        assert command("restore", str(tmp_path / "b.zip"), *data).document["error"]["code"] == "restore_stopped"


def test_with_a_damaged_plan_the_same_restore_begins_anew_once_the_plan_is_out_of_the_way(
    command: Command, tmp_path: Path, data: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(command, tmp_path, data, monkeypatch)
    plan = tmp_path / "data" / "restore.json"
    plan.write_bytes(bytes(plan.stat().st_size))
    for arguments in (("requests",), ("restore", str(tmp_path / "b.zip")), ("export", "check")):
        refused = command(*arguments, *data)
        assert (refused.code, refused.document["error"]["code"]) == (3, "restore_plan_damaged")
    plan.rename(tmp_path / "restore.json")
    assert command("restore", str(tmp_path / "b.zip"), *data).code == 0
    assert command("audit", "verify", *data).code == 0
    assert len(command("requests", *data).document["pending"]) == 1


def test_cut_off_between_two_names_it_does_not_look_like_a_pc_without_data(
    command: Command, tmp_path: Path, data: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(command, tmp_path, data, monkeypatch)
    (tmp_path / "data" / "journal.db").unlink()
    shutil.rmtree(tmp_path / "data" / "snapshots")
    refused = command("import", str(paths.sample_plant()), *data)
    assert refused.document["error"]["code"] == "restore_unfinished"
    assert not (tmp_path / "data" / "snapshots").exists()
    station = PlantStation(DataDir(tmp_path / "data"))
    with pytest.raises(KnownError, match="restore_unfinished"):
        station.open(None)
