"""Time of one question offline: resolve, gather and compose over the bundled questions, beside one bare search.

    python tests/bench/evidence_latency.py [rounds]

Prints medians and 95th percentiles in ms, and the ratio to a bare manual search. Seconds of a busy machine say little;
the ratio and the number of look-ups do.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from desktop import paths
from desktop.evidence.compose import ComposeContext, compose
from desktop.evidence.gather import gather
from desktop.evidence.resolve import resolve
from desktop.paths import DataDir
from desktop.services.plant_data import ensure_sample
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def told(name: str, times: list[float]) -> float:
    ordered = sorted(times)
    p95 = ordered[int(len(ordered) * 0.95) - 1]
    print(f"{name:28} median {statistics.median(ordered):7.1f} ms   p95 {p95:7.1f} ms   n {len(ordered)}")
    return p95


def main(rounds: int) -> None:
    questions = json.loads((paths.sample_plant() / "questions.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        data = DataDir(Path(folder))
        ensure_sample(data)
        snapshot = Snapshot.current(data.sample.snapshots)
        assert snapshot is not None
        search = Search(snapshot)
        context = ComposeContext(snapshot, date(2026, 11, 30), sample=True)

        def answer(question: dict[str, str]) -> int:
            resolution = resolve(question["question"], snapshot, preset=question.get("equipment"))
            evidence = gather(resolution, snapshot, search)
            compose(resolution, evidence, context)
            return len(evidence.steps)

        first = timed(lambda: answer(questions[0]))
        look_ups = [answer(question) for question in questions]
        whole = [timed(lambda one=one: answer(one)) for _ in range(rounds) for one in questions]
        bare = [timed(lambda: search.manual("FL-200", "E-12")) for _ in range(rounds * 10)]
        print(f"first question {first:.0f} ms; look-ups a question: mean {statistics.mean(look_ups):.1f}")
        told("one bare search", bare)
        p95 = told("resolve + gather + compose", whole)
        ratio = statistics.median(whole) / statistics.median(bare)
        print(f"ratio of medians {ratio:.1f}; target p95 <= 50 ms: {p95 <= 50}")
        snapshot.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
