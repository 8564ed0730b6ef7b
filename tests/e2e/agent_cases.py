"""Asks the program the agent cases of a folder of real data, with no model, and tells which hold.

    python tests/e2e/agent_cases.py FOLDER [--hn "hozen-navi"] [--only ID,ID]

FOLDER holds cases.json and the files it names. Each fixture (ledger, manuals, records) is imported once into a data
directory of its own, then every question goes through `ask --provider offline --json`. Prints a line a case; for one
that fails, whether a model could help: it can word, translate and infer, but it adds no source, machine or approval.
Exit 0 when all hold that need no model.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

OK_CODES = (0, 1)
Case = dict[str, Any]


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


class Program:
    """The console program with one data directory for each fixture."""

    def __init__(self, command: Sequence[str], folder: Path, work: Path) -> None:
        self._command, self._folder, self._work = command, folder, work
        self._places: dict[str, Path] = {}

    def ask(self, case: Case) -> tuple[int, dict[str, Any]]:
        place = self._place(case["input"]["fixture"])
        return self._run("ask", case["input"]["question"], "--provider", "offline", "--data-dir", str(place))

    def _place(self, fixture: dict[str, Any]) -> Path:
        key = json.dumps(fixture, sort_keys=True)
        if key not in self._places:
            place = self._places[key] = self._work / str(len(self._places))
            self._import(place, fixture["ledger"], "--kind", "ledger")
            manuals = json.loads((self._folder / fixture["manuals"]).read_text(encoding="utf-8"))
            for manual in manuals:
                self._import(place, manual["マニュアル"], "--kind", "manual", "--model", manual["型番"])
            if fixture.get("records"):
                self._import(place, fixture["records"], "--kind", "record")
        return self._places[key]

    def _import(self, place: Path, path: str, *options: str) -> None:
        code, report = self._run("import", str(self._folder / path), *options, "--data-dir", str(place))
        if code:
            raise SystemExit(f"import of {path} failed ({code}): {report.get('error')}")

    def _run(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        done = subprocess.run([*self._command, *arguments, "--json"], capture_output=True, timeout=300, check=False)
        document: dict[str, Any] = json.loads(done.stdout.decode("utf-8"))
        return done.returncode, document


def wrong(case: Case, code: int, got: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """What does not hold, and whether a model could mend it."""
    expect = case["expect"]
    if code not in OK_CODES:
        yield f"exit {code}: {got.get('error')}", False
        return
    shown = squeeze(got["answer"] + json.dumps(got["focus"]["candidates"], ensure_ascii=False))
    for words in expect["answer_contains_any"]:
        if not any(squeeze(word) in shown for word in words):
            yield f"none of {'／'.join(words)} in the answer", True
    for word in expect["answer_must_not_contain"]:
        if squeeze(word) in shown:
            yield f"{word} in the answer", False
    yield from ((problem, False) for problem in (*_looked(expect, got), *_cited(expect, got), *_request(expect, got)))


def _looked(expect: Case, got: dict[str, Any]) -> Iterator[str]:
    """The program looks up in this order itself: resolve stands for search_equipment, a proposal for the request."""
    done = [step["name"] for step in got["steps"]]
    names = {"resolve": "search_equipment", "requested": "create_work_request"}
    made = iter([names.get(name, name) for name in done])
    if missing := [tool for tool in expect["tools_in_order"] if tool not in made]:
        yield f"not looked up in order: {missing} in {done}"
    if "search_manual" not in expect["tools_in_order"] and "search_manual" in done:
        yield "a manual was searched though no machine is settled"


def _cited(expect: Case, got: dict[str, Any]) -> Iterator[str]:
    for source in expect["cites"]:
        file, _, section = source.partition("#")
        heading = re.compile(rf"(?<!\w){re.escape(unicodedata.normalize('NFKC', section))}(?![A-Za-z0-9])")
        name = Path(file).stem.removeprefix("prusa_").removesuffix("_errors")
        named = (
            name in one["ref"] and heading.search(unicodedata.normalize("NFKC", one["title"]))
            for one in got["citations"]
        )
        if not any(named):
            yield f"{source} is not cited"
    if not all(one["verified"] for one in got["citations"]):
        yield "a citation could not be verified"


def _request(expect: Case, got: dict[str, Any]) -> Iterator[str]:
    wanted = re.search(r"equipment_id=([\w-]+)", expect["work_request"])
    proposed = [one["equipment_id"] for one in got["proposals"]]
    if proposed != ([wanted[1]] if wanted else []):
        yield f"proposals {proposed}, expected {expect['work_request']}"
    if wanted and got["status"] != "awaiting_approval":
        yield f"status {got['status']}"


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--hn", default="hozen-navi")
    ask.add_argument("--only", default="")
    given = ask.parse_args()
    cases = json.loads((given.folder / "cases.json").read_text(encoding="utf-8"))["cases"]
    chosen = [one for one in cases if one["kind"] == "agent" and (not given.only or one["id"] in given.only.split(","))]
    held = model = 0
    with tempfile.TemporaryDirectory() as work:
        program = Program(given.hn.split(), given.folder, Path(work))
        for case in chosen:
            code, got = program.ask(case)
            problems = list(wrong(case, code, got))
            needs_model = bool(problems) and all(could for _, could in problems)
            held, model = held + (not problems), model + needs_model
            verdict = "holds, no model needed" if not problems else "needs a model" if needs_model else "FAILS"
            print(f"{case['id']}  {verdict}  [{got.get('status')}]  {case['input']['question']}")
            for problem, _ in problems:
                print(f"    {problem}")
    print(f"{held} of {len(chosen)} hold with no model; {model} need one; {len(chosen) - held - model} fail")
    return 0 if chosen and held + model == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
