"""Markdown manuals as blocks, front matter included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from desktop.importing.blocks import Block, Document, heading, table_block, text_block
from desktop.importing.html import html_document, read_text

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"([^\s:：#][^:：]{0,40})[:：][ \t]*(.*)$")
_ANCHOR = re.compile(r"[ \t]*\{#[^}]*\}[ \t]*$")
_MOST_NESTED = 30


def read_markdown(path: Path, encoding: str = "") -> Document:
    """The whole file; HTML, images and links in it keep only their words."""
    text, name = read_text(path, encoding)
    meta, body = split_front_matter(text)
    tokens = MarkdownIt("commonmark", {"maxNesting": _MOST_NESTED}).enable("table").parse(body)
    return Document(tuple(_blocks(tokens)), meta=meta, encoding=name, media_type="text/markdown")


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """(key: value lines between --- marks at the top, the rest)."""
    found = _FRONT.match(text)
    if not found:
        return {}, text
    pairs = (_KEY.match(line) for line in found[1].splitlines())
    meta = {pair[1].strip(): pair[2].strip().strip("'\"") for pair in pairs if pair}
    return meta, text[found.end() :]


def _blocks(tokens: list[Token]) -> Iterator[Block]:
    position, lists = 0, _Lists()
    while position < len(tokens):
        token = tokens[position]
        match token.type:
            case "heading_open":
                yield heading(_ANCHOR.sub("", inline_text(tokens[position + 1])), int(token.tag[1]))
                position += 2
            case "table_open":
                position, rows = _table(tokens, position)
                yield table_block(rows)
            case "inline" if text := inline_text(token):
                yield text_block(lists.prefix() + text)
            case "fence" | "code_block":
                yield text_block(token.content)
            case "html_block":
                yield from html_document(token.content, encoding=None, media_type="").blocks
            case _:
                lists.see(token)
        position += 1


class _Lists:
    """Numbers and bullets of the lists that are open, to be written before an item's first line."""

    def __init__(self) -> None:
        self._counts: list[int | None] = []
        self._fresh = False

    def see(self, token: Token) -> None:
        match token.type:
            case "ordered_list_open":
                self._counts.append(int(token.attrGet("start") or 1) - 1)
            case "bullet_list_open":
                self._counts.append(None)
            case "ordered_list_close" | "bullet_list_close":
                self._counts.pop()
            case "list_item_open":
                count = self._counts[-1]
                self._counts[-1] = None if count is None else count + 1
                self._fresh = True

    def prefix(self) -> str:
        if not self._fresh or not self._counts:
            return ""
        self._fresh = False
        count = self._counts[-1]
        indent = "  " * (len(self._counts) - 1)
        return f"{indent}・" if count is None else f"{indent}{count}. "


def inline_text(token: Token) -> str:
    """The words of an inline token: marks, links, images and HTML taken off, line breaks kept."""
    parts = []
    for child in token.children or ():
        match child.type:
            case "text" | "code_inline" | "image":
                parts.append(child.content)
            case "softbreak" | "hardbreak":
                parts.append("\n")
    return "".join(parts).strip()


def _table(tokens: list[Token], position: int) -> tuple[int, list[list[str]]]:
    rows: list[list[str]] = []
    while tokens[position].type != "table_close":
        token = tokens[position]
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(inline_text(token))
        position += 1
    return position, rows
