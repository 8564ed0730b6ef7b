"""Three hundred mutated files; tests/bench/fuzz_import.py runs thousands."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).resolve().parents[1] / "bench" / "fuzz_import.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_import", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_mutated_files_break_nothing(tmp_path: Path) -> None:
    found = script().run(300, seed=2026, work=tmp_path)
    assert found.broken == []
    assert found.outcomes["read"] > 30
    assert len(found.outcomes) > 5
