"""A manual for two models: a machine is told what is written for its own model, never the other's figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done

LEDGER = "設備ID,設備名,型番,ライン\nM001,油圧プレス,XR-10,ライン1\nM002,油圧プレス,XR-20,ライン1\n"
MANUAL = """XR シリーズ 取扱説明書
型番：XR-10、XR-20
改訂：1

第1章 異常

1.1 AL-31 油圧低下（XR-10）
意味：油圧が下限より低い。
処置：
1. フィルタHF-10を交換する
2. 圧力を12MPaに合わせる

1.2 AL-31 油圧低下（XR-20）
意味：油圧が下限より低い。
処置：
1. フィルタHF-20を交換する
2. 圧力を18MPaに合わせる
"""
TABLE = """# XR シリーズ 取扱説明書

型番：XR-10、XR-20

## 異常一覧

| コード | 機種 | 意味 | 処置 |
|---|---|---|---|
| AL-31 | XR-10 | 油圧低下 | フィルタHF-10を交換し12MPaに合わせる |
| AL-32 | XR-10 | 油温高 | 冷却器を洗う |
| AL-31 | XR-20 | 油圧低下 | フィルタHF-20を交換し18MPaに合わせる |
"""


@pytest.mark.parametrize(("name", "manual"), [("xr.txt", MANUAL), ("xr.md", TABLE)])
def test_only_the_own_models_figures_are_given(
    tmp_path: Path, command: Callable[..., Done], name: str, manual: str
) -> None:
    plant, data = tmp_path / "plant", tmp_path / "data"
    plant.mkdir()
    (plant / "ledger.csv").write_text(LEDGER, encoding="utf-8")
    (plant / name).write_text(manual, encoding="utf-8")
    assert command("import", str(plant), "--data-dir", str(data)).code == 0
    for machine, model, own, other in (
        ("M001", "XR-10", ("12MPa", "HF-10"), ("18MPa", "HF-20")),
        ("M002", "XR-20", ("18MPa", "HF-20"), ("12MPa", "HF-10")),
    ):
        asked = command("ask", f"{machine} AL-31", "--data-dir", str(data)).document
        answer = json.dumps(asked, ensure_ascii=False)
        assert all(figure in answer for figure in own)
        assert not any(figure in answer for figure in other)
        found = command("search", "manual", model, "AL-31", "--data-dir", str(data)).document
        shown = json.dumps(found, ensure_ascii=False)
        assert own[1] in shown
        assert name != "xr.txt" or other[1] not in shown
