"""An administrator with a certificate, who opens what was sealed for it as the guide says."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
ENCIPHERS, SIGNS = "key_encipherment", "digital_signature"
USAGES = (SIGNS, "content_commitment", ENCIPHERS, "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign")
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@dataclass(frozen=True)
class Owner:
    """An administrator's key pair, as files."""

    certificate: Path
    private_key: Path


def owner(
    place: Path, key: PrivateKey, *, days: tuple[int, int] = (-1, 1), usage: str = "", form: Encoding = Encoding.PEM
) -> Owner:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "情報システム 鍵預かり")])
    begins, ends = (NOW + timedelta(days=each) for each in days)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(begins).not_valid_after(ends)
    if usage:
        uses = {each: each == usage for each in USAGES} | {"encipher_only": False, "decipher_only": False}
        builder = builder.add_extension(x509.KeyUsage(**uses), critical=True)
    digest = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    made = Owner(place / "owner.cer", place / "owner.key")
    made.certificate.write_bytes(builder.sign(key, digest).public_bytes(form))
    made.private_key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return made


def opened_by_openssl(pem: Path, private_key: Path) -> "subprocess.CompletedProcess[bytes]":
    command = ["openssl", "cms", "-decrypt", "-binary", "-inform", "PEM", "-in", pem, "-inkey", private_key]
    return subprocess.run(command, capture_output=True, check=False)
