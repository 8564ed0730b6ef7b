"""HN.md names every number that a screen can show, and no number ever changes its meaning."""

from __future__ import annotations

import re
from pathlib import Path

import hn_docs

LAUNCHER = Path(__file__).resolve().parents[2] / "installer" / "launcher" / "launcher.c"


def test_the_reference_is_what_the_catalogues_say() -> None:
    written = hn_docs.REFERENCE.read_text(encoding="utf-8")
    assert written == hn_docs.reference(), "run `python installer/hn_docs.py`"


def test_no_number_was_ever_changed_or_given_to_another_code() -> None:
    now, ever = hn_docs.numbers(), hn_docs.recorded()
    assert now.keys() <= ever.keys(), "run `python installer/hn_docs.py`"
    assert {code: ever[code] for code in now} == now
    assert len(set(ever.values())) == len(ever)


def test_both_halves_have_every_number_once_and_no_row_is_broken() -> None:
    halves = hn_docs.reference().split("# HN numbers (English)")
    for half in halves:
        rows = [line for line in half.splitlines() if line.startswith("| HN-")]
        assert len(rows) == len(hn_docs.numbers())
        assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_the_launcher_shows_the_number_that_the_reference_explains() -> None:
    (shown,) = re.findall(r"#define CANNOT_START_HN (\d+)", LAUNCHER.read_text(encoding="utf-8"))
    assert int(shown) == hn_docs.numbers()[hn_docs.LAUNCHER]
    assert hn_docs.reference().count(f"HN-{shown}") == 4
