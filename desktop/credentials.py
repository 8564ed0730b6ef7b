"""Secrets: in the operating system's keyring, or the PC's own store where users share its data; nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from desktop import paths
from desktop.errors import KnownError
from desktop.machine_keys import MachineKeys

_SERVICE = "HozenNavi"
_USER = "hozen-navi"  # one service a secret: Windows moves a second user of one service to another name
_LONGEST = 1200  # characters; Windows refuses more than 2,560 bytes of UTF-16 with an error that is no KeyringError
_ENVIRONMENT = {"anthropic": "ANTHROPIC_API_KEY"}
API_KEYS = ("anthropic", "openai")
"""The secrets that people give; all others the program makes."""


class Credentials:
    """Reads and writes secrets by name ("anthropic", "journal/<id>").

    `allow_env`: whether an API key may come from the environment (setting credentials.allow_env); it then comes
    first and is never written anywhere. The first call may take a third of a second: not on a window's thread.
    """

    def __init__(self, *, allow_env: bool = True, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ if allow_env else {}

    def backend(self) -> str | None:
        """The keyring's name for people, or None where there is none that keeps secrets."""
        ring = _ring()
        return str(ring.name) if ring.priority >= 1 else None

    def get(self, name: str) -> str | None:
        """The secret, or None if there is no such secret or no keyring.

        Raises KnownError("keyring_locked") when the keyring is there but doesn't open.
        """
        if from_environment := self._environ.get(_ENVIRONMENT.get(name, "")):
            return from_environment
        if self.backend() is None:
            return None
        with _opened(self.backend()):
            secret: str | None = _ring(name).get_password(f"{_SERVICE}/{name}", _USER)
            if secret is None and name in API_KEYS and (shared := _machine_keys()) is not None:
                secret = shared.get_password(f"{_SERVICE}/{name}", _USER)
            return secret

    def set_for_machine(self, name: str, secret: str) -> None:
        """An API key for all Windows users of the PC; a person's own comes before it.

        Raises KnownError: secret_too_long, machine_scope_missing (no installation that users share), keyring_locked.
        """
        if len(secret) > _LONGEST:
            raise KnownError("secret_too_long", name=name, limit=_LONGEST)
        shared = _machine_keys()
        if shared is None:
            raise KnownError("machine_scope_missing")
        with _opened(shared.name):
            shared.set_password(f"{_SERVICE}/{name}", _USER, secret)

    def set(self, name: str, secret: str) -> None:
        """Stores the secret and reads it back.

        Raises KnownError: keyring_missing (none, or one that forgets), keyring_locked, secret_too_long.
        """
        if len(secret) > _LONGEST:
            raise KnownError("secret_too_long", name=name, limit=_LONGEST)
        if self.backend() is None:
            raise KnownError("keyring_missing")
        with _opened(self.backend()):
            _ring(name).set_password(f"{_SERVICE}/{name}", _USER, secret)
            kept = _ring(name).get_password(f"{_SERVICE}/{name}", _USER)
        if kept != secret:
            raise KnownError("keyring_missing")


def _ring(name: str = "") -> Any:
    """Where `name` is kept: a shared installation's own secrets with the PC, an API key first with its person."""
    if name not in API_KEYS and (shared := _machine_keys()) is not None:
        return shared
    import keyring  # 0.1 s: only a process that needs a secret pays it

    ring = keyring.get_keyring()
    if hasattr(ring, "persist"):  # Windows: its default lets the secret roam to other PCs with the profile
        ring.persist = "local machine"
    return ring


def _machine_keys() -> MachineKeys | None:
    """The PC's own store, where its Windows users share an installation."""
    installed = paths.installation()
    return MachineKeys(paths.machine_dir() / "keys") if installed and installed.shared else None


@contextmanager
def _opened(backend: str | None) -> Iterator[None]:
    from keyring.errors import KeyringError

    try:
        yield
    except (KeyringError, OSError) as error:
        raise KnownError("keyring_locked", backend=backend, reason=str(error)) from error
