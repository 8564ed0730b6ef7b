"""Mutated files over every reader: no crash of the program, no hang, no error without a sentence, bounded memory.

    python tests/bench/fuzz_import.py [--files 10000] [--seed 1] [--keep DIR]

Prints files, how each kind of outcome was reached, the slowest file, the child's peak memory. Exit 1 if anything broke.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from desktop import errors, paths
from desktop.domain.ledger import Equipment, MaintenanceRecord, Manual, ManualSection
from desktop.errors import KnownError
from desktop.importing.reader import ReaderProcess
from desktop.importing.request import ReadRequest
from desktop.importing.values import Value, read_values

FILES = Path(__file__).resolve().parents[1] / "importing" / "files"
SLOWEST_SECONDS = 10.0
_SUFFIXES = (".csv", ".txt", ".md", ".html", ".pdf", ".xlsx", ".xls", ".docx", ".ods", ".tsv", ".toml", "")
_BITS = (
    b'"',
    b",",
    b"\r\n",
    b"\0",
    b"\x1b$B",
    b"\xff\xfe",
    b"\x81",
    b"<table>",
    b"</td>",
    b"%PDF-",
    b"PK\x03\x04",
    b"|---|",
    b"- ",
)
_LARGEST_SEED = 60_000
_NOT_OURS = ("PanicException", "rust_oom", "memory allocation of", "RUST_BACKTRACE")


@dataclass(slots=True)
class Found:
    """What a run of the fuzzer met."""

    outcomes: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    peak_kilobytes: int = 0


def seeds() -> list[Path]:
    """The sample plant's files, the lists and real files of other projects, small enough to be mutated many times."""
    lists = [paths.resource("column_aliases.toml"), paths.resource("safety_rules.toml")]
    found = [*sorted(paths.sample_plant().rglob("*")), *sorted(FILES.glob("*")), *lists]
    return [path for path in found if path.is_file() and path.stat().st_size < _LARGEST_SEED]


def mutated(content: bytes, name: str, rng: random.Random) -> tuple[str, bytes]:
    """One file made worse in one to four ways; workbooks are often mutated inside their archive."""
    if content.startswith(b"PK") and rng.random() < 0.6:
        content = _inside(content, rng)
    else:
        for _ in range(rng.randint(1, 4)):
            content = _one(content, rng)
    suffix = rng.choice(_SUFFIXES) if rng.random() < 0.25 else Path(name).suffix
    return f"{Path(name).stem}{suffix}", content


def _one(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    length = rng.choice((1, 2, 8, 64, 512, 4096))
    match rng.randrange(7):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + content[at + length :]
        case 2:
            return content[:at] + rng.randbytes(length) + content[at + length :]
        case 3:
            return content[:at] + rng.choice(_BITS) * rng.choice((1, 3, 200)) + content[at:]
        case 4:
            return content[:at] + content[at : at + length] * rng.choice((2, 50)) + content[at:]
        case 5:
            other = rng.randrange(len(content) + 1)
            return content[:at] + content[other : other + length] + content[at:]
        case _:
            return bytes(byte ^ (1 << rng.randrange(8)) if rng.random() < 0.002 else byte for byte in content)


def _inside(content: bytes, rng: random.Random) -> bytes:
    """A member of the archive mutated, the archive itself whole, so that the reader behind it is reached."""
    with tempfile.TemporaryFile() as old, tempfile.TemporaryFile() as new:
        old.write(content)
        with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as target:
            names = [member.filename for member in source.infolist()]
            chosen = rng.choice(names)
            for name in names:
                member = source.read(name)
                target.writestr(name, _one(member, rng) if name == chosen else member)
        new.seek(0)
        return new.read()


def files(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    rng = random.Random(seed)
    contents = [(path.name, path.read_bytes()) for path in seeds()]
    for number in range(count):
        name, content = rng.choice(contents)
        name, content = mutated(content, name, rng)
        yield f"{number:05}_{name}", content


def run(count: int, seed: int, work: Path, keep: Path | None = None) -> Found:
    found, words = Found(), _LastWords()
    logger = logging.getLogger("desktop.importing.reader")
    logger.addHandler(words)
    try:
        _run_all(count, seed, work, keep, found, words)
    finally:
        logger.removeHandler(words)
    return found


def _run_all(count: int, seed: int, work: Path, keep: Path | None, found: Found, words: _LastWords) -> None:
    with ReaderProcess() as reader:
        for name, content in files(count, seed):
            file = work / name
            file.write_bytes(content)
            started = time.perf_counter()
            problem = _read(reader, file, work / "values.jsonl", found, words)
            seconds = time.perf_counter() - started
            found.slowest = max(found.slowest, (seconds, name))
            if seconds > SLOWEST_SECONDS:
                problem = problem or f"took {seconds:.1f} s"
            if problem:
                found.broken.append(f"{name}: {problem}")
                if keep:
                    (keep / name).write_bytes(content)
            file.unlink()
            found.peak_kilobytes = max(found.peak_kilobytes, _peak(reader))


def _ours(error: KnownError, words: _LastWords) -> str:
    """A hang, or a death by our own code; a library's panic or too little memory is what a child is for."""
    if error.code == "file_reader_hung":
        return error.code
    if error.code == "file_reader_died" and not any(sign in words.last for sign in _NOT_OURS):
        return words.last[-300:]
    return ""


class _LastWords(logging.Handler):
    """What the reading process said when it died."""

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()


def _read(reader: ReaderProcess, file: Path, values: Path, found: Found, words: _LastWords) -> str:
    """ "" when the file was read or refused with a sentence, else what went wrong."""
    try:
        outcome = reader.read(file, ReadRequest(), values)
    except KnownError as error:
        found.outcomes[error.code] += 1
        if not errors.sentence(error) or not errors.sentence(error, "en"):
            return "no sentence"
        return _ours(error, words)
    kinds: tuple[type[Value], ...] = (Equipment, MaintenanceRecord, Manual, ManualSection)
    read = sum(1 for kind in kinds for _ in read_values(values, kind))
    found.outcomes["read"] += 1
    told = sum(report["accepted"] for report in outcome.reports)
    return "" if read <= told + len(outcome.reports) else f"{read} values, {told} told"


def _peak(reader: ReaderProcess) -> int:
    """The child's peak resident memory in KB, 0 where the system does not tell."""
    status = Path(f"/proc/{reader.pid}/status")
    if not status.exists():
        return 0
    lines = status.read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--files", type=int, default=10_000)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--keep", type=Path, help="a folder for the files that broke something")
    args = ask.parse_args()
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        started = time.perf_counter()
        found = run(args.files, args.seed, Path(work), args.keep)
        seconds = time.perf_counter() - started
    print(f"{args.files} files in {seconds:.0f} s, {len(found.broken)} broke something")
    for outcome, count in found.outcomes.most_common():
        print(f"  {outcome}: {count}")
    print(
        f"slowest {found.slowest[0]:.2f} s ({found.slowest[1]}), the child's peak {found.peak_kilobytes / 1024:.0f} MB"
    )
    for broken in found.broken[:40]:
        print(broken)
    return 1 if found.broken else 0


if __name__ == "__main__":
    sys.exit(main())
