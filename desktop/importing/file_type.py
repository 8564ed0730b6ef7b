"""What a file really is, by its first bytes, whatever its name says; and archives that must not be opened."""

from __future__ import annotations

import mimetypes
import stat
import zipfile
from enum import StrEnum
from pathlib import Path, PurePosixPath

from desktop.errors import KnownError

LARGEST_FILE = 512 * 1024 * 1024
_LARGEST_UNPACKED = 2 * 1024 * 1024 * 1024
_RATIO_LIMIT = 300
_SMALL_UNPACKED = 64 * 1024 * 1024
_MOST_MEMBERS = 20_000
_HEAD = 4096
_KNOWN_KINDS = mimetypes.MimeTypes()  # its own list, not the computer's, so that every computer refuses the same
_OTHER_KINDS = frozenset(
    {
        ".exe", ".dll", ".sys", ".msi", ".com", ".bat", ".cmd", ".ps1", ".vbs", ".lnk", ".iso", ".zip", ".7z", ".rar",
        ".lzh", ".gz", ".bz2", ".xz", ".tar", ".cab", ".ppt", ".pptx", ".pps", ".docm", ".dotx", ".rtf", ".jtd", ".xdw",
        ".xbd", ".dwg", ".dxf", ".psd", ".ai", ".json", ".xml", ".msg", ".mdb", ".accdb", ".db", ".webp", ".heic",
        ".mp3", ".wmv", ".flv",
    }
)  # fmt: skip


class FileType(StrEnum):
    """The readers we have, and the relatives we can only name."""

    DELIMITED = "delimited"
    WORKBOOK = "workbook"
    PDF = "pdf"
    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    DOCX = "docx"
    TOML = "toml"


TABLES = (FileType.DELIMITED, FileType.WORKBOOK)
_BY_SUFFIX = {
    ".csv": FileType.DELIMITED,
    ".tsv": FileType.DELIMITED,
    ".md": FileType.MARKDOWN,
    ".markdown": FileType.MARKDOWN,
    ".html": FileType.HTML,
    ".htm": FileType.HTML,
    ".txt": FileType.TEXT,
    ".text": FileType.TEXT,
    ".log": FileType.TEXT,
    ".toml": FileType.TOML,
}
SUFFIXES = (*_BY_SUFFIX, ".xlsx", ".xlsm", ".xls", ".ods", ".pdf", ".docx", ".tab")
_WORKBOOK_SUFFIXES = (".xlsx", ".xlsm", ".xls", ".ods", ".xlsb")


def find_type(path: Path) -> FileType:
    """What to read `path` with; KnownError file_empty, file_too_large, file_not_regular, file_type_unknown and kin."""
    head = _head(path)
    if head.startswith(b"%PDF") or b"%PDF-" in head[:1024]:
        return FileType.PDF
    if head.startswith(b"PK\x03\x04"):
        return _zipped(path)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return _compound(path, head)
    return _textual(path, head)


def is_special(path: Path) -> bool:
    """A pipe, socket or device: opening one may wait for ever."""
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def refuse_special(path: Path) -> None:
    """KnownError file_not_regular before anything of the file is opened; OSError if it is not there."""
    if is_special(path):
        raise KnownError("file_not_regular", file=path.name)


def _head(path: Path) -> bytes:
    try:
        refuse_special(path)
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise KnownError("file_unreadable", file=path.name, reason=error.strerror or str(error)) from error
    if not size:
        raise KnownError("file_empty", file=path.name)
    if size > LARGEST_FILE:
        raise KnownError("file_too_large", file=path.name, size=size >> 20, most=LARGEST_FILE >> 20)
    return head


def _zipped(path: Path) -> FileType:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise KnownError("file_damaged", file=path.name) from error
    _refuse_hostile(path, members)
    names = {member.filename for member in members}
    if any(name.startswith("xl/") for name in names):
        return FileType.WORKBOOK
    if "word/document.xml" in names:
        return FileType.DOCX
    if "content.xml" in names and path.suffix.lower() == ".ods":
        return FileType.WORKBOOK
    raise KnownError("file_type_unknown", file=path.name, kind="ZIP")


def _refuse_hostile(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """A bomb or a name that points outside: such a file was not made by an office program."""
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    bomb = unpacked > _SMALL_UNPACKED and unpacked > _RATIO_LIMIT * max(1, packed)
    if bomb or unpacked > _LARGEST_UNPACKED or len(members) > _MOST_MEMBERS:
        raise KnownError("archive_bomb", file=path.name, size=unpacked >> 20)
    for member in members:
        name = PurePosixPath(member.filename.replace("\\", "/"))
        if name.is_absolute() or ".." in name.parts or ":" in "".join(name.parts[:1]):
            raise KnownError("archive_hostile_name", file=path.name)


def _compound(path: Path, head: bytes) -> FileType:
    """OLE2: an old .xls, an encrypted workbook, or an old Word file."""
    suffix = path.suffix.lower()
    if suffix == ".doc":
        raise KnownError("file_old_word", file=path.name)
    if suffix in (".xlsx", ".xlsm") or suffix in _WORKBOOK_SUFFIXES:
        return FileType.WORKBOOK
    if suffix == ".docx":
        raise KnownError("file_password", file=path.name)
    return FileType.WORKBOOK if b"W\0o\0r\0k\0b\0o\0o\0k" in head else _refuse_compound(path)


def _refuse_compound(path: Path) -> FileType:
    with path.open("rb") as file:
        if b"W\0o\0r\0k\0b\0o\0o\0k" in file.read(1 << 22):
            return FileType.WORKBOOK
    raise KnownError("file_type_unknown", file=path.name, kind="OLE2")


def _textual(path: Path, head: bytes) -> FileType:
    suffix = path.suffix.lower()
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:512].lower()
    if b"urn:schemas-microsoft-com:office:spreadsheet" in head:
        raise KnownError("file_excel_xml", file=path.name)
    if start.startswith((b"<!doctype html", b"<html", b"<table", b"<meta", b"<head")):
        return FileType.HTML
    if suffix in (*_WORKBOOK_SUFFIXES, ".docx", ".pdf"):
        return _misnamed(path, start)
    if _is_of_another_kind(suffix):
        raise KnownError("file_type_unknown", file=path.name, kind=suffix.lstrip(".").upper())
    if suffix == ".txt" and _tabs(head):
        return FileType.DELIMITED
    return _BY_SUFFIX.get(suffix, FileType.DELIMITED if suffix == ".tab" else FileType.TEXT)


def _is_of_another_kind(suffix: str) -> bool:
    """A name that says program, archive, picture or other office file; text under it is no manual of that name."""
    if suffix in _BY_SUFFIX or suffix == ".tab":
        return False
    kind = _KNOWN_KINDS.types_map[True].get(suffix, "")
    return suffix in _OTHER_KINDS or bool(kind and not kind.startswith(("text/", "message/")))


def _misnamed(path: Path, start: bytes) -> FileType:
    """Text that calls itself Excel is a CSV that someone renamed; anything else is damaged."""
    printable = start and b"\0" not in start and (b"," in start or b"\t" in start)
    if printable and path.suffix.lower() in _WORKBOOK_SUFFIXES:
        return FileType.DELIMITED
    raise KnownError("file_damaged", file=path.name)


def _tabs(head: bytes) -> bool:
    """Excel's "Unicode text": a tab in most of the first lines."""
    plain = head.replace(b"\0", b"")
    lines = [line for line in plain.splitlines() if line.strip()][:5]
    return len(lines) > 1 and sum(b"\t" in line for line in lines) * 2 > len(lines)
