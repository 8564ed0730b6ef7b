"""Real manuals, read by the program's own importer, and what must be found in them."""

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.paths import DataDir
from desktop.services.plant_data import Import, import_paths
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

FILES = Path(__file__).parent / "files"
CASES = json.loads((FILES / "cases.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Search]]:
    """A plant of its own for each source, as the cases were written."""
    opened: dict[str, Search] = {}
    snapshots = []
    for source, model in {(case["source"], case["model"]) for case in CASES}:
        place = DataDir(tmp_path_factory.mktemp("plant"))
        import_paths(Import(place), [FILES / source], kind="manual", model=model)
        snapshot = Snapshot.current(place.snapshots)
        assert snapshot
        snapshots.append(snapshot)
        opened[source] = Search(snapshot)
    yield opened
    for snapshot in snapshots:
        snapshot.close()


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_real_question_finds_its_section(searches: dict[str, Search], case: dict[str, Any]) -> None:
    expect = case["expect"]
    hits = [hit.section for hit in searches[case["source"]].manual(case["model"], case["query"]).hits]
    headings = [squeezed(section.heading) for section in hits]
    if expect.get("no_result"):
        assert headings == []
        return
    assert squeezed(expect.get("first", "")) in headings[0]
    assert not any(headings[0].startswith(other) for other in expect.get("must_not_be_first", []))
    shown = [squeezed(f"{section.manual_id} {section.heading} {section.body}") for section in hits]
    wanted = expect.get("top3_contains", [])
    for text in [wanted] if isinstance(wanted, str) else wanted:
        if not text.endswith(".md"):
            assert any(squeezed(text) in one for one in shown), text
    if case["id"] == "pub-sea-19":  # 電池残量: the manual says バッテリー残量
        assert any("バッテリー残量" in one for one in shown)
