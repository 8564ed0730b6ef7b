"""A document's blocks cut into sections: one a heading, long ones cut further, one for each row of a code table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from desktop.domain.text import find_codes, fold_code
from desktop.importing.alias_list import column_key
from desktop.importing.blocks import Block, BlockKind
from desktop.importing.headings import MARK_LEVEL, heading_line, heading_number

_LONGEST = 3_000
_CODE_COLUMN = re.compile(
    r"(?:エラー|アラーム|異常|警報|故障|トラブル|表示)?(?:コード|番号|no\.?|№|code|number|id)|エラー|アラーム|(?:error|alarm|fault)(?:code|number|no|id)?|表示|(?:error|alarm)code.*"
)
_ABOUT_CODES = re.compile(
    r"エラー|アラーム|異常|警報|警告|故障|トラブル|コード|error|alarm|fault|trouble|code", re.IGNORECASE
)
_BODY_CODE = re.compile(
    r"^[・\-*\s]*(?:エラー|アラーム|異常|警報|error|alarm)?(?:番号|コード|no|code|number)\s*[:：]\s*(\S.{0,30})$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE_NUMBER = re.compile(r"(\d{1,6})(?:[ 　:：]|$)")
_BARE_CODE = re.compile(r"([A-Z]{2,4}|\d{2,6}(?:[ ]?[~～〜-][ ]?\d{2,6})?|\d{1,5}[xX]{1,3})[ 　:：](?=[^\x00-\x7f])")
_RANGE_SIGN = re.compile(r"\s*(?:[~～〜-]|から|to)\s*$")
_PLAIN_DIGITS = (
    3  # a bare number this long at the head of a section of an error list is a code, "4 エラー一覧" is a chapter
)
_FACET = re.compile(
    r"[■◆□◇▼▶【〔《［\s]*(?:意味|内容|概要|原因|要因|考えられる原因|推定原因|処置|処置方法|対策|対処|対処方法|復旧|復旧方法|解除|解除方法|現象|症状|状態|安全|注意|警告"
    r"|部品|交換部品|確認|点検|参照|手順|備考|補足|meaning|causes?|remedy|remedies|action|actions|solutions?|symptoms?|reset|notes?)[】〕》］:：\s]*",
    re.IGNORECASE,
)
_PART_COLUMN = re.compile("部品|品番|図番|part|型番|型式")


@dataclass(slots=True)
class Piece:
    """A section before it has a manual: `number` is the heading's own, `codes` as printed."""

    heading_path: tuple[str, ...]
    body: str
    page: int | None
    number: str = ""
    codes: tuple[str, ...] = ()
    by_ocr: bool = False


@dataclass(slots=True)
class _Open:
    """The section being filled."""

    path: tuple[str, ...]
    page: int | None
    parts: list[tuple[str, int | None]] = field(default_factory=list)
    rows: list[Piece] = field(default_factory=list)


def cut(blocks: Sequence[Block], own_names: frozenset[str], ocr_pages: frozenset[int] = frozenset()) -> list[Piece]:
    """Sections in reading order. `own_names` (fold_code of the manual's models) are never error codes.

    A section with anything from one of `ocr_pages` in it is marked as read by OCR.
    """
    cutter = _Cutter(own_names, _title(blocks), ocr_pages)
    for block in blocks:
        cutter.take(block)
    return cutter.finish()


def _title(blocks: Sequence[Block]) -> str:
    """The only first-level heading, when it comes first, is the document's title and no chapter."""
    tops = [block for block in blocks if block.kind is BlockKind.HEADING and block.level == 1]
    first = next((block for block in blocks if block.kind is BlockKind.HEADING), None)
    deeper = any(block.level > 1 for block in blocks if block.kind is BlockKind.HEADING)
    return tops[0].text if len(tops) == 1 and first is tops[0] and deeper and not heading_number(tops[0].text) else ""


class _Cutter:
    def __init__(self, own_names: frozenset[str], title: str, ocr_pages: frozenset[int]) -> None:
        self._own, self._title, self._ocr_pages = own_names, title, ocr_pages
        self._stack: list[tuple[int, str]] = []
        self._open = _Open((), None)
        self._done: list[Piece] = []

    def take(self, block: Block) -> None:
        match block.kind:
            case BlockKind.HEADING:
                self._start(block.text, block.level, block.page)
            case BlockKind.TABLE:
                self._table(block)
            case BlockKind.TEXT:
                self._text(block)

    def finish(self) -> list[Piece]:
        self._close()
        return self._done

    def _start(self, text: str, level: int, page: int | None) -> None:
        """■原因 and its like below a code's heading are lines of that section, so that a code keeps its remedy."""
        if _FACET.fullmatch(text) and self._stack and level > self._stack[-1][0] and self._codes(self._open.path, ""):
            self._add(text, page)
            return
        self._close(deeper=bool(self._stack) and level > self._stack[-1][0])
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, text))
        path = tuple(name for _, name in self._stack if name != self._title or len(self._stack) == 1)
        self._open = _Open(path, page)

    def _text(self, block: Block) -> None:
        """Marked lines (■, 【】) are headings in every format."""
        body: list[str] = []
        for line in block.text.split("\n"):
            found = heading_line(line)
            if found and found.level >= MARK_LEVEL:
                self._add("\n".join(body), block.page)
                body = []
                self._start(found.text, found.level, block.page)
            else:
                body.append(line)
        self._add("\n".join(body), block.page)

    def _add(self, text: str, page: int | None) -> None:
        if text.strip():
            self._open.page = self._open.page or page
            self._open.parts.append((text, page))

    def _table(self, block: Block) -> None:
        self._add(block.text or "\n".join(" | ".join(row) for row in block.rows), block.page)
        column = _code_column(block, self._open.path)
        if column is not None:
            self._open.rows += [
                _row_piece(block, row, column, self._open.path) for row in block.rows[1:] if row[column]
            ]

    def _close(self, *, deeper: bool = False) -> None:
        """A heading with nothing under it but `deeper` headings is no section; it lives on in their paths.

        One with nothing under it at all stays a section without a body, because no line of a manual may be lost.
        """
        done = self._open
        heading = done.path[-1] if done.path else ""
        body = "\n".join(text for text, _ in done.parts)
        codes = self._codes(done.path, body)
        number = heading_number(heading)
        by_ocr = not self._ocr_pages.isdisjoint({done.page, *(page for _, page in done.parts)})
        if done.parts or codes or (heading and not deeper):
            for part, (text, page) in enumerate(_split(done.parts, done.page)):
                path = done.path if part == 0 else (*done.path[:-1], f"{heading}（続き{part}）") if heading else ()
                self._done.append(Piece(path, text, page, number if part == 0 else "", codes, by_ocr))
        self._done += [replace(row, by_ocr=by_ocr) for row in done.rows]
        self._open = _Open((), None)

    def _codes(self, path: tuple[str, ...], body: str) -> tuple[str, ...]:
        return tuple(code for code in section_codes(path, body, self._title) if fold_code(code) not in self._own)


def _split(parts: list[tuple[str, int | None]], page: int | None) -> Iterator[tuple[str, int | None]]:
    """Bodies up to the limit, cut between blocks or lines; each with the page it begins on."""
    body: list[str] = []
    size, start = 0, page
    for text, at in _lines_of(parts):
        if size + len(text) > _LONGEST and body:
            yield "\n".join(body), start
            body, size, start = [], 0, at or page
        body.append(text)
        size += len(text)
    yield "\n".join(body), start


def _lines_of(parts: list[tuple[str, int | None]]) -> Iterator[tuple[str, int | None]]:
    for text, page in parts:
        if len(text) <= _LONGEST:
            yield text, page
            continue
        for line in text.split("\n"):
            for start in range(0, max(1, len(line)), _LONGEST):
                yield line[start : start + _LONGEST], page


def _code_column(block: Block, path: tuple[str, ...]) -> int | None:
    """Which column of a table holds error codes; None when it is another kind of table."""
    head, rows = block.rows[0] if block.rows else (), block.rows[1:]
    if not rows or any(_PART_COLUMN.search(cell) for cell in head[:2]):
        return None
    for column, name in enumerate(head):
        if not _CODE_COLUMN.fullmatch(column_key(name)):
            continue
        cells = [row[column] for row in rows if row[column]]
        coded = sum(bool(find_codes(f"コード {cell}")) for cell in cells)
        if (
            cells
            and coded * 3 >= len(cells) * 2
            and (column_key(name) not in ("番号", "no", "id", "表示") or _about(path, head))
        ):
            return column
    return None


def _about(path: tuple[str, ...], head: Sequence[str]) -> bool:
    return any(_ABOUT_CODES.search(text) for text in (*path, *head))


def _row_piece(block: Block, row: tuple[str, ...], column: int, path: tuple[str, ...]) -> Piece:
    code = row[column]
    others = [
        (name, cell)
        for index, (name, cell) in enumerate(zip(block.rows[0], row, strict=False))
        if index != column and cell
    ]
    title = f"{code} {others[0][1]}" if others else code
    body = "\n".join(
        [f"{block.rows[0][column]}：{code}", *(f"{name}：{cell}" if name else cell for name, cell in others)]
    )
    return Piece((*path, " ".join(title.split())), body, block.page, fold_code(code), (code,))


def section_codes(path: tuple[str, ...], body: str, title: str = "") -> tuple[str, ...]:
    """The codes a section is about, as printed: those of its heading, and those it declares (アラーム番号: 16)."""
    heading = path[-1] if path else ""
    number = heading_number(heading)
    words = heading[heading.find(number) + len(number) :].lstrip("章節項部編.．: 　") if number else heading
    about = any(_ABOUT_CODES.search(name) for name in (title, *path))
    declared = [match[1].strip() for match in _BODY_CODE.finditer(body[:600])]
    bare = _BARE_NUMBER.match(heading)
    if bare and (bare[1] in declared or (about and len(bare[1]) >= _PLAIN_DIGITS)):
        return (bare[1],)
    found = _joined_ranges(words)
    if not found and about and (bare := _BARE_CODE.match(words)):
        found = [bare[1]]
    if not found:
        found = [code for code in declared if find_codes(f"コード {code}")]
    return tuple(Counter(found))


def _joined_ranges(text: str) -> list[str]:
    """Codes of a heading; two with ～ between are one printed range."""
    codes = find_codes(text)
    joined: list[str] = []
    end = 0
    for index, code in enumerate(codes):
        between = text[end : code.start]
        if index and joined and _RANGE_SIGN.match(between):
            joined[-1] = f"{joined[-1]}～{code.text}"
        else:
            joined.append(code.text)
        end = code.end
    return joined
