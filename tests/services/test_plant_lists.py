"""A plant's own lists in its snapshots: versioned, applied to later imports and answers, never half or silently."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from desktop import paths
from desktop.errors import KnownError
from desktop.evidence.compose import ComposeContext, compose
from desktop.evidence.gather import gather
from desktop.evidence.resolve import resolve
from desktop.evidence.rules import rules_of, shipped_rules
from desktop.paths import DataDir
from desktop.services.plant_data import Import, column_names, import_paths, refresh, rollback
from desktop.store import snapshot_files
from desktop.store.search import Search
from desktop.store.snapshot import Snapshot
from desktop.store.snapshot_builder import SnapshotBuilder

OWN_LEDGER = "マシンキー,呼名,型式,ライン\nEQ-001,充填機,FL-200,ライン1\n"
ALIASES = '[ledger.fields.equipment_id]\nnames = ["マシンキー"]\n[ledger.fields.name]\nnames = ["呼名"]\n'


def safety(revised: str = "2027-03-01", confirmed: str = "安全課 2027-03-02") -> str:
    shipped = paths.resource("safety_rules.toml").read_text(encoding="utf-8")
    own = shipped.replace("revised = 2026-11-29", f"revised = {revised}")
    own = own.replace('confirmed_by = ""', f'confirmed_by = "{confirmed}"')
    return own.replace('"カバー", "扉"', '"チャッキング", "カバー", "扉"')


def how(data: DataDir, **more: Any) -> Import:
    return Import(data, take_people=lambda _persons, _pins: None, **more)


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plant whose ledger is named in its own words, with the list that says so."""
    place = tmp_path / "plant"
    place.mkdir()
    (place / "ledger.csv").write_text(OWN_LEDGER, encoding="cp932")
    (place / "names.toml").write_text(ALIASES, encoding="utf-8")
    return place


@pytest.fixture
def opened(data: DataDir) -> Iterator[Any]:
    """Opens the current snapshot; all are closed at the end."""
    open_ones: list[Snapshot] = []

    def current() -> Snapshot:
        snapshot = Snapshot.current(data.snapshots)
        assert snapshot
        open_ones.append(snapshot)
        return snapshot

    yield current
    for one in open_ones:
        one.close()


def test_column_names_hold_for_the_tables_beside_them_and_later_ones(data: DataDir, folder: Path, opened: Any) -> None:
    with pytest.raises(KnownError, match="table_foreign"):
        import_paths(how(data), [folder / "ledger.csv"])
    report = import_paths(how(data), [folder])
    assert [(file["kind"], file["accepted"]) for file in report["files"]] == [("alias", 2), ("ledger", 1)]
    assert report["totals"]["aliases"] == 2
    assert opened().plant_list("alias") == ALIASES == column_names(data)
    more = folder.parent / "more.csv"
    more.write_text(OWN_LEDGER.replace("EQ-001", "EQ-002"), encoding="utf-8")
    import_paths(how(data), [more])
    assert [one.equipment_id for one in opened().all_equipment()] == ["EQ-001", "EQ-002"]
    assert import_paths(how(data), [folder])["changed"] is False


def test_a_changed_list_reaches_read_tables_at_a_refresh(data: DataDir, folder: Path, opened: Any) -> None:
    (folder / "ledger.csv").write_text(OWN_LEDGER.replace("型式", "マイ型"), encoding="cp932")
    import_paths(how(data), [folder])
    assert opened().equipment("EQ-001").model == ""
    (folder / "names.toml").write_text(f'{ALIASES}[ledger.fields.model]\nnames = ["マイ型"]\n', encoding="utf-8")
    told = import_paths(how(data), [folder / "names.toml"])
    assert "--refresh" in told["files"][0]["warnings"][0]
    assert told["difference"]["alias"]["changed"] == {"count": 1, "ids": ["alias"]}
    assert opened().equipment("EQ-001").model == ""
    refresh(how(data))
    assert opened().equipment("EQ-001").model == "FL-200"
    assert refresh(how(data))["changed"] is False


def test_safety_rules_reach_the_answers(data: DataDir, folder: Path, opened: Any) -> None:
    (folder / "safety.toml").write_text(safety(), encoding="cp932")
    import_paths(how(data), [folder])
    snapshot = opened()
    rules = rules_of(snapshot)
    assert rules.implies_work("チャッキングの様子")
    assert not shipped_rules().implies_work("チャッキングの様子")
    resolution = resolve("EQ-001の清掃の依頼を出して", snapshot)
    context = ComposeContext(snapshot, date(2027, 3, 3))
    answer = compose(resolution, gather(resolution, snapshot, Search(snapshot)), context)
    assert answer.warnings == ()
    assert answer.safety[-1] == "安全規則 2027-03-01版"


def test_a_list_that_cant_be_used_keeps_the_one_before(data: DataDir, folder: Path, opened: Any) -> None:
    rules = folder / "safety.toml"
    rules.write_text(safety(), encoding="utf-8")
    import_paths(how(data), [folder])
    rules.write_text(safety().replace("{isolation}", "主幹"), encoding="utf-8")
    report = refresh(how(data))
    (error,) = [file["error"] for file in report["files"] if file["error"]]
    assert error["code"] == "list_senseless"
    assert "{isolation}" in error["message"]
    assert rules_of(opened()).revised == date(2027, 3, 1)
    with pytest.raises(KnownError, match="list_senseless"):
        import_paths(how(data), [rules])


def test_a_plant_has_one_list_of_each_kind(data: DataDir, folder: Path, opened: Any) -> None:
    (folder / "a.toml").write_text(safety("2027-01-01"), encoding="utf-8")
    (folder / "b.toml").write_text(safety("2027-02-01"), encoding="utf-8")
    report = import_paths(how(data), [folder])
    (warned,) = [file for file in report["files"] if file["warnings"]]
    assert warned["path"].endswith("a.toml")
    assert "b.toml" in warned["warnings"][0]
    assert rules_of(opened()).revised == date(2027, 2, 1)
    other = folder.parent / "0.toml"
    other.write_text(safety("2027-05-01"), encoding="utf-8")
    import_paths(how(data), [other])
    assert rules_of(opened()).revised == date(2027, 5, 1)
    kinds = sorted(source.kind for source in opened().sources)
    assert kinds == ["alias", "ledger", "safety_rule"]
    rollback(data)
    assert rules_of(opened()).revised == date(2027, 2, 1)


def test_a_dry_run_tells_of_a_new_list(data: DataDir, folder: Path) -> None:
    import_paths(how(data), [folder])
    (folder / "safety.toml").write_text(safety(), encoding="utf-8")
    before = snapshot_files.current_version(data.snapshots)
    report = import_paths(how(data, dry_run=True), [folder])
    assert report["difference"]["safety_rule"]["added"]["count"] == 1
    assert snapshot_files.current_version(data.snapshots) == before


def test_rules_that_another_version_left_unreadable_are_stood_in_for_aloud(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path) as builder:
        builder.add_plant_list("s", "safety_rule", "[work]\nwords = 'x'\n")
        builder.publish()
    snapshot = Snapshot.current(tmp_path)
    assert snapshot
    rules = rules_of(snapshot)
    assert rules.stand_in
    assert rules.refusal("インターロックを短絡したい") is not None
    snapshot.close()


def test_a_mapping_in_the_folder_is_left_alone(data: DataDir, folder: Path) -> None:
    (folder / "mapping.toml").write_text('kind = "ledger"\n[columns]\n"x" = "name"\n', encoding="utf-8")
    report = import_paths(how(data), [folder])
    assert [bool(file["error"]) for file in report["files"]] == [False, False, False]
