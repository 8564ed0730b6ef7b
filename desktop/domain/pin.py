"""Staff PINs: what makes one good, and how one is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from desktop.errors import KnownError

SHORTEST = 6
LONGEST = 12
MAX_TRIES = 5
COST = 2**16  # scrypt's n: with r = 8, 64 MB and a fifth of a second a try
_BLOCK = 8
_MEMORY = 2**27


class PinScheme(StrEnum):
    """`sample`: printed in the bundled roster, kept as it is, and good for the bundled plant only."""

    SCRYPT = "scrypt"
    SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class KeptPin:
    """What is stored instead of a PIN; `pepper` is the fingerprint of the machine's pepper, "" = none."""

    scheme: PinScheme
    salt: bytes
    cost: int
    digest: bytes
    pepper: str = ""

    def __repr__(self) -> str:
        return f"KeptPin({self.scheme})"


def normal(pin: str) -> str:
    """Full-width digits and stray spaces of a Japanese keyboard are the same PIN."""
    return unicodedata.normalize("NFKC", pin).strip()


def require_good(pin: str) -> None:
    """Raises KnownError("pin_too_simple"): not 6–12 digits, a run (123456, 654321, 890123), or hardly two digits."""
    digits = normal(pin)
    if not (digits.isascii() and digits.isdigit() and SHORTEST <= len(digits) <= LONGEST):
        raise KnownError("pin_too_simple", shortest=SHORTEST)
    steps = {(int(b) - int(a)) % 10 for a, b in pairwise(digits)}
    if steps in ({0}, {1}, {9}) or len(set(digits)) < 3:
        raise KnownError("pin_too_simple", shortest=SHORTEST)


def mint() -> str:
    """A good random PIN, for handing out once."""
    while True:
        pin = f"{secrets.randbelow(10**8):08d}"
        try:
            require_good(pin)
        except KnownError:
            continue
        return pin


def keep(pin: str, pepper: bytes) -> KeptPin:
    """Hashes; takes a fifth of a second and 64 MB."""
    salt = secrets.token_bytes(16)
    return KeptPin(PinScheme.SCRYPT, salt, COST, _scrypt(pin, salt, COST, pepper), fingerprint(pepper))


def keep_sample(pin: str) -> KeptPin:
    return KeptPin(PinScheme.SAMPLE, b"", 0, normal(pin).encode())


def matches(pin: str, kept: KeptPin, pepper: bytes) -> bool:
    """Whether this is the PIN; `pepper` must be the one the PIN was kept with."""
    if kept.scheme is PinScheme.SAMPLE:
        return hmac.compare_digest(normal(pin).encode("utf-8", "replace"), kept.digest)
    return hmac.compare_digest(_scrypt(pin, kept.salt, kept.cost, pepper), kept.digest)


def fingerprint(pepper: bytes) -> str:
    return hashlib.sha256(b"hozen-navi pepper\x00" + pepper).hexdigest()[:16] if pepper else ""


def _scrypt(pin: str, salt: bytes, cost: int, pepper: bytes) -> bytes:
    peppered = hmac.digest(pepper, normal(pin).encode("utf-8", "replace"), "sha256")
    return hashlib.scrypt(peppered, salt=salt, n=cost, r=_BLOCK, p=1, maxmem=_MEMORY)
