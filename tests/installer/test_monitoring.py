"""What IT's scripts and guide say of status.json and the Event Log is what the program and the installers do.

No PowerShell runs here: the scripts' own run stands in the acceptance checklist.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import keyring.backends.fail
import pytest
from steps import msi_source, product
from steps.product import Version

from desktop import __version__, errors, event_log
from desktop.event_log import EventLog
from desktop.paths import DataDir
from desktop.services.health import FILE, HealthRecord
from tests.fakes.keyrings import use_keyring

INSTALLER = Path(__file__).resolve().parents[2] / "installer"
HEALTH = (INSTALLER / "deploy" / "intune-health.ps1").read_text(encoding="ascii")
DETECT = (INSTALLER / "deploy" / "intune-detect.ps1").read_text(encoding="ascii")
SETUP = (INSTALLER / "nsis" / "hozen-navi.nsi").read_text(encoding="utf-8")


@pytest.fixture
def status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("HOZEN_NAVI_POLICY", str(tmp_path / "none.toml"))
    data = DataDir(tmp_path / "data")
    with use_keyring(keyring.backends.fail.Keyring()):
        HealthRecord(data, EventLog()).look()
    document: dict[str, Any] = json.loads((data.root / FILE).read_text(encoding="ascii"))
    return document


def test_the_scripts_ask_for_fields_that_are_written(status: dict[str, Any]) -> None:
    for field in re.findall(r"\$status\.([a-z_.]+)", HEALTH):
        first, _, second = field.partition(".")
        assert first in status, field
        if second:
            assert first == "worst"
            assert second in status["worst"], field
    asked_of_checks = set(re.findall(r"\$_\.([a-z_]+)\b", HEALTH))
    assert asked_of_checks <= status["checks"][0].keys(), asked_of_checks


def between(start: str, end: str) -> list[str]:
    """The first column of a table of the guide."""
    guide = (INSTALLER / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (.+?) \|", guide.split(start)[1].split(end)[0], re.MULTILINE)[1:]


def test_the_guide_explains_every_field_in_the_files_order(status: dict[str, Any]) -> None:
    assert [name.strip("`") for name in between("<!-- status.json -->", "<!-- end status.json -->")] == list(status)


def test_the_guide_lists_every_event_of_our_own() -> None:
    own = (event_log.STARTED, event_log.ENDED, event_log.GONE)
    assert between("<!-- events -->", "<!-- end events -->")[-len(own) :] == [str(number) for number in own]


def test_the_script_looks_where_the_program_writes_and_for_its_window() -> None:
    places = re.findall(r"\$env:(\w+)\\(HozenNavi\S*\\)([\w.]+)\"", HEALTH)
    assert places == [
        ("ProgramData", f"{product.FOLDER}\\data\\", FILE),
        ("LOCALAPPDATA", f"{product.FOLDER}\\", FILE),
    ]
    assert re.findall(r"Get-Process -Name '(\w+)'", HEALTH) == [product.WINDOW_EXE.removesuffix(".exe")]


def test_the_script_ends_with_1_after_every_line_of_trouble_and_with_0_after_any_other() -> None:
    ends = re.findall(r"Write-Output [\"'](\S+) .*\n\s*exit (\d)", HEALTH)
    assert [word for word, code in ends if code == "0"] == ["never", "ok"]
    troubles = [word for word, code in ends if code == "1"]
    assert len(troubles) == 3
    assert len(re.findall(r"^\s*exit \d", HEALTH, re.MULTILINE)) == len(ends)
    for word in troubles:
        assert word in ("$($status.worst.hn)", errors.hn("internal_error"))


@pytest.mark.parametrize("script", [HEALTH, DETECT], ids=["health", "detect"])
def test_every_bracket_and_quote_of_a_script_is_closed(script: str) -> None:
    code = "\n".join(line for line in script.splitlines() if not line.startswith("#"))
    for opened, closed in ("()", "{}", "[]"):
        assert code.count(opened) == code.count(closed)
    assert code.count('"') % 2 == 0
    assert code.count("'") % 2 == 0


def test_the_detection_wants_the_version_that_the_tree_builds() -> None:
    (wanted,) = re.findall(r"\[version\]'([\d.]+)'", DETECT)
    project = re.search(r'^version = "([^"]+)"', (INSTALLER.parent / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert project is not None
    assert wanted == project[1] == __version__ == str(product.current_version())


def written_by_msi(tmp_path: Path) -> ElementTree.Element:
    program = tmp_path / "program"
    program.mkdir()
    for name in (product.WINDOW_EXE, product.CONSOLE_EXE):
        (program / name).write_bytes(b"MZ")
    source = tmp_path / "x.wxs"
    msi_source.write(program, tmp_path / "install.toml", Version(0, 1, 0), source, product.OLDEST_WINDOWS_BUILD)
    return ElementTree.parse(source).getroot()


def test_the_msi_registers_the_source_of_our_entries_and_takes_it_away_with_itself(tmp_path: Path) -> None:
    wix = "{http://schemas.microsoft.com/wix/2006/wi}"
    package = written_by_msi(tmp_path)
    values = [
        (value.get("Key"), value.get("Name"), value.get("Type"), value.get("Value"))
        for value in package.iter(f"{wix}RegistryValue")
        if "EventLog" in (value.get("Key") or "")
    ]
    key = rf"SYSTEM\CurrentControlSet\Services\EventLog\Application\{event_log.SOURCE}"
    assert values == [
        (key, "EventMessageFile", "expandable", r"#%%SystemRoot%\System32\EventCreate.exe"),
        (key, "TypesSupported", "integer", "7"),
    ]
    components = {component.get("Id") for component in package.iter(f"{wix}Component")}
    assert components == {reference.get("Id") for reference in package.iter(f"{wix}ComponentRef")}


def test_setup_registers_it_for_all_users_only_and_takes_it_away_but_not_on_an_upgrade() -> None:
    assert event_log.SOURCE == product.FOLDER
    assert r'EVENT_KEY "SYSTEM\CurrentControlSet\Services\EventLog\Application\${FOLDER}"' in SETUP
    guarded = r'\$\{If\} \$MultiUser\.InstallMode == "AllUsers"\n((?:(?!\$\{EndIf\}).)*EVENT_KEY.*?)\$\{EndIf\}'
    written, deleted = re.findall(guarded, SETUP, re.DOTALL)
    assert r'"EventMessageFile" "%SystemRoot%\System32\EventCreate.exe"' in written
    assert '"TypesSupported" 7' in written
    assert deleted.strip() == 'DeleteRegKey HKLM "${EVENT_KEY}"'
    assert SETUP.count("${EVENT_KEY}") == 3
    assert SETUP.index("/UPGRADE", SETUP.index('Section "Uninstall"')) < SETUP.index("DeleteRegKey HKLM")


def test_event_numbers_are_no_codes_numbers_and_windows_has_a_text_for_each() -> None:
    own = {event_log.STARTED, event_log.ENDED, event_log.GONE}
    codes = {int(errors.hn(code).removeprefix("HN-")) for code in errors.known_codes()}
    assert not own & codes
    assert all(900 <= number <= 949 for number in own)
    assert all(1 <= number <= 1000 for number in own | codes)
