"""Numbers go up by one, are never given twice, and go on above all that can have been given before a restore."""

from datetime import timedelta
from pathlib import Path

import keyring.backends.fail
import pytest

from desktop.credentials import Credentials
from desktop.paths import DataDir
from desktop.store import counters, journal_key
from desktop.store.journal import Journal, open_journal
from tests.fakes.keyrings import MemoryKeyring, use_keyring


def following(journal: Journal, *names: str) -> list[int]:
    with journal.transaction() as tx:
        return [counters.following(tx, name) for name in names]


def test_each_name_counts_from_one(journal: Journal) -> None:
    assert following(journal, "WR", "WR", "seq/P07", "WR") == [1, 2, 1, 3]
    with journal.reading() as tx:
        assert counters.all_of(tx) == {"WR": 3, "seq/P07": 1}


def test_after_a_restore_every_name_goes_on_above_it_a_new_one_too(journal: Journal) -> None:
    following(journal, "WR", "seq/P07")
    for last in (2000, 4000):
        with journal.transaction() as tx:
            counters.go_on_after(tx, last)
            assert counters.all_of(tx) == {"WR": last, "seq/P07": last}
    assert following(journal, "WR", "seq/P07", "seq/P08", "WR-P08", "WR") == [4001, 4001, 4001, 4001, 4002]


def test_nothing_ever_goes_back(journal: Journal) -> None:
    with journal.transaction() as tx:
        counters.go_on_after(tx, 4000)
        counters.go_on_after(tx, 2000)
    assert following(journal, "WR") == [4001]


@pytest.mark.parametrize(
    ("highest", "unseen", "last"),
    [
        (0, timedelta(0), 1000),
        (1, timedelta(0), 2000),
        (12, timedelta(hours=1), 2000),
        (899, timedelta(hours=1), 2000),
        (900, timedelta(hours=1), 2000),
        (901, timedelta(hours=1), 3000),
        (12, timedelta(days=30), 5000),
        (12, timedelta(days=30, seconds=1), 5000),
        (12, -timedelta(days=900), 2000),
        (2000, timedelta(0), 3000),
    ],
)
def test_the_gap_is_a_thousand_and_a_hundred_a_day_rounded_up(highest: int, unseen: timedelta, last: int) -> None:
    assert counters.last_possible(highest, unseen, 0.0) == last


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("cut_off", [False, True])
def test_a_journal_tells_its_numbers_without_being_opened_for_work(
    tmp_path: Path, encrypted: bool, cut_off: bool
) -> None:
    """`cut_off`: the last process died, and its numbers are in the side file only."""
    with use_keyring(MemoryKeyring() if encrypted else keyring.backends.fail.Keyring()):
        credentials = Credentials(environ={})
        journal = open_journal(DataDir(tmp_path / "data"), credentials)
        following(journal, "WR", "WR")
        place = tmp_path / "data"
        if cut_off:
            place = tmp_path / "copied"
            place.mkdir()
            for file in (tmp_path / "data").glob("journal.*"):
                if file.suffix != ".db-shm":
                    (place / file.name).write_bytes(file.read_bytes())
        journal.close()
        key = journal_key.recall(place / "journal.db", credentials)
        before = (place / "journal.db").read_bytes()
        assert counters.left_in(place / "journal.db", key) == {"WR": 2}
        assert (place / "journal.db").read_bytes() == before


@pytest.mark.parametrize("body", [None, b"", b"x" * 8192, b"SQLite format 3\x00" + bytes(8192)])
def test_what_is_no_journal_tells_no_numbers(tmp_path: Path, body: bytes | None) -> None:
    if body is not None:
        (tmp_path / "journal.db").write_bytes(body)
    assert counters.left_in(tmp_path / "journal.db", None) == {}
