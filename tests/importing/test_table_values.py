"""Tables of ours as values: headers, kinds, rows left out, values that can't be read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.ledger import EquipmentStatus, Role
from desktop.errors import KnownError
from desktop.importing.request import ColumnMapping, Kind, ReadRequest

Write = Callable[..., Path]
Read = Callable[..., Any]

LEDGER = ["設備番号", "設備名称", "型式", "ライン", "状態", "導入日"]
RECORD = ["日付", "設備番号", "アラーム", "現象", "要因", "対策", "停止時間(h)", "担当者"]


def test_a_ledger_below_a_preamble_with_legend_and_total(table: Write, read: Read) -> None:
    rows = [
        ["設備台帳"], ["作成日", "2026/11/29"], [], LEDGER,
        ["ＥＱ－００１", "充填機", "FL-200", "ライン1", "休止", "R6.4.1"],
        ["", "", "", "", "", ""],
        ["EQ-002", "キャッパー", "CP-80", "ライン1", "稼働", "いつか"],
        ["合計", "2台"], ["※状態：稼働／休止"], ["（注）休止は保管"], ["保全課長印"],
    ]  # fmt: skip
    values, [report] = read(table(rows))
    first, second = values
    assert (first.equipment_id, first.folded, first.model) == ("ＥＱ－００１", "eq001", "FL-200")
    assert (first.status, first.installed_on) == (EquipmentStatus.AT_REST, date(2024, 4, 1))
    assert first.original["設備番号"] == "ＥＱ－００１"
    assert second.installed_on is None
    assert second.original["導入日"] == "いつか"
    assert (report.kind, report.header_row, report.accepted) == (Kind.LEDGER, 4, 2)
    assert report.dropped == {"blank": 1, "total": 1, "legend": 2}
    assert [(problem.row, problem.column) for problem in report.rows] == [(7, "導入日"), (11, "設備番号")]


def test_a_repeated_id_is_refused_with_both_rows(table: Write, read: Read) -> None:
    values, [report] = read(table([LEDGER, ["EQ-1", "甲", "A-1"], ["ＥＱ１", "乙", "A-1"], ["", "丙", "A-1"]]))
    assert [one.name for one in values] == ["甲"]
    assert (report.accepted, report.rejected) == (1, 2)
    assert "2行目" in report.rows[0].reason
    assert [problem.row for problem in report.rows] == [3, 4]


def test_records_without_ids_get_the_same_ones_each_time_whatever_their_order(table: Write, read: Read) -> None:
    one = ["2026/7/1", "EQ-1", "E-12", "詰まり", "", "清掃", "0.5", "田中"]
    other = ["令和8年7月2日", "EQ-1", "", "異音", "軸受", "給油", "45分", "佐藤"]
    first, [report] = read(table([RECORD, one, other, one]))
    again, _ = read(table([["記録"], RECORD, other, one, one], name="again.csv"))
    assert {value.record_id for value in first} == {value.record_id for value in again}
    assert len({value.record_id for value in first}) == 3
    assert [value.downtime_minutes for value in first] == [30, 45, 30]
    assert first[1].date == date(2026, 7, 2)
    assert report.kind is Kind.RECORD
    assert report.mapping == {
        "日付": "date", "設備番号": "equipment_id", "アラーム": "error_code", "現象": "symptom", "要因": "cause",
        "対策": "action", "停止時間(h)": "downtime_minutes", "担当者": "worker",
    }  # fmt: skip


def test_running_numbers_take_their_lists_name_along(table: Write, read: Read) -> None:
    rows = [["No.", *RECORD], ["12", "2026/7/1", "EQ-1", "", "詰まり"], ["REC-7", "2026/7/1", "EQ-1", "", "異音"]]
    values, _ = read(table(rows, name="2026年度.csv"))
    assert [value.record_id for value in values] == ["2026年度-12", "REC-7"]


def test_a_column_of_year_last_dates_is_read_by_what_it_holds(table: Write, read: Read) -> None:
    values, _ = read(table([RECORD, ["03/04/2026", "EQ-1", "", "甲"], ["13/04/2026", "EQ-1", "", "乙"]]))
    assert [value.date for value in values] == [date(2026, 4, 3), date(2026, 4, 13)]
    undecided, [report] = read(table([RECORD, ["03/04/2026", "EQ-1", "", "甲"]], name="open.csv"))
    assert undecided[0].date is None
    assert report.rows[0].row == 2


def test_merged_two_row_headers_and_merged_lines_unfold(workbook: Write, read: Read) -> None:
    rows = [
        ["設備一覧"],
        ["設備", None, None, "ライン", "据付"],
        ["番号", "名称", "型式", None, "年月日"],
        ["EQ-1", "充填機", "FL-200", "ライン1", date(2016, 4, 1)],
        ["EQ-2", "キャッパー", "CP-80", None, date(2016, 4, 2)],
    ]
    file = workbook({"台帳": rows}, merged=("A2:C2", "D2:D3", "D4:D5"))
    values, [report] = read(file)
    assert [(one.equipment_id, one.line, one.installed_on) for one in values] == [
        ("EQ-1", "ライン1", date(2016, 4, 1)),
        ("EQ-2", "ライン1", date(2016, 4, 2)),
    ]
    assert report.mapping["設備番号"] == "equipment_id"
    assert report.header_row == 3


def test_a_two_row_header_in_csv_where_merging_left_blanks(table: Write, read: Read) -> None:
    rows = [["設備", "", "", "現場"], ["番号", "名称", "型式", "ライン"], ["EQ-1", "充填機", "FL-200", "1"]]
    values, [report] = read(table(rows))
    assert values[0].name == "充填機"
    assert report.kind is Kind.LEDGER


def test_native_numbers_stay_ids_and_sheets_of_others_are_told(workbook: Write, read: Read) -> None:
    ledger = [["設備番号", "設備名", "型番", "ライン"], [1001, "充填機", "FL-200", 3], ["0012", "検査機", "IV-70", 3]]
    values, [report] = read(workbook({"台帳": ledger, "表紙": [["説明"]]}))
    assert [one.equipment_id for one in values] == ["1001", "0012"]
    assert values[0].line == "3"
    assert "表紙" in report.warnings[0]


def test_several_sheets_of_ours_in_one_book(workbook: Write, read: Read) -> None:
    parts = [["部品番号", "品名", "棚番", "在庫数"], ["OR-1", "Oリング", "A-1", 12]]
    _, reports = read(workbook({"台帳": [LEDGER, ["EQ-1", "充填機", "FL-200"]], "部品": parts}))
    assert [(report.sheet, report.kind) for report in reports] == [("台帳", Kind.LEDGER), ("部品", Kind.PART)]


def test_group_labels_and_ditto_marks_carry_the_line(table: Write, read: Read) -> None:
    header = ["設備番号", "設備名", "型番", "設置場所"]
    rows = [header, ["■ライン1"], ["EQ-1", "充填機", "FL-200", "1F"], ["■ライン3"], ["EQ-2", "〃", "〃", "〃"]]
    values, _ = read(table(rows))
    assert [(one.line, one.name, one.location) for one in values] == [
        ("ライン1", "充填機", "1F"),
        ("ライン3", "充填機", "1F"),
    ]


def test_a_header_repeated_on_every_printed_page_is_no_row(table: Write, read: Read) -> None:
    values, [report] = read(table([LEDGER, ["EQ-1", "甲", "A"], LEDGER, ["EQ-2", "乙", "A"]]))
    assert len(values) == 2
    assert report.dropped["repeated_header"] == 1


def test_formulas_and_excel_errors_are_only_text(table: Write, read: Read) -> None:
    values, _ = read(table([LEDGER, ["EQ-1", '=HYPERLINK("http://x","充填機")', "#N/A", "#REF!"]]))
    assert values[0].name == '=HYPERLINK("http://x","充填機")'
    assert (values[0].model, values[0].line) == ("", "")


def test_ruined_numbers_are_reported(table: Write, read: Read) -> None:
    _, [report] = read(table([LEDGER, ["1.23457E+11", "充填機", "FL-200"]]))
    assert "指数表記" in report.rows[0].reason


def test_a_roster_with_a_role_nobody_knows(table: Write, read: Read) -> None:
    rows = [
        ["社員番号", "氏名", "役割", "ライン"],
        ["0101", "佐藤", "班長", "ライン1;ライン2"],
        ["0102", "鈴木", "社長", ""],
    ]
    values, [report] = read(table(rows, encoding="utf-8-sig"))
    assert [(row.person.role, row.person.lines) for row in values] == [
        (Role.LEADER, ("ライン1", "ライン2")),
        (Role.OPERATOR, ()),
    ]
    assert values[0].person.person_id == "0101"
    assert report.rows[0].row == 3


def test_nobodys_columns_are_named_and_nothing_is_read(table: Write, read: Read) -> None:
    with pytest.raises(KnownError) as caught:
        read(table([["緯度", "経度", "避難所"], ["1", "2", "3"]]))
    assert caught.value.code == "table_foreign"
    assert caught.value.detail["columns"] == "緯度、経度、避難所"


def test_a_mapping_reads_what_the_names_do_not_tell(table: Write, read: Read) -> None:
    file = table([["緯度", "経度", "避難所"], ["X-1", "FL-200", "充填機"]])
    columns = {"緯度": "equipment_id", "C": "name", "経度": "model"}
    mapping = ColumnMapping(kind=Kind.LEDGER, columns=columns)
    values, [report] = read(file, ReadRequest(mapping=mapping))
    assert (values[0].equipment_id, values[0].name, values[0].model) == ("X-1", "充填機", "FL-200")
    assert report.confidence == 1.0


def test_a_table_without_a_header_is_read_by_letters(table: Write, read: Read) -> None:
    mapping = ColumnMapping(kind=Kind.LEDGER, columns={"A": "equipment_id", "B": "name"}, header_row=0)
    values, _ = read(table([["EQ-1", "充填機"], ["EQ-2", "検査機"]]), ReadRequest(mapping=mapping))
    assert [one.name for one in values] == ["充填機", "検査機"]


@pytest.mark.parametrize(
    ("mapping", "code"),
    [
        (ColumnMapping(columns={"緯度": "equipment_id"}), "mapping_without_kind"),
        (ColumnMapping(kind=Kind.LEDGER, columns={"無い列": "name"}), "mapping_column_missing"),
        (ColumnMapping(kind=Kind.LEDGER, columns={"緯度": "nonsense"}), "mapping_field_unknown"),
        (ColumnMapping(kind=Kind.LEDGER, columns={"緯度": "name"}), "mapping_incomplete"),
    ],
)
def test_a_mapping_that_does_not_fit_says_why(table: Write, read: Read, mapping: ColumnMapping, code: str) -> None:
    with pytest.raises(KnownError) as caught:
        read(table([["緯度", "経度"], ["1", "2"]]), ReadRequest(mapping=mapping))
    assert caught.value.code == code


def test_tab_and_utf16_as_excel_saves_unicode_text(table: Write, read: Read) -> None:
    file = table([LEDGER, ["EQ-1", "充填機", "FL-200"]], name="book.txt", encoding="utf-16", delimiter="\t")
    _, [report] = read(file)
    assert (report.kind, report.encoding, report.accepted) == (Kind.LEDGER, "utf-16", 1)


def test_an_unclosed_quote_is_told(tmp_path: Path, read: Read) -> None:
    file = tmp_path / "broken.csv"
    file.write_text('設備番号,設備名,型番\nEQ-1,充填機,FL\n"EQ-2,検査機,IV\n', encoding="utf-8")
    _, [report] = read(file)
    assert any("引用符" in warning for warning in report.warnings)


def test_a_year_a_sheet_is_read_and_a_sheet_left_out_is_told_with_its_columns(
    workbook: Callable[..., Path], read: Callable[..., Any]
) -> None:
    file = workbook(
        {
            "R8年度": [["記録No", "設備ID", "発生日", "現象", "処置"], ["A-1", "M001", "2026-04-01", "異音", "給油"]],
            "R7年度": [
                ["No", "管理番号", "発生日", "現象", "原因", "処置"], [1, "M002", "2025-04-01", "漏れ", "摩耗", "交換"],
            ],
            "気温": [["観測所", "気温"], ["東京", "20"], ["大阪", "21"]],
        }
    )  # fmt: skip
    values, reports = read(file)
    assert [one.equipment_id for one in values] == ["M001", "M002"]
    assert [report.sheet for report in reports] == ["R8年度", "R7年度"]
    [told] = reports[0].warnings
    assert "気温" in told
    assert "観測所" in told


@pytest.mark.parametrize("line_break", ["\r\n", "\r", "\n", "\v", "\u2028", "_x000D_\n"])
def test_line_breaks_in_a_cell_are_of_one_kind(
    table: Callable[..., Path], read: Callable[..., Any], line_break: str
) -> None:
    points = line_break.join(["主幹NFB-3", "元弁V-31", "残圧弁V-32"])
    rows = [["設備ID", "設備名", "型番", "遮断点", "通称"], ["M001", "充填機", "FL-200", points, points]]
    rows += [[f"M1{number}", "検査機", "IV-70", "主幹", ""] for number in range(10)]
    [machine, *_], _ = read(table(rows, encoding="utf-8"))
    assert machine.isolation_points == ("主幹NFB-3", "元弁V-31", "残圧弁V-32")
    assert machine.nicknames == machine.isolation_points
    assert machine.original["遮断点"] == "主幹NFB-3\n元弁V-31\n残圧弁V-32"
