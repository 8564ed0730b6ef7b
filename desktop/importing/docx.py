"""DOCX manuals: mammoth turns them into HTML, whose reader does the rest."""

from __future__ import annotations

from pathlib import Path
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile

import mammoth

from desktop.errors import KnownError
from desktop.importing.blocks import Document
from desktop.importing.html import html_document

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
# Japanese Word names its heading styles 見出し 1 …; mammoth knows only the English names.
_STYLES = "\n".join(f"p[style-name='見出し {level}'] => h{level}:fresh" for level in range(1, 7)) + (
    "\np[style-name='表題'] => h1:fresh\np[style-name='Title'] => h1:fresh"
)


def read_docx(path: Path) -> Document:
    """The whole document; pictures left out (mammoth would inline them)."""
    try:
        with path.open("rb") as file:
            html = mammoth.convert_to_html(file, style_map=_STYLES, convert_image=mammoth.images.img_element(_nothing))
    except (
        ExpatError,
        BadZipFile,
        KeyError,
        ValueError,
        OSError,
        EOFError,
        SyntaxError,
        AttributeError,
        IndexError,
    ) as error:
        raise KnownError("file_damaged", file=path.name) from error
    return html_document(html.value, encoding=None, media_type=_MEDIA_TYPE)


def _nothing(_image: object) -> dict[str, str]:
    return {"src": ""}
