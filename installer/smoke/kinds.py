"""How each kind of installer is run silently, and what its answers mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steps.product import ExitCode

from smoke.wine import Finished, Prefix, windows_path

_MSI_FATAL = 1603 & 0xFF
"""ERROR_INSTALL_FAILURE as a Unix exit status shows it."""

_MSI_ACTION_FAILED = 1627 & 0xFF
"""wine's answer when a custom action says no; Windows answers 1603 to that too."""
_HERE = (r"_?=C:\Program", r"Files\HozenNavi")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: its two versions, how to install one and remove the newer, and how it refuses."""

    name: str
    older: Path
    newer: Path
    install: Callable[[Prefix, Path], Finished]
    uninstall: Callable[[Prefix, Path], Finished]
    purge: Callable[[Prefix, Path], Finished]
    """The uninstall that deletes the data too."""
    refuses_downgrade: int
    refuses_other_kind: int
    refuses_purge: int
    closes_windows: bool
    """By itself; the MSI leaves it to the Restart Manager, which wine has not."""


def both(older: tuple[Path, Path], newer: tuple[Path, Path]) -> tuple[Kind, Kind]:
    """setup.exe and MSI, each pair given as (MSI, setup.exe)."""
    setup = Kind(
        "setup.exe",
        older[1],
        newer[1],
        _install_setup,
        _uninstall_setup,
        _purge_with_setup,
        refuses_downgrade=ExitCode.NEWER_PRESENT,
        refuses_other_kind=ExitCode.OTHER_KIND_PRESENT,
        refuses_purge=ExitCode.PURGE_REFUSED,
        closes_windows=True,
    )
    package = Kind(
        "msi",
        older[0],
        newer[0],
        _install_package,
        _uninstall_package,
        _purge_with_package,
        refuses_downgrade=_MSI_FATAL,
        refuses_other_kind=_MSI_FATAL,
        refuses_purge=_MSI_ACTION_FAILED,
        closes_windows=False,
    )
    return setup, package


def _install_setup(prefix: Prefix, installer: Path) -> Finished:
    return prefix.run(installer, "/S", "/AllUsers", f"/LOG={windows_path(prefix.log)}", seconds=400)


def _uninstall_setup(prefix: Prefix, _: Path) -> Finished:
    return _run_uninstaller(prefix)


def _purge_with_setup(prefix: Prefix, _: Path) -> Finished:
    return _run_uninstaller(prefix, "/PURGE")


def _run_uninstaller(prefix: Prefix, *switches: str) -> Finished:
    """Its folder comes last and unquoted, so as two words: quoted, a copy would run on its own, and 0 be told."""
    log = f"/LOG={windows_path(prefix.log)}"
    return prefix.run(prefix.program / "uninstall.exe", "/AllUsers", "/S", *switches, log, *_HERE)


def _install_package(prefix: Prefix, installer: Path) -> Finished:
    return prefix.run("msiexec", "/i", windows_path(installer), "/qn", seconds=400)


def _uninstall_package(prefix: Prefix, installer: Path) -> Finished:
    return prefix.run("msiexec", "/x", windows_path(installer), "/qn", seconds=400)


def _purge_with_package(prefix: Prefix, installer: Path) -> Finished:
    return prefix.run("msiexec", "/x", windows_path(installer), "PURGE=1", "/qn", seconds=400)
