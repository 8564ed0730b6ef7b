"""The Windows installers from a clean checkout: `python installer/build.py [--tools] [--smoke] [--release] [--sign …]`.

Reads from top to bottom: tools, scan, program folder, signatures, MSI, setup.exe, what an auditor wants, smoke run.
What it makes lies in the cache until all of it is there; only then does it take the place of the last result.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from steps import record, tools
from steps.commands import BuildFailed, megabytes, tree_size
from steps.product import INSTALLER, Version, current_version

if TYPE_CHECKING:
    from steps import scan, signing

CACHE = INSTALLER / "cache"
PROGRAM = CACHE / "program"
RESULT = CACHE / "result"
LARGEST_INSTALLER = 80_000_000
LARGEST_INSTALLED = 200_000_000
_INTERRUPTED = 130
_ON_WINDOWS = sys.platform == "win32"
_Say = Callable[[str], None]


def main() -> int:
    """0 when the installers are built (and, with --smoke, have run); 1 with a sentence when not."""
    options = _options()
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - started:5.0f} s] {text}", flush=True)

    try:
        if options.tools:
            tools.install_system_packages(options.smoke)
        tools.enter_environment(CACHE)
        with tools.only_build(CACHE):
            _build(options, say)
    except BuildFailed as failure:
        print(f"BUILD FAILED: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("BUILD INTERRUPTED: the last result is untouched; start it again", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _build(options: argparse.Namespace, say: _Say) -> None:
    from steps import scan, signing, sizes, stage

    version = Version.parse(options.version) if options.version else current_version()
    signer = signing.Signer.parse(options.sign) if options.sign else None
    if options.smoke and _ON_WINDOWS:
        raise BuildFailed("--smoke installs under wine, on Linux only")
    record.require_replaceable(options.out)
    shutil.rmtree(RESULT, ignore_errors=True)
    RESULT.mkdir(parents=True)

    scanned = scan.run_into(RESULT / "vulnerabilities.json")
    say(scanned.sentence)
    if options.release:
        _require_release(options, scanned)

    components = stage.assemble(PROGRAM, CACHE, version, options.python_embed)
    installed = tree_size(PROGRAM)
    python = components[0].version
    say(f"program folder {megabytes(installed)}, {len(components)} components, imports closed, Python {python} proven")
    if installed > LARGEST_INSTALLED:
        raise BuildFailed(f"installed, the program is larger than {megabytes(LARGEST_INSTALLED)}")
    package, setup = _pack(version, signer, solid=options.release, say=say)

    shutil.copyfile(PROGRAM / "sbom.cdx.json", RESULT / f"HozenNavi-{version}.sbom.cdx.json")
    (RESULT / "largest.txt").write_text(sizes.table(PROGRAM), encoding="utf-8")
    smoke_result = "not run"
    if options.smoke:
        from smoke import story

        smoke_result = story.run(PROGRAM, (package, setup), version, CACHE, RESULT, say, signed=signer is not None)
        say(f"smoke run {smoke_result}")
    for reservation in record.write_reservations(RESULT, _reservations(options, python, scanned)):
        say(f"NOT FOR PLANTS: {reservation}")
    record.write_checksums(RESULT)
    record.publish(RESULT, options.out)
    say(f"everything is in {options.out}")
    if options.record:
        record.write_last_build(version, smoke_result, options.out, installed)
        say(f"recorded in {record.LAST_BUILD.name}, inputs {record.inputs_digest()[:12]}")


def _pack(version: Version, signer: signing.Signer | None, *, solid: bool, say: _Say) -> tuple[Path, Path]:
    """The MSI and setup.exe of the program folder (on Windows setup.exe alone); with `signer`, all of it signed."""
    from steps import msi, nsis, stage

    unsigned = stage.unsigned(PROGRAM)
    if signer is not None:
        publishers = {signer.sign(file).publisher for file in unsigned}
        stage.settle_times(PROGRAM)
        say(f"signed {len(unsigned)} program files; for AppLocker: {'; '.join(publishers)}")
    package, setup = (RESULT / f"HozenNavi-{version}-x64{end}" for end in (".msi", "-setup.exe"))
    if not _ON_WINDOWS:  # wixl is a program for Linux
        msi.build(PROGRAM, CACHE, version, package)
    nsis.build(PROGRAM, CACHE, version, setup, solid=solid, signer=signer)
    for file in filter(Path.exists, (package, setup)):
        if signer is not None:
            signer.sign(file)
        size = file.stat().st_size
        say(f"{file.name} {megabytes(size)}")
        if size > LARGEST_INSTALLER:
            raise BuildFailed(f"{file.name} is larger than {megabytes(LARGEST_INSTALLER)}")
    return package, setup


def _require_release(options: argparse.Namespace, scanned: scan.Scan) -> None:
    if options.python_embed is None:
        raise BuildFailed("a release takes python.org's newest embeddable package: --python-embed ZIP (README.md)")
    if not scanned.complete:
        raise BuildFailed(f"a release is built where the advisories can be reached: {scanned.sentence}")


def _reservations(options: argparse.Namespace, python: str, scanned: scan.Scan) -> list[str]:
    """Why IT must not roll this build out; empty for a release."""
    reasons = []
    if options.python_embed is None:
        reasons.append(f"Python {python} is the one for tests, not python.org's newest (--python-embed)")
    if not scanned.complete:
        reasons.append(scanned.sentence)
    if options.sign is None:
        reasons.append("not signed by the company (--sign)")
    return reasons


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=INSTALLER / "out", help="where the installers go")
    parser.add_argument("--version", metavar="1.2.3", help="a version other than the source tree's")
    parser.add_argument(
        "--sign", metavar="COMMAND", help="the company's signing command, with {file} where the file goes"
    )
    parser.add_argument(
        "--python-embed", type=Path, metavar="ZIP", help="python.org's embeddable package, see runtime.toml"
    )
    parser.add_argument(
        "--release",
        action="store_true",
        help="for plants: refuse an old Python or a scan that did not run, compress setup.exe as small as it gets",
    )
    parser.add_argument("--tools", action="store_true", help="install the build tools with apt-get first")
    parser.add_argument(
        "--smoke", action="store_true", help="install, run, upgrade and uninstall both kinds under wine"
    )
    parser.add_argument("--record", action="store_true", help="note this build's inputs and figures in last-build.toml")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
