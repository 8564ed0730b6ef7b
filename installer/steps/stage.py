"""The program folder: our code as its wheel has it, the runtime, the libraries, licences, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

from steps import applocker, closure, compiled, components, launcher, runtime, sbom, signatures, translations, wheels
from steps.commands import BuildFailed, attempt, run
from steps.product import ROOT, Version

EPOCH = 1_767_225_600
"""2026-01-01: the one time that every staged file carries."""
_SCRIPTS = (".bat", ".cmd", ".com", ".js", ".ps1", ".scr", ".sh", ".vbs", ".wsf")
_WHEEL_INPUTS = ("desktop", "resources", "data/sample", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")


def assemble(to: Path, work: Path, version: Version, python_embed: Path | None) -> list[components.Component]:
    """A complete program folder in `to`, checked; its components. `work` keeps downloads and intermediates."""
    unproven = work / "runtime-unproven"
    runtime.fetch(unproven, work, python_embed)
    python_version = runtime.prove(unproven, work / "roots.pem")
    compiled.require_same_magic(unproven)
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(unproven, to / "runtime")
    wheels.install(to / "lib", work)
    _unpack(build_wheel(work, version), to / "app")
    translations.compile_all(to / "app" / "desktop" / "resources" / "i18n", to / "lib")
    wheels.prune(to / "lib")
    shutil.copyfile(to / "runtime" / "python.exe", work / "python.exe")  # for the smoke run's import check only
    runtime.trim(to / "runtime")
    launcher.build(to, work, version)
    found = components.of(to, python_version)
    shutil.copyfile(ROOT / "LICENSE", _made(to / "licences") / "LICENSE.txt")
    sbom.write_notices(found, version, to / "licences")
    sbom.write_bill(found, version, to / "sbom.cdx.json")
    refuse_build_paths(to, work)
    refuse_scripts(to)
    compiled.pack(to / "lib", to / "lib.zip")
    compiled.compile_beside(to / "app", sorted((to / "app").rglob("*.py")))
    closure.check(to)
    settle_times(to)
    return found


def build_wheel(work: Path, version: Version) -> Path:
    """The project's wheel, of a copy of the sources that carries `version`; the same wheel that pip users get."""
    source, wheels_folder = work / "source", work / "wheel"
    shutil.rmtree(source, ignore_errors=True)
    shutil.rmtree(wheels_folder, ignore_errors=True)
    for name in _tracked():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    _set_version(source / "pyproject.toml", r'^version = "[^"]+"', f'version = "{version}"')
    _set_version(source / "desktop" / "__init__.py", r'^__version__ = "[^"]+"', f'__version__ = "{version}"')
    options = ["-q", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    run(
        [sys.executable, "-m", "pip", "wheel", *options, "-w", wheels_folder, source],
        extra_env={"SOURCE_DATE_EPOCH": str(EPOCH)},
    )
    return next(wheels_folder.glob("*.whl"))


def refuse_build_paths(program: Path, work: Path) -> None:
    """BuildFailed if any file names this machine's folders."""
    told = [str(folder).encode() for folder in (ROOT, work.resolve(), Path(sys.prefix), Path.home())]
    secrets = [path for path in told if len(path) > 5]
    for file in program.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            for secret in secrets:
                if secret in content:
                    raise BuildFailed(f"{file.relative_to(program)} names the build machine's folder {secret.decode()}")


def refuse_scripts(program: Path) -> None:
    """BuildFailed if the folder holds what Windows runs and no signature of a program covers."""
    scripts = [file.name for file in program.rglob("*") if file.suffix.lower() in _SCRIPTS]
    if scripts:
        raise BuildFailed(f"the program folder holds scripts that Windows would run: {', '.join(scripts)}")


def settle_times(program: Path) -> None:
    """Every file and folder dated EPOCH, so that archives of the same content are the same."""
    for path in [program, *program.rglob("*")]:
        os.utime(path, (EPOCH, EPOCH))


def unsigned(program: Path) -> list[Path]:
    """The program files that nobody has signed: our launchers and what some wheels bring.

    BuildFailed for one altered since it was signed, or whose publisher the AppLocker sample does not allow.
    """
    found = [signatures.read(file) for file in signatures.program_files(program)]
    allowed = applocker.library_publishers()
    for signature in found:
        if signature.signed and not signature.digest_matches:
            raise BuildFailed(f"{signature.file.name} was altered after it was signed")
        if signature.signed and signature.publisher not in allowed:
            raise BuildFailed(f"{signature.file.name}: no rule of deploy/applocker.xml is for {signature.publisher}")
    return [signature.file for signature in found if not signature.signed]


def _tracked() -> list[str]:
    if shutil.which("git") is not None:
        listed = attempt(["git", "-C", ROOT, "ls-files", "-z", "--", *_WHEEL_INPUTS])
        if listed.returncode == 0 and listed.stdout:
            return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
    named = [path for name in _WHEEL_INPUTS for path in [ROOT / name, *(ROOT / name).rglob("*")]]
    return sorted(path.relative_to(ROOT).as_posix() for path in named if path.is_file() and path.suffix != ".pyc")


def _unpack(wheel: Path, to: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(to)
    for record in to.glob("*.dist-info/RECORD"):
        record.unlink()


def _set_version(file: Path, pattern: str, replacement: str) -> None:
    text, changed = re.subn(pattern, replacement, file.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    if not changed:
        raise BuildFailed(f"{file.name} names no version")
    file.write_text(text, encoding="utf-8", newline="\n")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
