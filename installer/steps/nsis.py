"""setup.exe for a single PC, from the staged program folder."""

from __future__ import annotations

from pathlib import Path

from steps import stage
from steps.commands import find, run, tree_size
from steps.product import (
    CONSOLE_EXE,
    FOLDER,
    INSTALLER,
    LINK_SCHEME,
    NAME_BOTH,
    NAME_JA,
    NEEDED_MEGABYTES,
    OLDEST_WINDOWS_BUILD,
    PUBLISHER,
    SHARED_DATA_ACCESS,
    SHARED_KEYS_ACCESS,
    SHARED_ROOT_ACCESS,
    UNSENT_CHECK,
    WINDOW_EXE,
    ExitCode,
    Version,
)
from steps.signing import Signer

SCRIPTS = INSTALLER / "nsis"


def build(program: Path, work: Path, version: Version, to: Path, *, solid: bool, signer: Signer | None) -> None:
    """Write `to`. `solid` compresses as small as it gets (for a release), else fast (for a test)."""
    remove_list = work / "remove.nsh"
    remove_list.write_text("\n".join([*removal(program), ""]), encoding="utf-8")
    names = {
        "CONSOLE_EXE": CONSOLE_EXE,
        "DATA_ACCESS": SHARED_DATA_ACCESS,
        "FOLDER": FOLDER,
        "ICON": INSTALLER / "launcher" / "app.ico",
        "KEYS_ACCESS": SHARED_KEYS_ACCESS,
        "KILOBYTES": tree_size(program) // 1024,
        "LINK_SCHEME": LINK_SCHEME,
        "NAME_BOTH": NAME_BOTH,
        "NAME_JA": NAME_JA,
        "NEEDED_MB": NEEDED_MEGABYTES,
        "OLDEST_BUILD": OLDEST_WINDOWS_BUILD,
        "OUT": to,
        "PUBLISHER": PUBLISHER,
        "REMOVE_LIST": remove_list,
        "ROOT_ACCESS": SHARED_ROOT_ACCESS,
        "SOLID": int(solid),
        "STAGE": program,
        "UNSENT_CHECK": UNSENT_CHECK,
        "VERSION": version,
        "WINDOW_EXE": WINDOW_EXE,
        **{f"EXIT_{code.name}": int(code) for code in ExitCode},
    }
    if signer is not None:
        names["SIGN_COMMAND"] = signer.for_makensis()
    defines = [f"-D{name}={value}" for name, value in names.items()]
    # -WX: a warning of makensis is a variable or a section that nothing uses.
    command = [find("makensis", "nsis"), "-V2", "-WX", "-INPUTCHARSET", "UTF8", *defines, SCRIPTS / "hozen-navi.nsi"]
    run(command, cwd=SCRIPTS, extra_env={"SOURCE_DATE_EPOCH": str(stage.EPOCH)})


def removal(program: Path) -> list[str]:
    """NSIS lines that delete exactly what was installed; a file that someone else put there stays."""
    below = sorted(path.relative_to(program) for path in program.rglob("*"))
    folders = [path for path in below if (program / path).is_dir()]
    files = [path for path in below if (program / path).is_file()]
    deepest_first = sorted(folders, key=lambda path: (-len(path.parts), path))
    return [
        *(f'Delete "$INSTDIR\\{_windows(path)}"' for path in files),
        *(f'RMDir "$INSTDIR\\{_windows(path)}"' for path in deepest_first),
    ]


def _windows(path: Path) -> str:
    return str(path).replace("/", "\\").replace("$", "$$")
