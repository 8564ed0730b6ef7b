"""Kills backups and restores again and again wherever they happen to be, then looks at what opens.

`python tests/e2e/kill_during_restore.py --kills 60` prints where the kills fell and ends with 0 if there was always the
old data or the new, whole, or a restore that the same command finished; and never half a backup under its name. POSIX
only (fork, so that a kill costs no start-up).
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop.domain import pin
from desktop.errors import KnownError
from desktop.services.backup_file import Backup
from desktop.store import audit, data_swap
from tests.fakes.desk import RealClock
from tests.fakes.keyrings import MemoryKeyring, use_keyring
from tests.fakes.workstation import Workstation, approve, contents, titles

PATIENCE = 10.0
SWAP = 0.01  # seconds from the plan to the end
LARGE = 3 * 2**20  # bytes of plant data: enough that copying and hashing take their part of the time


def killed_within(longest: float, act: Callable[[], object], begun: Callable[[], bool] = lambda: True) -> bool:
    """Whether the kill came before the end; it comes within `longest` seconds after `begun`."""
    child = os.fork()
    if child == 0:
        act()
        os._exit(0)
    until = time.monotonic() + PATIENCE
    while not begun() and time.monotonic() < until:
        pass
    time.sleep(random.random() * longest)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def duration(act: Callable[[], object]) -> float:
    begun = time.monotonic()
    act()
    return time.monotonic() - begun


def new_station(place: Path, ring: MemoryKeyring) -> Workstation:
    (place / "share").mkdir(exist_ok=True)
    station = Workstation(place / "data", ring, place / "share")
    station.clock = RealClock()
    station.furnish()
    (snapshot,) = station.data.snapshots.glob("plant-00003*")
    snapshot.write_bytes(random.randbytes(LARGE))
    return station


def kill_backup(station: Workstation, file: Path, longest: float) -> str:
    """Where it fell; half a backup must not have the name."""
    killed = killed_within(longest, lambda: station.back_up(file))
    if file.exists():
        with closing(Backup(file)) as backup:
            backup.verify()
    elif not killed:
        raise AssertionError("a backup that ended is not there")
    station.open().journal.close()
    return f"backup {'there' if file.exists() else 'not there'}"


def refusal(station: Workstation) -> str:
    try:
        station.open()
    except KnownError as error:
        return error.code
    return "opened"


def kill_restore(station: Workstation, file: Path, longest: float, *, in_swap: bool) -> str:
    """Where it fell (`in_swap`: not before the names change).

    What opens afterwards is the old or the new, whole, with the old set aside.
    """
    before = {name: body for name, body in contents(station.data.root).items() if name.split("/")[0] != "restoring"}
    if in_swap:
        killed_within(SWAP, lambda: station.restore(file), lambda: data_swap.unfinished(station.data.root))
    else:
        killed_within(longest, lambda: station.restore(file))
    unfinished = data_swap.unfinished(station.data.root)
    while data_swap.unfinished(station.data.root):
        assert refusal(station) == "restore_unfinished"
        if not killed_within(longest / 4, lambda: station.restore(file)):
            break
    desk = station.open()
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole
        restored = tx.rows("SELECT 1 FROM audit WHERE action = 'restored'")
    numbers = titles(desk)
    desk.journal.close()
    assert numbers.keys() >= {"WR-P07-0001"}
    if not restored:
        assert not unfinished
        assert "WR-P07-0002" in numbers
        kept = station.data.root
    else:
        assert "WR-P07-0002" not in numbers
        kept = next(each for each in station.data.root.glob("before-restore-*") if (each / "journal.db").exists())
    now = contents(kept)
    for name in ("settings.toml", *(name for name in before if name.startswith(("snapshots/", "files/")))):
        assert now[name] == before[name], name
    return f"restore {'finished by the same command' if unfinished else 'new' if restored else 'old'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="of each kind")
    kills = parser.parse_args().kills
    pin.COST = 2**4
    fell: Counter[str] = Counter()
    ring = MemoryKeyring()
    with tempfile.TemporaryDirectory() as folder, use_keyring(ring):
        place = Path(folder)
        station = new_station(place, ring)
        approve(station, "一")
        longest = duration(lambda: station.back_up(place / "b.zip")) * 1.2
        for n in range(kills):
            fell[kill_backup(station, place / f"{n}.zip", longest)] += 1
        station.back_up(place / "last.zip")
        approve(station, "二")
        shutil.copytree(station.data.root, place / "kept")
        longest = duration(lambda: station.restore(place / "last.zip")) * 1.2
        for n in range(kills):
            shutil.rmtree(station.data.root)
            shutil.copytree(place / "kept", station.data.root)
            fell[kill_restore(station, place / "last.zip", longest, in_swap=n % 2 == 0)] += 1
    for where, count in sorted(fell.items()):
        print(f"{count:4} {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
