"""One backup restored onto two PCs: only one of them sends, and no number reaches the plant for two requests."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.store import audit
from tests.fakes.workstation import HARMS, Workstation, approve, die_after, problems, queue, titles


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """The sync folder of `station`."""
    return tmp_path / "share"


@contextmanager
def away(share: Path) -> Iterator[None]:
    """Nobody reaches the sync folder, which has no word in what happens meanwhile."""
    share.rename(share.with_name("elsewhere"))
    yield
    share.with_name("elsewhere").rename(share)


def another(station: Workstation, name: str) -> Workstation:
    """A further PC of the same plant, to which the key was given."""
    return Workstation(station.data.root.with_name(name), station.ring, station.share)


def sync(station: Workstation) -> str | None:
    """What stopped it, None = it sent."""
    desk = station.open()
    problem = station.send(desk).problem
    desk.journal.close()
    return problem and problem.code


def states(station: Workstation) -> dict[str, str]:
    desk = station.open()
    found = queue(desk)
    desk.journal.close()
    return found


def at_the_plant(share: Path) -> dict[str, str]:
    """Title to number; each number stands once."""
    bodies = [json.loads(file.read_bytes()) for file in (share / "outbox" / "P07").glob("*.json")]
    numbers = [body["number"] for body in bodies]
    sequences = [body["seq"] for body in bodies]
    assert (len(set(numbers)), len(set(sequences))) == (len(bodies), len(bodies))
    return {body["title"]: body["number"] for body in bodies}


def retire_the_other(share: Path) -> None:
    """What IT does when it has decided."""
    (share / "outbox" / "P07" / ".station").unlink()


@pytest.mark.parametrize("later_first", [False, True])
@pytest.mark.parametrize("reachable", [False, True])
def test_of_two_pcs_restored_from_one_backup_one_sends(
    station: Workstation, share: Path, tmp_path: Path, later_first: bool, reachable: bool
) -> None:
    """The same draw for both, so that their numbers are the same."""
    approve(station, "前")
    sync(station)
    station.back_up(tmp_path / "b.zip")
    one, two = another(station, "one"), another(station, "two")
    if reachable:
        one.restore(tmp_path / "b.zip")
        two.restore(tmp_path / "b.zip")
        approve(one, "一 1", "一 2")
        approve(two, "二 1", "二 2", "二 3")
    else:
        with away(share):
            one.restore(tmp_path / "b.zip")
            approve(one, "一 1", "一 2")
            two.restore(tmp_path / "b.zip")
            approve(two, "二 1", "二 2", "二 3")
    first, second = (two, one) if later_first else (one, two)
    name = "二" if later_first else "一"
    assert sync(first) is None
    assert (sync(second), sync(first), sync(second)) == ("station_code_taken", None, "station_code_taken")
    assert {title[0] for title in at_the_plant(share)} == {"前", name}
    assert sync(station) == "station_code_taken"
    retire_the_other(share)
    assert (sync(second), sync(first)) == (None, "station_code_taken")
    sent = at_the_plant(share)
    desk = second.open()
    assert set(problems(desk)) == {"sync_number_taken"}
    for number, title in titles(desk).items():
        assert (sent.get(title) == number) == (queue(desk)[number] == "handed_over")
    desk.journal.close()


def test_two_restores_of_one_backup_hardly_ever_give_the_same_numbers(station: Workstation, tmp_path: Path) -> None:
    station.back_up(tmp_path / "b.zip")
    draws = (0.0, 0.011, 0.012, 0.5, 0.989, 0.9999)
    begun = [another(station, f"pc{n}").restore(tmp_path / "b.zip", n)["numbers"]["next"] for n in draws]
    assert begun == [1001, 1001, 1101, 5501, 9901, 9901]


def test_the_old_pc_that_comes_back_to_life_no_longer_sends(station: Workstation, share: Path, tmp_path: Path) -> None:
    approve(station, "前")
    sync(station)
    station.back_up(tmp_path / "b.zip")
    approve(station, "まだ送っていない")
    new = another(station, "new")
    new.restore(tmp_path / "b.zip")
    approve(new, "新しい PC の")
    assert (sync(new), sync(station)) == (None, "station_code_taken")
    assert set(at_the_plant(share)) == {"前", "新しい PC の"}
    assert states(station)["WR-P07-0002"] == "queued"


@pytest.mark.parametrize("harm", [None, *HARMS])
def test_a_second_restore_on_the_same_pc(station: Workstation, share: Path, tmp_path: Path, harm: str | None) -> None:
    """It goes on for the life that it sets aside; where that can't be read, IT has the last word."""
    approve(station, "前")
    station.back_up(tmp_path / "b.zip")
    station.restore(tmp_path / "b.zip")
    approve(station, "間")
    assert sync(station) is None
    if harm == "too new":
        station.data.journal.unlink()
    elif harm:
        HARMS[harm](station)
    station.clock.forward(minutes=1)
    with away(share):
        station.restore(tmp_path / "b.zip")
        approve(station, "後")
    copies = harm in ("corrupt", "vanished", "emptied", "too new")
    expected = None if harm is None or copies else "station_code_taken"
    assert sync(station) == expected
    if expected:
        retire_the_other(share)
        assert sync(station) is None
    if not (harm is None or copies):
        assert problems_of(station) <= {"sync_number_taken"}
    assert {"前", "間"} <= set(at_the_plant(share))


def problems_of(station: Workstation) -> set[str]:
    desk = station.open()
    found = set(problems(desk))
    desk.journal.close()
    return found


def test_undone_it_sends_again(station: Workstation, share: Path, tmp_path: Path) -> None:
    approve(station, "前")
    sync(station)
    station.back_up(tmp_path / "b.zip")
    approve(station, "後")
    for minute in range(3):
        station.clock.forward(minutes=1)
        document = station.restore(tmp_path / "b.zip")
        if minute != 1:
            assert sync(station) is None
    station.clock.forward(minutes=1)
    first = sorted(station.data.root.glob("before-restore-*"))[0]
    station.restore(first)
    assert sync(station) is None
    assert set(at_the_plant(share)) == {"前", "後"}
    assert document["other_journal"] is False


def test_a_backup_of_the_restored_pc_takes_over_from_it_and_not_from_its_twin(
    station: Workstation, share: Path, tmp_path: Path
) -> None:
    station.back_up(tmp_path / "b.zip")
    one, two, three = (another(station, name) for name in ("one", "two", "three"))
    one.restore(tmp_path / "b.zip")
    two.restore(tmp_path / "b.zip")
    one.back_up(tmp_path / "b1.zip")
    three.restore(tmp_path / "b1.zip")
    assert (sync(one), sync(three), sync(one), sync(two)) == (None, None, *["station_code_taken"] * 2)
    two.back_up(tmp_path / "b2.zip")
    three.clock.forward(minutes=1)
    shutil.rmtree(three.data.root)
    three.restore(tmp_path / "b2.zip")
    assert sync(three) == "station_code_taken"


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX")
def test_killed_between_the_plan_and_the_first_sync_it_is_the_same_life(
    station: Workstation, share: Path, tmp_path: Path
) -> None:
    approve(station, "前")
    sync(station)
    station.back_up(tmp_path / "b.zip")
    cut = "from desktop.store import data_swap\ndata_swap.finish = lambda _: os.kill(os.getpid(), signal.SIGKILL)"
    die_after(station, f"{cut}\nstation.restore(Path({str(tmp_path / 'b.zip')!r}))")
    begun = station.restore(tmp_path / "b.zip")
    assert not begun["finished_earlier"]
    approve(station, "後")
    assert (sync(station), sync(station)) == (None, None)
    assert set(at_the_plant(share)) == {"前", "後"}


def test_a_journal_from_before_goes_on_under_its_own_id(station: Workstation, share: Path) -> None:
    """The mark is the journal's id, and a restore of that time said nothing of lives."""
    approve(station, "前")
    desk = station.open()
    (share / "outbox" / "P07").mkdir(parents=True)
    mark = share / "outbox" / "P07" / ".station"
    mark.write_text(desk.journal.journal_id, encoding="ascii")
    with desk.journal.transaction() as tx:
        audit.append(tx, station.clock(), "", "restored", desk.journal.journal_id, {"file": "b.zip", "numbers": {}})
    assert station.send(desk).problem is None
    assert mark.read_text(encoding="ascii") == desk.journal.journal_id
    desk.journal.close()
