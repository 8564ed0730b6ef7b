"""What commands say to people."""

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from desktop.cli import backup_words, words

UTC_TIME = "2026-11-30T16:25:20.146359+00:00"
IN_JAPAN = "2026-12-01 01:25"


@pytest.fixture(autouse=True)
def in_japan(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_time_is_that_of_the_clock_on_the_wall_to_the_minute() -> None:
    key = {"kept_in": "-", "escrowed": {"subject": "IT", "at": UTC_TIME}}
    backup: dict[str, Any] = {"size": 1, "key": key, "audit_whole": True}
    restore: dict[str, Any] = {"made_at": UTC_TIME, "numbers": {"sync_folder": "none", "next": 2001, "seen": 12}}
    told = [
        words.sync_status({"transport": "folder", "unsent": 0, "counts": {}, "last_success_at": UTC_TIME}),
        words.whole({"approved_at": UTC_TIME}),
        words.whole({"decision": {"at": UTC_TIME, "by_id": "0302"}}),
        backup_words.backed_up(defaultdict(dict, backup)),
        backup_words.restored(defaultdict(dict, restore)),
    ]
    for text in told:
        assert IN_JAPAN in text
        assert not re.search(r"\dT\d", text)


def test_what_the_plant_wrote_stays_as_it_wrote_it() -> None:
    for written in ("2026-11-30T16:25:20", "2026-11-30T16:25:20+09:00", "2026-11-30", "E-12"):
        assert words.whole({"date": {"value": written, "original": ""}}) == f"date: {written}"
