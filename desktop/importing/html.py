"""HTML: its tables as rows of text, and its document as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement, PreformattedString

from desktop.errors import KnownError
from desktop.importing.blocks import Block, Document, heading, table_block, text_block
from desktop.importing.encodings import find_encoding

_MOST_SPAN = 200
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_BREAKS = _HEADINGS | {
    "p", "div", "li", "ul", "ol", "table", "section", "article", "header", "footer", "dl", "dt", "dd", "pre",
    "blockquote", "hr", "figure", "figcaption", "main", "aside", "body", "details", "summary",
}  # fmt: skip


def read_tables(path: Path) -> list[tuple[Callable[[], Iterator[tuple[int, list[str]]]], str]]:
    """Every table's rows (row numbers count the table's own from 1) and the file's encoding."""
    text, encoding = read_text(path)
    soup = BeautifulSoup(text, "html.parser")
    found = []
    for table in soup.find_all("table"):
        rows = table_rows(table)
        if rows:
            found.append((_replay(rows), encoding))
    if not found:
        raise KnownError("table_empty", file=path.name)
    return found


def read_text(path: Path, wanted: str = "") -> tuple[str, str]:
    """The whole text file, newlines as \\n, and its encoding's name."""
    encoding = find_encoding(path, wanted)
    text = path.read_text(encoding=encoding.name).replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    return text, encoding.name


def table_rows(table: Tag) -> list[list[str]]:
    """A table's cells; a cell over several columns or rows stands in its first only."""
    rows = []
    for row in table.find_all("tr"):
        if row.find_parent("table") is not table:
            continue
        cells: list[str] = []
        for cell in row.find_all(["td", "th"], recursive=False):
            span = str(cell.get("colspan", "1"))
            cells += [
                cell.get_text(" ", strip=True),
                *[""] * (min(_MOST_SPAN, int(span)) - 1 if span.isdecimal() else 0),
            ]
        rows.append(cells)
    return rows


def _replay(rows: list[list[str]]) -> Callable[[], Iterator[tuple[int, list[str]]]]:
    return lambda: ((number, list(cells)) for number, cells in enumerate(rows, start=1))


def read_html(path: Path, encoding: str = "") -> Document:
    """The whole page as blocks; scripts, styles and navigation left out."""
    text, name = read_text(path, encoding)
    return html_document(text, encoding=name, media_type="text/html")


def html_document(text: str, *, encoding: str | None, media_type: str) -> Document:
    """HTML text (a file's, or what a DOCX became) as blocks in reading order."""
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup(["script", "style", "noscript", "nav", "template", "svg"]):
        tag.decompose()
    for ruby in soup(["rt", "rp"]):
        ruby.decompose()
    for caption in soup("caption"):
        caption.name = "p"
        if table := caption.find_parent("table"):
            table.insert_before(caption.extract())
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    meta = {"title": title} if title else {}
    if soup.title:
        soup.title.decompose()
    return Document(tuple(_blocks(soup)), meta=meta, encoding=encoding, media_type=media_type)


def _blocks(root: Tag) -> Iterator[Block]:
    """Walks without recursion, because a hostile page nests deeper than Python may."""
    pending: list[str] = []
    position: PageElement | None = root
    while position is not None:
        whole = None
        if isinstance(position, Tag):
            if position.name in _BREAKS and (text := _joined(pending)):
                yield text_block(text)
            whole = _whole(position)
            pending.append(_mark(position))
        elif isinstance(position, NavigableString) and not isinstance(position, PreformattedString):
            pending.append(str(position))
        if whole:
            yield whole
        position = _after(position) if whole else _next(position)
    if text := _joined(pending):
        yield text_block(text)


def _whole(tag: Tag) -> Block | None:
    """Headings and tables are one block with all that is in them."""
    if tag.name in _HEADINGS:
        return heading(tag.get_text(" ", strip=True), int(tag.name[1]))
    return table_block(table_rows(tag)) if tag.name == "table" else None


def _mark(tag: Tag) -> str:
    """What a tag adds to the text by itself: a line break, a list item's mark."""
    if tag.name == "br":
        return "\n"
    return _list_mark(tag) if tag.name == "li" else ""


def _next(element: PageElement) -> PageElement | None:
    """The element that follows in the page; bs4's own chain breaks where something was taken out."""
    return element.contents[0] if isinstance(element, Tag) and element.contents else _after(element)


def _after(tag: PageElement) -> PageElement | None:
    """The next element that is not inside `tag`."""
    position: PageElement | None = tag
    while position is not None:
        if position.next_sibling is not None:
            return position.next_sibling
        position = position.parent
    return None


def _joined(pending: list[str]) -> str:
    """The text met since the last break, its lines trimmed; empties the list."""
    text = "".join(pending)
    pending.clear()
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _list_mark(item: Tag) -> str:
    if item.parent is None or item.parent.name != "ol":
        return "・"
    before = sum(1 for sibling in item.previous_siblings if isinstance(sibling, Tag) and sibling.name == "li")
    return f"{before + 1}. "
