"""On the disk before the block is left, and closed in any case."""

import os
from pathlib import Path

import pytest

from desktop.durable import synced


def test_all_of_it_is_given_to_the_disk_before_the_block_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = os.fsync

    def fsync(number: int) -> None:
        sizes.append(os.fstat(number).st_size)
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    with synced((tmp_path / "a").open("w", encoding="utf-8")) as opened:
        opened.write("充填機")
    assert sizes == [9]
    assert opened.closed


def test_what_fails_is_closed_and_not_called_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("half a file was synced"))
    with pytest.raises(ValueError, match="half"), synced((tmp_path / "a").open("wb")) as opened:
        raise ValueError("half")
    assert opened.closed
