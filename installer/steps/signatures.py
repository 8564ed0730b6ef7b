"""Who signed a program file, and whether the file is still what was signed (Authenticode, read with osslsigncode)."""

from __future__ import annotations

import hashlib
import re
import ssl
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from steps.commands import BuildFailed, attempt, find

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
PROGRAM_SUFFIXES = (".exe", ".dll", ".pyd")
SYSTEM_ROOTS = Path("/etc/ssl/certs/ca-certificates.crt")


@dataclass(frozen=True, slots=True)
class Signature:
    """What the signature of one file says; `signer` is empty for an unsigned file."""

    file: Path
    signer: str
    digest_matches: bool
    chain_verified: bool


def program_files(folder: Path) -> list[Path]:
    """Every PE file below `folder`, in a stable order."""
    return sorted(file for file in folder.rglob("*") if file.suffix.lower() in PROGRAM_SUFFIXES)


def read(file: Path, roots: Path) -> Signature:
    """The first signature of `file`, its chain judged at the time of its own timestamp.

    Signing certificates of the Microsoft service live three days, and the authority's certificate of an old timestamp
    may have run out since; what must hold is that the chain was good when the file was signed.
    """
    program = find("osslsigncode", "osslsigncode")
    shown = _text(attempt([program, "verify", "-in", file]))
    if "No signature found" in shown:
        return Signature(file, "", digest_matches=False, chain_verified=False)
    digests = re.findall(r"(?:Current|Calculated) message digest\s*: (\w+)", shown)[:2]
    subject = re.search(r"Signer #0:\s*\n\s*Subject: (.+)", shown)
    name = re.search(r"/CN=([^/\n]+)", subject[1]) if subject else None
    command = [program, "verify", "-ignore-cdp", "-ignore-crl", "-ignore-timestamp", "-CAfile", roots]
    stamped = re.search(r"Timestamp time: (.+) GMT", shown)
    if stamped:
        moment = datetime.strptime(stamped[1], "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
        command += ["-time", str(int(moment.timestamp()))]
    judged = _text(attempt([*command, "-in", file]))
    return Signature(
        file,
        name[1].strip() if name else "",
        digest_matches=len(digests) == 2 and digests[0] == digests[1],
        chain_verified="Signature verification: ok" in judged,
    )


def trusted_roots(samples: list[Path], pinned: Mapping[str, str], to: Path) -> Path:
    """A certificate file: this machine's roots, and those inside the samples' signatures whose SHA-256 is pinned."""
    wanted = set(pinned.values())
    found = {}
    for sample in samples:
        for certificate in _certificates(sample):
            digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()
            if digest in wanted:
                found[digest] = certificate
    if wanted - found.keys():
        raise BuildFailed(f"no signature of the runtime carries the pinned root {', '.join(wanted - found.keys())}")
    to.write_text(SYSTEM_ROOTS.read_text(encoding="ascii") + "".join(found.values()), encoding="ascii")
    return to


def _certificates(file: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        signature = Path(folder) / "signature.pem"
        attempt([find("osslsigncode", "osslsigncode"), "extract-signature", "-pem", "-in", file, "-out", signature])
        printed = attempt([find("openssl", "openssl"), "pkcs7", "-in", signature, "-print_certs"]).stdout
    return [match[0] + "\n" for match in _CERTIFICATE.finditer(printed)]


def _text(done: subprocess.CompletedProcess[str]) -> str:
    return f"{done.stdout}\n{done.stderr}"
