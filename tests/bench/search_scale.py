"""Search at the size of a large plant, beside other engines on the same questions and texts, in one run.

    python tests/bench/search_scale.py [--manuals 2000] [--machines 10000] [--records 1000000] [--each 20]
                                       [--work DIR] [--peers PYTHON]

100 sections a manual. Every engine builds and answers in a process of its own; times are CPU time, because wall time
drifts on a busy PC. PEERS is a Python that has tantivy. Prints what the issue asks for and the ratios to the goals.
"""

import argparse
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2])]

from plant_corpus import Asked, Plant  # noqa: E402

from desktop.domain.text import code_keys, find_codes, fold, shape  # noqa: E402
from desktop.store import search_question, search_terms  # noqa: E402

ROUNDS = 3


def cpu() -> float:
    return time.process_time()


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def rss() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


def forget(place: Path) -> None:
    """Drops a file or folder from the page cache, as after a restart."""
    for file in [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]:
        handle = os.open(file, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def size(place: Path) -> float:
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file()) / 1e6


def build(plant: Plant, place: Path) -> dict:
    from desktop.store.snapshot_builder import SnapshotBuilder

    made = defaultdict(float)
    mark = [0.0]

    def lap(name: str) -> None:
        made[name] += cpu() - mark[0]
        mark[0] = cpu()

    def progress(share: float) -> None:
        lap("sections" if 0.1 < share <= 0.5 else "records" if share <= 0.9 else "publish")

    with SnapshotBuilder(place) as builder:
        builder.add_equipment("ledger", plant.equipment())
        for manual, sections in plant.manuals():
            mark[0] = cpu()
            builder.add_manual("manuals", manual, sections)
            lap("sections")
        waiting: list = []
        for record in plant.records():
            waiting.append(record)
            if len(waiting) == 5_000:
                mark[0] = cpu()
                builder.add_records("log", waiting)
                lap("records")
                waiting = []
        mark[0] = cpu()
        builder.add_records("log", waiting)
        lap("records")
        builder.publish(progress)
    return {"cpu s": {name: round(value, 1) for name, value in made.items()}, "MB": size(place), "peak MB": peak()}


def ask_ours(plant: Plant, place: Path, asked: list[Asked]) -> dict:
    from desktop.store.search import Search
    from desktop.store.snapshot import Snapshot

    forget(place)
    began = time.perf_counter(), cpu()
    snapshot = Snapshot.current(place)
    assert snapshot
    search = Search(snapshot)
    opened = {"open ms": (time.perf_counter() - began[0]) * 1000, "open cpu ms": (cpu() - began[1]) * 1000}

    def look(one: Asked) -> list[str]:
        if one.kind.startswith("record"):
            records = search.records(one.scope, one.text, 3) if one.scope else search.records_anywhere(one.text, 3)
            return [hit.record.record_id for hit in records.hits]
        found = search.manual(one.scope, one.text) if one.scope else search.sections_anywhere(one.text)
        return [hit.section.ref for hit in found.hits]

    answered = measured(asked, look) | opened
    machines = plant.models[7][1]
    began_machines = cpu()
    for line in range(1, 21):
        search.equipment(f"ライン{line} {machines}")
    return answered | {"machine query cpu ms": (cpu() - began_machines) * 1000 / 20, "rss MB": rss()}


def measured(asked: list[Asked], look) -> dict:
    cold, warm, hits = defaultdict(list), defaultdict(list), defaultdict(list)
    for turn in range(ROUNDS):
        for one in asked:
            began = cpu()
            found = look(one)
            (warm if turn else cold)[one.kind].append((cpu() - began) * 1000)
            if not turn and one.right:
                hits[one.kind].append(bool(one.right.intersection(found[:3])))
    return {"kinds": {kind: figures(cold[kind], warm[kind], hits[kind]) for kind in cold}}


def figures(cold: list[float], warm: list[float], hits: list[bool]) -> dict:
    return {
        "p50": percentile(warm, 0.5),
        "p95": percentile(warm, 0.95),
        "cold p95": percentile(cold, 0.95),
        "hit@3": sum(hits) / len(hits) if hits else None,
    }


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def tokens(text: str) -> list[str]:
    shaped = shape(text)
    codes = (key.replace(".", "x") for key in code_keys(shaped))
    return [f"t{term:x}" for term in search_terms.terms(shaped)] + [f"c{key}" for key in codes if key.isascii()]


def asked_tokens(text: str) -> list[str]:
    question = search_question.ask(text, {}, {})
    terms = [f"t{term:x}" for term in question.terms if not (term >= 0x3000_0000 and not term & 0xFFFF)]
    return terms + [f"c{code.key.replace('.', 'x')}" for code in find_codes(text)]


def tantivy_engine(plant: Plant, place: Path, asked: list[Asked]) -> dict:
    import tantivy

    place.mkdir()
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("ref", stored=True, tokenizer_name="raw")
    schema.add_text_field("model", tokenizer_name="raw")
    schema.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    index = tantivy.Index(schema.build(), path=str(place))
    began = cpu()
    writer = index.writer(heap_size=256_000_000, num_threads=2)
    for manual, sections in plant.manuals():
        for one in sections:
            text = " ".join(tokens(f"{one.heading}\n{one.heading}\n{one.body}"))
            writer.add_document(tantivy.Document(ref=one.ref, model=manual.models[0], text=text))
    writer.commit()
    writer.wait_merging_threads()
    built = {"build cpu s": cpu() - began, "MB": size(place), "peak MB": peak()}
    forget(place)
    index = tantivy.Index.open(str(place))
    searcher, fields = index.searcher(), index.schema

    def look(one: Asked) -> list[str]:
        should, must = tantivy.Occur.Should, tantivy.Occur.Must
        words = [
            (should, tantivy.Query.term_query(fields, "text", token, index_option="freq"))
            for token in dict.fromkeys(asked_tokens(one.text))
        ]
        query = tantivy.Query.boolean_query(words)
        if one.scope:
            scope = tantivy.Query.term_query(fields, "model", one.scope)
            query = tantivy.Query.boolean_query([(must, query), (must, scope)])
        return [searcher.doc(address)["ref"][0] for _, address in searcher.search(query, 3).hits]

    return built | measured(asked, look) | {"rss MB": rss()}


def fts5_engine(plant: Plant, place: Path, asked: list[Asked]) -> dict:
    place.mkdir()
    base = sqlite3.connect(place / "fts.db", isolation_level=None)
    base.execute("PRAGMA journal_mode = wal")
    base.execute("BEGIN")
    base.execute("CREATE TABLE sections (id INTEGER PRIMARY KEY, ref TEXT, model TEXT, heading TEXT, body TEXT)")
    base.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='trigram')")
    began, number = cpu(), 0
    for manual, sections in plant.manuals():
        for one in sections:
            number += 1
            text = fold(f"{one.heading}\n{one.heading}\n{one.body}")
            row = (number, one.ref, manual.models[0], one.heading, one.body)
            base.execute("INSERT INTO sections VALUES (?, ?, ?, ?, ?)", row)
            base.execute("INSERT INTO words(rowid, text) VALUES (?, ?)", (number, text))
    base.execute("COMMIT")
    base.execute("PRAGMA wal_checkpoint(truncate)")
    built = {"build cpu s": cpu() - began, "MB": size(place), "peak MB": peak()}
    forget(place)

    def look(one: Asked) -> list[str]:
        parts = [word for word in fold(one.text).replace("、", " ").split() if len(word) >= 3]
        match = " OR ".join(f'"{word}"' for word in parts)
        scoped = " AND model = ?" if one.scope else ""
        statement = (
            f"SELECT ref FROM words JOIN sections ON sections.id = words.rowid WHERE words MATCH ?{scoped} "
            "ORDER BY bm25(words) LIMIT 3"
        )
        if not match:
            return []
        return [row[0] for row in base.execute(statement, (match, *([one.scope] if one.scope else []))).fetchall()]

    return built | measured(asked, look) | {"rss MB": rss()}


def naive_engine(plant: Plant, asked: list[Asked]) -> dict:
    """The original's way: how often the keywords stand in each section, over all of them."""
    every = [
        (one.ref, manual.models[0], unicodedata.normalize("NFKC", f"{one.heading}\n{one.body}").lower())
        for manual, sections in plant.manuals()
        for one in sections
    ]

    def look(one: Asked) -> list[str]:
        words = unicodedata.normalize("NFKC", one.text).lower().split()
        counted = (
            (sum(map(text.count, words)), ref) for ref, model, text in every if not one.scope or model == one.scope
        )
        return [ref for count, ref in sorted(counted, reverse=True)[:3] if count]

    return measured(asked, look) | {"rss MB": rss()}


def role(given: argparse.Namespace) -> dict:
    plant = Plant(given.manuals, given.machines, given.records)
    if given.role == "build":
        return build(plant, given.work / "ours")
    for _ in plant.manuals():
        pass
    for _ in plant.records() if given.role == "ours" else ():
        pass
    asked = plant.questions(given.each)
    if given.role == "ours":
        return ask_ours(plant, given.work / "ours", asked)
    asked = [one for one in asked if not one.kind.startswith("record")]
    if given.role == "naive":
        return naive_engine(plant, [one for at, one in enumerate(asked) if at // 6 % 4 == 0])
    engine = tantivy_engine if given.role == "tantivy" else fts5_engine
    return engine(plant, given.work / given.role, asked)


def run(given: argparse.Namespace, name: str, python: str) -> dict | None:
    command = [python, str(HERE), "--role", name, "--work", str(given.work), "--each", str(given.each)]
    sizes = ["--manuals", str(given.manuals), "--machines", str(given.machines), "--records", str(given.records)]
    done = subprocess.run([*command, *sizes], stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode:
        print(f"{name}: not measured (exit {done.returncode})")
        return None
    found: dict = json.loads(done.stdout)
    kinds = found.pop("kinds", {})
    print(f"== {name}: {json.dumps(found, ensure_ascii=False, default=float)}", flush=True)
    for kind, values in kinds.items():
        shown = " ".join(f"{key} {value:.2f}" for key, value in values.items() if value is not None)
        print(f"   {kind:22s} {shown}", flush=True)
    return found | {"kinds": kinds}


def told(given: argparse.Namespace, built: dict, ours: dict, peers: dict[str, dict | None]) -> None:
    sections = given.manuals * 100
    print("== goals (figure / goal; below 1 is held)")
    by_kind = {kind: values["p95"] for kind, values in ours["kinds"].items()}
    scoped = max(value for kind, value in by_kind.items() if kind in SCOPED)
    over_all = max(value for kind, value in by_kind.items() if kind in GLOBAL)
    lines = {
        "scoped p95 10 ms": scoped / 10,
        "record by machine or part p95 20 ms": max(by_kind["record of machine"], by_kind["record by part number"]) / 20,
        "free text over all records 60 ms": by_kind["record free text"] / 60,
        "build of sections, 0.3 s CPU per 1,000": built["cpu s"]["sections"] / sections * 1000 / 0.3,
        "peak memory 1,500 MB": built["peak MB"] / 1500,
    }
    for name, goal in (("tantivy", 5), ("fts5", 0.1)):
        if peer := peers.get(name):
            lines[f"sections anywhere p95, {goal} x {name}"] = (
                over_all / goal / max(values["p95"] for kind, values in peer["kinds"].items() if kind in GLOBAL)
            )
    for name, value in lines.items():
        print(f"   {value:6.2f}  {name}")
    per_record = built["cpu s"]["records"] / max(given.records, 1) * 1000
    print(f"   build CPU: {built['cpu s']['sections'] / sections * 1000:.3f} s per 1,000 sections, ", end="")
    print(f"{per_record:.3f} s per 1,000 records")


SCOPED = ("scoped code part", "scoped symptom", "code in free text")
GLOBAL = ("code part symptom", "sentence", "widths")


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--manuals", type=int, default=2_000)
    ask.add_argument("--machines", type=int, default=10_000)
    ask.add_argument("--records", type=int, default=1_000_000)
    ask.add_argument("--each", type=int, default=20)
    ask.add_argument("--work", type=Path)
    ask.add_argument("--peers", default=sys.executable)
    ask.add_argument("--role", help=argparse.SUPPRESS)
    given = ask.parse_args()
    if given.role:
        print(json.dumps(role(given)))
        return 0
    own = given.work is None
    given.work = given.work or Path(tempfile.mkdtemp())
    given.work.mkdir(parents=True, exist_ok=True)
    built = run(given, "build", sys.executable)
    ours = run(given, "ours", sys.executable)
    peers = {name: run(given, name, given.peers) for name in ("tantivy", "fts5", "naive")}
    if built and ours:
        told(given, built, ours, peers)
    if own:
        shutil.rmtree(given.work)
    return 0 if built and ours else 1


if __name__ == "__main__":
    sys.exit(main())
