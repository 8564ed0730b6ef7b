"""Profile, place, disk and clock judged from facts, among them those that only Windows can tell."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop import RELEASED
from desktop.errors import KnownError, sentence
from desktop.pc import WindowsFacts
from desktop.services import diagnostics_pc
from desktop.services.diagnostics_finding import Finding, State

NOW = datetime(2027, 1, 15, 9, 0, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
OWN = WindowsFacts(
    profile=r"C:\Users\tanaka",
    profile_flags=0,
    former_profile="",
    local_app_data=r"C:\Users\tanaka\AppData\Local",
    local_app_data_remote=False,
    data=r"C:\Users\tanaka\AppData\Local\HozenNavi",
    data_remote=False,
)
SHARED = replace(OWN, data=r"C:\ProgramData\HozenNavi\data")


def outcome(found: Finding) -> tuple[State, str]:
    if found.cause is not None:
        assert sentence(found.cause)
        assert sentence(found.cause, "en")
    return found.state, found.cause.code if found.cause else ""


def of_profile(facts: WindowsFacts | None) -> tuple[State, str]:
    try:
        return outcome(diagnostics_pc.look_at_profile(facts))
    except KnownError as error:
        return State.FAILED, error.code


def test_a_persons_own_profile_on_this_pc_is_fine() -> None:
    assert of_profile(OWN) == (State.OK, "")
    assert of_profile(SHARED) == (State.OK, "")
    assert of_profile(None) == (State.NOTE, "")


@pytest.mark.parametrize(
    "facts",
    [
        replace(OWN, profile_flags=1),
        replace(OWN, profile_flags=1 | 2),
        replace(OWN, profile=r"C:\Users\TEMP"),
        replace(OWN, profile=r"C:\Users\TEMP.PLANT"),
        replace(OWN, profile=r"c:\users\temp.PLANT.003" + "\\"),
        replace(OWN, profile=r"C:\Users\TEMP", former_profile=r"C:\Users\tanaka"),
        replace(SHARED, profile_flags=1),
    ],
)
def test_a_temporary_profile_is_a_failure_whatever_shows_it(facts: WindowsFacts) -> None:
    assert of_profile(facts) == (State.FAILED, "pc_profile_temporary")


def test_a_name_that_only_begins_like_a_temporary_one_is_a_persons() -> None:
    assert of_profile(replace(OWN, profile=r"C:\Users\tempura")) == (State.OK, "")
    assert of_profile(replace(OWN, profile_flags=2)) == (State.OK, ""), "a roaming profile leaves AppData\\Local here"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"former_profile": r"C:\Users\tanaka.old"}, "pc_profile_replaced"),
        ({"local_app_data": r"\\fs1\users\tanaka\AppData\Local"}, "pc_profile_redirected"),
        ({"local_app_data_remote": True}, "pc_profile_redirected"),
    ],
)
def test_another_profile_fails_who_keeps_the_data_in_it_and_warns_who_shares_it(
    change: dict[str, object], code: str
) -> None:
    data = f"{change.get('local_app_data', OWN.local_app_data)}\\HozenNavi"
    assert of_profile(replace(OWN, data=data, **change)) == (State.FAILED, code)  # type: ignore[arg-type]
    assert of_profile(replace(SHARED, **change)) == (State.WARNING, code)  # type: ignore[arg-type]


def test_whose_the_data_is_does_not_depend_on_how_its_folder_is_written() -> None:
    former = replace(OWN, former_profile=r"C:\Users\tanaka.old")
    for data, state in (
        (r"c:\USERS\Tanaka\AppData\Local\HozenNavi", State.FAILED),
        (r"C:\Users\tanaka2\AppData\Local\HozenNavi", State.WARNING),
        (r"D:\HozenNavi", State.WARNING),
    ):
        assert of_profile(replace(former, data=data))[0] is state
    nameless = replace(former, data=r"C:\ProgramData\HozenNavi\data", local_app_data="", profile="")
    assert of_profile(nameless)[0] is State.WARNING


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (OWN, ""),
        (None, ""),
        (replace(OWN, data=r"\\?\C:\a very long path"), ""),
        (replace(OWN, data=r"\\fs1\users\tanaka\HozenNavi"), "pc_data_on_network"),
        (replace(OWN, data=r"Z:\HozenNavi", data_remote=True), "pc_data_on_network"),
    ],
)
def test_data_on_a_network_drive_is_a_failure_that_says_why(facts: WindowsFacts | None, code: str) -> None:
    if not code:
        assert diagnostics_pc.look_at_place(facts, Path("x")).state is State.OK
        return
    with pytest.raises(KnownError) as refused:
        diagnostics_pc.look_at_place(facts, Path("x"))
    assert refused.value.code == code
    assert "WAL" in sentence(refused.value)


def of_clock(now: datetime, ahead: dict[str, timedelta] | None = None, **written: datetime | None) -> tuple[State, str]:
    return outcome(diagnostics_pc.look_at_clock(now, written, ahead or {}))


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [
        (MINUTE, (State.OK, "")),
        (-4 * MINUTE, (State.OK, "")),
        (6 * MINUTE, (State.WARNING, "pc_clock_off")),
        (-6 * MINUTE, (State.WARNING, "pc_clock_off")),
        (2 * DAY, (State.FAILED, "pc_clock_off")),
        (-2 * DAY, (State.FAILED, "pc_clock_off")),
    ],
)
def test_the_clock_against_a_server_that_answered(ahead: timedelta, expected: tuple[State, str]) -> None:
    assert of_clock(NOW, {"exact.example": timedelta(), "api.example": ahead}) == expected


def test_both_times_are_said_and_whose_the_other_is() -> None:
    found = diagnostics_pc.look_at_clock(NOW, {}, {"api.example": 2 * DAY})
    here, there = f"{NOW.astimezone():%Y-%m-%d %H:%M}", f"{(NOW - 2 * DAY).astimezone():%Y-%m-%d %H:%M}"
    assert here in found.text
    assert there in found.text
    assert "api.example" in found.text


def test_nothing_that_was_written_lies_in_the_future() -> None:
    assert of_clock(NOW, audit=NOW - DAY, journal=None) == (State.OK, "")
    assert of_clock(NOW, audit=NOW + MINUTE) == (State.OK, "")
    assert of_clock(NOW, audit=NOW - DAY, journal=NOW + 6 * MINUTE) == (State.WARNING, "pc_clock_behind")
    found = diagnostics_pc.look_at_clock(NOW, {"audit": NOW + 9 * MINUTE, "sync.folder": NOW + DAY}, {})
    assert found.cause is not None
    assert found.cause.detail["what"] == "sync.folder"


def test_no_right_clock_is_before_the_day_the_program_was_made() -> None:
    assert of_clock(datetime(2020, 1, 1, tzinfo=UTC)) == (State.FAILED, "pc_clock_before_release")
    began_in_japan = datetime.fromisoformat(f"{RELEASED}T00:00+09:00")
    assert of_clock(began_in_japan - DAY) == (State.FAILED, "pc_clock_before_release")
    assert of_clock(began_in_japan) == (State.OK, "")


def test_a_wrong_clock_is_told_before_what_it_wrote() -> None:
    state, code = of_clock(NOW, {"api.example": 6 * MINUTE}, audit=NOW + DAY)
    assert (state, code) == (State.WARNING, "pc_clock_off")


@pytest.mark.parametrize(
    ("free", "expected"),
    [(3 * 2**30, (State.OK, "")), (2**30, (State.WARNING, "pc_disk_low")), (2**20, (State.FAILED, "pc_disk_full"))],
)
def test_little_room_is_a_warning_and_none_a_failure(
    free: int, expected: tuple[State, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def usage(folder: Path) -> object:
        asked.append(folder)
        return type("Usage", (), {"free": free})

    monkeypatch.setattr(diagnostics_pc.shutil, "disk_usage", usage)
    try:
        found = outcome(diagnostics_pc.look_at_disk(tmp_path / "not" / "yet"))
    except KnownError as error:
        found = State.FAILED, error.code
    assert found == expected
    assert asked == [tmp_path], "the drive is that of the first folder that is there"
