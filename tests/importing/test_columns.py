"""Column names of ours among anybody's."""

from __future__ import annotations

import tomllib

import pytest

from desktop import paths
from desktop.importing.alias_list import column_key
from desktop.importing.columns import aliases, recognise, unit_of
from desktop.importing.mapping_file import read_mapping
from desktop.importing.request import TABLE_KINDS, Kind


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (["設備番号", "設備名", "型式", "ライン"], Kind.LEDGER),
        (["管理\n番号", "機械名称", "型 式", "据付年月日"], Kind.LEDGER),
        (["ＩＤ", "名称", "型番", "メーカー", "製造番号"], Kind.LEDGER),
        (["No.", "発生日時", "設備名", "症状", "対策", "作業者"], Kind.RECORD),
        (["社員番号", "氏名", "役割"], Kind.ROSTER),
        (["品番", "品名", "棚番", "在庫数(個)"], Kind.PART),
        (["依頼番号", "設備番号", "件名", "納期"], Kind.OPEN_ORDER),
        (["用語", "同義語"], Kind.SYNONYM),
        (["ID", "名称", "住所", "緯度", "経度"], None),
        (["日付", "平均気温(℃)", "降水量の合計(mm)"], None),
        (["id", "name", "age"], None),
    ],
)
def test_the_kind_of_a_table(columns: list[str], kind: Kind | None) -> None:
    guess = recognise(columns)
    assert (guess.kind if guess else None) == kind


def test_the_kind_asked_for_must_fit_too() -> None:
    assert recognise(["設備番号", "設備名", "型式"], Kind.RECORD) is None


def test_units_and_ornaments() -> None:
    assert column_key("※ 設備\n番号：") == "設備番号"
    assert unit_of("停止時間（分）") == "分"


def test_no_alias_stands_for_two_fields_of_one_kind() -> None:
    for kind in TABLE_KINDS:
        names = [key for keys in aliases(kind).names.values() for key in keys]
        assert len(names) == len(set(names)), kind


def test_the_list_names_every_kind() -> None:
    shipped = tomllib.loads(paths.resource("column_aliases.toml").read_text(encoding="utf-8"))
    assert set(shipped) == {kind.value for kind in TABLE_KINDS}


def test_mapping_files_of_both_forms(tmp_path: object) -> None:
    folder = paths.Path(str(tmp_path))
    (folder / "m.toml").write_text('kind = "part"\nheader_row = 3\n[columns]\n"品" = "name"\n', encoding="utf-8")
    (folder / "m.csv").write_bytes("列名,項目\r\nkind,part\r\nheader_row,3\r\n品,name\r\n".encode("cp932"))
    first, second = read_mapping(folder / "m.toml"), read_mapping(folder / "m.csv")
    assert first == second
    assert (first.kind, first.header_row, dict(first.columns)) == (Kind.PART, 3, {"品": "name"})


MACHINE_NAMES = tomllib.loads(paths.resource("column_aliases.toml").read_text(encoding="utf-8"))["ledger"]["fields"][
    "equipment_id"
]["names"]


@pytest.mark.parametrize("name", MACHINE_NAMES)
def test_every_name_of_a_machines_number_in_a_ledger_is_one_in_a_record_and_an_order(name: str) -> None:
    for columns in (
        ["No", name, "発生日", "現象", "原因", "処置"],
        [name, "発生日", "現象", "処置"],
        ["記録番号", name, "設備名", "発生日", "現象"],
        [name, "設備名", "発生日", "現象"],
    ):
        guess = recognise(columns)
        assert guess
        assert (guess.kind, guess.fields[columns.index(name)]) == (Kind.RECORD, "equipment_id")
    order = recognise(["依頼番号", name, "件名", "納期"])
    assert order
    assert (order.kind, order.fields[1]) == (Kind.OPEN_ORDER, "equipment_id")


def test_a_number_beside_the_machines_own_is_the_records() -> None:
    guess = recognise(["管理番号", "設備ID", "発生日", "現象", "処置"])
    assert guess
    assert (guess.fields[0], guess.fields[1]) == ("record_id", "equipment_id")
