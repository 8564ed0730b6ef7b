"""The largest parts of the program folder, for whoever asks where the megabytes go."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from steps.commands import megabytes, tree_size

_SHOWN = 10


def table(program: Path) -> str:
    """The ten largest parts (a package, an archive or a library of the runtime), then the whole."""
    parts: Counter[str] = Counter()
    for file in program.rglob("*"):
        if file.is_file():
            path = file.relative_to(program)
            depth = 3 if path.parts[0] == "app" else 2
            parts["/".join(path.parts[:depth])] += file.stat().st_size
    lines = [f"{megabytes(size):>10}  {name}" for name, size in parts.most_common(_SHOWN)]
    return "\n".join([*lines, f"{megabytes(tree_size(program)):>10}  whole", ""])
