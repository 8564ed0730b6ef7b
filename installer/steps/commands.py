"""Running other programs, and the one way a build step fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


class BuildFailed(Exception):
    """A step can't go on; the sentence says which, why, and what to do."""


def run(
    command: Sequence[str | Path], *, cwd: Path | None = None, extra_env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished program with its captured text; BuildFailed with the end of what it said when it fails."""
    done = attempt(command, cwd=cwd, extra_env=extra_env)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-20:])
        raise BuildFailed(f"{Path(command[0]).name} ended with {done.returncode}:\n{tail}")
    return done


def attempt(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    extra_env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """The finished program, whatever its exit code; subprocess.TimeoutExpired past `timeout` seconds."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment(extra_env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
        check=False,
    )


def pip(*words: str | Path, python: str | Path = sys.executable) -> None:
    """Run pip; BuildFailed with what it says besides its retries, and what to do when it reaches nothing."""
    done = attempt([python, "-m", "pip", *words])
    if done.returncode != 0:
        said = [line for line in (done.stdout + done.stderr).strip().splitlines() if not line.startswith("WARNING")]
        raise BuildFailed("\n".join([f"pip {words[0]} failed: is its index in reach (README.md)?", *said[-20:]]))


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what would steer a Python that is started from it (wine passes it on)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, **(extra or {})}


def find(program: str, package: str) -> Path:
    """Where `program` is; BuildFailed names the Debian package that brings it."""
    found = shutil.which(program)
    if found is None and sys.platform == "win32":
        raise BuildFailed(f"{program} is not on PATH: README.md says what a build on Windows needs")
    if found is None:
        raise BuildFailed(f"{program} is missing: apt-get install {package}, or run with --tools")
    return Path(found)


def megabytes(size: int) -> str:
    """For people: "41.2 MB"."""
    return f"{size / 1e6:.1f} MB"


def tree_size(folder: Path) -> int:
    """Bytes of every file below `folder`."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
