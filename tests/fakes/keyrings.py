"""Keyring backends that behave as the real ones do where it matters, without a desktop session."""

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked


class MemoryKeyring(KeyringBackend):
    """Keeps secrets until the process ends; `forgetful` accepts and drops them."""

    priority = 5.0  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.forgetful = False

    @property
    def name(self) -> str:
        return "memory"

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if not self.forgetful:
            self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class LockedKeyring(MemoryKeyring):
    """There, but doesn't open."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")


# The library collects every subclass as a keyring of this system; these two are nobody's but the test's.
KeyringBackend._classes -= {MemoryKeyring, LockedKeyring}


@contextmanager
def use_keyring(backend: KeyringBackend) -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)
