"""A plant's own TOML lists: told apart by their content, tried, and refused with the place named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop import paths
from desktop.errors import KnownError, sentence
from desktop.importing.columns import plants_own, recognise
from desktop.importing.plant_lists import read_list
from desktop.importing.request import Kind, ReadRequest

ALIASES = '[ledger.fields.equipment_id]\nnames = ["マシンキー"]\n[ledger.fields.name]\nnames = ["呼名"]\n'


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    file = folder / "list.toml"
    file.write_bytes(text.encode(encoding))
    return file


def safety(change: Callable[[str], str] = lambda text: text) -> str:
    return change(paths.resource("safety_rules.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_a_list_is_told_by_its_content_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    found, report = read_list(written(tmp_path, ALIASES, encoding), Kind.AUTO)
    assert found
    assert (found.kind, report.kind, report.accepted) == ("alias", Kind.ALIAS, 2)
    assert found.content == ALIASES


def test_the_shipped_lists_are_good_templates(tmp_path: Path) -> None:
    for name, kind in (("safety_rules.toml", Kind.SAFETY_RULE), ("column_aliases.toml", Kind.ALIAS)):
        found, report = read_list(written(tmp_path, paths.resource(name).read_text(encoding="utf-8")), Kind.AUTO)
        assert found
        assert report.kind is kind
        assert report.accepted > 10


def test_a_mapping_is_no_data_and_says_so(tmp_path: Path) -> None:
    found, report = read_list(written(tmp_path, 'kind = "part"\n[columns]\n"品" = "name"\n'), Kind.AUTO)
    assert found is None
    assert "--mapping" in report.warnings[0]


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("words = [", "list_unreadable", "TOML"),
        ('name = "desktop"\n[tool]\nx = 1\n', "list_foreign", "tool"),
        ("", "list_foreign", "－"),
        ('[ledger.fields.machine_key]\nnames = ["a"]\n', "list_senseless", "machine_key はありません"),
        ('[machines.fields.name]\nnames = ["a"]\n', "list_senseless", "[machines] という種類はありません"),
        ("[ledger.fields.name]\nnames = []\n", "list_senseless", "空でない語の並び"),
        ('[ledger.fields.name]\nname = ["a"]\n', "list_senseless", "name は使えない項目"),
        ('[ledger.fields.name]\nnames = ["※"]\n', "list_senseless", "記号だけ"),
        ('[ledger]\nany = [["name"]]\n[ledger.fields.name]\nnames = ["a"]\n', "list_senseless", "変えられません"),
        (
            '[ledger.fields.name]\nnames = ["呼名"]\n[ledger.fields.model]\nnames = ["呼 名"]\n',
            "list_senseless",
            "列名「呼名」が二つの項目",
        ),
        (safety(lambda text: text.replace("[[lockout]]", "[[lockuot]]")), "list_senseless", "lockout がありません"),
        (safety(lambda text: text.replace('"カバー", "扉"', '"扉"').replace('"清掃", ', "")
                .replace('"取り外", "外し", "外す", "外せ", ', "")), "list_senseless", "作業の注意が出ません"),
    ],
)  # fmt: skip
def test_a_list_that_cant_be_used_is_a_sentence(tmp_path: Path, text: str, code: str, told: str) -> None:
    with pytest.raises(KnownError) as raised:
        read_list(written(tmp_path, text), Kind.AUTO)
    assert raised.value.code == code
    assert told in sentence(raised.value)


def test_deep_nesting_and_size_are_a_sentence(tmp_path: Path) -> None:
    for text in ("a = " + "[" * 5_000 + "]" * 5_000, "#" * (1 << 20) + "\n"):
        with pytest.raises(KnownError, match="list_unreadable"):
            read_list(written(tmp_path, text), Kind.AUTO)


def test_a_kind_asked_for_is_held_to_its_form(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="list_senseless"):
        read_list(written(tmp_path, ALIASES), Kind.SAFETY_RULE)


def test_a_plants_names_count_beside_the_shipped_ones() -> None:
    columns = ["マシンキー", "呼名", "型式"]
    assert recognise(columns) is None
    with plants_own(ALIASES):
        guess = recognise(columns)
        assert guess
        assert guess.kind is Kind.LEDGER
        assert dict(guess.fields) == {0: "equipment_id", 1: "name", 2: "model"}
    assert recognise(columns) is None


def test_a_name_that_the_plant_gives_to_another_field_means_that_one() -> None:
    columns = ["設備番号", "設備名", "機種"]
    with plants_own('[ledger.fields.line]\nnames = ["機種"]\n'):
        guess = recognise(columns)
    assert guess
    assert guess.fields[2] == "line"


def test_values_and_reports_of_a_list(tmp_path: Path, read: Callable[..., Any]) -> None:
    values, (report,) = read(written(tmp_path, ALIASES), ReadRequest())
    assert [one.kind for one in values] == ["alias"]
    assert report.to_json()["encoding"] == "utf-8"
