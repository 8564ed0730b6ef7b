"""Where things are: what we ship, and what a run writes."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """A file of resources/, in a wheel, an editable install or a frozen app alike."""
    return _shipped("resources") / name


def sample_plant() -> Path:
    """The folder of the bundled sample plant (fictional)."""
    return _shipped("data") / "sample"


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed Windows build: its program folder, and whether all Windows users of the PC share its data."""

    folder: Path
    shared: bool

    @property
    def console_program(self) -> Path:
        """The program of the commands; the running executable is no Python that could be called."""
        return self.folder / "hozen-navi.exe"


def installation() -> Installation | None:
    """What the installer's install.toml beside the running executable says; None in any other kind of run."""
    folder = Path(sys.executable).parent
    marker = folder / "install.toml"
    if not marker.exists():
        return None
    return Installation(folder, shared=tomllib.loads(marker.read_text(encoding="utf-8"))["scope"] == "machine")


def default_data_dir() -> Path:
    """The PC's own where installed for all its users, else the person's; HOZEN_NAVI_DATA_DIR if not installed."""
    installed = installation()
    if installed and installed.shared:
        return machine_dir() / "data"
    named = None if installed else os.environ.get("HOZEN_NAVI_DATA_DIR")
    return Path(named) if named else platformdirs.user_data_path("HozenNavi", appauthor=False)


def policy_file() -> Path:
    """Where IT's policy is: the machine's own place; HOZEN_NAVI_POLICY instead if not installed."""
    named = None if installation() else os.environ.get("HOZEN_NAVI_POLICY")
    return Path(named) if named else machine_dir() / "policy.toml"


def machine_dir() -> Path:
    """What belongs to the PC and not to a person: policy, and in a shared installation data and keys."""
    if sys.platform == "win32":
        return Path(os.environ.get("PROGRAMDATA", r"C:\ProgramData")) / "HozenNavi"
    return Path("/etc/hozen-navi")


@dataclass(frozen=True, slots=True)
class DataDir:
    """Everything one run writes, under `root`; directories come into being when first written to."""

    root: Path

    @property
    def settings(self) -> Path:
        return self.root / "settings.toml"

    @property
    def journal(self) -> Path:
        return self.root / "journal.db"

    @property
    def snapshots(self) -> Path:
        return self.root / "snapshots"

    @property
    def files(self) -> Path:
        """Kept originals by SHA-256."""
        return self.root / "files"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def sample(self) -> DataDir:
        """The bundled plant's own place, never mixed with own data."""
        return DataDir(self.root / "sample")


def _shipped(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
