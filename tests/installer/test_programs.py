"""Signatures and import closure on a real Windows program: a launcher that pip carries."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from steps import closure, signatures, signing, stage
from steps.commands import BuildFailed

INSTALLER = Path(__file__).resolve().parents[2] / "installer"
needs_osslsigncode = pytest.mark.skipif(
    shutil.which("osslsigncode") is None or shutil.which("openssl") is None,
    reason="osslsigncode or openssl is not installed",
)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    launchers = [file for folder in sys.path for file in Path(folder).glob("pip/_vendor/distlib/w64.exe")]
    if not launchers:
        pytest.skip("this environment's pip carries no Windows launcher")
    copied = tmp_path / "program" / "名前 with space.exe"
    copied.parent.mkdir()
    shutil.copyfile(launchers[0], copied)
    return copied


@pytest.fixture
def throw_away_certificate(tmp_path: Path) -> Path:
    key, certificate, both = tmp_path / "key.pem", tmp_path / "certificate.pem", tmp_path / "both.pfx"
    subject = ["-subj", "/O=Throw Away/CN=Throw Away", "-addext", "extendedKeyUsage=codeSigning"]
    made = ["-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate), "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", *made, *subject], check=True, capture_output=True)
    packed = ["-export", "-inkey", str(key), "-in", str(certificate), "-out", str(both), "-passout", "pass:throw away"]
    subprocess.run(["openssl", "pkcs12", *packed], check=True, capture_output=True)
    return both


@needs_osslsigncode
def test_a_program_signed_with_a_pfx_says_who_signed_it_and_notices_a_flipped_byte(
    program: Path, throw_away_certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert signatures.read(program).signer == ""
    monkeypatch.setenv("HOZEN_NAVI_SIGN_PASSWORD", "throw away")
    command = f"'{sys.executable}' '{INSTALLER / 'sign_with_pfx.py'}' '{throw_away_certificate}' {{file}}"
    signing.Signer.parse(command).sign(program)
    roots = tmp_path / "roots.pem"
    roots.write_text(signatures.system_roots(), encoding="ascii")
    signed = signatures.read(program, roots)
    assert (signed.signer, signed.publisher) == ("Throw Away", "O=THROW AWAY")
    assert (signed.digest_matches, signed.chain_verified) == (True, False)

    with pytest.raises(BuildFailed, match="O=THROW AWAY"):
        stage.unsigned(program.parent)
    content = bytearray(program.read_bytes())
    content[2000] ^= 1
    program.write_bytes(content)
    assert not signatures.read(program).digest_matches
    with pytest.raises(BuildFailed, match="altered after it was signed"):
        stage.unsigned(program.parent)


@needs_osslsigncode
def test_a_signing_command_that_ends_well_without_signing_is_found_out(program: Path) -> None:
    assert stage.unsigned(program.parent) == [program]
    with pytest.raises(BuildFailed, match="carries no valid signature"):
        signing.Signer.parse("true {file}").sign(program)
    assert stage.unsigned(program.parent) == [program]


def test_a_program_is_known_by_its_content_whatever_its_name(program: Path) -> None:
    hidden = program.rename(program.with_suffix(".dat"))
    assert signatures.program_files(program.parent) == [hidden]


@needs_osslsigncode
@pytest.mark.skipif(shutil.which("msibuild") is None, reason="msibuild is not installed")
def test_a_signed_msi_says_who_signed_it_and_notices_a_flipped_byte(
    throw_away_certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "program.msi"
    summary = ["-s", "title", "the author", "x64;1041", "{6B684CC1-9BA3-5812-A561-94C1FFFB3372}"]
    subprocess.run(["msibuild", str(package), *summary], check=True)
    monkeypatch.setenv("HOZEN_NAVI_SIGN_PASSWORD", "throw away")
    command = f"'{sys.executable}' '{INSTALLER / 'sign_with_pfx.py'}' '{throw_away_certificate}' {{file}}"
    assert signing.Signer.parse(command).sign(package).signer == "Throw Away"
    package.write_bytes(package.read_bytes().replace(b"the author", b"the editor"))
    altered = signatures.read(package)
    assert (altered.signed, altered.digest_matches) == (True, False)


@needs_osslsigncode
def test_a_wrong_password_stops_the_build(
    program: Path, throw_away_certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOZEN_NAVI_SIGN_PASSWORD", "wrong")
    command = f"'{sys.executable}' '{INSTALLER / 'sign_with_pfx.py'}' '{throw_away_certificate}' {{file}}"
    with pytest.raises(BuildFailed):
        signing.Signer.parse(command).sign(program)


def test_a_program_that_needs_only_windows_is_closed(program: Path) -> None:
    assert "kernel32.dll" in closure.check(program.parent)


def test_a_library_that_neither_we_nor_windows_bring_stops_the_build(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("user32.dll\n", encoding="utf-8")
    monkeypatch.setattr(closure, "ALLOWED", allowed)
    with pytest.raises(BuildFailed, match=r"kernel32\.dll wanted by 名前 with space\.exe"):
        closure.check(program.parent)
