"""A journal of its own for every test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.paths import DataDir
from desktop.store.journal import Journal, open_journal
from tests.fakes.keyrings import use_keyring


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Plain, empty, closed at the end."""
    with use_keyring(keyring.backends.fail.Keyring()):
        made = open_journal(DataDir(tmp_path / "data"), Credentials(environ={}))
    yield made
    made.close()
