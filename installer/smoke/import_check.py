"""Runs inside the installed runtime: imports every module there is, then a keyring round trip; prints one JSON line.

A module may fail only because something that we do not ship is missing (an optional dependency of a library).
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(sys.executable).resolve().parents[1]
_SKIPPED_PARTS = ("__main__", "tests", "conftest", "benchmarks", "testing")


def main() -> int:
    """0 if all is well."""
    warnings.simplefilter("ignore")
    names = sorted(set(_modules()))
    tops = {name.split(".")[0] for name in names}
    failed = {}
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - any failure to import is what this looks for
            optional = _wants_what_is_not_shipped(error, tops) or _of_another_system(name)
            if name.startswith("desktop") or not optional:
                failed[name] = repr(error)
    document = {"modules": len(names), "failed": failed, "keyring": _keyring_round_trip(), "python": sys.version}
    print(json.dumps(document, ensure_ascii=True))
    return 1 if failed else 0


def _wants_what_is_not_shipped(error: BaseException | None, shipped: set[str]) -> bool:
    """Whether an import that failed did so for a module outside this folder, itself or through a friendlier error."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] not in shipped:
            return True
        error = error.__cause__ or error.__context__
    return False


def _modules() -> Iterator[str]:
    with zipfile.ZipFile(ROOT / "lib.zip") as library:
        yield from (_dotted(PurePosixPath(name)) for name in library.namelist() if _is_module(name))
    for top in (ROOT / "app", ROOT / "lib"):
        for file in top.rglob("*"):
            relative = PurePosixPath(file.relative_to(top).as_posix())
            if _is_module(str(relative)) and "__pycache__" not in relative.parts:
                yield _dotted(relative)


def _is_module(name: str) -> bool:
    path = PurePosixPath(name)
    dotted = all(part.isidentifier() for part in path.parent.parts) and path.name.split(".")[0].isidentifier()
    return dotted and path.suffix in (".py", ".pyc", ".pyd") and not any(part in name for part in _SKIPPED_PARTS)


def _dotted(path: PurePosixPath) -> str:
    parts = [*path.parent.parts, path.name.split(".")[0]]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _of_another_system(name: str) -> bool:
    return any(word in name.lower() for word in ("macos", "darwin", "linux", "unix", "libsecret", "secretservice"))


def _keyring_round_trip() -> str:
    from keyring.backends import Windows

    ring = Windows.WinVaultKeyring()
    ring.set_password("HozenNavi/smoke", "保全", "鍵の往復")
    read = ring.get_password("HozenNavi/smoke", "保全")
    ring.delete_password("HozenNavi/smoke", "保全")
    return "ok" if read == "鍵の往復" and ring.get_password("HozenNavi/smoke", "保全") is None else f"read {read!r}"


if __name__ == "__main__":
    sys.exit(main())
