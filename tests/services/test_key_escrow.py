"""The key leaves only sealed, by an administrator's hand, and comes back only where it fits."""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from desktop.credentials import Credentials
from desktop.errors import KnownError, sentence
from desktop.services.key_escrow import escrow_key, take_back
from tests.fakes.certificate_owner import opened_by_openssl, owner
from tests.fakes.workstation import Workstation, told


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return owner(tmp_path, rsa.generate_private_key(65537, 2048)).certificate


def escrowed(
    station: Workstation, certificate: Path, out: Path | None = None, *, elevated: bool = True
) -> Mapping[str, Any]:
    desk = station.open()
    with closing(desk.journal):
        return escrow_key(station.services(desk), certificate, out, lambda: elevated)


def code(act: object) -> str:
    with pytest.raises(KnownError) as refused:
        act()  # type: ignore[operator]
    return refused.value.code


def opened(station: Workstation, certificate: Path, tmp_path: Path) -> str:
    """What the administrator's openssl prints."""
    escrowed(station, certificate, tmp_path / "key.p7m")
    done = opened_by_openssl(tmp_path / "key.p7m", certificate.with_name("owner.key"))
    assert done.returncode == 0, done.stderr
    (tmp_path / "key.p7m").unlink()
    return done.stdout.decode()


def test_it_is_lost_here_opened_there_and_given_back(station: Workstation, certificate: Path, tmp_path: Path) -> None:
    text = opened(station, certificate, tmp_path)
    assert station.ring is not None
    kept = dict(station.ring.kept)
    assert json.loads(text).keys() == {"journal_id", "cipher", "key"}
    station.ring.kept.clear()
    assert code(station.open) == "journal_key_missing"
    document = take_back(text, station.data, Credentials(environ={}))
    assert document == {"journal_id": json.loads(text)["journal_id"], "own": True, "kept_in": "memory"}
    assert station.ring.kept == kept
    station.open().journal.close()


def test_a_wrong_key_in_the_keyring_is_replaced_by_the_right_one(
    station: Workstation, certificate: Path, tmp_path: Path
) -> None:
    text = opened(station, certificate, tmp_path)
    assert station.ring is not None
    (where,) = station.ring.kept
    station.ring.kept[where] = "ab" * 32
    assert code(station.open) == "journal_key_wrong"
    take_back(text, station.data, Credentials(environ={}))
    station.open().journal.close()


def test_on_a_new_pc_it_waits_for_the_restore(station: Workstation, certificate: Path, tmp_path: Path) -> None:
    text = opened(station, certificate, tmp_path)
    station.back_up(tmp_path / "b.zip")
    assert station.ring is not None
    station.ring.kept.clear()
    new = Workstation(tmp_path / "new", station.ring, None)
    assert code(lambda: new.restore(tmp_path / "b.zip")) == "journal_key_missing"
    assert take_back("\ufeff" + text + "\r\n", new.data, Credentials(environ={}))["own"] is False
    new.restore(tmp_path / "b.zip")
    new.open().journal.close()


def test_it_is_noted_for_whom_and_the_backup_says_so(station: Workstation, certificate: Path, tmp_path: Path) -> None:
    document = escrowed(station, certificate, tmp_path / "key.p7m")
    desk = station.open()
    (row,) = told(desk, "key_escrowed")
    desk.journal.close()
    assert row == {name: document[name] for name in ("subject", "fingerprint", "at", "file")}
    assert row["subject"] == "CN=情報システム 鍵預かり"
    assert station.back_up(tmp_path / "b.zip")["key"]["escrowed"] == row


def test_the_key_is_in_no_file_and_no_document(station: Workstation, certificate: Path, tmp_path: Path) -> None:
    document = escrowed(station, certificate, tmp_path / "key.p7m")
    assert station.ring is not None
    (secret,) = station.ring.kept.values()
    assert secret not in json.dumps(document)
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        assert secret.encode() not in file.read_bytes(), file


def test_only_an_administrator_seals_it(station: Workstation, certificate: Path, tmp_path: Path) -> None:
    refused = lambda: escrowed(station, certificate, tmp_path / "key.p7m", elevated=False)  # noqa: E731
    assert code(refused) == "elevation_needed"
    assert not (tmp_path / "key.p7m").exists()


def test_a_refused_certificate_leaves_no_note(station: Workstation, tmp_path: Path) -> None:
    (tmp_path / "bad.cer").write_bytes(b"no certificate")
    assert code(lambda: escrowed(station, tmp_path / "bad.cer")) == "certificate_unreadable"
    desk = station.open()
    assert told(desk, "key_escrowed") == []
    desk.journal.close()


@pytest.mark.parametrize("out", ["there", "nowhere/key.p7m"])
def test_where_it_cannot_be_written_nothing_is_noted(
    station: Workstation, certificate: Path, tmp_path: Path, out: str
) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    expected = "backup_exists" if out == "there" else "output_unwritable"
    assert code(lambda: escrowed(station, certificate, tmp_path / out)) == expected
    assert (tmp_path / "there").read_bytes() == b"mine"
    desk = station.open()
    assert told(desk, "key_escrowed") == []
    desk.journal.close()


def test_a_plain_journal_has_no_key(tmp_path: Path, certificate: Path, cheap_pins: None) -> None:
    station = Workstation(tmp_path / "data", None, None)
    assert code(lambda: escrowed(station, certificate)) == "nothing_to_escrow"


ID = "01a22d2f-9e9f-7ad8-b8c0-814a6ae1a5b9"
MALFORMED = (
    *("", "null", "[]", "{}", "nonsense", '"a"', "1"),
    json.dumps({"journal_id": "../x", "cipher": "chacha20", "key": "ab" * 32}),
    json.dumps({"journal_id": ID, "cipher": "chacha20"}),
    json.dumps({"journal_id": ID, "cipher": "chacha20", "key": "ab" * 31}),
    json.dumps({"journal_id": ID, "cipher": "chacha20", "key": "'; ATTACH" + "a" * 55}),
    json.dumps({"journal_id": ID, "cipher": "chacha20", "key": ["ab"]}),
    json.dumps({"journal_id": 7, "cipher": "chacha20", "key": "ab" * 32}),
)


@pytest.mark.parametrize("text", MALFORMED)
def test_what_is_no_escrow_is_refused_without_repeating_it(station: Workstation, text: str) -> None:
    with pytest.raises(KnownError) as refused:
        take_back(text, station.data, Credentials(environ={}))
    assert refused.value.code == "escrowed_key_malformed"
    assert "ab" * 8 not in sentence(refused.value)
    assert refused.value.__cause__ is None
    assert station.ring is not None
    assert station.ring.kept == {}


def test_another_key_under_this_journals_name_is_refused(
    station: Workstation, certificate: Path, tmp_path: Path
) -> None:
    told = json.loads(opened(station, certificate, tmp_path))
    assert station.ring is not None
    before = dict(station.ring.kept)
    text = json.dumps({**told, "key": "ab" * 32})
    assert code(lambda: take_back(text, station.data, Credentials(environ={}))) == "key_not_this_journals"
    (station.data.root / "journal.key.json").unlink()
    assert code(lambda: take_back(text, station.data, Credentials(environ={}))) == "key_known_otherwise"
    assert station.ring.kept == before


def test_a_keyring_that_forgets_is_named(station: Workstation, certificate: Path, tmp_path: Path) -> None:
    text = opened(station, certificate, tmp_path)
    assert station.ring is not None
    station.ring.kept.clear()
    station.ring.forgetful = True
    assert code(lambda: take_back(text, station.data, Credentials(environ={}))) == "keyring_missing"
