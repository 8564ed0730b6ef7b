"""Kills an import at random moments: the old snapshot answers each time, and the next import leaves no debris.

    python tests/bench/kill_import.py [--kills 100] [--seed 1]

Imports the bundled plant, then again and again with a changed ledger in a process of its own that is killed. Exit 1 if
a kill cost anything.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from desktop import paths
from desktop.paths import DataDir
from desktop.services.plant_data import Import, import_paths
from desktop.store import snapshot_files
from desktop.store.snapshot import Snapshot

PROGRAM = """
import pathlib, sys
from desktop.paths import DataDir
from desktop.services.plant_data import Import, import_paths
data = DataDir(pathlib.Path(sys.argv[1]))
import_paths(Import(data, take_people=lambda *_: None), [pathlib.Path(sys.argv[2])])
"""
DEBRIS = (".tmp", ".new", ".jsonl", ".wal")


def import_process(data: DataDir, plant: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(Path(paths.__file__).resolve().parents[1])}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(data.root), str(plant)], env=environment)


def changed(plant: Path, number: int) -> None:
    """A ledger with one more machine, so that there is something to publish."""
    ledger = plant / "equipment_ledger.csv"
    rows = (paths.sample_plant() / ledger.name).read_bytes()
    ledger.write_bytes(rows + f"EQ-9{number:03},試験機,FL-200\r\n".encode("cp932"))


def answers(data: DataDir) -> str:
    """ "" if the current snapshot gives what a question needs, else what is missing."""
    snapshot = Snapshot.current(data.snapshots)
    if snapshot is None:
        return "no snapshot"
    try:
        if not snapshot.equipment("EQ-003") or not snapshot.section("manual:FL-200-r3#5.2"):
            return "machine or section missing"
        return "" if snapshot.records_of("EQ-003") else "records missing"
    finally:
        snapshot.close()


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--kills", type=int, default=100)
    ask.add_argument("--seed", type=int, default=1)
    args = ask.parse_args()
    rng, found = random.Random(args.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        data, plant = DataDir(Path(folder) / "data"), Path(folder) / "plant"
        shutil.copytree(paths.sample_plant(), plant)
        started = time.monotonic()
        import_paths(Import(data, take_people=lambda *_: None), [plant])
        whole = time.monotonic() - started
        for number in range(args.kills):
            changed(plant, number)
            before = snapshot_files.current_version(data.snapshots)
            child = import_process(data, plant)
            try:
                child.wait(rng.uniform(0, whole * 2))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            found[
                answers(data) or ("published" if snapshot_files.current_version(data.snapshots) != before else "kept")
            ] += 1
        changed(plant, args.kills)
        import_paths(Import(data, take_people=lambda *_: None), [plant])
        debris = [path.name for path in data.root.rglob("*") if path.is_file() and path.name.endswith(DEBRIS)]
        snapshots = len(snapshot_files.versions(data.snapshots))
    print(f"{args.kills} kills: {dict(found)}; debris {debris}; snapshots kept {snapshots}")
    return 0 if set(found) <= {"published", "kept"} and not debris and snapshots <= snapshot_files.KEPT else 1


if __name__ == "__main__":
    sys.exit(main())
