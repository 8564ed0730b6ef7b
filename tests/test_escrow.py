"""A secret sealed for a certificate is opened by openssl and by nobody without the private key."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

from desktop import escrow
from desktop.errors import KnownError, sentence
from tests.fakes.certificate_owner import ENCIPHERS, NOW, SIGNS, PrivateKey, opened_by_openssl, owner

SECRET = '{"key":"ab","場所":"第2工場"}\r\n'.encode()


@pytest.fixture(scope="session")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.mark.parametrize("usage", ["", ENCIPHERS])
@pytest.mark.parametrize("form", [Encoding.PEM, Encoding.DER])
def test_openssl_and_another_library_open_it_byte_for_byte(
    tmp_path: Path, rsa_key: rsa.RSAPrivateKey, form: Encoding, usage: str
) -> None:
    admin = owner(tmp_path, rsa_key, form=form, usage=usage)
    sealed = escrow.seal(SECRET, admin.certificate, NOW)
    assert SECRET not in sealed.pem.encode()
    (tmp_path / "sealed").write_text(sealed.pem, encoding="ascii")
    done = opened_by_openssl(tmp_path / "sealed", admin.private_key)
    assert (done.returncode, done.stdout) == (0, SECRET), done.stderr
    body = admin.certificate.read_bytes()
    load = x509.load_pem_x509_certificate if form is Encoding.PEM else x509.load_der_x509_certificate
    assert pkcs7.pkcs7_decrypt_pem(sealed.pem.encode(), load(body), rsa_key, []) == SECRET
    assert sealed.subject == "CN=情報システム 鍵預かり"
    assert sealed.fingerprint == load(body).fingerprint(hashes.SHA256()).hex()


def test_another_key_does_not_open_it(tmp_path: Path, rsa_key: rsa.RSAPrivateKey) -> None:
    sealed = escrow.seal(SECRET, owner(tmp_path, rsa_key).certificate, NOW)
    (tmp_path / "sealed").write_text(sealed.pem, encoding="ascii")
    stranger = owner(tmp_path, rsa.generate_private_key(65537, 2048))
    done = opened_by_openssl(tmp_path / "sealed", stranger.private_key)
    assert SECRET not in done.stdout


def refusal(certificate: Path) -> str:
    with pytest.raises(KnownError) as refused:
        escrow.seal(SECRET, certificate, NOW)
    assert str(certificate) in sentence(refused.value)
    return refused.value.code


@pytest.mark.parametrize("days", [(-9, -1), (1, 9)])
def test_a_certificate_out_of_its_time_is_refused(
    tmp_path: Path, rsa_key: rsa.RSAPrivateKey, days: tuple[int, int]
) -> None:
    assert refusal(owner(tmp_path, rsa_key, days=days).certificate) == "certificate_expired"


def test_a_certificate_for_signing_is_refused(tmp_path: Path, rsa_key: rsa.RSAPrivateKey) -> None:
    assert refusal(owner(tmp_path, rsa_key, usage=SIGNS).certificate) == "certificate_not_for_encryption"


def test_a_certificate_whose_key_can_only_sign_is_refused(tmp_path: Path) -> None:
    """The key is RSA, and says of itself that it is for PSS signatures: openssl doesn't decrypt with it."""
    key, certificate = tmp_path / "key.pem", tmp_path / "pss.cer"
    how = ["-newkey", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048", "-nodes", "-subj", "/CN=pss", "-days", "9000"]
    made = ["openssl", "req", "-x509", *how, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    with pytest.raises(KnownError) as refused:
        escrow.seal(b"secret", certificate, datetime.now(UTC) + timedelta(hours=1))
    assert refused.value.code == "certificate_not_for_encryption"


@pytest.mark.parametrize("kind", ["elliptic", "edwards", "short"])
def test_a_key_that_cannot_carry_it_safely_is_refused(tmp_path: Path, kind: str) -> None:
    keys: dict[str, PrivateKey] = {
        "elliptic": ec.generate_private_key(ec.SECP256R1()),
        "edwards": ed25519.Ed25519PrivateKey.generate(),
        "short": rsa.generate_private_key(65537, 1024),
    }
    assert refusal(owner(tmp_path, keys[kind]).certificate) == "certificate_not_rsa"


@pytest.mark.parametrize("body", [b"", b"not a certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n", None])
def test_what_is_no_certificate_is_named(tmp_path: Path, body: bytes | None) -> None:
    file = tmp_path / "any.cer"
    if body is not None:
        file.write_bytes(body)
    assert refusal(file) == "certificate_unreadable"


def test_a_private_key_is_no_certificate(tmp_path: Path, rsa_key: rsa.RSAPrivateKey) -> None:
    assert refusal(owner(tmp_path, rsa_key).private_key) == "certificate_unreadable"


def test_a_certificate_with_its_private_key_in_one_file_is_refused(tmp_path: Path, rsa_key: rsa.RSAPrivateKey) -> None:
    """Then the key would lie on the PC from which it is escrowed away."""
    made = owner(tmp_path, rsa_key)
    made.certificate.write_bytes(made.certificate.read_bytes() + made.private_key.read_bytes())
    assert refusal(made.certificate) == "certificate_unreadable"
