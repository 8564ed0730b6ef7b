"""Real files of other projects read as people expect (files/README.md says whose they are)."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import KnownError
from desktop.importing.inspection import inspect_file
from desktop.importing.request import ReadRequest

FILES = Path(__file__).parent / "files"
CASES = json.loads((FILES / "cases.json").read_text(encoding="utf-8"))["cases"]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def read(case: dict[str, Any]) -> dict[str, Any]:
    return inspect_file(FILES / case["file"], ReadRequest(rows=None, password=case["password"]))


def by_kind(kind: str) -> list[Any]:
    return [
        pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind and "error" not in case["expect"]
    ]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if "error" in case["expect"]])
def test_a_protected_file_is_named_as_such(case: dict[str, Any]) -> None:
    with pytest.raises(KnownError) as caught:
        read(case)
    assert caught.value.code == "file_password"


@pytest.mark.parametrize("case", by_kind("import"))
def test_a_table_is_shown_as_found(case: dict[str, Any]) -> None:
    shown, expected = read(case), case["expect"]
    if expected.get("encoding_named"):
        assert shown["encoding"]
        assert not any(text in json.dumps(shown, ensure_ascii=False) for text in expected["text_absent"])
        return
    assert [squeezed(name) for name in shown["columns"]] == [squeezed(name) for name in expected["columns"]]
    assert (shown["n_rows"], shown["header_row"]) == (expected["n_rows"], case["header_row"])
    for cell in expected["cells"]:
        name = cell["column"]
        keys = [squeezed(column) for column in shown["columns"]]
        at = name if isinstance(name, int) else keys.index(squeezed(name))
        assert shown["rows"][cell["row"]][at].replace("\r\n", "\n") == cell["value"]


@pytest.mark.parametrize("case", by_kind("pdf"))
def test_a_pdf_gives_its_text(case: dict[str, Any]) -> None:
    shown, expected = read(case), case["expect"]
    text = squeezed("".join(page["text"] for page in shown["pages"]))
    assert all(squeezed(wanted) in text for wanted in expected.get("text_contains", []))
    assert not any(squeezed(unwanted) in text for unwanted in expected.get("text_absent", []))
    assert len(shown["pages"]) == expected.get("pages", len(shown["pages"]))
