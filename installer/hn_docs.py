"""Writes HN.md, what to do about every number that a screen can show, from the one catalogue of errors.

`python installer/hn_docs.py` writes, and enters new numbers into tests/golden/hn_numbers.txt; the tests compare, so
that no number goes undocumented, and none is ever changed or given to another code.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "installer" / "HN.md"
NUMBERS = ROOT / "tests" / "golden" / "hn_numbers.txt"
_HEAD = {
    "ja": """\
# HN 番号一覧（情シス向け）

このファイルは resources/hn.toml から作られます（python installer/hn_docs.py）。手で直さないでください。

- 画面とコマンドのエラーには「HN-101」の形の番号と、下の「情シスがすること」が付きます。電話では番号だけ聞けば引けます。
- 番号は版が変わっても変わらず、ほかの意味に使い直すこともありません。
- `{file}` などの波括弧には、そのときの値が入ります。

| 番号 | コード | 画面に出る文 | 情シスがすること |
|---|---|---|---|
""",
    "en": """\
# HN numbers (English)

- Every error on screen and of a command carries a number like "HN-101" and what the last column says.
- A number keeps its meaning in all versions and is never given to another.
- Words in braces such as `{file}` are filled in.

| Number | Code | What the person sees | What IT does |
|---|---|---|---|
""",
}
LAUNCHER = "launcher"
"""Shown by the launcher itself (launcher/launcher.c) before there is a Python to read any catalogue."""
_LAUNCHER_NUMBER = 850
_LAUNCHER_WORDS = {
    "ja": (
        "保全ナビを起動できません（HN-850）。",
        "同じ版のインストーラーで修復する。ウイルス対策や AppLocker が runtime フォルダーを遮断していないかも見る。",
    ),
    "en": (
        "Hozen Navi cannot start (HN-850).",
        "Repair it with the same version's installer; see whether antivirus or AppLocker blocks the runtime folder.",
    ),
}


def reference() -> str:
    """The whole file: every number in both languages, in order."""
    return "\n".join(_HEAD[language] + "".join(_rows(language)) for language in ("ja", "en"))


def numbers() -> Mapping[str, int]:
    """Every code's number."""
    return {**{code: entry["hn"] for code, entry in _by_code("hn.toml").items()}, LAUNCHER: _LAUNCHER_NUMBER}


def recorded() -> Mapping[str, int]:
    """Every number ever given, also those whose code is gone."""
    lines = NUMBERS.read_text(encoding="utf-8").splitlines()
    return {code: int(number) for number, code in (line.split() for line in lines)}


def _rows(language: str) -> Iterator[str]:
    sentences, for_it = _by_code(f"messages.{language}.toml"), _by_code("hn.toml")
    for code, number in sorted(numbers().items(), key=lambda known: known[1]):
        known = code != LAUNCHER
        seen, done = (sentences[code]["text"], for_it[code][language]) if known else _LAUNCHER_WORDS[language]
        yield f"| HN-{number:03} | `{code}` | {_cell(seen)} | {_cell(done)} |\n"


def _by_code(name: str) -> Mapping[str, Any]:
    """A catalogue's entries; its tables only group them."""
    tables = tomllib.loads((ROOT / "resources" / name).read_text(encoding="utf-8"))
    return {code: entry for table in tables.values() for code, entry in table.items()}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the file and enter numbers that are new."""
    given = recorded()
    new = {code: number for code, number in numbers().items() if code not in given}
    lines = sorted(f"{number:03} {code}" for code, number in {**given, **new}.items())
    NUMBERS.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    REFERENCE.write_text(reference(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
