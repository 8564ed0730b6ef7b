"""Seals a secret for the owner of a certificate, who opens it with `openssl cms -decrypt` and without us."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.errors import KnownError

if TYPE_CHECKING:
    from cryptography import x509

_LEAST_BITS = 2048


@dataclass(frozen=True, slots=True)
class Sealed:
    """CMS EnvelopedData as PEM, and whose certificate it is for: `subject`, and the SHA-256 of the certificate."""

    pem: str
    subject: str
    fingerprint: str


def seal(secret: bytes, certificate: Path, now: datetime) -> Sealed:
    """The secret for the holder of the private key of an X.509 certificate file (PEM or DER, RSA).

    Raises KnownError: certificate_unreadable, certificate_expired, certificate_not_rsa, certificate_not_for_encryption.
    """
    from cryptography.hazmat.primitives import hashes  # 80 ms to load: only who seals pays it
    from cryptography.hazmat.primitives.ciphers.algorithms import AES256
    from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

    recipient = _load(certificate)
    _require_fit(recipient, str(certificate), now)
    builder = pkcs7.PKCS7EnvelopeBuilder().set_data(secret).set_content_encryption_algorithm(AES256)
    pem = builder.add_recipient(recipient).encrypt(Encoding.PEM, [pkcs7.PKCS7Options.Binary])
    return Sealed(pem.decode("ascii"), recipient.subject.rfc4514_string(), recipient.fingerprint(hashes.SHA256()).hex())


def _load(file: Path) -> x509.Certificate:
    from cryptography import x509

    try:
        body = file.read_bytes()
        if b"PRIVATE KEY-----" in body:
            raise _unreadable(str(file), "秘密鍵も入っています")
        return x509.load_pem_x509_certificate(body) if b"-----BEGIN" in body else x509.load_der_x509_certificate(body)
    except OSError as error:
        raise _unreadable(str(file), error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(str(file), "証明書の形ではありません") from error


def _unreadable(file: str, reason: str) -> KnownError:
    return KnownError("certificate_unreadable", file=file, reason=reason)


def _require_fit(certificate: x509.Certificate, file: str, now: datetime) -> None:
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not begins <= now <= ends:
        raise KnownError("certificate_expired", file=file, begins=_local(begins), ends=_local(ends))
    try:
        key = certificate.public_key()
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        usage = None
    except (ValueError, UnsupportedAlgorithm, x509.DuplicateExtension) as error:
        raise _unreadable(file, str(error)) from error
    if not isinstance(key, RSAPublicKey) or key.key_size < _LEAST_BITS:
        kind, bits = type(key).__name__.removesuffix("PublicKey"), getattr(key, "key_size", "?")
        raise KnownError("certificate_not_rsa", file=file, kind=kind, bits=bits)
    signs_only = certificate.public_key_algorithm_oid == x509.PublicKeyAlgorithmOID.RSASSA_PSS
    if signs_only or (usage is not None and not usage.key_encipherment):
        raise KnownError("certificate_not_for_encryption", file=file)


def _local(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
