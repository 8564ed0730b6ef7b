"""What the bundled plant lacks, as its makers left it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.paths import DataDir
from desktop.services.plant_coverage import NO_LINE, coverage, coverage_csv
from desktop.services.plant_data import Import, import_paths
from desktop.store.snapshot import Snapshot

LEDGER = """設備ID,設備名,型番,ライン,状態,遮断点
EQ-1,充填機,FL-200,ライン1,稼働,NFB-1
EQ-2,検査機,IV-70,ライン1,稼働,
EQ-3,印字機,,,稼働,NFB-3
EQ-4,旧機,ZZ-1,ライン1,廃止,
EQ-5,予備機,FL-200,ライン2,休止,NFB-5
"""
RECORDS = """記録No,日付,設備ID,現象,原因,処置
R-1,2026/7/1,EQ-1,詰まり,固着,清掃
R-2,2026/7/2,ＥＱ１,詰まり,,清掃
R-3,2026/7/3,EQ-9,異音,,給油
"""


@pytest.fixture
def snapshot(tmp_path: Path) -> Iterator[Snapshot]:
    plant, data = tmp_path / "plant", DataDir(tmp_path / "data")
    plant.mkdir()
    (plant / "ledger.csv").write_text(LEDGER, encoding="utf-8")
    (plant / "records.csv").write_text(RECORDS, encoding="utf-8")
    (plant / "fl.md").write_text("---\n型番: FL-200\n---\n# 説明書\n## 5.1 E-12 詰まり\n清掃。\n", encoding="utf-8")
    (plant / "iv.md").write_text("---\n型番: IV-70\n---\n# 説明書\n## 概要\n検査する。\n", encoding="utf-8")
    import_paths(Import(data), [plant])
    opened = Snapshot.current(data.snapshots)
    assert opened
    yield opened
    opened.close()


def test_each_line_says_which_machines_lack_what(snapshot: Snapshot) -> None:
    lines = {line["line"]: line for line in coverage(snapshot)["lines"]}
    first = lines["ライン1"]
    assert (first["machines"], first["without_code_table"], first["without_isolation_points"]) == (
        2,
        ["EQ-2"],
        ["EQ-2"],
    )
    assert (first["records"], first["records_without_cause"], first["share"]) == (2, 1, 0.5)
    assert lines[NO_LINE]["without_model"] == lines[NO_LINE]["without_manual"] == ["EQ-3"]
    assert lines["ライン2"]["share"] == 1.0


def test_what_belongs_to_no_line(snapshot: Snapshot) -> None:
    report = coverage(snapshot)
    assert report["models_without_code_table"] == ["IV-70"]
    assert report["records_of_unknown_machines"] == [{"equipment_id": "EQ-9", "records": 1}]


def test_the_same_as_a_table_for_excel(snapshot: Snapshot) -> None:
    text = coverage_csv(coverage(snapshot))
    assert text.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert rows[0] == ["ライン", "項目", "対象", "件数"]
    assert ["ライン1", "遮断点が未登録の設備", "EQ-2", "1"] in rows
    assert ["", "台帳にない設備の記録", "EQ-9", "1"] in rows
