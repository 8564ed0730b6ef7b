"""A document between its file format and its sections: blocks in reading order, and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class BlockKind(StrEnum):
    """HEADING has a level (1 = chapter); TEXT is one or more lines; TABLE has rows, the first its head."""

    HEADING = "heading"
    TEXT = "text"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document; `page` is the physical page from 1, None where a format has none."""

    kind: BlockKind
    text: str = ""
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page: physical number from 1, the label printed on it, its text with line breaks."""

    number: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """What a format reader found; `meta` is front matter or document properties, keys as written."""

    blocks: tuple[Block, ...]
    pages: tuple[Page, ...] = ()
    pages_without_text: tuple[int, ...] = ()
    pages_by_ocr: tuple[int, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    encrypted: bool = False
    media_type: str = ""
    warnings: tuple[str, ...] = ()


def heading(text: str, level: int, page: int | None = None) -> Block:
    return Block(BlockKind.HEADING, " ".join(text.split()), level, page=page)


def text_block(text: str, page: int | None = None) -> Block:
    return Block(BlockKind.TEXT, text.strip("\n"), page=page)


def table_block(rows: list[list[str]], page: int | None = None) -> Block:
    """A table; rows as wide as the widest, wholly blank rows left out."""
    width = max(map(len, rows), default=0)
    kept = [tuple(" ".join(cell.split()) for cell in [*row, *[""] * (width - len(row))]) for row in rows if any(row)]
    return Block(BlockKind.TABLE, rows=tuple(kept), page=page)
