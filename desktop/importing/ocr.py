"""Text of pages that are only pictures, read by RapidOCR where the extra `ocr` is installed; it may misread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import pypdfium2 as pdfium

from desktop.errors import KnownError
from desktop.importing.pdf_lines import Line

_SCALE = 2.0
_SAME_LINE = 0.6

Box = Sequence[Sequence[float]]


def require_ocr() -> None:
    """KnownError ocr_missing where the extra is not installed."""
    if find_spec("rapidocr") is None or find_spec("onnxruntime") is None:
        raise KnownError("ocr_missing")


def picture_lines(page: pdfium.PdfPage) -> list[Line]:
    """The lines that can be made out on a page, from the top; a picture's type sizes are too rough to tell anything."""
    bitmap = page.render(scale=_SCALE)
    try:
        found = _engine()(bitmap.to_numpy())
    finally:
        bitmap.close()
    boxes: Sequence[Box] = found.boxes if found.boxes is not None else ()
    return lines_of(boxes, found.txts or (), page.get_height())


def lines_of(boxes: Sequence[Box], texts: Sequence[str], height: float) -> list[Line]:
    """Pieces side by side are one line; `boxes` are four corners in pixels of the rendered page, y downwards."""
    pieces = sorted(
        (_piece(box, text, height) for box, text in zip(boxes, texts, strict=True)), key=lambda piece: -piece.top
    )
    lines: list[list[Line]] = []
    for piece in pieces:
        if lines and lines[-1][0].top - piece.top < _SAME_LINE * piece.size:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [_joined(sorted(line, key=lambda piece: piece.left)) for line in lines]


def _piece(box: Box, text: str, height: float) -> Line:
    across, down = [corner[0] / _SCALE for corner in box], [corner[1] / _SCALE for corner in box]
    return Line(text, round(max(down) - min(down)), min(across), max(across), height - min(down))


def _joined(pieces: list[Line]) -> Line:
    first, last = pieces[0], pieces[-1]
    text = " ".join(piece.text for piece in pieces)
    return Line(text, 0.0, first.left, last.right, first.top)


@cache
def _engine() -> Any:
    """The engine with the models its package carries; loading it takes seconds."""
    from rapidocr import RapidOCR

    return RapidOCR()
