"""Secrets against real keyring backends: one in memory here, none, one that forgets; gnome-keyring where present."""

from collections.abc import Iterator

import keyring.backends.fail
import keyring.backends.null
import pytest
from keyring.backend import KeyringBackend

from desktop.credentials import Credentials
from desktop.errors import KnownError
from tests.fakes.keyrings import LockedKeyring, MemoryKeyring, use_keyring


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    ring = MemoryKeyring()
    with use_keyring(ring):
        yield ring


def test_a_secret_comes_back_under_its_own_service(memory_keyring: MemoryKeyring) -> None:
    credentials = Credentials(environ={})
    credentials.set("journal/1", "aa")
    credentials.set("journal/2", "bb")
    assert (credentials.get("journal/1"), credentials.get("journal/2")) == ("aa", "bb")
    assert {service for service, _ in memory_keyring.kept} == {"HozenNavi/journal/1", "HozenNavi/journal/2"}
    assert credentials.get("journal/3") is None
    assert credentials.backend() == "memory"


def test_the_environment_comes_first_only_where_allowed(memory_keyring: MemoryKeyring) -> None:
    environ = {"ANTHROPIC_API_KEY": "from-environment"}
    Credentials(environ={}).set("anthropic", "from-keyring")
    assert Credentials(environ=environ).get("anthropic") == "from-environment"
    assert Credentials(environ=environ, allow_env=False).get("anthropic") == "from-keyring"
    assert Credentials(environ=environ).get("journal/1") is None


@pytest.mark.parametrize("backend", [keyring.backends.fail.Keyring, keyring.backends.null.Keyring])
def test_without_a_keyring_nothing_is_stored_and_nothing_found(backend: type[KeyringBackend]) -> None:
    with use_keyring(backend()):
        assert Credentials(environ={}).backend() is None
        assert Credentials(environ={}).get("anthropic") is None
        with pytest.raises(KnownError) as refused:
            Credentials(environ={}).set("anthropic", "x")
    assert refused.value.code == "keyring_missing"


def test_a_locked_keyring_is_named() -> None:
    with use_keyring(LockedKeyring()):
        for act in (lambda: Credentials(environ={}).get("anthropic"), lambda: Credentials().set("anthropic", "x")):
            with pytest.raises(KnownError) as refused:
                act()
            assert refused.value.code == "keyring_locked"


def test_a_keyring_that_forgets_is_none(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.forgetful = True
    with pytest.raises(KnownError) as refused:
        Credentials(environ={}).set("anthropic", "x")
    assert refused.value.code == "keyring_missing"


def test_a_secret_windows_could_not_hold_is_refused(memory_keyring: MemoryKeyring) -> None:
    with pytest.raises(KnownError) as refused:
        Credentials(environ={}).set("anthropic", "x" * 1201)
    assert refused.value.code == "secret_too_long"
    assert memory_keyring.kept == {}
