"""What is written is all that is recorded, readable without us; and only then, or when nothing is left, is it safe."""

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from desktop.domain.work_request import Delivery
from desktop.errors import KnownError
from desktop.services import export
from desktop.services.synchronizer import Synchronizer
from desktop.store import audit, outbox
from desktop.sync.folder import Folder
from tests.fakes.desk import Desk, open_desk, request_draft


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as opened:
        return list(csv.DictReader(opened))


def exported(desk: Desk, tmp_path: Path) -> Any:
    return export.export_all(desk.journal, tmp_path / "data/files", tmp_path / "out", desk.clock())


def checked(desk: Desk, tmp_path: Path) -> Any:
    return export.check(desk.journal, tmp_path / "data")


def test_everything_recorded_is_in_the_files_and_noted_in_the_trail(desk: Desk, tmp_path: Path) -> None:
    approved = desk.approve(desk.propose(request_draft(title="=HYPERLINK(1)")))
    waiting = desk.propose(request_draft(title="二つ目"))
    with desk.journal.reading() as tx:
        (queued,) = outbox.unanswered(tx)
        rows = audit.verify(tx).rows
    document = exported(desk, tmp_path)
    assert document["rows"] == {"requests": 1, "decisions": 1, "proposals": 2, "audit": rows}
    (request,) = table(tmp_path / "out/requests.csv")
    assert approved.request is not None
    assert (request["number"], request["title"]) == (approved.request.number, "'=HYPERLINK(1)")
    assert hashlib.sha256(request["body"].encode()).hexdigest() == queued.item.sha256 == request["sha256"]
    (kept,) = [row for row in table(tmp_path / "out/proposals.csv") if row["proposal_id"] == waiting.proposal_id]
    assert kept["state"] == "pending"
    assert json.loads(kept["payload"])["evidence"][0]["quote"] == waiting.evidence[0].quote
    assert table(tmp_path / "out/decisions.csv")[0]["by_name"] == "中村 大輔"
    trail = table(tmp_path / "out/audit.csv")
    assert [one["previous"] for one in trail[1:]] == [one["hash"] for one in trail[:-1]]
    listed = {}
    for line in (tmp_path / "out/SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        listed[name] = digest
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == digest
    every = {one.relative_to(tmp_path / "out").as_posix() for one in (tmp_path / "out").rglob("*") if one.is_file()}
    assert listed.keys() == every - {"SHA256SUMS"}
    assert f"requests/{approved.request.number}.pdf" in listed
    with desk.journal.reading() as tx:
        assert audit.verify(tx).whole


def test_an_empty_journal_is_safe_and_its_files_still_have_their_headings(desk: Desk, tmp_path: Path) -> None:
    assert checked(desk, tmp_path) == {"safe": True, "pending": 0, "unsent": 0, "export": None}
    exported(desk, tmp_path)
    assert (tmp_path / "out/requests.csv").read_text(encoding="utf-8-sig").startswith("number,plant_number,")


def test_what_waits_or_has_not_arrived_is_not_safe_until_the_plant_has_it(desk: Desk, tmp_path: Path) -> None:
    proposal = desk.propose()
    assert checked(desk, tmp_path) == {"safe": False, "pending": 1, "unsent": 0, "export": None}
    desk.approve(proposal)
    assert checked(desk, tmp_path) == {"safe": False, "pending": 0, "unsent": 1, "export": None}
    (tmp_path / "share").mkdir()
    sender = Synchronizer(desk.journal, Folder(tmp_path / "share", "P07", desk.journal.journal_id), clock=desk.clock)
    assert sender.run_once().sent == 1
    assert sender.status().counts[Delivery.HANDED_OVER] == 1
    assert checked(desk, tmp_path)["safe"]


def test_a_request_that_no_plant_takes_is_only_here(tmp_path: Path, cheap_pins: None) -> None:
    desk = open_desk(tmp_path / "data", station="")
    desk.approve(desk.propose())
    assert checked(desk, tmp_path) == {"safe": False, "pending": 0, "unsent": 1, "export": None}
    desk.journal.close()


def test_an_export_holds_it_until_anything_happens(desk: Desk, tmp_path: Path) -> None:
    desk.propose()
    exported(desk, tmp_path)
    assert checked(desk, tmp_path) == {"safe": True, "pending": 1, "unsent": 0, "export": str(tmp_path / "out")}
    desk.propose(request_draft(title="あとから"))
    assert not checked(desk, tmp_path)["safe"]


def test_an_export_during_which_something_happened_says_so_and_holds_nothing(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.propose()
    sums = export._write_sums

    def meanwhile(folder: Path) -> None:
        sums(folder)
        desk.propose(request_draft(title="その間に"))

    monkeypatch.setattr(export, "_write_sums", meanwhile)
    assert not exported(desk, tmp_path)["current"]
    assert [row["title"] for row in payloads(tmp_path / "out")] == ["充填ノズルの点検"]
    assert not checked(desk, tmp_path)["safe"]


def payloads(out: Path) -> list[Any]:
    return [json.loads(row["payload"]) for row in table(out / "proposals.csv")]


@pytest.mark.parametrize("harm", ["changed", "gone", "a PDF changed", "a PDF dropped from the list", "inside"])
def test_an_export_that_does_not_stand_holds_nothing(desk: Desk, tmp_path: Path, harm: str) -> None:
    desk.propose()
    out = tmp_path / ("data/exports" if harm == "inside" else "out")
    export.export_all(desk.journal, tmp_path / "data/files", out, desk.clock())
    match harm:
        case "changed":
            (out / "proposals.csv").write_bytes(b"")
        case "gone":
            (out / "audit.csv").unlink()
        case "a PDF changed":
            next(out.glob("proposals/*.pdf")).write_bytes(b"")
        case "a PDF dropped from the list":
            next(out.glob("proposals/*.pdf")).unlink()
            sums = (out / "SHA256SUMS").read_text(encoding="utf-8").splitlines(keepends=True)
            (out / "SHA256SUMS").write_text("".join(one for one in sums if ".pdf" not in one), encoding="utf-8")
    assert not checked(desk, tmp_path)["safe"]


def test_nothing_is_overwritten_and_a_failed_export_is_not_noted(desk: Desk, tmp_path: Path) -> None:
    exported(desk, tmp_path)
    with pytest.raises(KnownError, match="export_exists"):
        exported(desk, tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/mine.txt").touch()
    for place in (tmp_path / "taken", Path("/")):
        with pytest.raises(KnownError, match="export_exists"):
            export.export_all(desk.journal, tmp_path / "data/files", place, desk.clock())
    (tmp_path / "file").touch()
    with pytest.raises(KnownError, match="output_unwritable"):
        export.export_all(desk.journal, tmp_path / "data/files", tmp_path / "file/out", desk.clock())
    assert len(desk.rows("SELECT 1 FROM audit WHERE action = 'exported'")) == 1
    assert not list(tmp_path.glob("*partial*"))


def test_an_empty_folder_is_taken(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert exported(desk, tmp_path)["current"]
