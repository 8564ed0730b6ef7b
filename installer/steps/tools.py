"""The build tools: Debian's programs, and a Python 3.13 environment with the locked packages."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steps.commands import BuildFailed, attempt, clean_environment, pip, run
from steps.product import INSTALLER, PYTHON_VERSION

BUILD_PACKAGES = (
    "nsis",
    "wixl",
    "msitools",
    "gcc-mingw-w64-x86-64-win32",
    "binutils-mingw-w64-x86-64",
    "osslsigncode",
    "openssl",
    "qt6-l10n-tools",
)
SMOKE_PACKAGES = ("wine", "wine64", "xvfb", "xauth", "fonts-ipafont-gothic", "locales", "imagemagick")
LOCK = INSTALLER / "requirements-build.lock"


def install_system_packages(smoke: bool) -> None:
    """Debian's build tools (and wine), where apt-get and its rights are there."""
    wanted = [*BUILD_PACKAGES, *(SMOKE_PACKAGES if smoke else ())]
    if all(_installed(package) for package in wanted):
        return
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-qq"], extra_env=quiet)
    run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted], extra_env=quiet)


def enter_environment(cache: Path) -> None:
    """Start this very command again inside the locked build environment, unless it already runs there.

    Its interpreter is a CPython 3.13, because the byte code for Windows is compiled with it.
    """
    folder = cache / "tools"
    if Path(sys.prefix).resolve() == folder.resolve():
        return
    bin_folder, suffix = (folder / "Scripts", ".exe") if os.name == "nt" else (folder / "bin", "")
    python = bin_folder / f"python{suffix}"
    stamp = folder / "lock.sha256"
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text(encoding="ascii") != digest:
        shutil.rmtree(folder, ignore_errors=True)
        run([_python(), "-m", "venv", folder])
        pip("install", "-q", "--require-hashes", "--no-deps", "-r", LOCK, python=python)
        stamp.write_text(digest, encoding="ascii")
    command = [str(python), "-B", *sys.argv]
    if os.name == "nt":
        sys.exit(subprocess.run(command, env=clean_environment(), check=False).returncode)
    os.execve(command[0], command, clean_environment())


@contextmanager
def only_build(cache: Path) -> Iterator[None]:
    """While it lasts no other build uses `cache`; BuildFailed if one does now."""
    from filelock import FileLock, Timeout  # is in the locked environment only

    try:
        with FileLock(cache / "build.lock", timeout=0):
            yield
    except Timeout as busy:
        raise BuildFailed(f"another build is at work in {cache}: wait for it") from busy


def _python() -> Path:
    if f"{sys.version_info.major}.{sys.version_info.minor}" == PYTHON_VERSION:
        return Path(sys.executable)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    named = [shutil.which(f"python{PYTHON_VERSION}"), *sorted(root.glob(f"versions/{PYTHON_VERSION}*/bin/python"))]
    proof = f"import sys; assert sys.version.startswith('{PYTHON_VERSION}.')"
    for candidate in named:
        if candidate and attempt([candidate, "-c", proof]).returncode == 0:
            return Path(candidate)
    raise BuildFailed(f"the build needs a CPython {PYTHON_VERSION}: its byte code is what goes to Windows")


def _installed(package: str) -> bool:
    if shutil.which("dpkg-query") is None:
        raise BuildFailed("--tools installs with apt-get; on Windows see README.md for what to install by hand")
    return "ok installed" in attempt(["dpkg-query", "-W", "-f", "${Status}", package]).stdout
