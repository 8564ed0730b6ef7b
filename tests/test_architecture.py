"""The house rules a linter can't say: sizes, one language per catalogue, and what a process must not load."""

import ast
import string
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from desktop import errors, paths

PACKAGE = Path(errors.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
FORBIDDEN_NAMES = {"utils.py", "util.py", "helpers.py", "manager.py", "common.py", "misc.py"}


def test_no_module_is_longer_than_400_lines_and_no_room_is_a_lumber_room() -> None:
    lengths = {str(file.relative_to(PACKAGE)): len(file.read_text(encoding="utf-8").splitlines()) for file in MODULES}
    assert {name: length for name, length in lengths.items() if length > 400} == {}
    assert FORBIDDEN_NAMES.isdisjoint(file.name for file in MODULES)


def test_no_function_is_longer_than_60_lines() -> None:
    long = {}
    for file in MODULES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno and node.end_lineno - node.lineno + 1 > 60:
                long[f"{file.relative_to(PACKAGE)}:{node.name}"] = node.end_lineno - node.lineno + 1
    assert long == {}


def test_every_module_says_its_purpose() -> None:
    silent = [str(file) for file in MODULES if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))]
    assert silent == []


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_message_exists_once_in_both_languages_with_the_same_fields() -> None:
    catalogues = {}
    for language in errors.LANGUAGES:
        tables = tomllib.loads(paths.resource(f"messages.{language}.toml").read_text(encoding="utf-8"))
        codes = [code for table in tables.values() for code in table]
        assert len(codes) == len(set(codes))
        catalogues[language] = {code: entry for table in tables.values() for code, entry in table.items()}
    japanese, english = catalogues["ja"], catalogues["en"]
    assert japanese.keys() == english.keys()
    for code, entry in japanese.items():
        assert entry["exit"] in (1, 2, 3, 4, 5), code
        assert entry["exit"] == english[code]["exit"], code
        assert fields(entry["text"]) == fields(english[code]["text"]), code


def raised_codes() -> set[str]:
    """Every code that stands literally in a KnownError(…) call."""
    nodes = (node for file in MODULES for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    calls = (node for node in nodes if isinstance(node, ast.Call) and node.args)
    firsts = (call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "KnownError")
    return {str(first.value) for first in firsts if isinstance(first, ast.Constant)}


def test_every_known_error_has_its_sentence() -> None:
    assert raised_codes() <= errors.known_codes()


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("desktop.cli", ("PySide6", "anthropic")),
        ("desktop.services.ask", ("PySide6", "anthropic")),
        ("desktop.wiring", ("PySide6", "anthropic")),
        ("desktop.app", ("anthropic", "duckdb")),
    ],
)
def test_a_process_that_imports_this_does_not_load_that(module: str, absent: tuple[str, ...]) -> None:
    program = f"import sys, {module}; print([name for name in {absent!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_each_library_is_named_in_its_own_rooms_and_every_other_room_is_held_to_it() -> None:
    contracts = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    rooms = {f"desktop.{place.stem}" for place in PACKAGE.iterdir() if place.name[0] != "_"}
    free = {
        library: rooms - set(contract["source_modules"])
        for contract in contracts["contracts"]
        for library in contract.get("forbidden_modules", ())
        if not library.startswith("desktop.") and "containers" not in contract and len(contract["source_modules"]) > 1
    }
    named = {library: {room.removeprefix("desktop.") for room in places} for library, places in free.items()}
    assert named == {
        "PySide6": {"app", "start_failure", "ui", "workers"},
        "duckdb": {"store"},
        "apsw": {"store"},
        "sqlite3": {"store"},
        "anthropic": {"agent"},
        "keyring": {"credentials"},
        "httpx2": {"agent", "net", "net_probe", "sync"},
        "cryptography": {"escrow"},
        "reportlab": {"pdf_sheet"},
    }
