"""How well the search finds, beside other ways of searching the same texts, in one run.

    python tests/bench/search_quality.py DATA [--baselines PYTHON] [--queries N]

DATA holds search/*.jsonl, manuals/ and tools/bench_search.py. The goal lines: JSQuAD R@3 ≥ .955 and MRR@10 ≥ .935,
Klipper FAQ R@3 ≥ .625, error-code look-up first hit ≥ .99. The baselines run in an interpreter that has numpy and scipy
(and, for some, sudachipy). Exit status 1 when a goal is missed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from desktop.domain.ledger import Manual, ManualSection
from desktop.paths import DataDir
from desktop.services.plant_data import Import, import_paths
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_builder import SnapshotBuilder

CORPORA = {"jsquad_valid": {"R@3": 0.955, "MRR@10": 0.935}, "klipper_faq_ja": {"R@3": 0.625}}
FIRST_HIT = 0.99
MODEL = "CORPUS"


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def corpus_search(folder: Path, documents: list[dict]) -> Search:
    sections = [
        ManualSection(
            ref=f"manual:{MODEL}#{one['id']}",
            manual_id=MODEL,
            models=(MODEL,),
            heading_path=(one["title"],) if one.get("title") else (),
            body=one["text"],
            ordinal=number,
        )
        for number, one in enumerate(documents)
    ]
    with SnapshotBuilder(folder) as builder:
        builder.add_manual("corpus", Manual(MODEL, (MODEL,), MODEL), sections)
        builder.publish()
    snapshot = Snapshot.current(folder)
    assert snapshot
    return Search(snapshot)


def measured(queries: list[dict], ask) -> dict[str, float]:
    """R@1, 3, 5, MRR@10 and CPU milliseconds a query of `ask`, which gives section ids, best first."""
    ranks, times = [], []
    for query in queries:
        began = time.process_time()
        found = ask(query["query"])
        times.append((time.process_time() - began) * 1000)
        ranks.append(next((place for place, one in enumerate(found) if one in query["gold"]), 99))
    figures = {f"R@{k}": sum(rank < k for rank in ranks) / len(ranks) for k in (1, 3, 5)}
    figures["MRR@10"] = sum(1 / (rank + 1) for rank in ranks if rank < 10) / len(ranks)
    return figures | {"ms/q": sorted(times)[len(times) // 2]}


def squeezed(text: str) -> str:
    return "".join(text.split())


def told(name: str, figures: dict[str, float]) -> str:
    return f"{name:26s} " + " ".join(f"{key} {value:.3f}" for key, value in figures.items())


def texts(data: Path, limit: int, baselines: str | None) -> bool:
    held = True
    for name, goals in CORPORA.items():
        corpus, asked = data / f"search/{name}.corpus.jsonl", data / f"search/{name}.queries.jsonl"
        queries = lines(asked)[:limit]
        print(f"== {name}")
        with tempfile.TemporaryDirectory() as folder:
            search = corpus_search(Path(folder), lines(corpus))
            ways = {
                "everywhere (index)": lambda text, search=search: search.sections_anywhere(text, 10).hits,
                "in scope": lambda text, search=search: search.manual(MODEL, text, 10).hits,
            }
            for way, look in ways.items():
                part = queries if way.startswith("every") else queries[:400]
                figures = measured(part, lambda text, look=look: [hit.section.ref.split("#")[1] for hit in look(text)])
                print(told(f"{way} n={len(part)}", figures), flush=True)
                if part is queries:
                    missed = {key: goal for key, goal in goals.items() if figures[key] < goal}
                    print(f"   goals {goals}: {'missed ' + str(missed) if missed else 'held'}")
                    held = held and not missed
        if baselines:
            subprocess.run([baselines, str(data / "tools/bench_search.py"), str(corpus), str(asked)], check=False)
    return held


def codes(data: Path, limit: int) -> bool:
    print("== error-code look-up, every code and way of typing it")
    found: dict[str, list[bool]] = defaultdict(list)
    queries = lines(data / "search/code_lookup.queries.jsonl")
    step = max(1, len(queries) // limit)
    by_manual: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for query in queries[::step]:
        by_manual[query["source"], query["model"]].append(query)
    for (source, model), asked in by_manual.items():
        with tempfile.TemporaryDirectory() as folder:
            place = DataDir(Path(folder))
            import_paths(Import(place), [data / source], kind="manual", model=model)
            snapshot = Snapshot.current(place.snapshots)
            assert snapshot
            search = Search(snapshot)
            for query in asked:
                first = [hit.section.heading for hit in search.manual(model, query["query"]).hits[:1]]
                right = bool(first) and squeezed(first[0]) in map(squeezed, query["gold"])
                found[query["variant"]].append(right)
                if not right:
                    print(f"   {model} {query['query']}: {first} != {query['gold']}")
            snapshot.close()
    every = [right for rights in found.values() for right in rights]
    for variant, rights in {**found, "ALL": every}.items():
        print(f"{variant:10s} n {len(rights)} first {sum(rights) / len(rights):.3f}")
    return sum(every) / len(every) >= FIRST_HIT


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("data", type=Path)
    ask.add_argument("--baselines", help="a Python with numpy and scipy")
    ask.add_argument("--queries", type=int, default=10**6, help="at most so many of each set")
    given = ask.parse_args()
    held = [texts(given.data, given.queries, given.baselines), codes(given.data, given.queries)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
