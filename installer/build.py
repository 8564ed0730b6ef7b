"""The Windows installers from a clean checkout: `python installer/build.py [--tools] [--smoke] [--release] [--sign …]`.

Reads from top to bottom: tools, program folder, signatures, MSI, setup.exe, what an auditor wants, smoke run.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

from steps import tools
from steps.commands import BuildFailed, megabytes, tree_size
from steps.product import INSTALLER, Version, current_version
from steps.record import LAST_BUILD, inputs_digest, write_checksums, write_last_build

CACHE = INSTALLER / "cache"
LARGEST_INSTALLER = 80_000_000
LARGEST_INSTALLED = 200_000_000


def main() -> int:
    """0 when the installers are built (and, with --smoke, have run); 1 with a sentence when not."""
    options = _options()
    started = time.monotonic()
    try:
        if options.tools:
            tools.install_system_packages(options.smoke)
        tools.enter_environment(CACHE)
        _build(options, started)
    except BuildFailed as failure:
        print(f"BUILD FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


def _build(options: argparse.Namespace, started: float) -> None:
    from steps import msi, nsis, scan, signing, sizes, stage

    def say(text: str) -> None:
        print(f"[{time.monotonic() - started:5.0f} s] {text}", flush=True)

    version = Version.parse(options.version) if options.version else current_version()
    signer = signing.Signer.parse(options.sign) if options.sign else None
    out: Path = options.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    program = CACHE / "program"

    components = stage.assemble(program, CACHE, version, options.python_embed)
    installed = tree_size(program)
    say(f"program folder {megabytes(installed)}, {len(components)} components, imports closed, runtime proven")
    if signer is not None:
        signed = stage.unsigned(program, CACHE)
        for file in signed:
            signer.sign(file)
        stage.settle_times(program)
        say(f"signed {len(signed)} program files")

    package, setup = (out / f"HozenNavi-{version}-x64{end}" for end in (".msi", "-setup.exe"))
    msi.build(program, CACHE, version, package)
    say(f"MSI {megabytes(package.stat().st_size)}")
    nsis.build(program, CACHE, version, setup, solid=options.release, signer=signer)
    say(f"setup.exe {megabytes(setup.stat().st_size)}")
    if signer is not None:
        signer.sign(package)
        signer.sign(setup)
    for file, limit in ((package, LARGEST_INSTALLER), (setup, LARGEST_INSTALLER)):
        if file.stat().st_size > limit:
            raise BuildFailed(f"{file.name} is larger than {megabytes(limit)}")
    if installed > LARGEST_INSTALLED:
        raise BuildFailed(f"installed, the program is larger than {megabytes(LARGEST_INSTALLED)}")

    shutil.copyfile(program / "sbom.cdx.json", out / f"HozenNavi-{version}.sbom.cdx.json")
    (out / "largest.txt").write_text(sizes.table(program), encoding="utf-8")
    say(scan.run_into(out / "vulnerabilities.json"))
    write_checksums(out)
    smoke_result = "not run"
    if options.smoke:
        from smoke import story

        smoke_result = story.run(program, (package, setup), version, CACHE, out, say)
        say(f"smoke run {smoke_result}")
    if options.record:
        write_last_build(version, smoke_result, out, installed)
        say(f"recorded in {LAST_BUILD.name}, inputs {inputs_digest()[:12]}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=INSTALLER / "out", help="where the installers go (emptied first)")
    parser.add_argument("--version", help="a version other than the source tree's")
    parser.add_argument(
        "--sign", metavar="COMMAND", help="the company's signing command, with {file} where the file goes"
    )
    parser.add_argument(
        "--python-embed", type=Path, metavar="ZIP", help="python.org's embeddable package, see runtime.toml"
    )
    parser.add_argument(
        "--release", action="store_true", help="compress setup.exe as small as it gets (two minutes more)"
    )
    parser.add_argument("--tools", action="store_true", help="install the build tools with apt-get first")
    parser.add_argument(
        "--smoke", action="store_true", help="install, run, upgrade and uninstall both kinds under wine"
    )
    parser.add_argument("--record", action="store_true", help="note this build's inputs and figures in last-build.toml")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
