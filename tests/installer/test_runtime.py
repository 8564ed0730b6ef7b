"""Which embeddable Python packages the build takes: small made-up zips; who signed their files is told, not read."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from steps import runtime
from steps.commands import BuildFailed
from steps.signatures import Signature

PSF = "Python Software Foundation"
Make = Callable[[dict[str, bytes]], Path]


def dll(version: str) -> bytes:
    """What the build reads of a DLL: its kind and its product version."""
    return b"MZ" + bytes(8) + "ProductVersion\0\0".encode("utf-16le") + f"{version}\0".encode("utf-16le")


def files(version: str = "3.13.15") -> dict[str, bytes]:
    return {name: dll(version) if name.endswith((".dll", ".exe", ".pyd")) else b"text" for name in runtime.NEEDED}


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a zip of files and lists its hash in runtime.toml, as the guide says."""

    def make(content: dict[str, bytes]) -> Path:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as opened:
            for name, data in content.items():
                opened.writestr(name, data)
        archive = tmp_path / "python-3.13.15-embed-amd64.zip"
        archive.write_bytes(packed.getvalue())
        lock = tmp_path / "runtime.toml"
        listed = f'[[official]]\nfile = "{archive.name}"\nsha256 = "{hashlib.sha256(packed.getvalue()).hexdigest()}"\n'
        lock.write_text(runtime.LOCK.read_text(encoding="utf-8") + listed, encoding="utf-8")
        monkeypatch.setattr(runtime, "LOCK", lock)
        return archive

    return make


def by_psf(file: Path, _roots: Path) -> Signature:
    return Signature(file, signed=True, signer=PSF, digest_matches=True, chain_verified=True)


def test_a_package_that_was_checked_and_listed_is_unpacked_and_says_its_version(checked: Make, tmp_path: Path) -> None:
    unpacked = tmp_path / "runtime"
    runtime.fetch(unpacked, tmp_path, checked(files("3.13.15")))
    assert runtime.prove(unpacked, tmp_path / "roots.pem", by_psf) == "3.13.15"
    assert {file.name for file in unpacked.iterdir()} == set(runtime.NEEDED)


def test_one_flipped_byte_is_another_package(checked: Make, tmp_path: Path) -> None:
    archive = checked(files())
    content = bytearray(archive.read_bytes())
    content[100] ^= 1
    archive.write_bytes(content)
    with pytest.raises(BuildFailed, match=r"3\.13\.15-embed-amd64\.zip has the SHA-256 \w{64}, which"):
        runtime.fetch(tmp_path / "runtime", tmp_path, archive)
    assert not (tmp_path / "runtime").exists()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({name: data for name, data in files().items() if name != "_ssl.pyd"}, r"lacks _ssl\.pyd"),
        ({**files(), "sitecustomize.py": b""}, r"holds sitecustomize\.py"),
        ({**files(), "../../escaped.dll": dll("3.13.15")}, r"holds \.\./\.\./escaped\.dll"),
        (
            {name.replace("313", "312"): data for name, data in files().items()},
            r"holds python312\.dll.*needs Python 3\.13",
        ),
    ],
    ids=["a file missing", "a script added", "a path out of the folder", "an older Python"],
)
def test_a_listed_package_of_another_shape_is_refused_before_anything_is_unpacked(
    changed: dict[str, bytes], told: str, checked: Make, tmp_path: Path
) -> None:
    with pytest.raises(BuildFailed, match=told):
        runtime.fetch(tmp_path / "runtime", tmp_path, checked(changed))
    assert not (tmp_path / "runtime").exists()


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        ({"signed": False, "signer": "", "digest_matches": False}, "is signed by nobody"),
        ({"signer": "", "digest_matches": False}, "was altered after it was signed"),
        ({"signer": "Somebody Else"}, "is signed by Somebody Else"),
        ({"chain_verified": False}, "chain ends at no trusted root"),
    ],
    ids=["unsigned", "altered", "of somebody else", "of an unknown root"],
)
def test_one_program_file_with_another_signature_is_refused_by_name(
    signature: dict[str, object], told: str, checked: Make, tmp_path: Path
) -> None:
    def read(file: Path, _roots: Path) -> Signature:
        told = {"signed": True, "signer": PSF, "digest_matches": True, "chain_verified": True}
        return Signature(file, **({**told, **signature} if file.name == "_ssl.pyd" else told))  # type: ignore[arg-type]

    runtime.fetch(tmp_path / "runtime", tmp_path, checked(files()))
    with pytest.raises(BuildFailed, match=rf"^_ssl\.pyd.*{told}"):
        runtime.prove(tmp_path / "runtime", tmp_path / "roots.pem", read)


def test_an_older_python_under_a_newer_name_is_refused(checked: Make, tmp_path: Path) -> None:
    runtime.fetch(tmp_path / "runtime", tmp_path, checked(files("3.12.10")))
    with pytest.raises(BuildFailed, match=r"python313\.dll says that it is Python 3\.12\.10"):
        runtime.prove(tmp_path / "runtime", tmp_path / "roots.pem", by_psf)


def test_no_file_and_no_zip_are_told_apart(checked: Make, tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match="there is no file"):
        runtime.fetch(tmp_path / "runtime", tmp_path, tmp_path / "nothing.zip")
    archive = checked(files())
    archive.write_bytes(b"<html>")
    digest = hashlib.sha256(b"<html>").hexdigest()
    listed = runtime.LOCK.read_text(encoding="utf-8") + f'[[official]]\nfile = "x"\nsha256 = "{digest}"\n'
    runtime.LOCK.write_text(listed, encoding="utf-8")
    with pytest.raises(BuildFailed, match="no whole zip"):
        runtime.fetch(tmp_path / "runtime", tmp_path, archive)


def test_the_sqlite_of_python_and_a_second_interpreter_are_left_out(checked: Make, tmp_path: Path) -> None:
    runtime.fetch(tmp_path / "runtime", tmp_path, checked({**files(), "sqlite3.dll": dll("3.13.15")}))
    runtime.trim(tmp_path / "runtime")
    left = {file.name for file in (tmp_path / "runtime").iterdir()}
    assert not left & {"python.exe", "sqlite3.dll"}
    assert (tmp_path / "runtime" / "python313._pth").read_bytes().endswith(b"..\\lib\r\n")
