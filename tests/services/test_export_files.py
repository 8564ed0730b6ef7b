"""Each request on paper, the bytes that went out, the documents cited, and a trail that anybody can check."""

import csv
import hashlib
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from desktop.domain.approval import Edits
from desktop.domain.work_request import KeptEvidence, Meaning, Priority
from desktop.errors import KnownError
from desktop.services import export
from desktop.services.export_files import DOCUMENTS
from desktop.store import audit, journal_tables
from tests.fakes.desk import EVIDENCE, Desk, open_desk, request_draft
from tests.services.test_disk_full import fill, small_disk

__all__ = ["small_disk"]


def exported(desk: Desk, tmp_path: Path, name: str = "out") -> Path:
    export.export_all(desk.journal, tmp_path / "data/files", tmp_path / name, desk.clock())
    return tmp_path / name


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as opened:
        return list(csv.DictReader(opened))


def words(file: Path) -> str:
    """All text of a PDF without spaces and line breaks, which are the page's own."""
    with pypdfium2.PdfDocument(file) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    return "".join("".join(pages).split())


def test_a_request_is_a_sheet_that_says_all_that_is_kept_of_it(desk: Desk, tmp_path: Path) -> None:
    proposal = desk.propose(request_draft(drafted_by="claude-x"))
    edits = Edits(title="充填ノズルの交換", priority=Priority.LOW)
    desk.decide(proposal, Meaning.APPROVED, reason="在庫あり", edits=edits)
    text = words(exported(desk, tmp_path) / "requests/WR-P07-0001.pdf")
    (row,) = table(tmp_path / "out/requests.csv")
    for told in (
        "WR-P07-0001", "ライン3", "充填機EQ-003FL-200第2工場1F", "端末内承認",
        "充填ノズルの交換", "件名変更前充填ノズルの点検", "優先度変更前高", "優先度変更後低",
        "E-12が再発。ノズルを清掃したが直らない。", "試したことノズル清掃", "加藤優0104（PINで確認）",
        "AI下書き（claude-x）", "承認", "中村大輔0302（PINで確認）", "在庫あり", "FL-200取扱説明書",
        EVIDENCE.quote.replace(" ", ""), "5-3（12枚目）", "改訂3",
        EVIDENCE.sha256, "送信待ち", "工場側番号なし", row["sha256"], "1/", "ページ",
    ):  # fmt: skip
        assert told in text, told
    assert "見本" not in text


def test_what_nobody_has_decided_is_a_sheet_that_says_so(desk: Desk, tmp_path: Path) -> None:
    proposal = desk.propose()
    desk.decide(desk.propose(request_draft(title="断る")), Meaning.REJECTED, reason="不要")
    (sheet,) = (exported(desk, tmp_path) / "proposals").iterdir()
    assert sheet.name == f"{proposal.proposal_id}.pdf"
    text = words(sheet)
    assert "依頼案（未決定）" in text
    assert "まだ決まっていません（期限2026-12-14" in text


def test_a_sample_is_marked_on_every_page(tmp_path: Path, cheap_pins: None) -> None:
    desk = open_desk(tmp_path / "data", sample=True, station="")
    desk.approve(desk.propose(request_draft(detail="長い説明。\n" * 200)))
    desk.journal.close()
    with pypdfium2.PdfDocument(exported(desk, tmp_path) / "requests/WR-0001.pdf") as document:
        assert len(document) > 1
        assert all("見本（架空）" in page.get_textpage().get_text_range() for page in document)


def test_the_same_record_gives_the_same_bytes(desk: Desk, tmp_path: Path) -> None:
    desk.approve(desk.propose())
    desk.propose(request_draft(title="二つ目"))
    first, second = (exported(desk, tmp_path, name) for name in ("one", "two"))
    for file in (*first.rglob("*.pdf"), *first.rglob("*.json"), first / "README.txt", first / "requests.csv"):
        assert file.read_bytes() == (second / file.relative_to(first)).read_bytes()


def test_what_went_to_the_plant_is_there_byte_for_byte(desk: Desk, tmp_path: Path) -> None:
    proposal = desk.propose()
    desk.approve(proposal)
    (kept,) = desk.rows("SELECT body FROM outbox")
    (sent,) = (exported(desk, tmp_path) / "sent").iterdir()
    assert sent.name == f"{proposal.proposal_id}.json"
    assert sent.read_bytes() == kept["body"]


def cited(title: str, body: bytes | None, files: Path) -> KeptEvidence:
    digest = hashlib.sha256(body or title.encode()).hexdigest()
    if body is not None:
        files.mkdir(parents=True, exist_ok=True)
        (files / digest).write_bytes(body)
    return KeptEvidence(f"manual:{title}#1", title, "引用", 1, None, None, digest)


def test_the_documents_cited_are_copied_under_names_to_read_and_those_gone_are_listed(
    desk: Desk, tmp_path: Path
) -> None:
    files = tmp_path / "data/files"
    pdf = cited('取扱説明書: "FL-200" <改訂3>/別冊', b"%PDF-1.7 x", files)
    text = cited("CON", "手順".encode(), files)
    gone = cited("もうない資料", None, files)
    quote = hashlib.sha256("記録の引用".encode()).hexdigest()
    itself = KeptEvidence("record:R-1", "保全記録", "記録の引用", None, None, None, quote)
    desk.approve(desk.propose(request_draft(evidence=(pdf, text, gone, itself))))
    waiting = desk.propose(request_draft(title="二", evidence=(pdf,)))
    out = exported(desk, tmp_path)
    rows = table(out / "documents.csv")
    assert tuple(rows[0]) == DOCUMENTS
    named = {row["title"]: row for row in rows}
    assert named.keys() == {pdf.title, text.title, gone.title}
    assert named[pdf.title]["cited_by"] == f"WR-P07-0001 {waiting.proposal_id}"
    assert named[gone.title]["file"] == ""
    assert (out / named[pdf.title]["file"]).read_bytes() == b"%PDF-1.7 x"
    assert named[pdf.title]["file"] == f"documents/取扱説明書 FL-200 改訂3 別冊 {pdf.sha256[:8]}.pdf"
    assert named[text.title]["file"] == f"documents/CON {text.sha256[:8]}.txt"
    assert len(list((out / "documents").iterdir())) == 2


def readable(cell: str) -> str:
    """README's rule for a value in a CSV."""
    return cell[1:] if cell.startswith("'") else cell


def first_broken(rows: list[dict[str, str]]) -> int | None:
    """README's rule for the trail, followed with nothing but audit.csv."""
    previous = "0" * 64
    for number, cells in enumerate(rows, start=1):
        row: dict[str, Any] = {name: readable(cell) for name, cell in cells.items()}
        told = row.pop("hash")
        row |= {name: int(row[name]) for name in ("seq", "monotonic_ns")}
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if row["seq"] != number or row["previous"] != previous or hashlib.sha256(text.encode()).hexdigest() != told:
            return number
        previous = told
    return None


@pytest.mark.parametrize("actor", ["", "=1+1", "'=1", "''", "-5", "@x\r\ny", 'a"b\\c\t\x7f\u2028髙'])
def test_the_trail_can_be_checked_by_the_rule_in_the_readme(desk: Desk, tmp_path: Path, actor: str) -> None:
    desk.approve(desk.propose())
    with desk.journal.transaction() as tx:
        audit.append(tx, desk.clock(), actor, actor, actor, {"told": actor})
    rows = table(exported(desk, tmp_path) / "audit.csv")
    assert len(rows) == 3
    assert readable(rows[-1]["actor"]) == actor
    assert first_broken(rows) is None
    for column in rows[1]:
        assert first_broken([rows[0], {**rows[1], column: f"{rows[1][column]}0"}, *rows[2:]]) == 2
    assert first_broken([rows[0], *rows[2:]]) == 2


def test_proposals_are_the_ones_that_the_trail_tells_of(desk: Desk, tmp_path: Path) -> None:
    desk.approve(desk.propose())
    desk.propose(request_draft(title="=二つ目"))
    out = exported(desk, tmp_path)
    told = {row["subject"]: json.loads(row["body"]) for row in table(out / "audit.csv") if row["action"] == "proposed"}
    payloads = {row["proposal_id"]: readable(row["payload"]) for row in table(out / "proposals.csv")}
    hashes = {proposal_id: hashlib.sha256(text.encode()).hexdigest() for proposal_id, text in payloads.items()}
    assert hashes == {proposal_id: body["payload_sha256"] for proposal_id, body in told.items()}
    assert len(hashes) == 2


def test_the_readme_names_every_file_and_column(desk: Desk, tmp_path: Path) -> None:
    desk.approve(desk.propose())
    out = exported(desk, tmp_path)
    readme = (out / "README.txt").read_text(encoding="utf-8-sig")
    japanese, english = readme.split("English\n=======")
    for name in {one.relative_to(out).parts[0] for one in out.rglob("*")}:
        assert all(name in half for half in (japanese, english)), name
    _, *told = re.split(r"^(\w+)\.csv$", japanese.split("各列の意味")[1].replace("\r", ""), flags=re.MULTILINE)
    columns = dict(zip(told[::2], told[1::2], strict=True))
    for table_name, names in {**journal_tables.COLUMNS, "documents": DOCUMENTS}.items():
        assert [name for name in names if name not in columns[table_name]] == []


_KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from desktop.services import export
from tests.fakes.desk import open_desk

desk, place, real, left = open_desk(Path(sys.argv[1]) / "data"), Path(sys.argv[1]), os.fsync, int(sys.argv[2])

def fsync(number):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    real(number)

os.fsync = fsync
export.export_all(desk.journal, place / "data/files", place / "out", datetime.now(UTC))
"""


@pytest.mark.parametrize("files_written", [0, 5, 9])
def test_killed_while_writing_it_leaves_nothing_that_looks_whole(
    desk: Desk, tmp_path: Path, files_written: int
) -> None:
    desk.approve(desk.propose())
    desk.propose(request_draft(title="二つ目"))
    arguments = [sys.executable, "-c", _KILLED, str(tmp_path), str(files_written)]
    assert subprocess.run(arguments, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    (left,) = tmp_path.glob("out.partial-*")
    assert not (left / "SHA256SUMS").exists()
    assert not desk.rows("SELECT 1 FROM audit WHERE action = 'exported'")
    assert first_broken(table(exported(desk, tmp_path) / "audit.csv")) is None


def test_on_a_full_disk_nothing_is_left(desk: Desk, tmp_path: Path, small_disk: Path) -> None:
    desk.approve(desk.propose())
    ballast = fill(small_disk)
    with ballast.open("ab") as opened:
        opened.truncate(ballast.stat().st_size - 40_000)  # the tables fit, the sheets don't
    with pytest.raises(KnownError, match="output_unwritable"):
        export.export_all(desk.journal, tmp_path / "data/files", small_disk / "out", desk.clock())
    assert list(small_disk.iterdir()) == [ballast]
    assert not desk.rows("SELECT 1 FROM audit WHERE action = 'exported'")
