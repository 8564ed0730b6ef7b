"""How long `ask` takes in a new process on the bundled plant, beside a bare interpreter, in one run.

    python -m tests.bench.ask_latency [ROUNDS]

The first import is done before; each figure is the whole process, wall clock and CPU, medians of the rounds.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

QUESTION = "ライン3の充填機でE-12が出た"


def timed(program: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one process with its children."""
    before, started = os.times(), time.perf_counter()
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - started, os.times()
    return wall, after.children_user - before.children_user + after.children_system - before.children_system


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        ask = [sys.executable, "-m", "desktop", "ask", QUESTION, "--sample", "--data-dir", folder]
        bare = [sys.executable, "-c", "pass"]
        timed(ask)
        pairs = [(timed(ask), timed(bare)) for _ in range(rounds)]
    for index, unit in enumerate(("wall", "CPU")):
        ours = statistics.median(pair[0][index] for pair in pairs)
        peer = statistics.median(pair[1][index] for pair in pairs)
        print(f"{unit}: ask {ours:.2f} s, python -c pass {peer:.3f} s, ratio {ours / peer:.0f}")


if __name__ == "__main__":
    main()
