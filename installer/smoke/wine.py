"""A fresh Japanese Windows of wine's, with its own display and the three test-only DLLs that wine lacks."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from steps.commands import clean_environment, find
from steps.product import FOLDER

SHIMS = Path(__file__).resolve().parent / "shim"
_SHIM_NAMES = ("icuuc", "mscms", "bcryptprimitives")
_DLL_OVERRIDES = "mscoree,mshtml,wbemprox,winedbg=;mscms=n"
"""Without: questions about Mono and Gecko, a hang in WMI, a waiting debugger, an abort in colour profiles."""
_PREFIX_SECONDS = 180


class WineBroken(Exception):
    """wine itself doesn't start here, which says nothing about the installers."""


class TimedOut(Exception):
    """A Windows program did not end in its time."""


class _Overheard:
    """A pipe read by a thread, since a window that an installer opens again inherits it and keeps it open."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._heard = b""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(timeout=3)
        return self._heard.decode("utf-8", "replace")

    def _listen(self) -> None:
        for line in self._stream:
            self._heard += line


@dataclass(frozen=True, slots=True)
class Finished:
    """What a Windows program left: exit code and text."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """One Windows: its folder on this machine and the environment that programs run in."""

    folder: Path
    environment: dict[str, str]

    @property
    def drive(self) -> Path:
        return self.folder / "drive_c"

    @property
    def program(self) -> Path:
        return self.drive / "Program Files" / FOLDER

    @property
    def shared(self) -> Path:
        return self.drive / "ProgramData" / FOLDER

    @property
    def user_data(self) -> Path:
        return self.user / "AppData" / "Local" / FOLDER

    @property
    def log(self) -> Path:
        """Where setup.exe and uninstall.exe are told to log."""
        return self.folder / "setup.log"

    @property
    def user(self) -> Path:
        return next(path for path in (self.drive / "users").iterdir() if path.name != "Public")

    def run(self, *command: str | Path, seconds: float = 240) -> Finished:
        """A Windows program to its end; TimedOut past `seconds`."""
        process = self.start(*command)
        said = [_Overheard(stream) for stream in (process.stdout, process.stderr) if stream]
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise TimedOut(f"{Path(command[0]).name} {' '.join(map(str, command[1:]))}") from error
        return Finished(process.returncode, *(stream.text() for stream in said))

    def run_script(self, script: Path, *arguments: str, seconds: float = 240) -> Finished:
        """A Python file in the installed runtime, whose own python.exe (left out of the product) is lent for it."""
        python = self.program / "runtime" / "python.exe"
        shutil.copyfile(self.folder.parent / "python.exe", python)
        try:
            return self.run(python, "-B", windows_path(script), *arguments, seconds=seconds)
        finally:
            python.unlink()

    def start(self, *command: str | Path) -> subprocess.Popen[bytes]:
        """A Windows program left running; its output goes to pipes, since a file as stdout breaks Python under wine."""
        words = ["wine", *(str(word) for word in command)]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(words, stdin=nothing, stdout=pipe, stderr=pipe, env=self.environment)

    def settle(self, seconds: float = 60) -> None:
        """Wait until every Windows program has ended (an uninstaller deletes itself after its exit)."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(["wineserver", "-w"], env=self.environment, timeout=seconds, check=False)


@contextlib.contextmanager
def fresh(folder: Path) -> Iterator[Prefix]:
    """A new prefix in `folder`, everything ended afterwards; WineBroken if wine can't make or start it."""
    lacking = [program for program in ("wine", "wineserver", "Xvfb") if shutil.which(program) is None]
    if lacking:
        raise WineBroken(f"not installed: {', '.join(lacking)}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    locales = _japanese_locale(folder.parent / "locale")
    with _display() as display:
        environment = {
            **clean_environment(),
            "DISPLAY": display,
            "LC_ALL": "ja_JP.UTF-8",
            "LOCPATH": str(locales),
            "WINEARCH": "win64",
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": _DLL_OVERRIDES,
            "WINEPREFIX": str(folder),
        }
        prefix = Prefix(folder, environment)
        try:
            _boot(prefix)
            yield prefix
        finally:
            subprocess.run(["wineserver", "-k"], env=environment, check=False, capture_output=True)


def windows_path(path: Path) -> str:
    """How a Windows program names a file of this machine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def _boot(prefix: Prefix) -> None:
    try:
        booted = prefix.run("wineboot", "-i", seconds=_PREFIX_SECONDS)
        version = prefix.run("winecfg", "-v", "win10", seconds=60)
        spoken = prefix.run("cmd", "/c", "echo", "alive", seconds=60)
    except TimedOut as error:
        raise WineBroken(f"{error} did not end") from error
    if booted.code or version.code or "alive" not in spoken.out:
        raise WineBroken(
            f"wineboot {booted.code}, winecfg {version.code}, cmd said {spoken.out!r}: {booted.err[-400:]}"
        )
    system = prefix.drive / "windows" / "system32"
    gcc = find("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32")
    for name in _SHIM_NAMES:
        target = system / f"{name}.dll"
        if name != "bcryptprimitives" or not target.exists():  # wine 9 has its own
            command = [gcc, "-O2", "-s", "-shared", "-o", target, SHIMS / f"{name}.c", "-ladvapi32"]
            subprocess.run([str(word) for word in command], check=True, capture_output=True)


def _japanese_locale(folder: Path) -> Path:
    """A compiled ja_JP.UTF-8, without which wine is no CP932 Windows and can't name Japanese files."""
    if not (folder / "ja_JP.UTF-8").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["localedef", "-i", "ja_JP", "-f", "UTF-8", str(folder / "ja_JP.UTF-8")]
        subprocess.run(command, check=False, capture_output=True)
    return folder


@contextlib.contextmanager
def _display() -> Iterator[str]:
    """A virtual screen of its own number."""
    with tempfile.TemporaryFile() as said:
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1366x900x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=said,
        )
        try:
            number = screen.stdout.readline().decode().strip() if screen.stdout else ""
            if not number:
                raise WineBroken("Xvfb gives no screen")
            yield f":{number}"
        finally:
            screen.terminate()
            screen.wait(timeout=20)


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether `condition()` comes true within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.5)
    return False
