"""PDF manuals: pages with their printed labels, and blocks from outline, type sizes and numbering."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from desktop.domain.text import fold
from desktop.errors import KnownError
from desktop.importing.blocks import Document, Page
from desktop.importing.ocr import picture_lines, require_ocr
from desktop.importing.pdf_blocks import PdfPage, document_blocks
from desktop.importing.pdf_frame import Framed, unframed
from desktop.importing.pdf_lines import page_lines

MOST_PAGES = 5_000
_MOST_OUTLINE = 20_000
_META = {"Title": "title", "Subject": "subject"}


def read_pdf(path: Path, password: str, progress: Callable[[int, int], None], *, ocr: bool = False) -> Document:
    """The whole document; `progress(pages done, pages)`.

    Pages without text are named; with `ocr` what can be made out on them is taken, and they are named all the same.
    KnownError file_password, file_damaged, pdf_too_long, ocr_missing.
    """
    if ocr:
        require_ocr()
    with _opened(path, password) as pdf:
        total = len(pdf)
        if total > MOST_PAGES:
            raise KnownError("pdf_too_long", file=path.name, pages=total, most=MOST_PAGES)
        found = []
        for index in range(total):
            found.append(_page(pdf, index, ocr=ocr))
            progress(index + 1, total)
        framed = unframed(found)
        outline = _outline(pdf)
        meta = {ours: text for name, ours in _META.items() if (text := pdf.get_metadata_value(name).strip())}
        encrypted = raw.FPDF_GetSecurityHandlerRevision(pdf.raw) >= 0
    return Document(
        blocks=tuple(document_blocks(framed.pages, outline)),
        pages=tuple(_shown(page, framed) for page in found),
        pages_without_text=tuple(page.number for page in found if page.by_ocr or (not page.lines and page.drawn)),
        pages_by_ocr=tuple(page.number for page in found if page.by_ocr),
        meta=meta,
        encrypted=encrypted,
        media_type="application/pdf",
    )


def _shown(page: PdfPage, framed: Framed) -> Page:
    label = page.label or framed.labels.get(page.number, "") or str(page.number)
    return Page(page.number, label, "\n".join(line.text for line in page.lines))


@contextmanager
def _opened(path: Path, password: str) -> Iterator[pdfium.PdfDocument]:
    try:
        pdf = pdfium.PdfDocument(path, password=password or None)
    except pdfium.PdfiumError as error:
        code = "file_password" if error.err_code == raw.FPDF_ERR_PASSWORD else "file_damaged"
        raise KnownError(code, file=path.name) from error
    try:
        yield pdf
    finally:
        pdf.close()


def _page(pdf: pdfium.PdfDocument, index: int, *, ocr: bool) -> PdfPage:
    """A page that can't be loaded counts as one that has no text."""
    label = pdf.get_page_label(index) or ""
    try:
        page = pdf[index]
    except pdfium.PdfiumError:
        return PdfPage(index + 1, label, (), 0.0, drawn=True)
    try:
        lines = tuple(page_lines(page))
        drawn = bool(lines) or raw.FPDFPage_CountObjects(page.raw) > 0
        by_ocr = ocr and drawn and not lines
        lines = tuple(picture_lines(page)) if by_ocr else lines
        height = page.get_height() if page.get_rotation() in (0, 180) else 0.0
    except pdfium.PdfiumError:
        return PdfPage(index + 1, label, (), 0.0, drawn=True)
    finally:
        page.close()
    return PdfPage(index + 1, label, lines, height, drawn=drawn, by_ocr=by_ocr and bool(lines))


def _outline(pdf: pdfium.PdfDocument) -> dict[int, dict[str, int]]:
    """Page (from 1) -> folded bookmark title -> level from 1."""
    outline: dict[int, dict[str, int]] = {}
    for count, mark in enumerate(pdf.get_toc()):
        if count >= _MOST_OUTLINE:
            break
        target = mark.get_dest()
        index = target.get_index() if target else None
        if index is not None and (title := fold(mark.get_title())):
            outline.setdefault(index + 1, {}).setdefault(title, mark.level + 1)
    return outline
