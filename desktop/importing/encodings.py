"""Which encoding a text file is in, by a fixed ladder and never by statistics."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import KnownError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 20
_SAMPLE = 1 << 16
_CONTROL = bytes(set(range(32)) - set(b"\t\r\n\f\x1b\0"))
_MOST_NULS = 0.01
_MOST_CONTROLS = 0.02


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """`name` is Python's codec and what people are shown; `nuls` counts stray NUL bytes that reading leaves out."""

    name: str
    nuls: int = 0


def find_encoding(path: Path, wanted: str = "") -> TextEncoding:
    """The first rung that decodes the whole file strictly; `wanted` (a person's say) is the only rung when given.

    BOM, NUL pattern (UTF-16), ISO-2022-JP escapes, UTF-8, CP932. Raises KnownError text_encoding_unknown,
    text_encoding_wrong (the BOM or `wanted` lies), text_is_binary.
    """
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    if wanted:
        return TextEncoding(_require(path, _codec(wanted, path)), _nuls(path, wanted))
    for mark, name in _BOMS:
        if head.startswith(mark):
            return TextEncoding(_require(path, name), _nuls(path, name))
    wide = _wide(head)
    if wide and _decodes(path, wide):
        return TextEncoding(wide)
    nuls = _nuls(path, "")
    if (head.count(0) > _MOST_NULS * len(head) and nuls > 2) or _control_share(head) > _MOST_CONTROLS:
        raise KnownError("text_is_binary", file=path.name)
    rungs = ("iso2022_jp_2", "utf-8", "cp932") if b"\x1b$" in head else ("utf-8", "cp932")
    for name in rungs:
        if _decodes(path, name):
            return TextEncoding(name, nuls)
    row, name = max((_broken_line(path, name), name) for name in rungs)
    raise KnownError("text_encoding_unknown", file=path.name, row=row, encoding=name)


def _codec(name: str, path: Path) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise KnownError("text_encoding_wrong", file=path.name, encoding=name) from error


def _require(path: Path, name: str) -> str:
    if not _decodes(path, name):
        raise KnownError("text_encoding_wrong", file=path.name, encoding=name)
    return name


def _decodes(path: Path, name: str) -> bool:
    decoder = codecs.getincrementaldecoder(name)("strict")
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True


def _broken_line(path: Path, name: str) -> int:
    """The line, from 1, at which decoding fails."""
    decoder = codecs.getincrementaldecoder(name)("strict")
    lines = 1
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                return lines + error.object[: error.start].count(b"\n")
            lines += chunk.count(b"\n")
    return lines


def _wide(head: bytes) -> str:
    """UTF-16 without a mark: ASCII's NULs stand all on one side."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    least = max(1, len(head) // 100)
    if odd >= least and not even:
        return "utf-16-le"
    return "utf-16-be" if even >= least and not odd else ""


def _nuls(path: Path, name: str) -> int:
    """Stray NULs; in UTF-16 and UTF-32 they are part of the letters."""
    if name.startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        return 0
    total = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            total += chunk.count(0)
    return total


def _control_share(head: bytes) -> float:
    return (len(head) - len(head.translate(None, _CONTROL))) / max(1, len(head))
