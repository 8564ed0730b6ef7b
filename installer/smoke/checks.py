"""One check a function; each fails with the sentence that a person would report."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from pathlib import Path

from steps import signatures
from steps.product import CONSOLE_EXE, FOLDER, INSTALLER, WINDOW_EXE, Version

from smoke import wine

QUESTION = "ライン3の充填機でE-12が出た"
MACHINE = "EQ-003"
_IMPORT_CHECK = Path(__file__).resolve().parent / "import_check.py"
_EVENT_SOURCE = rf"HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\{FOLDER}"
_PLAIN_SQLITE = b"SQLite format 3\0"
_FEWEST_COLOURS = 100
"""Smoothed letters and icons of a painted window have hundreds; an empty screen has one, a bare frame a handful."""


class SmokeFailed(Exception):
    """Something that a person would have seen go wrong."""


def expect(holds: bool, otherwise: str) -> None:
    """SmokeFailed(`otherwise`) unless it holds."""
    if not holds:
        raise SmokeFailed(otherwise)


def version_is(prefix: wine.Prefix, version: Version) -> None:
    """The installed console program names this version."""
    said = prefix.run(prefix.program / CONSOLE_EXE, "--version")
    expect(str(version) in said.out, f"--version says {said.out!r} {said.err[-600:]!r} instead of {version}")


def is_an_event_source(prefix: wine.Prefix) -> None:
    """Windows' Event Log knows whose our entries are, and shows their text."""
    asked = prefix.run("reg", "query", _EVENT_SOURCE, "/v", "EventMessageFile")
    expect("EventCreate.exe" in asked.out, f"not registered with the Event Log: {asked.out!r} {asked.err[-400:]!r}")


def answers(prefix: wine.Prefix) -> None:
    """The sample question gets its answer: the right machine, with sources."""
    said = prefix.run(prefix.program / CONSOLE_EXE, "ask", "--sample", "--json", QUESTION)
    expect(said.code == 0, f"ask ended with {said.code}: {said.out[-400:]} {said.err[-800:]}")
    document = json.loads(said.out)
    machines = [machine["id"] for machine in document["focus"]["equipment"]]
    expect(document["status"] == "answered", f"ask says {document['status']}")
    expect(machines == [MACHINE] and bool(document["citations"]), f"ask found {machines}")


def data_is_shared_and_encrypted(prefix: wine.Prefix) -> None:
    """All users' journal and its key lie with the PC, none with the person; its first bytes are not SQLite's."""
    journals = list((prefix.shared / "data").rglob("journal.db"))
    expect(bool(journals), "no journal was written in ProgramData")
    for journal in journals:
        expect(journal.read_bytes()[:16] != _PLAIN_SQLITE, f"{journal.name} is not encrypted")
    expect(any((prefix.shared / "keys").glob("*.key")), "the journal's key is not in the PC's own store")
    own = prefix.user_data
    expect(not any(own.rglob("journal.db")), f"a journal was written for one person only, in {own.name}")


def opens_window(prefix: wine.Prefix, screenshot: Path) -> subprocess.Popen[bytes]:
    """The window, painted within two minutes; its picture in `screenshot`."""
    window = prefix.start(prefix.program / WINDOW_EXE)

    def painted() -> bool:
        if window.poll() is not None:
            said = window.stderr.read().decode("utf-8", "replace") if window.stderr else ""
            raise SmokeFailed(f"the window ended with {window.returncode}: {said[-800:]}")
        return _colours(prefix, screenshot) >= _FEWEST_COLOURS

    expect(wine.wait_for(painted, seconds=120), f"no window was painted: see {screenshot.name}")
    return window


def quits(prefix: wine.Prefix, window: subprocess.Popen[bytes]) -> None:
    """`quit` closes the window that is open."""
    said = prefix.run(prefix.program / CONSOLE_EXE, "quit", "--wait", "60")
    expect(said.code == 0, f"quit ended with {said.code}: {said.out[-400:]} {said.err[-400:]}")
    has_closed(window)


def has_closed(window: subprocess.Popen[bytes]) -> None:
    """The window that was open has ended by itself."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        window.wait(timeout=30)
    closed = window.poll() is not None
    if not closed:
        window.kill()
    expect(closed, "the window stays open though it was asked to close")
    expect(window.returncode == 0, f"the window ended with {window.returncode}")


def has_reopened(prefix: wine.Prefix) -> None:
    """The upgrade has opened the window again; closed for what follows."""
    asked = wine.wait_for(lambda: prefix.run("taskkill", "/im", WINDOW_EXE).code == 0, seconds=60)
    expect(asked, "the window is not opened again after the upgrade")
    gone = wine.wait_for(lambda: prefix.run("taskkill", "/im", WINDOW_EXE).code != 0, seconds=60)
    expect(gone, "the reopened window does not close")


def imports_everything(prefix: wine.Prefix) -> str:
    """Every module of the installed folder imports, the keyring works; how many, for the log."""
    said = prefix.run_script(_IMPORT_CHECK, seconds=600)
    lines = said.out.strip().splitlines()
    expect(bool(lines), f"the import check said nothing: {said.err[-800:]}")
    document = json.loads(lines[-1])
    expect(not document["failed"], f"modules that do not import: {document['failed']}")
    expect(document["keyring"] == "ok", f"keyring: {document['keyring']}")
    return f"{document['modules']} modules import, keyring keeps a secret"


def is_signed(prefix: wine.Prefix, roots: Path) -> str:
    """The uninstaller, which makensis signs while it packs, is what was signed; by whom, for the log."""
    found = signatures.read(prefix.program / "uninstall.exe", roots)
    expect(bool(found.signer) and found.digest_matches, f"the installed uninstall.exe's signature: {found}")
    return found.signer


def leaves_what_the_guide_says(prefix: wine.Prefix) -> None:
    """After the uninstall: no program file, no registry key, no shortcut; of the data only what README.md lists."""
    expect(not prefix.program.exists(), f"left: {[path.name for path in prefix.program.rglob('*')][:5]}")
    for key in (rf"HKLM\Software\{FOLDER}", _EVENT_SOURCE):
        asked = prefix.run("reg", "query", key, "/reg:64")
        expect(asked.code != 0, f"left in the registry: {asked.out}")
    shortcuts = list((prefix.drive).glob("**/Start Menu/Programs/*.lnk"))
    expect(not shortcuts, f"left in the Start menu: {shortcuts}")
    allowed = [re.compile(pattern) for pattern in kept_by_the_guide()]
    for place in (prefix.shared, prefix.user_data):
        for file in (file for file in place.rglob("*") if file.is_file()):
            name = file.relative_to(place.parent).as_posix()
            expect(any(pattern.fullmatch(name) for pattern in allowed), f"left, and not in README.md: {name}")


def kept_by_the_guide() -> list[str]:
    """Patterns of README.md's table of what an uninstall leaves, relative to ProgramData or AppData\\Local."""
    text = (INSTALLER / "README.md").read_text(encoding="utf-8")
    table = text.split("<!-- left after uninstall -->")[1].split("<!-- end -->")[0]
    names = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    return [re.escape(name.replace("\\", "/")).replace(r"\*", ".+") for name in names]


def _colours(prefix: wine.Prefix, screenshot: Path) -> int:
    subprocess.run(
        ["import", "-window", "root", str(screenshot)], env=prefix.environment, check=False, capture_output=True
    )
    counted = subprocess.run(
        ["identify", "-format", "%k", str(screenshot)], check=False, capture_output=True, text=True
    )
    return int(counted.stdout) if counted.stdout.isdigit() else 0
