"""Where things are: what we ship, and what a run writes."""

from __future__ import annotations

import os
import sys
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


def default_data_dir() -> Path:
    """HOZEN_NAVI_DATA_DIR, else the platform's per-user data directory."""
    named = os.environ.get("HOZEN_NAVI_DATA_DIR")
    return Path(named) if named else platformdirs.user_data_path("HozenNavi", appauthor=False)


def console_program() -> Path | None:
    """The commands' program of an installed Windows build, whose own executable is no Python; None elsewhere."""
    folder = Path(sys.executable).parent
    return folder / "hozen-navi.exe" if (folder / "install.toml").exists() else None


def policy_file() -> Path:
    """Where IT's policy is: HOZEN_NAVI_POLICY, else the machine's own place."""
    named = os.environ.get("HOZEN_NAVI_POLICY")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("PROGRAMDATA", r"C:\ProgramData")) / "HozenNavi" / "policy.toml"
    return Path("/etc/hozen-navi/policy.toml")


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
    def exports(self) -> Path:
        return self.root / "exports"

    @property
    def sample(self) -> DataDir:
        """The bundled plant's own place, never mixed with own data."""
        return DataDir(self.root / "sample")


def _shipped(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
