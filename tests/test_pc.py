"""The Restart Manager, played by the test through the structures that it is handed."""

import os
from pathlib import Path
from typing import Any

import pytest

from desktop import pc

FILES = (Path("journal.db"), Path("journal.db-wal"))


class RestartManager:
    """Knows `programs` (pid, name) as users of whatever is registered; `fails` is the call that refuses."""

    def __init__(self, *programs: tuple[int, str], fails: str = "") -> None:
        self._programs = list(programs)
        self._fails = fails
        self.registered: list[str] = []
        self.ended = 0

    def RmStartSession(self, session: Any, flags: int, key: Any) -> int:
        session._obj.value = 7
        return 5 if self._fails == "start" else 0

    def RmRegisterResources(self, session: Any, count: int, names: Any, *others: Any) -> int:
        assert session.value == 7
        self.registered = list(names[:count])
        return 5 if self._fails == "register" else 0

    def RmGetList(self, session: Any, needed: Any, room: Any, processes: Any, reasons: Any) -> int:
        if self._fails == "list":
            return 5
        needed._obj.value = len(self._programs)
        if room._obj.value < len(self._programs):
            if self._fails == "grows":
                self._fails = ""
                self._programs.append((1, "late.exe"))
            return 234
        room._obj.value = len(self._programs)
        for process, (pid, name) in zip(processes, self._programs, strict=True):
            process.pid, process.name = pid, name
        return 0

    def RmEndSession(self, session: Any) -> int:
        self.ended += 1
        return 0


def test_other_programs_are_named_once_and_this_one_is_not() -> None:
    manager = RestartManager((11, "Backup 保全"), (os.getpid(), "HozenNavi"), (12, "Backup 保全"), (13, "MsMpEng"))
    assert pc.holders(FILES, manager) == ("Backup 保全", "MsMpEng")
    assert manager.registered == ["journal.db", "journal.db-wal"]
    assert manager.ended == 1


def test_a_list_that_grows_while_it_is_asked_for_is_asked_for_again() -> None:
    manager = RestartManager((11, "a.exe"), fails="grows")
    assert pc.holders(FILES, manager) == ("a.exe", "late.exe")


@pytest.mark.parametrize(("fails", "ended"), [("start", 0), ("register", 1), ("list", 1)])
def test_where_it_does_not_say_nobody_is_named(fails: str, ended: int) -> None:
    manager = RestartManager((11, "a.exe"), fails=fails)
    assert pc.holders(FILES, manager) == ()
    assert manager.ended == ended


def test_nobody_holds_a_file() -> None:
    assert pc.holders(FILES, RestartManager()) == ()
    assert pc.holders(FILES) == ()
    assert pc.facts(Path()) is None
