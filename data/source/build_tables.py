"""Writes the sample plant's ledger, roster, parts, open orders and records (needs openpyxl, not a product dependency).

Run `python data/source/build_tables.py`; the same input gives the same bytes. The ledger and the parts list are CP932
with CRLF as Excel in Japan saves them, the roster and the open orders UTF-8 with a byte order mark, the records XLSX.
"""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import date, datetime
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font
from sample_records import HEADER, all_records

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
FIXED_TIME = datetime(2026, 11, 29, 8, 30)
FIXED_ZIP_TIME = (2026, 11, 29, 8, 30, 0)

LEDGER_HEADER = [
    "設備ID", "設備名", "通称", "型番", "メーカー", "製造番号", "ライン", "設置場所", "担当", "状態", "重要度", "導入日",
    "エネルギー源", "遮断点", "メーカー電話", "保全連絡先",
]  # fmt: skip

MIHON = ("ミホン充填工業㈱", "0120-000-201")
KAKU = ("カクウ精機㈱", "0120-000-305")
SOZO = ("ソウゾウ機械㈱", "03-0000-4410")
REIKI = ("レイキ熱機㈱", "03-0000-5520")
LINE12 = "保全1係 内線2101"
LINE3 = "保全2係 内線2102"
UTIL = "動力係 内線2150"


def _machine(
    ident: str,
    name: str,
    nick: str,
    model: str,
    maker: tuple[str, str],
    serial: str,
    where: str,
    owner: str,
    state: str,
    since: str,
    energies: str,
    isolation: str,
) -> list[str]:
    """One ledger row; `where` is "line|place" and `state` is "status rank"."""
    line, place = where.split("|")
    status, rank = state.split()
    contact = {"ライン3": LINE3, "ユーティリティ": UTIL}.get(line, LINE12)
    head = [ident, name, nick, model, maker[0], serial, line, place, owner, status, rank, since]
    return [*head, energies, isolation, maker[1], contact]


LEDGER = [
    _machine("EQ-001", "充填機", "1号充填", "FL-200", MIHON, "F2-0117", "ライン1|第1工場 1F 南", "髙橋", "稼働 A",
             "2016-04-01", "電気AC200V;空圧0.5MPa;液圧(製品)0.2MPa",
             "主幹NFB-1 制御盤CP-1;エアー元弁V-11;製品元弁V-12"),
    _machine("EQ-002", "キャッパー", "1号キャッパ", "CP-80", KAKU, "C8-2051", "ライン1|第1工場 1F 南", "髙橋", "稼働 A",
             "平成28年4月1日", "電気AC200V；空圧0.5MPa", "主幹NFB-2 制御盤CP-2；エアー元弁V-21"),
    _machine("EQ-003", "充填機", "3号充填", "FL-200", MIHON, "F2-0342", "ライン3|第2工場 1F 東", "田中", "稼働 A",
             "2019/7/1", "電気AC200V;空圧0.5MPa;液圧(製品)0.2MPa",
             "主幹NFB-3 制御盤CP-3;エアー元弁V-31;製品元弁V-32"),
    _machine("EQ-004", "シュリンクラベラー", "シュリンク", "SL-40", SOZO, "SL4-118", "ライン1|第1工場 1F 中", "髙橋",
             "稼働 B", "H31.4.22", "電気AC200V、空圧0.5MPa、蒸気0.1MPa",
             "主幹NFB-4 制御盤CP-4、エアー元弁V-41、蒸気元弁SV-41"),
    _machine("EQ-005", "洗壜機", "びん洗い", "BW-600", SOZO, "B6-0009", "ライン2|第1工場 1F 北", "渡辺", "稼働 A",
             "平成17年9月12日", "電気AC200V;蒸気0.3MPa;薬品(苛性ソーダ2～3%);温水80℃",
             "主幹NFB-5 制御盤CP-5;蒸気元弁SV-51;薬液元弁CV-51"),
    _machine("EQ-006", "キャッパー", "3号キャッパ", "CP-80", KAKU, "C8-3310", "ライン3|第2工場 1F 東", "田中", "稼働 A",
             "2019/7/1", "電気AC200V；空圧0.5MPa", "主幹NFB-6 制御盤CP-6；エアー元弁V-61"),
    _machine("EQ-007", "ラベラー", "3号ラベル", "LB-50", SOZO, "LB5-0720", "ライン3|第2工場 1F 中", "田中", "稼働 B",
             "2019/7/8", "電気AC200V;空圧0.4MPa;糊タンク加熱160℃", "主幹NFB-7 制御盤CP-7;エアー元弁V-71"),
    _machine("EQ-008", "ケーサー", "1号箱詰", "CS-20", KAKU, "CS-0412", "ライン1|第1工場 1F 中", "髙橋", "稼働 B",
             "2016-04-01", "電気AC200V;空圧0.5MPa", "主幹NFB-8 制御盤CP-8;エアー元弁V-81"),
    _machine("EQ-009", "ケーサー", "3号箱詰", "CS-20", KAKU, "CS-0733", "ライン3|第2工場 1F 西", "田中", "稼働 B",
             "R1.7.8", "電気AC200V;空圧0.5MPa", "主幹NFB-9 制御盤CP-9;エアー元弁V-91"),
    _machine("EQ-010", "パレタイザ", "パレ", "PZ-4", KAKU, "PZ4-0055", "ライン1|第1工場 1F 出荷口", "髙橋", "稼働 A",
             "2016-04-01", "電気AC200V;空圧0.5MPa;重力(昇降部)",
             "主幹NFB-10 制御盤CP-10;エアー元弁V-101;昇降部 落下防止ピンLP-10"),
    _machine("EQ-011", "コンベヤ", "2号コンベヤ", "CV-10", SOZO, "CV1-0234", "ライン2|第1工場 1F 北", "渡辺", "稼働 C",
             "2012/3/5", "電気AC200V", "主幹NFB-11 制御盤CP-11"),
    _machine("EQ-012", "充填機", "2号充填(旧)", "FL-100", MIHON, "F1-0031", "ライン2|第1工場 北倉庫(撤去待ち)", "渡辺",
             "廃止 C", "平成12年3月1日", "電気AC200V;空圧0.5MPa", "主幹NFB-12(封印済);エアー元弁V-121(閉止板)"),
    _machine("EQ-013", "びん詰機", "2号", "BF-300", MIHON, "BF-0102", "ライン2|第1工場 1F 北", "渡辺", "稼働 A",
             "H24.3.5", "電気AC200V;空圧0.5MPa;炭酸ガス0.4MPa",
             "主幹NFB-13 制御盤CP-13;エアー元弁V-131;炭酸ガス元弁GV-131"),
    _machine("EQ-014", "検査機", "3号カメラ", "IV-70", KAKU, "IV7-0418", "ライン3|第2工場 1F 中", "田中", "稼働 B",
             "2020-02-10", "電気AC100V;空圧0.4MPa(リジェクタ)", "コンセント遮断 盤CP-14;エアー元弁V-141"),
    _machine("EQ-015", "検査機", "2号カメラ", "IV-70", KAKU, "IV7-0266", "ライン2|第1工場 1F 北", "渡辺", "休止 C",
             "H29.6.19", "電気AC100V;空圧0.4MPa(リジェクタ)", "コンセント遮断 盤CP-15;エアー元弁V-151"),
    _machine("EQ-016", "殺菌機", "パス", "HT-500", REIKI, "HT5-0061", "ライン3|第2工場 1F 西", "田中", "稼働 A",
             "2019-07-01", "電気AC200V;蒸気0.4MPa;温水95℃;空圧0.5MPa",
             "主幹NFB-16 制御盤CP-16;蒸気元弁SV-161;温水元弁HV-161;エアー元弁V-161"),
    _machine("EQ-017", "印字機", "IJ", "IJ-9", KAKU, "IJ9-1180", "ライン1|第1工場 1F 中", "佐々木", "稼働 B",
             "令和4年10月3日", "電気AC100V、溶剤(MEK系)", "コンセント遮断 P-17"),
    _machine("EQ-018", "コンベヤ", "3号コンベヤ", "CV-10", SOZO, "CV1-0571", "ライン3|第2工場 1F 西", "田中", "稼働 C",
             "2019/7/8", "電気AC200V", ""),
    _machine("EQ-019", "金属検出機", "金探", "", SOZO, "不明", "ライン1|第1工場 1F 出荷口", "佐々木", "稼働 B",
             "R5.2.20", "電気AC100V", "コンセント遮断 P-19"),
    _machine("EQ-020", "エアコンプレッサ", "コンプ", "AC-37", REIKI, "AC37-0093", "ユーティリティ|動力棟", "佐々木",
             "稼働 A", "2018-05-14", "電気AC200V;空圧0.7MPa(残圧)", "主幹NFB-20 動力盤MP-1;吐出元弁V-201"),
    _machine("EQ-021", "ボイラ", "1号ボイラ", "BL-1000", REIKI, "BL-2207", "ユーティリティ|動力棟", "佐々木", "稼働 A",
             "平成26年11月4日", "電気AC200V;都市ガス;蒸気0.7MPa;高温水",
             "主幹NFB-21 動力盤MP-2;ガス元弁GV-211;蒸気元弁SV-211"),
    _machine("EQ-022", "チラー", "冷水機", "CH-15", REIKI, "CH15-0310", "ユーティリティ|動力棟 屋外", "佐々木", "稼働 B",
             "2021/4/12", "電気AC200V;冷媒(R410A);冷水0.3MPa", "主幹NFB-22 動力盤MP-3;冷水元弁WV-221"),
    _machine("EQ-023", "純水装置", "RO", "RO-8", REIKI, "RO8-0044", "ユーティリティ|第1工場 2F", "佐々木", "稼働 B",
             "R2.9.1", "電気AC200V;水圧0.9MPa;薬品(次亜)", "主幹NFB-23 制御盤CP-23;原水元弁WV-231;薬注元弁CV-231"),
    _machine("EQ-024", "テーブルリフター", "リフタ", "TL-05", SOZO, "TL-1902", "ライン2|第1工場 1F 北", "渡辺", "稼働 C",
             "H22.8.30", "電気AC200V；油圧7MPa；重力(上昇端)", "主幹NFB-24 操作箱CB-24；油圧元弁OV-241；安全棒SB-24"),
]  # fmt: skip

PEOPLE_HEADER = ["社員番号", "氏名", "役割", "ライン", "電話", "見本PIN"]
PEOPLE = [
    ["0101", "佐藤 一郎", "作業者", "ライン1", "内線3101", "482913"],
    ["0102", "鈴木 花", "作業者", "ライン3", "内線3103", "730584"],
    ["0103", "伊藤 健", "作業者", "ライン2", "内線3102", "619275"],
    ["0104", "加藤 優", "作業者", "ライン3", "内線3103", "284706"],
    ["0201", "髙橋 誠", "保全", "ライン1;ライン2", "内線2101", "905138"],
    ["0202", "田中 美咲", "保全", "ライン3", "内線2102", "371692"],
    ["0203", "渡辺 亮", "保全", "ライン2", "内線2101", "846031"],
    ["0204", "佐々木 徹", "保全", "ライン1;ユーティリティ", "内線2150", "158407"],
    ["0301", "山本 幸子", "班長", "ライン1;ライン2", "内線2201", "527940"],
    ["0302", "中村 大輔", "班長", "ライン3", "内線2202", "693815"],
    ["0401", "小林 正", "保全課長", "ライン1;ライン2;ライン3;ユーティリティ", "03-0000-2300", "407261"],
]

PARTS_HEADER = ["部品番号", "品名", "対象型番", "棚番", "在庫数", "在庫日"]
PARTS = [
    ["OR-2210", "Oリング(充填ノズル用)", "FL-200", "A-03-2", "12", "2026/11/27"],
    ["NZ-200-08", "充填ノズル φ8", "FL-200", "A-03-1", "2", "2026/11/27"],
    ["FE-200", "供給フィルタエレメント", "FL-200", "A-04-1", "4", "2026/11/27"],
    ["RV-200", "リターン弁", "FL-200", "A-04-3", "0", "2026/11/27"],
    ["PS-045", "圧力センサー(充填圧)", "FL-200", "A-05-1", "1", "2026/11/20"],
    ["SW-110", "安全カバースイッチ", "FL-200", "A-05-2", "2", "2026/11/20"],
    ["CH-80-3", "キャップチャック", "CP-80", "B-01-1", "6", "2026/11/27"],
    ["PX-12", "近接センサー(シュート)", "CP-80", "B-01-4", "3", "2026/11/27"],
    ["CL-80", "トルククラッチ", "CP-80", "B-02-1", "1", "2026/10/30"],
    ["BR-50", "テンションブレーキパッド", "LB-50", "B-03-1", "4", "2026/11/27"],
    ["LS-51", "ラベル検出センサー", "LB-50", "B-03-2", "1", "2026/11/27"],
    ["GN-50", "糊ノズル", "LB-50", "B-03-5", "0", "2026/11/13"],
    ["BLT-B52", "Vベルト B-52", "CV-10", "C-01-1", "8", "2026/11/27"],
    ["UCP-205", "軸受ユニット", "CV-10", "C-01-3", "5", "2026/11/27"],
    ["LD-70", "LED照明", "IV-70", "C-02-1", "1", "2026/11/20"],
    ["TC-K5", "熱電対 K形", "HT-500", "C-03-1", "3", "2026/11/20"],
    ["GK-161", "蒸気弁グランドパッキン", "HT-500", "C-03-2", "10", "2026/11/20"],
    ["AF-37", "吸込フィルタ", "AC-37", "D-01-1", "2", "R8.11.20"],
    ["VC-20", "吸着パッド", "CS-20", "B-04-1", "20", "2026/11/27"],
    ["CN-8A", "チェーン RS40", "PZ-4", "C-04-1", "2", "2026/09/30"],
]

ORDERS_HEADER = ["番号", "設備ID", "件名", "状態", "予定日"]
ORDERS = [
    ["WO-26-0311", "EQ-001", "リターン弁 RV-200 予備品手配", "手配中", "2026-12-10"],
    ["WO-26-0318", "EQ-003", "充填ノズル 全数点検(8本)", "計画済", "2026-12-05"],
    ["WO-26-0320", "EQ-016", "蒸気弁グランドパッキン交換", "着手", "2026-12-01"],
    ["WO-26-0322", "EQ-018", "遮断点の表示と台帳登録", "受付", "令和8年12月18日"],
    ["WO-26-0325", "EQ-010", "昇降チェーン張り調整", "受付", "2026/12/12"],
]


def _csv_bytes(rows: list[list[str]], encoding: str) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode(encoding)


def write_ledger(target: Path) -> None:
    """Title, date and a blank row stand above the header; a legend below, as in a plant's own sheet."""
    blank = [""] * len(LEDGER_HEADER)
    title = ["設備台帳（見本・架空）", *blank[1:]]
    made = ["作成日", "2026/11/29", "", "作成", "保全課 小林", *blank[5:]]
    legend = ["※状態：稼働／休止／廃止　※重要度：①A ②B ③C", *blank[1:]]
    target.write_bytes(_csv_bytes([title, made, blank, LEDGER_HEADER, *LEDGER, blank, legend], "cp932"))


def write_records(target: Path) -> None:
    """One sheet of records under a title, and a second sheet that only says how to fill it in."""
    book = Workbook()
    sheet = book.active
    sheet.title = "保全記録"
    sheet.append(["保全記録（見本・架空の工場）"])
    sheet.append(["出力日", date(2026, 11, 29), None, "※停止時間は分で記入"])
    sheet.append([])
    sheet.append(HEADER)
    for cell in sheet[4]:
        cell.font = Font(bold=True)
    records = all_records()
    for row in records:
        sheet.append(row)
        when = sheet.cell(row=sheet.max_row, column=2)
        if isinstance(when.value, date):
            when.number_format = "yyyy/mm/dd"
    sheet.append([])
    sheet.append(["合計", f"{len(records)}件"])
    for column, width in zip("ABCDEFGHIJK", (12, 13, 9, 11, 42, 34, 34, 16, 12, 10, 10), strict=True):
        sheet.column_dimensions[column].width = width
    sheet.freeze_panes = "A5"
    guide = book.create_sheet("記入要領")
    for line in ("現象・原因・処置は1件1行で書く。", "コードは盤の表示のとおりに書く。", "原因が分からないときは空欄のまま出す。"):
        guide.append([line])
    _save_fixed(book, target)


def _save_fixed(book: Workbook, target: Path) -> None:
    """Saves with fixed times inside, so that the same input gives the same bytes."""
    book.properties.creator = "保全課"
    book.properties.created = FIXED_TIME
    buffer = io.BytesIO()
    book.save(buffer)
    out = io.BytesIO()
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as fixed:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                head, _, tail = content.partition(b"<dcterms:modified")
                tail = tail.partition(b"</dcterms:modified>")[2]
                content = head + tail
            fixed.writestr(zipfile.ZipInfo(name, FIXED_ZIP_TIME), content, zipfile.ZIP_DEFLATED)
    target.write_bytes(out.getvalue())


def main() -> None:
    """Writes every table into data/sample."""
    SAMPLE.mkdir(parents=True, exist_ok=True)
    write_ledger(SAMPLE / "equipment_ledger.csv")
    (SAMPLE / "roster.csv").write_bytes(_csv_bytes([PEOPLE_HEADER, *PEOPLE], "utf-8-sig"))
    (SAMPLE / "parts.csv").write_bytes(_csv_bytes([PARTS_HEADER, *PARTS], "cp932"))
    (SAMPLE / "open_orders.csv").write_bytes(_csv_bytes([ORDERS_HEADER, *ORDERS], "utf-8-sig"))
    write_records(SAMPLE / "maintenance_records.xlsx")


if __name__ == "__main__":
    main()
