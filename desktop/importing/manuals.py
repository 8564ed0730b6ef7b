"""A manual read whole: who it is, its sections with refs, its pages; whatever format it came in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.domain.ledger import AppliesTo, Manual, ManualSection
from desktop.domain.text import fold_code
from desktop.errors import KnownError
from desktop.importing.blocks import Document, Page, heading, table_block
from desktop.importing.docx import read_docx
from desktop.importing.file_type import TABLES, FileType
from desktop.importing.front_matter import Identity, identify
from desktop.importing.header_row import find_header
from desktop.importing.html import read_html
from desktop.importing.markdown import read_markdown
from desktop.importing.pdf import read_pdf
from desktop.importing.plain_text import read_plain_text
from desktop.importing.request import ColumnMapping, Kind, ReadRequest
from desktop.importing.section_models import section_models
from desktop.importing.sections import Piece, cut
from desktop.importing.tables import first_table

_MOST_TABLE_ROWS = 50_000
_UNSAFE = re.compile(r"[\s#:/\\?%*|\"<>]+")


@dataclass(frozen=True, slots=True)
class ReadManual:
    """A manual as its file has it; ids and refs are final once services has seen what else there is."""

    models: tuple[str, ...]
    title: str
    revision: str
    old_revision: bool
    applies_to: AppliesTo
    cloud_allowed: bool
    sections: tuple[Piece, ...]
    pages: tuple[Page, ...]
    pages_without_text: tuple[int, ...]
    encoding: str | None
    encrypted: bool
    media_type: str
    warnings: tuple[str, ...]


def read_document(
    path: Path,
    file_type: FileType,
    request: ReadRequest,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> ReadManual:
    """The file as a manual; KnownError manual_empty when there is neither a section nor a page."""
    document = _document(path, file_type, request, progress)
    who = identify(document, path, request.model, request.known_models)
    own = frozenset(fold_code(model) for model in who.models)
    pieces = cut(document.blocks, own, frozenset(document.pages_by_ocr))
    if not pieces and not document.pages:
        raise KnownError("manual_empty", file=path.name)
    return ReadManual(
        who.models,
        who.title,
        who.revision,
        who.old_revision,
        who.applies_to,
        who.cloud_allowed,
        tuple(pieces),
        document.pages,
        document.pages_without_text,
        document.encoding,
        document.encrypted,
        document.media_type,
        (*document.warnings, *_doubts(who, document)),
    )


def manual_values(read: ReadManual, file_name: str, sha256: str) -> tuple[Manual, list[ManualSection]]:
    """The manual and its sections as domain values, under the id that its model and revision give."""
    manual_id = _manual_id(read, file_name)
    manual = Manual(
        manual_id=manual_id,
        models=read.models,
        title=read.title,
        revision=read.revision,
        old_revision=read.old_revision,
        applies_to=read.applies_to,
        file_name=file_name,
        file_sha256=sha256,
        media_type=read.media_type,
        n_pages=len(read.pages) or None,
        pages_without_text=read.pages_without_text,
        cloud_allowed=read.cloud_allowed,
    )
    labels = {page.number: page.label for page in read.pages}
    names = _section_names(read.sections)
    sections = [
        ManualSection(
            ref=f"manual:{manual_id}#{name}",
            manual_id=manual_id,
            models=section_models(read.models, [name for name in piece.heading_path if name != read.title], piece.body),
            heading_path=piece.heading_path or (read.title,),
            body=piece.body,
            ordinal=ordinal,
            page=piece.page,
            page_label=labels.get(piece.page) if piece.page else None,
            revision=read.revision,
            old_revision=read.old_revision,
            codes=piece.codes,
            read_by_ocr=piece.by_ocr,
        )
        for ordinal, (piece, name) in enumerate(zip(read.sections, names, strict=True))
    ]
    return manual, sections


def _document(path: Path, file_type: FileType, request: ReadRequest, progress: Callable[[int, int], None]) -> Document:
    match file_type:
        case FileType.PDF:
            return read_pdf(path, request.password, progress, ocr=request.ocr)
        case FileType.MARKDOWN:
            return read_markdown(path, request.mapping.encoding)
        case FileType.HTML:
            return read_html(path, request.mapping.encoding)
        case FileType.DOCX:
            return read_docx(path)
        case FileType.TEXT:
            return read_plain_text(path, request.mapping.encoding)
    return _code_list(path, file_type, request)


def _code_list(path: Path, file_type: FileType, request: ReadRequest) -> Document:
    """A table that is a manual: a list of error codes kept in Excel or CSV."""
    assert file_type in TABLES
    table = first_table(path, file_type, request)
    header = find_header(table, Kind.MANUAL, ColumnMapping(header_row=request.mapping.header_row))
    rows = [list(header.names)]
    for number, cells in table.rows():
        if number - 1 > header.last and any(map(str.strip, cells)):
            rows.append([*cells[: len(header.names)], *[""] * (len(header.names) - len(cells))])
        if len(rows) > _MOST_TABLE_ROWS:
            raise KnownError("table_too_large", file=path.name)
    blocks = (heading(path.stem, 1), table_block(rows))
    return Document(blocks, encoding=table.encoding, media_type="text/csv", warnings=table.warnings)


def _doubts(who: Identity, document: Document) -> list[str]:
    doubts = []
    if not who.models:
        doubts.append("型番が分かりません。取り込むときに型番を指定してください（--model）。")
    elif not who.sure:
        doubts.append(f"型番 {'、'.join(who.models)} は名前からの推定です。確かめてください。")
    if document.pages_without_text:
        pages = "、".join(map(str, document.pages_without_text[:20]))
        doubts.append(
            f"文字のないページ（画像のみ）：{pages}（{len(document.pages_without_text)}/{len(document.pages)}ページ）"
        )
    if document.pages_by_ocr:
        doubts.append("画像のページは OCR で読みました。誤読があり得るので、原本のページで確かめてください。")
    return doubts


def _manual_id(read: ReadManual, file_name: str) -> str:
    """Model, file name where that says more than the model, revision: FL-200-r3, FL-200-保守.pdf-r3."""
    model = read.models[0] if read.models else ""
    named = bool(model) and fold_code(model) in fold_code(Path(file_name).stem)
    parts = (model, "" if named else file_name, f"r{read.revision}" if read.revision else "")
    return "-".join(_UNSAFE.sub("_", part) for part in parts if part)


def _section_names(pieces: tuple[Piece, ...]) -> list[str]:
    """A unique name a section: its printed number, a table row's code under its section's, else its place."""
    names: list[str] = []
    taken: set[str] = set()
    for ordinal, piece in enumerate(pieces, start=1):
        base = _UNSAFE.sub("_", piece.number) or f"s{ordinal}"
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base}-{count}"
        taken.add(name)
        names.append(name)
    return names
