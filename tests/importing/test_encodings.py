"""Which encoding a file is in."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from desktop.errors import KnownError
from desktop.importing.encodings import find_encoding

LEDGER = "設備ID,設備名,メーカー\r\nEQ-1,充填機①,ミホン㈱ 髙橋～\r\n"


def written(tmp_path: Path, content: bytes) -> Path:
    file = tmp_path / "table.csv"
    file.write_bytes(content)
    return file


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (LEDGER.encode("cp932"), "cp932"),
        (LEDGER.encode(), "utf-8"),
        (LEDGER.encode("utf-8-sig"), "utf-8-sig"),
        (LEDGER.encode("utf-16"), "utf-16"),
        (codecs.BOM_UTF16_BE + LEDGER.encode("utf-16-be"), "utf-16"),
        (LEDGER.encode("utf-16-le"), "utf-16-le"),
        (LEDGER.encode("utf-16-be"), "utf-16-be"),
        ("設備ID,設備名".encode("iso2022_jp"), "iso2022_jp_2"),
        (b"a,b\n1,2\n", "utf-8"),
    ],
)
def test_every_rung_of_the_ladder(tmp_path: Path, content: bytes, name: str) -> None:
    file = written(tmp_path, content)
    assert find_encoding(file).name == name


def test_a_letter_cut_by_a_chunk_does_not_matter(tmp_path: Path) -> None:
    file = written(tmp_path, b"a" * ((1 << 20) - 1) + "設備".encode())
    assert find_encoding(file).name == "utf-8"


def test_stray_nuls_are_counted_and_images_are_not_text(tmp_path: Path) -> None:
    assert find_encoding(written(tmp_path, LEDGER.encode("cp932") + b"\0")).nuls == 1
    with pytest.raises(KnownError, match="text_is_binary"):
        find_encoding(written(tmp_path, bytes(range(256)) * 200))


def test_what_no_rung_reads_is_an_error_and_never_guessed(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="text_encoding_unknown") as caught:
        find_encoding(written(tmp_path, "設備\n".encode("cp932") + b"a\x81\n\xff\xff"))
    assert (caught.value.row, caught.value.detail["encoding"]) == (2, "cp932")


def test_a_persons_word_is_the_only_rung(tmp_path: Path) -> None:
    file = written(
        tmp_path, LEDGER.replace("㈱ 髙橋～①", "").replace("①", "").replace("㈱ 髙橋～", "").encode("euc_jp")
    )
    assert find_encoding(file, "euc-jp").name == "euc_jp"
    with pytest.raises(KnownError, match="text_encoding_wrong"):
        find_encoding(file, "utf-8")
    with pytest.raises(KnownError, match="text_encoding_wrong"):
        find_encoding(file, "no such codec")
