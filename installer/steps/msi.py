"""The MSI that IT deploys, from the staged program folder: wixl's package and the tables that wixl can't write."""

from __future__ import annotations

import hashlib
import re
import struct
import time
from collections.abc import Iterable
from pathlib import Path

from steps import msi_source, stage
from steps.commands import BuildFailed, find, run
from steps.product import (
    CONSOLE_EXE,
    NAME_BOTH,
    NAME_JA,
    OLDEST_WINDOWS_BUILD,
    PUBLISHER,
    SHARED_DATA_ACCESS,
    SHARED_KEYS_ACCESS,
    SHARED_ROOT_ACCESS,
    UNSENT_CHECK,
    Version,
    stable_id,
)

_JAPANESE_CODE_PAGE = 932
_FILETIME = 0x40
_SECONDS_1601_TO_1970 = 11_644_473_600
_ONE_DAY = 86_400
_PUBLIC_PROPERTIES = ("WIX_DOWNGRADE_DETECTED", "WIX_UPGRADE_DETECTED", "INSTALLDIR", "INITIAL_BUNDLE", "PURGE")

# Types of custom actions, as Windows Installer numbers them.
_RUN_INSTALLED, _RUN_IN_FOLDER, _RUN_PROPERTY, _SET_PROPERTY = 18, 34, 50, 51
_GO_ON_ANYWAY, _LATER, _AS_SYSTEM = 64, 1024, 2048

_ACTIONS = (
    # name, type, source, target, condition, sequence
    ("KeepFolder", _SET_PROPERTY, "INSTALLDIR", "[PREVIOUSDIR]", "PREVIOUSDIR AND NOT INSTALLDIR", 60),
    ("FindConsole", _SET_PROPERTY, "OLDCONSOLE", f"[PREVIOUSDIR]{CONSOLE_EXE}", "PREVIOUSDIR", 61),
    (
        "RefusePurge",
        _RUN_INSTALLED,
        msi_source.CONSOLE_FILE,
        UNSENT_CHECK,
        'REMOVE="ALL" AND PURGE AND NOT UPGRADINGPRODUCTCODE',
        1398,
    ),
    # After InstallValidate, in which the Restart Manager has already closed (and will reopen) what it could.
    ("CloseWindow", _RUN_PROPERTY + _GO_ON_ANYWAY, "OLDCONSOLE", "quit --wait 60", "OLDCONSOLE", 1405),
    (
        "PurgeData",
        _RUN_IN_FOLDER + _GO_ON_ANYWAY + _LATER + _AS_SYSTEM,
        "CommonAppDataFolder",
        '[System64Folder]cmd.exe /c rmdir /s /q "[SHAREDDATA]." & rmdir /s /q "[SHAREDKEYS]."',
        'REMOVE="ALL" AND PURGE AND NOT UPGRADINGPRODUCTCODE',
        3650,
    ),
    (
        "ReadInitialBundle",
        _RUN_INSTALLED + _GO_ON_ANYWAY + _LATER + _AS_SYSTEM,
        msi_source.CONSOLE_FILE,
        'import "[INITIAL_BUNDLE]"',
        "INITIAL_BUNDLE AND NOT REMOVE",
        6500,
    ),
)
_ACCESS = (("SHAREDROOT", SHARED_ROOT_ACCESS), ("SHAREDDATA", SHARED_DATA_ACCESS), ("SHAREDKEYS", SHARED_KEYS_ACCESS))
_SENTENCES = {
    "downgrade": "より新しい版が入っています。古い版では上書きできません。 / A newer version is installed.",
    "windows": (
        f"64 ビットの Windows 10 1703（ビルド {OLDEST_WINDOWS_BUILD}）以降が必要です。LTSC 2016 は対象外です。 / "
        f"64-bit Windows 10 1703 (build {OLDEST_WINDOWS_BUILD}) or later is needed; LTSC 2016 (1607) is not supported."
    ),
    "kind": (
        "setup.exe 版がすでに入っています。先にアンインストールしてください（データは残ります）。 / "
        "The setup.exe kind is installed. Uninstall it first; the data stays."
    ),
}


def build(program: Path, work: Path, version: Version, to: Path) -> None:
    """Write `to`, per machine and 64-bit."""
    folder = work / "msi"
    folder.mkdir(parents=True, exist_ok=True)
    scope = folder / "install.toml"
    scope.write_text('scope = "machine"\r\nkind = "msi"\r\n', encoding="utf-8", newline="")
    stage.settle_times(folder)
    source = folder / "hozen-navi.wxs"
    msi_source.write(program, scope, version, source, OLDEST_WINDOWS_BUILD)
    draft = folder / "hozen-navi.msi"
    run([find("wixl", "wixl"), "-a", "x64", "-o", draft.name, source.name], cwd=folder)
    _import(draft, folder, "_ForceCodepage", ["", "", f"{_JAPANESE_CODE_PAGE}\t_ForceCodepage"])
    _import(draft, folder, "MsiLockPermissionsEx", _access_table())
    _query(draft, changes())
    identity = stable_id(f"package:{version}:{_fingerprint(program)}")
    run([find("msibuild", "msitools"), draft, "-s", f"{NAME_BOTH} {version}", PUBLISHER, "x64;1041", f"{{{identity}}}"])
    to.write_bytes(_with_fixed_times(draft.read_bytes()))


def _with_fixed_times(package: bytes) -> bytes:
    """The package with the two moments of its making (created, saved) set to the staged files' time."""
    filetime = struct.pack("<IQ", _FILETIME, (stage.EPOCH + _SECONDS_1601_TO_1970) * 10_000_000)
    now = int(time.time()) + _SECONDS_1601_TO_1970
    moments = [
        match.start()
        for match in re.finditer(re.escape(struct.pack("<I", _FILETIME)), package)
        if abs(int.from_bytes(package[match.end() : match.end() + 8], "little") // 10_000_000 - now) < _ONE_DAY
    ]
    if len(moments) != 2:
        raise BuildFailed(f"the MSI's summary has {len(moments)} moments of its making instead of two")
    for start in moments:
        package = package[:start] + filetime + package[start + len(filetime) :]
    return package


def _access_table() -> list[str]:
    return [
        "MsiLockPermissionsEx\tLockObject\tTable\tSDDLText\tCondition",
        "s72\ts72\ts32\ts0\tS255",
        "MsiLockPermissionsEx\tMsiLockPermissionsEx",
        *(f"lock{place}\t{place}\tCreateFolder\t{access}\t" for place, access in _ACCESS),
    ]


def changes() -> Iterable[str]:
    # wixl leaves the code page at 0 and drops what isn't ASCII; with the page set, these arrive.
    yield f"UPDATE `Property` SET `Value`='{NAME_BOTH}' WHERE `Property`='ProductName'"
    yield f"UPDATE `Shortcut` SET `Name`='HOZENNAV|{NAME_JA}' WHERE `Shortcut`='sMain'"
    yield f"UPDATE `Feature` SET `Title`='{NAME_JA}' WHERE `Feature`='Main'"
    for word, sentence in _SENTENCES.items():
        yield f"UPDATE `LaunchCondition` SET `Description`='{sentence}' WHERE `Description`='{word}'"
    secure = ";".join(_PUBLIC_PROPERTIES)
    yield f"UPDATE `Property` SET `Value`='{secure}' WHERE `Property`='SecureCustomProperties'"
    # Inside the transaction: if the new version can't be installed, the old one comes back.
    yield "UPDATE `InstallExecuteSequence` SET `Sequence`=1510 WHERE `Action`='RemoveExistingProducts'"
    for name, kind, origin, target, condition, sequence in _ACTIONS:
        yield (
            "INSERT INTO `CustomAction` (`Action`,`Type`,`Source`,`Target`) "
            f"VALUES ('{name}',{kind},'{origin}','{target}')"
        )
        yield (
            "INSERT INTO `InstallExecuteSequence` (`Action`,`Condition`,`Sequence`) "
            f"VALUES ('{name}','{condition}',{sequence})"
        )


def _query(package: Path, statements: Iterable[str]) -> None:
    words: list[str | Path] = [word for statement in statements for word in ("-q", statement)]
    run([find("msibuild", "msitools"), package, *words])


def _import(package: Path, folder: Path, table: str, lines: list[str]) -> None:
    file = folder / f"{table}.idt"
    file.write_text("\r\n".join([*lines, ""]), encoding="ascii", newline="")
    run([find("msibuild", "msitools"), package, "-i", file])


def _fingerprint(program: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(path for path in program.rglob("*") if path.is_file()):
        digest.update(
            file.relative_to(program).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest()
        )
    return digest.hexdigest()
