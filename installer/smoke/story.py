"""What a plant's IT would do by hand, done under wine with both kinds of installer, before a build is called done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steps.commands import BuildFailed
from steps.product import Version

from smoke import checks, kinds, older, station_checks, wine
from smoke.checks import SmokeFailed, expect
from smoke.station_checks import Told

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Case:
    """One kind of installer in one Windows, beside the other kind; `roots` only for a build that was signed."""

    kind: kinds.Kind
    other: kinds.Kind
    prefix: wine.Prefix
    version: Version
    out: Path
    roots: Path | None
    tell: Say

    def say(self, text: str) -> None:
        self.tell(f"{self.kind.name}: {text}")


def run(
    program: Path, newer: tuple[Path, Path], version: Version, cache: Path, out: Path, say: Say, *, signed: bool
) -> str:
    """The word "passed", or that wine does not start here; BuildFailed when a second try fails too.

    `program` is the staged folder, `newer` its MSI and setup.exe; screenshots go to `out`.
    """
    roots = cache / "roots.pem" if signed else None
    setup, package = kinds.both(older.build(program, cache, cache / "older-installers"), newer)
    for last in (False, True):
        try:
            with wine.fresh(cache / "wine") as prefix:
                say("wine started")
                for kind, other in ((setup, package), (package, setup)):
                    _life(_Case(kind, other, prefix, version, out, roots, say))
            return "passed"
        except wine.WineBroken as broken:
            say(f"wine itself does not start here: {broken}")
        except (SmokeFailed, wine.TimedOut) as failure:
            if last:
                raise BuildFailed(f"smoke run: {failure}") from failure
            say(f"smoke run failed, once more from the start: {failure}")
    return "not run: wine does not start"


def _life(case: _Case) -> None:
    """Installed, at work, upgraded under an open window, looked after, removed, back again, and gone for good."""
    _installed(case)
    before = _at_work(case)
    _upgraded(case, before)
    after = _goes_on(case, before)
    _refuses_what_would_harm(case, after)
    _removed(case, after)


def _installed(case: _Case) -> None:
    kind, prefix = case.kind, case.prefix
    expect(kind.install(prefix, kind.older).code == 0, f"{kind.name}: the older version does not install")
    checks.version_is(prefix, older.VERSION)
    checks.is_an_event_source(prefix)
    checks.answers(prefix)
    checks.data_is_shared_and_encrypted(prefix)
    case.say(f"{older.VERSION} installed, answers")


def _at_work(case: _Case) -> Told:
    station_checks.refuses_a_policy_of_anybody(case.prefix)
    told = station_checks.goes_to_work(case.prefix)
    case.say("own plant read, one request waits, one is queued for a share that is away")
    return told


def _upgraded(case: _Case, before: Told) -> None:
    """Over the open window of a station at work."""
    kind, prefix, other = case.kind, case.prefix, case.other
    window = checks.opens_window(prefix, case.out / f"window-{kind.name}.png")
    refused = other.install(prefix, other.newer).code
    expect(refused == other.refuses_other_kind, f"{other.name} beside {kind.name} ended with {refused}")
    if not kind.closes_windows:
        checks.quits(prefix, window)
    expect(kind.install(prefix, kind.newer).code == 0, f"{kind.name}: the upgrade does not install")
    checks.has_closed(window)
    if kind.closes_windows:
        checks.has_reopened(prefix)
    checks.version_is(prefix, case.version)
    expect(not (prefix.program / older.DROPPED).exists(), f"{kind.name}: the upgrade leaves an old file")
    station_checks.has_kept(prefix, before)
    case.say(f"{case.version} installed over it under an open window, nothing lost; {other.name} refused ({refused})")


def _goes_on(case: _Case, before: Told) -> Told:
    prefix = case.prefix
    checks.answers(prefix)
    told = station_checks.sends(prefix, before)
    case.say("the newer version sent the older one's bytes, and what waits still waits")
    case.say(station_checks.examines_itself(prefix))
    station_checks.is_restored(prefix, told)
    case.say("backup and restore: nothing lost, nothing sent twice")
    return station_checks.work(prefix, "tell")


def _refuses_what_would_harm(case: _Case, told: Told) -> None:
    """A downgrade, and a purge while something waits for approval: neither changes anything."""
    kind, prefix = case.kind, case.prefix
    downgrade = kind.install(prefix, kind.older).code
    expect(downgrade == kind.refuses_downgrade, f"{kind.name}: the downgrade ended with {downgrade}")
    purge = kind.purge(prefix, kind.newer).code
    expect(purge == kind.refuses_purge, f"{kind.name}: the purge of what waits ended with {purge}")
    checks.version_is(prefix, case.version)
    station_checks.has_kept(prefix, told)
    case.say(f"downgrade refused ({downgrade}), purge refused ({purge}); {checks.imports_everything(prefix)}")


def _removed(case: _Case, told: Told) -> None:
    """Once with the data kept, and after an export with all of it."""
    kind, prefix = case.kind, case.prefix
    if case.roots and (prefix.program / "uninstall.exe").exists():
        case.say(f"its uninstaller is signed by {checks.is_signed(prefix, case.roots)}")
    expect(kind.uninstall(prefix, kind.newer).code == 0, f"{kind.name}: the uninstall fails")
    prefix.settle()
    checks.leaves_what_the_guide_says(prefix)
    expect(kind.install(prefix, kind.newer).code == 0, f"{kind.name}: does not install again over the data it left")
    station_checks.has_kept(prefix, told)
    case.say("uninstalled; what is left is what README.md says, and serves when installed again")
    station_checks.is_exported(prefix)
    expect(kind.purge(prefix, kind.newer).code == 0, f"{kind.name}: the purge after an export fails")
    prefix.settle()
    checks.leaves_what_the_guide_says(prefix)
    station_checks.is_purged(prefix)
    case.say("exported and purged: data and keys are gone, the export stays")
