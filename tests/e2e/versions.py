"""Versions of the program in folders of their own, each run as its own process on one data directory."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_FAKES = ROOT / "tests" / "fakes"
STATION = ROOT / "installer" / "smoke" / "station.py"


@dataclass(frozen=True)
class Done:
    """How a process ended; `document` is the JSON it printed."""

    code: int
    document: dict[str, Any]
    stderr: str


@dataclass(frozen=True)
class Program:
    """One version; `data` is where it works, with the policy, the keyring and the share of its PC beside."""

    folder: Path
    data: Path

    def on(self, data: Path) -> Program:
        return Program(self.folder, data)

    @property
    def share(self) -> Path:
        """What sync.folder names; it is not there until somebody makes it."""
        return self.data.with_name("share")

    def run(self, *arguments: str | Path) -> Done:
        """One command with --json."""
        return self._end(self._start("-m", "desktop", *arguments, "--json"))

    def work(self, *arguments: str) -> dict[str, Any]:
        """installer/smoke/station.py in this program; what it told."""
        done = self._end(self._start(STATION, *arguments))
        assert done.code == 0, done.stderr
        return done.document

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """One command left running, with pipes to it and from it."""
        return self._start("-m", "desktop", *arguments)

    def script(self, text: str) -> subprocess.Popen[str]:
        """Python in this program left running, with pipes to it and from it."""
        return self._start("-c", text)

    def _start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        beside = self.data.parent
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {
            **kept,
            "PYTHONPATH": f"{self.folder}{os.pathsep}{_FAKES}",
            "PYTHON_KEYRING_BACKEND": "file_keyring.FileKeyring",
            "FILE_KEYRING": str(beside / "keyring.json"),
            "HOZEN_NAVI_DATA_DIR": str(self.data),
            "HOZEN_NAVI_POLICY": str(beside / "policy.toml"),
            "QT_QPA_PLATFORM": "offscreen",
        }
        pipe = subprocess.PIPE
        command = [sys.executable, *map(str, arguments)]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8"
        )

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> Done:
        out, said = process.communicate(timeout=200)
        return Done(process.returncode, json.loads(out) if out.strip() else {}, said)


def make(folder: Path, version: str, data: Path, *migrations: str) -> Program:
    """This tree as another version, with these migrations more than it has."""
    for name in ("desktop", "resources", "data/sample"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    source = folder / "desktop" / "__init__.py"
    text = re.sub(r'__version__ = "[^"]+"', f'__version__ = "{version}"', source.read_text(encoding="utf-8"))
    source.write_text(text, encoding="utf-8")
    for number, migration in enumerate(migrations, 9001):
        file = folder / "desktop" / "store" / "migrations" / f"{number}_later.sql"
        file.write_text(migration, encoding="utf-8")
    return Program(folder, data)
