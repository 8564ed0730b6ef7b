"""What holds for every test: no network but this machine, and for the window a pinned look and no leaks."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_ACCESSIBILITY"] = "0"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # never the keyring of whoever runs the tests
_HOME = {"127.0.0.1", "::1", "localhost"}
_connect = socket.socket.connect


def _connect_here(self: socket.socket, address: Any) -> None:
    if self.family != socket.AF_UNIX and address[0] not in _HOME:
        raise PermissionError(f"a test reached for the network: {address!r}")
    _connect(self, address)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Loopback and unix sockets only; a name look-up of anything else fails on the connection it is for."""
    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", _connect_here)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    """A worker that outlives its test would answer into the next one."""
    before = set(threading.enumerate())
    yield
    leaked = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in leaked:
        thread.join(2)
    assert [thread.name for thread in leaked if thread.is_alive()] == []
