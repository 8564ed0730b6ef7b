"""The files of an export, one kind after the other, each on the disk before the next is begun."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop import paths
from desktop.domain.canonical import sha256
from desktop.durable import synced
from desktop.errors import KnownError
from desktop.importing.file_type import FileType, find_type
from desktop.pdf_sheet import Sheet, pdf
from desktop.services.request_sheet import proposal_sheet, request_sheet
from desktop.services.sent_record import sent_text
from desktop.store import journal_tables, proposals, sent
from desktop.store.journal import Row, Tx

DOCUMENTS = ("file", "sha256", "title", "ref", "cited_by")
"""The columns of documents.csv; no `file` = the original is not kept here."""
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NOT_IN_A_NAME = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_LONGEST_NAME = 60
_SUFFIXES = {FileType.PDF: ".pdf", FileType.DOCX: ".docx", FileType.HTML: ".html", FileType.WORKBOOK: ".xlsx"}


@dataclass(slots=True)
class _Cited:
    """A document that proposals cite, and which."""

    title: str
    ref: str
    by: dict[str, None] = field(default_factory=dict)


class ExportFiles:
    """Writes into `folder`, which must not be there yet; `files` are the kept originals by hash.

    OSError where it can't be written.
    """

    def __init__(self, folder: Path, files: Path, sample: bool) -> None:
        self._folder = folder
        self._files = files
        self._sample = sample

    def write(self, tx: Tx) -> Mapping[str, Any]:
        """How many `rows` each table has, how many `pdfs`, `documents` and `documents_missing` there are."""
        for name in ("requests", "proposals", "sent", "documents"):
            (self._folder / name).mkdir(parents=True)
        rows = {
            table: self._table(table, columns, journal_tables.rows(tx, table))
            for table, columns in journal_tables.COLUMNS.items()
        }
        pdfs = self._requests(tx) + self._proposals(tx)
        for uid, body in journal_tables.sent_items(tx):
            self._bytes(f"sent/{uid}.json", body)
        self._bytes("sent.txt", sent_text(sent.everything(tx)).encode())
        index = self._documents(tx)
        self._table("documents", DOCUMENTS, index)
        readme = paths.resource("export_readme.txt").read_text(encoding="utf-8")
        self._bytes("README.txt", readme.replace("\n", "\r\n").encode("utf-8-sig"))
        missing = sum(not row["file"] for row in index)
        return {"rows": rows, "pdfs": pdfs, "documents": len(index) - missing, "documents_missing": missing}

    def _table(self, name: str, columns: Sequence[str], rows: Iterable[Row]) -> int:
        """A CSV that Excel opens as UTF-8 and in which no cell is a formula; how many rows it has."""
        count = 0
        with synced((self._folder / f"{name}.csv").open("x", encoding="utf-8-sig", newline="")) as opened:
            writer = csv.writer(opened)
            writer.writerow(columns)
            for row in rows:
                count += 1
                writer.writerow([_cell(row[column]) for column in columns])
        return count

    def _requests(self, tx: Tx) -> int:
        count = 0
        for row in journal_tables.rows(tx, "requests"):
            shown = proposals.get(tx, row["proposal_id"], row["revision"])
            decided = proposals.decision(tx, row["proposal_id"], row["revision"])
            assert shown is not None  # the journal's foreign keys
            assert decided is not None
            self._sheet(f"requests/{row['number']}", request_sheet(row, shown.proposal, *decided, self._sample))
            count += 1
        return count

    def _proposals(self, tx: Tx) -> int:
        waiting = proposals.pending(tx)
        for kept in waiting:
            sheet = proposal_sheet(kept.proposal, kept.expires_at, self._sample)
            self._sheet(f"proposals/{kept.proposal.proposal_id}", sheet)
        return len(waiting)

    def _documents(self, tx: Tx) -> list[Row]:
        """A row for each document that is cited, with its copy where the original is kept."""
        return [
            {
                "file": self._document(digest, cited.title),
                "sha256": digest,
                "title": cited.title,
                "ref": cited.ref,
                "cited_by": " ".join(cited.by),
            }
            for digest, cited in _cited(tx).items()
        ]

    def _document(self, digest: str, title: str) -> str:
        """The copy's name; "" = the original is not kept here."""
        original = self._files / digest
        if not original.is_file():
            return ""
        name = f"documents/{_in_a_name(title)} {digest[:8]}{_suffix(original)}"
        with original.open("rb") as source, synced((self._folder / name).open("xb")) as copy:
            shutil.copyfileobj(source, copy)
        return name

    def _sheet(self, name: str, sheet: Sheet) -> None:
        self._bytes(f"{name}.pdf", pdf(sheet))

    def _bytes(self, name: str, body: bytes) -> None:
        with synced((self._folder / name).open("xb")) as opened:
            opened.write(body)


def _cited(tx: Tx) -> Mapping[str, _Cited]:
    """By hash every document that a proposal cites; a quotation that stands for itself cites none."""
    numbers = {row["proposal_id"]: row["number"] for row in journal_tables.rows(tx, "requests")}
    found: dict[str, _Cited] = {}
    for row in journal_tables.rows(tx, "proposals"):
        proposal_id: str = row["proposal_id"]
        for kept in json.loads(row["payload"])["evidence"]:
            if kept["sha256"] != sha256(kept["quote"].encode()):
                cited = found.setdefault(kept["sha256"], _Cited(kept["title"], kept["ref"]))
                cited.by[numbers.get(proposal_id, proposal_id)] = None
    return found


def _cell(value: object) -> object:
    """An apostrophe stops a spreadsheet from calculating; one that was there gets another, so that it can be undone."""
    return f"'{value}" if isinstance(value, str) and value.startswith((*_STARTS_A_FORMULA, "'")) else value


def _in_a_name(title: str) -> str:
    """The title as every file system takes it."""
    return " ".join(_NOT_IN_A_NAME.sub(" ", title)[:_LONGEST_NAME].split()) or "document"


def _suffix(original: Path) -> str:
    try:
        return _SUFFIXES.get(find_type(original), ".txt")
    except KnownError:  # of a kind that can't be told: the bytes are there all the same
        return ""
