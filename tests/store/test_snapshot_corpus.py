"""Snapshots that earlier versions wrote, opened and searched by this one; never rewritten, only added to."""

import gzip
from pathlib import Path

import pytest

from desktop.store.search import Search
from desktop.store.snapshot import Snapshot

CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.mark.parametrize("frozen", sorted(CORPUS.glob("snapshot_*.duckdb.gz")), ids=lambda file: file.name)
def test_an_old_snapshot_answers(frozen: Path, tmp_path: Path) -> None:
    file = tmp_path / frozen.name.removesuffix(".gz")
    file.write_bytes(gzip.decompress(frozen.read_bytes()))
    snapshot = Snapshot.open(file)
    try:
        assert snapshot.verified().equipment("ＥＱ００３") is not None
        search = Search(snapshot)
        assert [hit.equipment.equipment_id for hit in search.equipment("ライン3 充填機").hits] == ["EQ-003"]
        (first, *_) = search.manual("FL-200", "E-12").hits
        assert "E-12" in first.section.heading
        assert first.score == 1.0
        assert search.records("EQ-003", "E-12").total > 0
    finally:
        snapshot.close()


def test_there_is_one() -> None:
    assert list(CORPUS.glob("snapshot_*.duckdb.gz"))
