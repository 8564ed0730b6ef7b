"""What a plant's IT would do by hand, done under wine with both kinds of installer, before a build is called done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from steps.commands import BuildFailed
from steps.product import Version

from smoke import checks, kinds, older, wine
from smoke.checks import SmokeFailed, expect

Say = Callable[[str], None]


def run(program: Path, newer: tuple[Path, Path], version: Version, cache: Path, out: Path, say: Say) -> str:
    """The word "passed", or that wine does not start here; BuildFailed when a second try fails too.

    `program` is the staged folder, `newer` its MSI and setup.exe; screenshots go to `out`.
    """
    setup, package = kinds.both(older.build(program, cache, cache / "older-installers"), newer)
    for last in (False, True):
        try:
            with wine.fresh(cache / "wine") as prefix:
                say("wine started")
                _life(setup, package, prefix, version, out, say)
                _life(package, setup, prefix, version, out, say)
            return "passed"
        except wine.WineBroken as broken:
            say(f"wine itself does not start here: {broken}")
        except (SmokeFailed, wine.TimedOut) as failure:
            if last:
                raise BuildFailed(f"smoke run: {failure}") from failure
            say(f"smoke run failed, once more from the start: {failure}")
    return "not run: wine does not start"


def _life(kind: kinds.Kind, other: kinds.Kind, prefix: wine.Prefix, version: Version, out: Path, say: Say) -> None:
    """Install the older, use it, upgrade under an open window, use it again, remove it."""
    expect(kind.install(prefix, kind.older).code == 0, f"{kind.name}: the older version does not install")
    checks.version_is(prefix, older.VERSION)
    checks.answers(prefix)
    checks.data_is_shared_and_encrypted(prefix)
    window = checks.opens_window(prefix, out / f"window-{kind.name}.png")
    say(f"{kind.name}: {older.VERSION} installed, answers, window open")

    refused = other.install(prefix, other.newer).code
    expect(refused == other.refuses_other_kind, f"{other.name} beside {kind.name} ended with {refused}")
    if not kind.closes_windows:
        checks.close(prefix, window)
    expect(kind.install(prefix, kind.newer).code == 0, f"{kind.name}: the upgrade does not install")
    checks.has_closed(window)
    if kind.closes_windows:
        checks.has_reopened(prefix)
    checks.version_is(prefix, version)
    expect(not (prefix.program / older.DROPPED).exists(), f"{kind.name}: the upgrade leaves an old file")
    checks.answers(prefix)
    say(f"{kind.name}: {version} installed over it, answers; {other.name} refused ({refused})")

    refused = kind.install(prefix, kind.older).code
    expect(refused == kind.refuses_downgrade, f"{kind.name}: the downgrade ended with {refused}")
    checks.version_is(prefix, version)
    say(f"{kind.name}: downgrade refused ({refused}); {checks.imports_everything(prefix)}")

    expect(kind.uninstall(prefix, kind.newer).code == 0, f"{kind.name}: the uninstall fails")
    prefix.settle()
    checks.leaves_what_the_guide_says(prefix)
    say(f"{kind.name}: uninstalled; what is left is what README.md says")
