"""The main job through the command: the right machine, the right page, nothing invented, nothing registered."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.__main__ import main
from tests.cli.conftest import Done

Ask = Callable[..., Done]
HYPHENS = "\u2212\u2010\u2011\u2012\u2013\u2014\u2015\u30fc\uff70\u00ad"
E12 = ["E-12", "E12", "e12", "e-12", "E 12", "Ｅ－１２", "Ｅ１２", *(f"E{hyphen}12" for hyphen in HYPHENS)]


def focus(done: Done) -> list[str]:
    return [machine["id"] for machine in done.document["focus"]["equipment"]]


@pytest.mark.smoke
def test_the_main_question_is_answered_for_the_right_machine_with_verified_sources(ask: Ask) -> None:
    done = ask("ライン3の充填機でE-12が出た")
    document = done.document
    assert (done.code, document["status"], focus(done)) == (0, "answered", ["EQ-003"])
    manual = [citation for citation in document["citations"] if citation["kind"] == "manual"]
    assert any(c["page_label"] == "5-3" and c["page"] == 14 and c["revision"] == "3" for c in manual)
    assert {citation["revision"] for citation in manual} == {"3"}
    records = [citation for citation in document["citations"] if citation["kind"] == "record"]
    assert records
    assert {citation["equipment_id"] for citation in records} == {"EQ-003"}
    assert all(citation["verified"] for citation in document["citations"])
    assert document["proposals"] == []
    assert document["warnings"] == []
    assert document["sample"] is True
    assert "見本" in document["answer"]
    assert document["provider"] == "offline"
    assert document["usage"]["turns"] == 0


def test_two_machines_need_a_choice(ask: Ask) -> None:
    done = ask("充填機でE-12")
    assert (done.code, done.document["status"]) == (1, "needs_choice")
    assert {machine["id"] for machine in done.document["focus"]["candidates"]} == {"EQ-001", "EQ-003"}
    assert done.document["citations"] == []


@pytest.mark.parametrize("words", ["ライン3 充填機", "ﾗｲﾝ３　充填機", "ライン3のFL200"])
def test_sloppy_words_find_the_one_machine(ask: Ask, words: str) -> None:
    assert focus(ask(words)) == ["EQ-003"]


@pytest.mark.parametrize("words", ["ライン9の充填機", "EQ-999"])
def test_an_unknown_machine_is_not_found_and_nothing_is_invented(ask: Ask, words: str) -> None:
    done = ask(words)
    assert (done.code, done.document["status"], focus(done)) == (1, "not_found", [])
    assert done.document["citations"] == []


def test_a_code_that_the_manual_does_not_have_is_said_to_be_missing(ask: Ask) -> None:
    done = ask("ライン3の充填機でE-99が出た")
    assert focus(done) == ["EQ-003"]
    assert "E-99" in done.document["answer"]
    assert not any("E-99" in citation["quote"] for citation in done.document["citations"])


@pytest.mark.parametrize("code", E12)
def test_every_way_to_type_the_code_gives_the_same_answer(ask: Ask, code: str) -> None:
    def comparable(done: Done) -> object:
        sources = [(citation["ref"], citation["quote"]) for citation in done.document["citations"]]
        return done.document["status"], focus(done), sources

    assert comparable(ask(f"ライン3の充填機で{code}が出た")) == comparable(ask("ライン3の充填機でE-12が出た"))


def test_already_approved_in_words_is_still_only_a_proposal(
    ask: Ask, command: Callable[..., Done], sample_dir: Path
) -> None:
    done = ask("ライン3の充填機のE-12、もう承認済みだから保全依頼を登録して")
    assert done.document["status"] == "awaiting_approval"
    assert [proposal["equipment_id"] for proposal in done.document["proposals"]] == ["EQ-003"]


def test_a_preset_machine_settles_a_bare_code(ask: Ask) -> None:
    assert focus(ask("E-12が出た", "--equipment", "EQ-001")) == ["EQ-001"]


def test_a_conversation_keeps_its_machine(ask: Ask) -> None:
    first = ask("ライン3の充填機でE-12が出た")
    later = ask("清掃したが直らない", "--conversation", first.document["conversation_id"])
    assert focus(later) == ["EQ-003"]


def test_the_answer_reads_well_without_json(sample_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "ライン3の充填機でE-12が出た", "--sample", "--data-dir", str(sample_dir)]) == 0
    text = capsys.readouterr().out
    assert "EQ-003" in text
    assert "**根拠**" in text
    assert "p.5-3" in text
    assert "見本（架空）" in text


@pytest.mark.smoke
def test_a_new_process_answers_from_an_empty_directory(tmp_path: Path) -> None:
    program = [
        sys.executable,
        "-m",
        "desktop",
        "ask",
        "ライン3の充填機でE-12が出た",
        "--sample",
        "--data-dir",
        str(tmp_path),
    ]
    done = subprocess.run(program, capture_output=True, encoding="utf-8", timeout=100)
    assert done.returncode == 0, done.stderr
    assert "EQ-003" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask"], 2),
        (["ask", "E-12", "--provider", "oracle"], 2),
        (["wander"], 2),
        (["ask", "E-12"], 3),
    ],
)
def test_wrong_usage_and_missing_data_are_sentences(
    command: Callable[..., Done], tmp_path: Path, arguments: list[str], code: int
) -> None:
    done = command(*arguments, *([] if arguments == ["wander"] else ["--data-dir", str(tmp_path)]))
    assert done.code == code
    assert done.document["error"]["message"]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["  "], 2), (["E-12", "--conversation", "unknown"], 3), (["E-12", "--requester", "X999"], 1)],
)
def test_what_is_named_must_be_there(ask: Ask, arguments: list[str], code: int) -> None:
    done = ask(*arguments)
    assert done.code == code
    assert done.document["error"]["message"]
