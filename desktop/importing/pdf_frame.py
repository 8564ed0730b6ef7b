"""What stands on every page and belongs to none: running heads, feet, printed page numbers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop.importing.pdf_blocks import PdfPage
from desktop.importing.pdf_lines import Line

_BAND = 0.09
_FEWEST_PAGES = 3
_SHARE = 0.4
_NUMBER_LINE = re.compile(
    r"[-–—\s]*(?:p(?:age)?\.?\s*)?((?:[A-Z]{1,2}-)?\d{1,4}(?:-\d{1,4})?|[ivxl]{1,6})(?:\s*(?:/|of)\s*\d+)?[-–—\s]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Framed:
    """The pages without their frame, and the page numbers read from it where they run through."""

    pages: tuple[PdfPage, ...]
    labels: Mapping[int, str]


def unframed(pages: Sequence[PdfPage]) -> Framed:
    """Leaves out lines in the upper or lower edge that most pages repeat, digits aside, or that are a page number."""
    repeated = _repeated(pages)
    labels: dict[int, str] = {}
    bare = []
    for page in pages:
        kept = []
        for line in page.lines:
            at_edge = _at_edge(page, line)
            number = _NUMBER_LINE.match(unicodedata.normalize("NFKC", line.text)) if at_edge else None
            if number:
                labels.setdefault(page.number, number[1])
            elif not (at_edge and _shape(line.text) in repeated):
                kept.append(line)
        bare.append(PdfPage(page.number, page.label, tuple(kept), page.height, drawn=page.drawn, by_ocr=page.by_ocr))
    most = len(labels) * 2 >= len(pages)
    return Framed(tuple(bare), labels if most else {})


def _repeated(pages: Sequence[PdfPage]) -> frozenset[str]:
    seen = Counter(
        shape for page in pages for shape in {_shape(line.text) for line in page.lines if _at_edge(page, line)}
    )
    least = max(_FEWEST_PAGES, int(_SHARE * len(pages)))
    return frozenset(shape for shape, count in seen.items() if count >= least)


def _at_edge(page: PdfPage, line: Line) -> bool:
    return page.height > 0 and line.top > 0 and not _BAND * page.height < line.top < (1 - _BAND) * page.height


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", "".join(text.split()))
