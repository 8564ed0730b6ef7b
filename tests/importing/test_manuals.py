"""Manuals of every format: sections, codes, pages, and who they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from desktop import paths
from desktop.domain.ledger import ManualSection
from desktop.errors import KnownError
from desktop.importing.file_type import find_type
from desktop.importing.manuals import ReadManual, manual_values, read_document
from desktop.importing.request import ReadRequest

MARKDOWN = """---
型番: AB-10、AB-20
表題: AB 取扱説明書
改訂: 2
適用: AB-10 製造番号 A100～A199
区分: 旧版
---

# AB 取扱説明書

## 第4章 エラー一覧

| コード | 名称 | 処置 |
|---|---|---|
| E-01 | 非常停止 | 復帰 |
| AL-2xx | 蒸気系 | 5.1 |

## 第5章 エラー別処置

### 5.1 E-12、E-13 ノズル詰まり

意味：詰まり。

#### 処置

1. 止める。
2. 外す。

■安全
残圧を抜く。

## 部品表

| 部品番号 | 品名 |
|---|---|
| OR-2210 | Oリング |
"""


def read(path: Path, request: ReadRequest | None = None) -> ReadManual:
    return read_document(path, find_type(path), request or ReadRequest())


def sections(manual: ReadManual, name: str = "m.md") -> dict[str, ManualSection]:
    return {section.ref.partition("#")[2]: section for section in manual_values(manual, name, "0" * 64)[1]}


def written(tmp_path: Path, text: str, name: str = "manual.md", encoding: str = "utf-8") -> Path:
    file = tmp_path / name
    file.write_bytes(text.encode(encoding))
    return file


def test_front_matter_codes_tables_and_facets(tmp_path: Path) -> None:
    manual = read(written(tmp_path, MARKDOWN))
    assert manual.models == ("AB-10", "AB-20")
    assert (manual.title, manual.revision, manual.old_revision) == ("AB 取扱説明書", "2", True)
    assert (manual.applies_to.serial_from, manual.applies_to.serial_to) == ("A100", "A199")
    found = sections(manual)
    assert found["e01"].heading_path == ("第4章 エラー一覧", "E-01 非常停止")
    assert found["e01"].codes == ("E-01",)
    assert found["al2xx"].codes == ("AL-2xx",)
    remedy = found["5.1"]
    assert remedy.codes == ("E-12", "E-13")
    assert "1. 止める。\n2. 外す。" in remedy.body
    assert "■安全\n残圧を抜く。" in remedy.body
    assert not any(section.codes for name, section in found.items() if "部品表" in section.heading_path)


def test_refs_are_unique_and_ordinals_run_through(tmp_path: Path) -> None:
    text = "# 本\n" + "".join(f"## 1.1 節\n本文{n}\n" for n in range(5))
    manual, found = manual_values(read(written(tmp_path, text)), "m.md", "0")
    assert len({section.ref for section in found}) == 5
    assert [section.ordinal for section in found] == list(range(5))
    assert all(section.manual_id == manual.manual_id for section in found)


def test_a_long_section_is_cut_and_keeps_its_heading(tmp_path: Path) -> None:
    body = "\n\n".join("あ" * 900 for _ in range(8))
    found = read(written(tmp_path, f"# 本\n## 1 長い章\n{body}\n")).sections
    assert len(found) > 1
    assert all(piece.heading_path[-1].startswith("1 長い章") for piece in found)
    assert "".join(piece.body for piece in found).count("あ") == 7200


def test_plain_text_finds_its_headings(tmp_path: Path) -> None:
    text = (
        "AB-10 取扱説明書\n第１章　概要\n本文。\n1.1 仕様\n電源 AC200V\n■注意\n触れない。\n【点検】\n毎日。\n"
        "2.5 mm以下とする。\n"
    )
    found = [piece.heading_path for piece in read(written(tmp_path, text, "ab.txt", "cp932")).sections]
    assert found == [
        (), ("第１章 概要",), ("第１章 概要", "1.1 仕様"), ("第１章 概要", "1.1 仕様", "■注意"),
        ("第１章 概要", "1.1 仕様", "■注意", "【点検】"),
    ]  # fmt: skip


def test_bare_numbers_are_codes_only_in_a_list_of_errors(tmp_path: Path) -> None:
    alarms = "# アラーム一覧\n## 16 特異点\n- アラーム番号: 16\n## 1453 温度\n停止する。\n"
    assert [piece.codes for piece in read(written(tmp_path, alarms)).sections] == [("16",), ("1453",)]
    chapters = "# 取扱説明書\n## 4 エラー一覧\n本文\n## 5 保守\n本文\n"
    assert [piece.codes for piece in read(written(tmp_path, chapters)).sections] == [(), ()]


def test_printed_ranges_stay_as_printed(tmp_path: Path) -> None:
    text = "# エラー\n## E-20～E-29 通信\n本文\n## Alarm: 8011[23 - 54]\n本文\n"
    assert [piece.codes for piece in read(written(tmp_path, text)).sections] == [("E-20～E-29",), ("8011[23 - 54]",)]


def test_html_without_its_scripts(tmp_path: Path) -> None:
    html = (
        "<html><head><title>AB-10 手順書</title><script>alert(1)</script></head><body>"
        "<h1>AB-10 手順書</h1><h2>1 概要</h2>"
        "<p>充填<ruby>機<rt>き</rt></ruby>です。<br>二行目</p><ol><li>止める</li><li>外す</li></ol>"
        "<table><tr><th>コード</th><th>意味</th></tr><tr><td>E-1</td><td>停止</td></tr></table></body></html>"
    )
    manual = read(written(tmp_path, html, "ab.html"))
    found = sections(manual)
    assert found["1"].body.startswith("充填機です。\n二行目\n1. 止める\n2. 外す")
    assert found["e1"].body == "コード：E-1\n意味：停止"
    assert manual.models == ("AB-10",)


def test_docx_with_japanese_heading_styles(tmp_path: Path) -> None:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    paragraphs = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in (("a1", "第1章 概要"), ("n", "本文です。"), ("a1", "第2章 安全"), ("n", "止める。"))
    )
    style = '<w:style w:type="paragraph" w:styleId="a1"><w:name w:val="見出し 1"/></w:style>'
    styles = f'<w:styles xmlns:w="{word}">{style}</w:styles>'
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    file = tmp_path / "AB-10_r3.docx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{package}/content-types"/>')
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/styles" '
            'Target="styles.xml"/></Relationships>',
        )
        archive.writestr("word/styles.xml", styles)
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{word}"><w:body>{paragraphs}</w:body></w:document>'
        )
    manual = read(file)
    assert [piece.heading_path for piece in manual.sections] == [("第1章 概要",), ("第2章 安全",)]
    assert (manual.models, manual.revision) == (("AB-10",), "3")


def test_the_sample_pdf_page_by_page() -> None:
    manual = read(paths.sample_plant() / "manuals" / "fl200_r3.pdf")
    found = sections(manual, "fl200_r3.pdf")
    assert (manual.models, manual.revision, manual.title) == (("FL-200",), "3", "FL-200 回転式充填機 取扱説明書")
    assert manual.applies_to.serial_from == "F2-0100"
    remedy = found["5.2"]
    assert (remedy.page, remedy.page_label, remedy.codes) == (14, "5-3", ("E-12",))
    assert remedy.heading_path == ("第5章 エラー別処置", "5.2 E-12 充填ノズル詰まり")
    assert "(3) ノズルを水圧0.20MPa以下、90秒で逆洗し、閉塞を除く。" in remedy.body
    assert "FL-200 取扱説明書 改訂3" not in remedy.body
    assert found["e12"].page_label == "4-1"
    assert found["4.1"].codes == ()
    assert len([name for name in found if name.startswith("e")]) == 31


def test_known_models_tell_a_file_name_apart(tmp_path: Path) -> None:
    file = written(tmp_path, "# 取扱説明書\n本文\n", "fl200_r2.md")
    manual = read(file, ReadRequest(known_models=("FL-200", "FL-100")))
    assert (manual.models, manual.revision, manual.warnings) == (("FL-200",), "2", ())
    assert "推定" in read(file).warnings[0]


@pytest.mark.parametrize(
    ("text", "name", "revision"),
    [
        ("# 取扱説明書 改訂3\n本文\n", "x.md", "3"),
        ("# 取扱説明書\nRev.C\n", "x.md", "C"),
        ("# 取扱説明書\n第2.1版\n", "x.md", "2.1"),
        ("# 取扱説明書\n本文\n", "fl200_v4.md", "4"),
        ("# 取扱説明書\n本文\n", "fl200_r4_ja.md", "4"),
        ("# コントローラ V4 アラーム一覧\n本文\n", "cr_v4_alarms_ja.md", ""),
        ("# Log\nIt is expected to run on Python versions and newer ones, tested with version 3.8.\n", "x.md", ""),
        ("# Driver A\ndriver versions are told apart\n", "x.md", ""),
    ],
)  # fmt: skip
def test_a_revision_is_what_the_paper_says_of_itself(tmp_path: Path, text: str, name: str, revision: str) -> None:
    assert read(written(tmp_path, text, name)).revision == revision


def test_a_persons_model_beats_everything_and_none_is_told(tmp_path: Path) -> None:
    assert read(written(tmp_path, MARKDOWN), ReadRequest(model="ZZ-9")).models == ("ZZ-9",)
    nameless = read(written(tmp_path, "# 手引き\n本文\n", "x.md"))
    assert nameless.models == ()
    assert "--model" in nameless.warnings[0]


def test_an_error_list_kept_as_a_table(tmp_path: Path) -> None:
    file = written(tmp_path, "エラーコード,内容,処置\nE-1,停止,復帰\nE-2,過熱,冷却\n", "alarms.csv")
    found = sections(read(file), "alarms.csv")
    assert found["e2"].body == "エラーコード：E-2\n内容：過熱\n処置：冷却"


def test_a_file_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="manual_empty"):
        read(written(tmp_path, "\n \n"))


@pytest.mark.parametrize(
    "line",
    [
        "型番：TL-5　改訂：4", "型番：TL-5 改訂：4", "型番: TL-5, 改訂: 4", "型番：TL-5／改訂：4",
        "改訂：4　型番：TL-5",
        "型番：TL-5（改訂：4）", "型番：TL-5　文書番号：MH-5　改訂：4", "型番：TL-5　改訂4",
        "型番：TL-5（改訂4）",
        "型式：TL-5\t版数：4\t発行：2023年10月 10:30",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["x.md", "x.txt", "x.html"])
def test_facts_side_by_side_on_one_line_are_told_apart(tmp_path: Path, line: str, name: str) -> None:
    text = f"<h1>取扱説明書</h1><p>{line}</p><p>本文</p>" if name == "x.html" else f"# 取扱説明書\n\n{line}\n\n本文\n"
    manual = read(written(tmp_path, text, name))
    assert (manual.models, manual.revision) == (("TL-5",), "4")


def test_several_models_on_one_line_with_more_facts(tmp_path: Path) -> None:
    manual = read(written(tmp_path, "# 本\n\n型番：XR-10、XR-20　適用：XR-10 製造番号 A1～A9\n本文\n"))
    assert manual.models == ("XR-10", "XR-20")
    assert manual.applies_to.serial_from == "A1"
