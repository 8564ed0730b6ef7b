"""A desk for every test that asks for one."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop import wiring
from desktop.domain import pin
from desktop.paths import DataDir
from desktop.services.station import Services
from tests.fakes.desk import Desk, open_desk
from tests.fakes.keyrings import MemoryKeyring, use_keyring
from tests.fakes.workstation import Workstation


@pytest.fixture
def cheap_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real hash at a cost that a suite can pay; tests/domain/test_pin.py holds the real cost."""
    monkeypatch.setattr(pin, "COST", 2**4)


@pytest.fixture
def desk(tmp_path: Path, cheap_pins: None) -> Iterator[Desk]:
    made = open_desk(tmp_path / "data")
    yield made
    made.journal.close()


@pytest.fixture
def station(tmp_path: Path, cheap_pins: None) -> Iterator[Workstation]:
    """A furnished workstation whose keyring holds during the test; its sync folder is tmp_path/share."""
    (tmp_path / "share").mkdir()
    ring = MemoryKeyring()
    with use_keyring(ring):
        made = Workstation(tmp_path / "data", ring, tmp_path / "share")
        made.furnish()
        yield made


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("may not mount a small file system here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(scope="session")
def bundled_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The bundled plant, read in once."""
    with wiring.open_services(DataDir(tmp_path_factory.mktemp("plant")), sample=True) as opened:
        yield opened
