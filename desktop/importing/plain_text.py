"""Plain text manuals as blocks: headings only by their look."""

from __future__ import annotations

from pathlib import Path

from desktop.importing.blocks import Block, Document, heading, text_block
from desktop.importing.chapters import chapter_lines
from desktop.importing.headings import heading_line
from desktop.importing.html import read_text
from desktop.importing.markdown import split_front_matter


def read_plain_text(path: Path, encoding: str = "") -> Document:
    """The whole file; "1 概要" is a chapter where the numbering makes it one, else a numbered step of its section."""
    text, name = read_text(path, encoding)
    meta, body = split_front_matter(text)
    lines = body.split("\n")
    return Document(tuple(line_blocks(lines)), meta=meta, encoding=name, media_type="text/plain")


def line_blocks(lines: list[str]) -> list[Block]:
    """Lines grouped into text under the headings found among them."""
    blocks: list[Block] = []
    body: list[str] = []
    chapters = chapter_lines(lines)
    for at, line in enumerate([*lines, ""]):
        found = heading_line(line, single_numbers=at in chapters)
        if found and body:
            blocks.append(text_block("\n".join(body)))
            body = []
        if found:
            blocks.append(heading(found.text, found.level))
        else:
            body.append(line.rstrip())
    return [*blocks, text_block("\n".join(body))] if any(map(str.strip, body)) else blocks
