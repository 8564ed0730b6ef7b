"""Who signed a program file, and whether the file is still what was signed (Authenticode, read with osslsigncode)."""

from __future__ import annotations

import hashlib
import re
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from steps.commands import attempt, find

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_PROGRAM_SUFFIXES = (".exe", ".dll", ".pyd")
_PROGRAM_MARK = b"MZ"
_DEBIAN_ROOTS = Path("/etc/ssl/certs/ca-certificates.crt")


@dataclass(frozen=True, slots=True)
class Signature:
    """What the signature of one file says, if it is `signed` at all.

    `signer` is the subject's common name, `publisher` the subject as AppLocker writes it: "O=…, L=…, S=…, C=…".
    Both are empty for a file that was altered after it was signed: then nothing of its signature is to be believed.
    """

    file: Path
    signed: bool
    signer: str
    digest_matches: bool
    chain_verified: bool
    publisher: str = ""


def program_files(folder: Path) -> list[Path]:
    """Every file below `folder` that Windows would load as a program, by name or by content, in a stable order."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and _is_program(file))


def read(file: Path, roots: Path | None = None) -> Signature:
    """The first signature of `file`; with `roots`, its chain judged at the time of its own timestamp.

    Signing certificates of the Microsoft service live three days, and the authority's certificate of an old timestamp
    may have run out since; what must hold is that the chain was good when the file was signed.
    """
    shown = _verify(file)
    digests = re.findall(r"(?:Current|Calculated) (?:message digest|DigitalSignature)\s*: (\w+)", shown)[:2]
    found = re.search(r"Signer #0:\s*\n\s*Subject: (.+)", shown)
    subject = dict(re.findall(r"/(\w+)=([^/\n]+)", found[1])) if found else {}
    return Signature(
        file,
        "Signature Index" in shown,
        subject.get("CN", "").strip(),
        digest_matches=len(digests) == 2 and digests[0] == digests[1],
        chain_verified=roots is not None and _chain_holds(file, roots, shown),
        publisher=_publisher(subject),
    )


def trusted_roots(sample: Path, pinned: Mapping[str, str], to: Path) -> Path:
    """A certificate file: this machine's roots, and those inside the sample's signature whose SHA-256 is pinned."""
    wanted = set(pinned.values())
    carried = [
        certificate
        for certificate in _certificates(sample)
        if hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest() in wanted
    ]
    to.write_text(system_roots() + "".join(carried), encoding="ascii")
    return to


def system_roots() -> str:
    """The certificates that this machine trusts, as PEM."""
    if sys.platform == "win32":
        encoded = [certificate for certificate, kind, _ in ssl.enum_certificates("ROOT") if kind == "x509_asn"]
        return "".join(map(ssl.DER_cert_to_PEM_cert, encoded))
    return _DEBIAN_ROOTS.read_text(encoding="ascii")


def _chain_holds(file: Path, roots: Path, shown: str) -> bool:
    stamped = re.search(r"Timestamp time: (.+) GMT", shown)
    if not stamped:
        return "Signature verification: ok" in _verify(file, "-CAfile", roots)
    moment = datetime.strptime(stamped[1], "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    return "Signature verification: ok" in _verify(file, "-CAfile", roots, "-time", str(int(moment.timestamp())))


def _verify(file: Path, *options: str | Path) -> str:
    # Without -ignore-cdp it fetches revocation lists, of certificates that live three days.
    offline = ["-ignore-cdp", "-ignore-crl", "-ignore-timestamp"]
    return _text(attempt([find("osslsigncode", "osslsigncode"), "verify", *offline, *options, "-in", file]))


def _is_program(file: Path) -> bool:
    if file.suffix.lower() in _PROGRAM_SUFFIXES:
        return True
    with file.open("rb") as opened:
        return opened.read(len(_PROGRAM_MARK)) == _PROGRAM_MARK


def _publisher(subject: Mapping[str, str]) -> str:
    parts = {"O": "O", "L": "L", "S": "ST", "C": "C"}
    return ", ".join(f"{shown}={subject[name].upper()}" for shown, name in parts.items() if name in subject)


def _certificates(file: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        signature = Path(folder) / "signature.pem"
        attempt([find("osslsigncode", "osslsigncode"), "extract-signature", "-pem", "-in", file, "-out", signature])
        printed = attempt([find("openssl", "openssl"), "pkcs7", "-in", signature, "-print_certs"]).stdout
    return [match[0] + "\n" for match in _CERTIFICATE.finditer(printed)]


def _text(done: subprocess.CompletedProcess[str]) -> str:
    return f"{done.stdout}\n{done.stderr}"
