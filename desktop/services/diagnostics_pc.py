"""What the PC itself is like: room on the disk, where the data lies, whose profile it is, what time its clock says."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path, PureWindowsPath

from desktop import RELEASED
from desktop.errors import KnownError
from desktop.pc import TEMPORARY_PROFILE, WindowsFacts
from desktop.services import diagnostics_finding as finding
from desktop.services.diagnostics_finding import Finding

_LOW_DISK = 2 * 1024**3  # bytes; a build of a large plant needs about this much beside the old snapshot
_NO_DISK = 64 * 1024**2  # bytes; with less no import begins, and the journal is soon full
_RELEASED = datetime.fromisoformat(RELEASED).replace(tzinfo=UTC)
_EASTERNMOST = timedelta(hours=14)  # that day begins there this long before it does in UTC
_TOLERANCE = timedelta(minutes=5)
_CERTIFICATES_FAIL = timedelta(days=1)


def look_at_disk(root: Path) -> Finding:
    """The drive that the data folder is, or will be, on."""
    free = shutil.disk_usage(next(folder for folder in (root, *root.absolute().parents) if folder.exists())).free
    if free < _NO_DISK:
        raise KnownError("pc_disk_full", folder=str(root))
    if free < _LOW_DISK:
        return finding.warning(KnownError("pc_disk_low", folder=str(root), free=_size(free)))
    return finding.ok(f"空き {_size(free)}")


def look_at_place(facts: WindowsFacts | None, root: Path) -> Finding:
    """Whether the data lies on a disk of this PC."""
    if facts and (facts.data_remote or _is_share(facts.data)):
        raise KnownError("pc_data_on_network", folder=facts.data)
    return finding.ok(f"{root}")


def look_at_profile(facts: WindowsFacts | None) -> Finding:
    """Whether Windows gave this person their own profile, on this PC, for good."""
    if facts is None:
        return finding.note("Windows ではありません。")
    temporary = bool(facts.profile_flags & TEMPORARY_PROFILE) or _is_temp(facts.profile)
    if temporary:
        raise KnownError("pc_profile_temporary", profile=facts.profile)
    if facts.former_profile:
        return _own(facts, KnownError("pc_profile_replaced", former=facts.former_profile, profile=facts.profile))
    if facts.local_app_data_remote or _is_share(facts.local_app_data):
        return _own(facts, KnownError("pc_profile_redirected", folder=facts.local_app_data))
    return finding.ok(facts.profile)


def _own(facts: WindowsFacts, cause: KnownError) -> Finding:
    """It fails who keeps the data in the profile; where the PC's users share it, it is a warning."""
    own = map(PureWindowsPath, filter(None, (facts.local_app_data, facts.profile)))
    inside = any(PureWindowsPath(facts.data).is_relative_to(folder) for folder in own)
    return finding.failed(cause) if inside else finding.warning(cause)


def _is_temp(profile: str) -> bool:
    r"""C:\Users\TEMP, TEMP.PLANT, TEMP.PLANT.000: the names that Windows gives temporary profiles."""
    name = PureWindowsPath(profile).name.upper()
    return name == "TEMP" or name.startswith("TEMP.")


def _is_share(path: str) -> bool:
    return path.startswith("\\\\") and not path.startswith(("\\\\?\\", "\\\\.\\"))


def look_at_clock(now: datetime, written: Mapping[str, datetime | None], ahead: Mapping[str, timedelta]) -> Finding:
    """This PC's clock against its servers' (`ahead` of each by host) and against what it `written` before, by name.

    Before the program's own day, or a day off, is a failure: certificates and the order of records then fail.
    """
    if now < _RELEASED - _EASTERNMOST:  # no right clock shows this program an earlier time
        cause = KnownError("pc_clock_before_release", now=_time(now), released=RELEASED)
        return finding.failed(cause)
    server, off = max(ahead.items(), key=lambda item: abs(item[1]), default=("", timedelta()))
    if abs(off) > _TOLERANCE:
        cause = KnownError("pc_clock_off", server=server, here=_time(now), there=_time(now - off))
        return finding.failed(cause) if abs(off) >= _CERTIFICATES_FAIL else finding.warning(cause)
    later = [(at, what) for what, at in written.items() if at is not None and at > now + _TOLERANCE]
    if later:
        at, what = max(later)
        return finding.warning(KnownError("pc_clock_behind", what=what, at=_time(at)))
    return finding.ok(_compared(now, ahead))


def _compared(now: datetime, ahead: Iterable[str]) -> str:
    against = "、".join(ahead)
    return f"{_time(now)}（{against} と合っています）" if against else _time(now)


def _time(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M %z}"


def _size(size: int) -> str:
    return f"{size / 1024**3:.1f} GB"
