"""A small plant: a twin machine, an old revision, printed code ranges, words other than people type."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path

from desktop.domain.ledger import AppliesTo, Equipment, MaintenanceRecord, Manual, ManualSection, OpenOrder, Part
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_builder import SnapshotBuilder, Source

MACHINES = (
    Equipment(
        "EQ-001", "充填機", "FL-200", "ライン1", "第1工場", nicknames=("1号充填",), original={"設備ID": "EQ-001"}
    ),
    Equipment("EQ-003", "充填機", "FL-200", "ライン3", "第1工場", original={"設備ID": "ＥＱ－００３", "型番": "FL200"}),
    Equipment("EQ-011", "搬送コンベヤ", "CV-500", "ライン2", "第2工場"),
    Equipment("EQ-012", "キャッパー", "CP-80", "ライン2", "第2工場"),
    Equipment("EQ-030", "包装機", "PK-10", "ライン30", "第3工場"),
)
RECORDS = (
    MaintenanceRecord(
        "R-1", "EQ-003", date(2025, 5, 1), "E-12", "ノズル詰まり", "異物", "OR-2210を交換", worker="佐藤"
    ),
    MaintenanceRecord(
        "R-2", "EQ-003", date(2026, 3, 2), "Ｅ１２", "E-12 再発", "", "ノズルを清掃", original={"記録No": "R-2"}
    ),
    MaintenanceRecord("R-3", "EQ-003", None, "", "異音がする", "ベアリング摩耗", "ベアリング交換"),
    MaintenanceRecord("R-4", "EQ-001", date(2026, 4, 1), "E-12", "液だれ", "パッキン劣化", "パッキン交換"),
    MaintenanceRecord("R-5", "EQ-999", date(2026, 4, 2), "E-07", "キャップ外れ", "", ""),
)


def section(manual: str, number: int, heading: str, body: str = "", *codes: str, **more: object) -> ManualSection:
    model = manual.rsplit("r", 1)[0]
    fields = {"models": (model,), "ordinal": number, "page": number, "page_label": f"5-{number}", "codes": codes} | more
    return ManualSection(
        ref=f"manual:{manual}#{number}", manual_id=manual, heading_path=("5 異常と処置", heading), body=body, **fields
    )  # type: ignore[arg-type]


MANUALS = (
    (
        Manual("FL-200r3", ("FL-200",), "充填機 FL-200 取扱説明書", "3", file_sha256="ab"),
        (
            section(
                "FL-200r3", 1, "E-12 充填ノズル閉塞", "原因：異物の噛み込み\n処置：弁を閉じ、ノズルを清掃する。", "E-12"
            ),
            section("FL-200r3", 2, "E-120 温度上昇", "ヒーターを確認する。", "E-120"),
            section("FL-200r3", 3, "8011[23 - 54] 通信エラー", "センサーの配線を確認する。", "8011[23 - 54]"),
            section("FL-200r3", 4, "8011[xx] その他の通信エラー", "再起動する。", "8011[xx]"),
            section("FL-200r3", 5, "給油", "軸に給油する。モータードライバーには給油しない。"),
        ),
    ),
    (
        Manual("FL-200r2", ("FL-200",), "充填機 FL-200 取扱説明書", "2", old_revision=True),
        (section("FL-200r2", 1, "E-12 充填ノズル閉塞", "旧い処置", "E-12", revision="2", old_revision=True),),
    ),
    (
        Manual("CP-80r1", ("CP-80",), "キャッパー", "1", applies_to=AppliesTo(series=("CP-8x",))),
        (
            section("CP-80r1", 1, "E-07 キャップ供給切れ", "ホッパーを確認する。", "E-07"),
            section("CP-80r1", 2, "2xxx サーボ系アラーム", "サーボアンプの取説を見る。", "2xxx"),
        ),
    ),
    (
        Manual("PK-10r1", ("PK-10", "PK-20"), "包装機", "1"),
        (
            section("PK-10r1", 1, "E-31 フィルム切れ", "フィルムを交換する。", "E-31"),
            section("PK-10r1", 2, "E-31 刃の摩耗", "刃を交換する。", "E-31", models=("PK-20",)),
        ),
    ),
)


def source(source_id: str, kind: str = "ledger") -> Source:
    return Source(
        source_id, f"/plant/{source_id}.csv", kind, "00ff", {"型式": "model"}, datetime(2026, 11, 1, tzinfo=UTC)
    )


def fill(builder: SnapshotBuilder, machines: Iterable[Equipment] = MACHINES) -> None:
    """The plant from three sources: ledger, manuals, log."""
    builder.add_source(source("ledger"))
    builder.add_equipment("ledger", machines)
    builder.add_parts("ledger", [Part("OR-2210", "Oリング", ("FL-200",), "A-03", 12, date(2026, 11, 1))])
    builder.add_open_orders("ledger", [OpenOrder("WO-1", "EQ-003", "ノズル点検", "計画済", date(2026, 12, 5))])
    builder.add_synonyms("ledger", [("チョコ停", "短時間停止")])
    builder.add_source(source("manuals", "manual"))
    for manual, sections in MANUALS:
        builder.add_manual("manuals", manual, sections)
    builder.add_source(source("log", "record"))
    builder.add_records("log", RECORDS)


def small_plant(folder: Path) -> Snapshot:
    """Built, published and opened."""
    with SnapshotBuilder(folder) as builder:
        fill(builder)
        builder.publish()
    snapshot = Snapshot.current(folder)
    assert snapshot
    return snapshot
