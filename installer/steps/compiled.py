"""Byte code: pure-Python packages go compiled into one archive, the rest gets its .pyc beside the source."""

from __future__ import annotations

import importlib.util
import shutil
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[attr-defined]
from pathlib import Path

from steps.commands import BuildFailed
from steps.product import PYTHON_TAG

KEPT_AS_FOLDERS = ("jsonschema_specifications", "keyring", "pypdfium2", "pypdfium2_raw")
"""Packages that read their own files by path, or are found through their metadata."""
_MOMENT = (2026, 1, 1, 0, 0, 0)
"""One fixed time for every member, so that the same content gives the same archive."""


def require_same_magic(runtime: Path) -> None:
    """BuildFailed unless the byte code made here is the byte code that `runtime` reads."""
    with zipfile.ZipFile(runtime / f"python{PYTHON_TAG}.zip") as stdlib:
        name = next(name for name in stdlib.namelist() if name.endswith(".pyc"))
        if stdlib.read(name)[:4] != importlib.util.MAGIC_NUMBER:
            raise BuildFailed("this Python compiles other byte code than the runtime reads")


def pack(library: Path, archive: Path) -> None:
    """Move every pure-Python package of `library` into `archive`; compile what stays in place."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
        for top in sorted(library.iterdir()):
            if top.suffix == ".dist-info":
                continue
            files = sorted(top.rglob("*")) if top.is_dir() else [top]
            files = [file for file in files if file.is_file()]
            if top.name in KEPT_AS_FOLDERS or any(file.suffix in (".pyd", ".dll") for file in files):
                compile_beside(library, files)
                continue
            _archive(opened, library, files)
            shutil.rmtree(top) if top.is_dir() else top.unlink()


def compile_beside(root: Path, files: list[Path]) -> None:
    """A __pycache__ entry for every .py of `files`, naming them relative to `root` (no path of this machine)."""
    for file in files:
        if file.suffix == ".py":
            target = file.parent / "__pycache__" / f"{file.stem}.cpython-{PYTHON_TAG}.pyc"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(_byte_code(file, file.relative_to(root)))


def _archive(opened: zipfile.ZipFile, root: Path, files: list[Path]) -> None:
    # Namespace packages (opentelemetry, jaraco) are found only if their folders are members too.
    parents = {parent for file in files for parent in file.relative_to(root).parents if parent != Path()}
    for folder in sorted(parents):
        opened.writestr(_member(f"{folder.as_posix()}/", 0o40755 << 16 | 16), b"")
    for file in files:
        relative = file.relative_to(root)
        if file.suffix == ".py":
            opened.writestr(_member(f"{relative.as_posix()}c", 0o644 << 16), _byte_code(file, relative))
        else:
            opened.writestr(_member(relative.as_posix(), 0o644 << 16), file.read_bytes())


def _member(name: str, attributes: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _MOMENT)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = attributes
    return member


def _byte_code(source: Path, shown: Path) -> bytes:
    """Unchecked: Windows neither compares times nor tries to write a newer one into Program Files."""
    content = source.read_bytes()
    code = compile(content, str(shown).replace("/", "\\"), "exec", dont_inherit=True, optimize=0)
    return bytes(_code_to_hash_pyc(code, importlib.util.source_hash(content), checked=False))
