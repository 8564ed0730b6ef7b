"""Files made to hurt: a sentence each, quickly, and nothing half."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop import errors, paths
from desktop.errors import KnownError
from desktop.importing.reader import ReaderProcess
from desktop.importing.request import ReadRequest

SAMPLE = paths.sample_plant()
LEDGER = "設備ID,設備名,型番\r\n"


def packed(file: Path, *more: tuple[str, bytes]) -> None:
    """The sample's workbook with something added to it."""
    with (
        zipfile.ZipFile(SAMPLE / "maintenance_records.xlsx") as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
        for name, content in more:
            new.writestr(name, content)


def sparse(file: Path, size: int) -> None:
    with file.open("wb") as opened:
        opened.truncate(size)


HOSTILE: dict[str, tuple[str, Callable[[Path], object]]] = {
    "bomb.xlsx": ("archive_bomb", lambda file: packed(file, ("xl/media/x.bin", b"\0" * (70 << 20)))),
    "climbing.xlsx": ("archive_hostile_name", lambda file: packed(file, ("../../evil.txt", b"x"))),
    "absolute.xlsx": ("archive_hostile_name", lambda file: packed(file, ("/etc/evil", b"x"))),
    "drive.xlsx": ("archive_hostile_name", lambda file: packed(file, ("C:\\evil", b"x"))),
    "line.csv": ("table_line_too_long", lambda file: file.write_bytes(b"a" * 5_000_000)),
    "gigabyte.csv": ("file_too_large", lambda file: sparse(file, 1 << 30)),
    "columns.csv": ("table_too_wide", lambda file: file.write_text(LEDGER + "x," * 1_000_000, encoding="utf-8")),
    "nuls.csv": ("text_is_binary", lambda file: file.write_bytes(b"\0" * 5_000)),
    "picture.csv": ("text_is_binary", lambda file: file.write_bytes(bytes(range(256)) * 64)),
    "quote.csv": (
        "table_broken_quotes",
        lambda file: file.write_text(LEDGER + '"EQ-1' + "\nEQ-2,a,b" * 3_000, encoding="utf-8"),
    ),
    "cell.csv": (
        "table_cell_too_long",
        lambda file: file.write_text(LEDGER + f"EQ-1,{'あ' * 3_000_000},FL-200\r\n", encoding="utf-8"),
    ),
    "quoted_cell.csv": (
        "table_cell_too_long",
        lambda file: file.write_text(LEDGER + f'EQ-1,"{"あ" * 3_000_000}",FL-200\r\n', encoding="utf-8"),
    ),
    "open_cell.csv": (
        "table_broken_quotes",
        lambda file: file.write_text(LEDGER + f'EQ-1,"{"あ" * 3_000_000},FL-200\r\n', encoding="utf-8"),
    ),
    **{
        f"text{suffix}": ("file_type_unknown", lambda file: file.write_text("# 手順\n\n本文\n", encoding="utf-8"))
        for suffix in (".exe", ".zip", ".7z", ".png", ".jpg", ".mp4", ".pptx", ".rtf", ".dwg", ".json", ".EXE")
    },
    "empty.csv": ("file_empty", lambda file: file.write_bytes(b"")),
    "blank.csv": ("table_empty", lambda file: file.write_bytes(b"\r\n,,,\r\n")),
    "picture.pdf": ("file_damaged", lambda file: file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))),
    "noise.pdf": ("file_damaged", lambda file: file.write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)),
    "cut.xlsx": (
        "file_damaged",
        lambda file: file.write_bytes((SAMPLE / "maintenance_records.xlsx").read_bytes()[:3_000]),
    ),
    "old.doc": ("file_old_word", lambda file: file.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))),
    "archive.zip": ("file_type_unknown", lambda file: zipfile.ZipFile(file, "w").writestr("a.txt", "x")),
    "secret.docx": ("file_password", lambda file: file.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))),
    "office.xls": (
        "file_excel_xml",
        lambda file: file.write_text(
            '<?xml?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>', encoding="utf-8"
        ),
    ),
}


@pytest.fixture(scope="module")
def reader() -> Iterator[ReaderProcess]:
    with ReaderProcess() as process:
        process.inspect(SAMPLE / "parts.csv", ReadRequest())  # its threads belong to the module, not to the first test
        yield process


@pytest.mark.parametrize("name", HOSTILE)
def test_a_sentence_each(tmp_path: Path, reader: ReaderProcess, name: str) -> None:
    code, make = HOSTILE[name]
    make(tmp_path / name)
    with pytest.raises(KnownError) as caught:
        reader.read(tmp_path / name, ReadRequest(), tmp_path / "values")
    assert caught.value.code == code
    assert name in errors.sentence(caught.value)
    assert errors.exit_code(caught.value) == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("quotes.md", ">" * 50_000 + " x\n"),
        ("brackets.md", "[" * 20_000 + "\n"),
        ("stars.md", "*a **a " * 8_000),
        ("tags.html", "<div>" * 20_000 + "x"),
        ("spans.html", "<table><tr>" + "<td colspan=999999>a</td>" * 300 + "</tr></table>"),
        ("numbers.txt", "\n".join(["1-1" * 40, "." * 59, "・ " * 29, "第" * 5_000, "E-" * 2_000] * 50)),
    ],
)
def test_deep_or_tangled_text_ends_soon(tmp_path: Path, reader: ReaderProcess, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    code = ""
    try:
        reader.read(tmp_path / name, ReadRequest(), tmp_path / "values")
    except KnownError as error:
        code = error.code
    assert code in ("", "manual_empty")


def test_names_that_lie_about_what_they_are_still_read(tmp_path: Path, reader: ReaderProcess) -> None:
    head = "<tr><th>設備ID</th><th>設備名</th><th>型番</th></tr>"
    table = f"<table>{head}<tr><td>EQ-1</td><td>充填機</td><td>FL-200</td></tr></table>"
    (tmp_path / "page.xls").write_bytes(f"<html>{table}</html>".encode("cp932"))
    (tmp_path / "list.xlsx").write_bytes((LEDGER + "EQ-1,充填機,FL-200\r\n").encode("cp932"))
    for name in ("page.xls", "list.xlsx"):
        [report] = reader.read(tmp_path / name, ReadRequest(), tmp_path / "values").reports
        assert (report["kind"], report["accepted"]) == ("ledger", 1)


def test_a_stray_nul_costs_a_warning_only(tmp_path: Path, reader: ReaderProcess) -> None:
    (tmp_path / "nul.csv").write_bytes((LEDGER + "EQ-1,充\0填機,FL-200\r\n").encode("cp932"))
    [report] = reader.read(tmp_path / "nul.csv", ReadRequest(), tmp_path / "values").reports
    assert report["accepted"] == 1
    assert "NUL" in report["warnings"][0]


def test_unusual_names_of_text_named_one_by_one_are_still_taken(tmp_path: Path, reader: ReaderProcess) -> None:
    for name in ("NOTES", "alarms.dat", "manual.prn", "manual.rst", "log.1"):
        (tmp_path / name).write_text("AB-10 手順書\n第1章 概要\n本文\n", encoding="utf-8")
        assert reader.read(tmp_path / name, ReadRequest(), tmp_path / "values").reports[0]["kind"] == "manual"
