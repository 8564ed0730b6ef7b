"""`evaluate` through the command: the bundled plant all right with no model, and nothing left behind."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.__main__ import main
from tests.cli.conftest import Done
from tests.fakes.chat_server import ChatServer, whole

Command = Callable[..., Done]


def test_without_a_model_every_bundled_question_is_right_and_every_trap_passed(
    command: Command, sample_dir: Path, tmp_path: Path
) -> None:
    table = tmp_path / "結果.csv"
    done = command(
        "evaluate", "--provider", "offline", "--sample", "--data-dir", str(sample_dir), "--csv", str(table)
    )  # fmt: skip
    figures = {name: value["mean"] for name, value in done.document["conditions"]["facts-checked"].items()}
    assert (done.code, done.stderr) == (0, "")
    assert (figures["right"], figures["trap_passed"], figures["right_machine"]) == (1, 1, 1)
    assert (figures["wrong_owner"], figures["unknown_names_per_1000"], figures["contradictions"]) == (0, 0, 0)
    assert (figures["unsupported"], figures["citations_valid"], figures["uncited"]) == (0, 1, 0)
    assert done.document["missed"] == []
    asked = done.document["asked"]
    assert asked["questions"] >= 40
    assert asked["traps"] >= 15
    work, elsewhere = done.document["lockout"]["work"], done.document["lockout"]["elsewhere"]
    assert work[0] == work[1] > 20
    assert elsewhere[0] == 0 < elsewhere[1]
    rows = list(csv.DictReader(table.read_text(encoding="utf-8-sig").splitlines(keepends=True)))
    assert len(rows) == asked["questions"]
    assert {row["right"] for row in rows} == {"1.0"}


def test_past_troubles_are_read_well_by_people(sample_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", "--from-records", "6", "--sample", "--data-dir", str(sample_dir), "--provider", "offline"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "質問 6（うち罠 0）" in text
    assert "処置が3位内" in text
    assert "安全の囲み：作業をともなう質問 0/0" in text
    assert "モデルが要るため測っていない条件" in text
    lines = [line for line in text.splitlines() if line.startswith(("条件", "facts-checked "))]
    assert len(lines) >= 2


def test_ones_own_questions_and_a_wrong_answer_are_shown(command: Command, sample_dir: Path, tmp_path: Path) -> None:
    questions = tmp_path / "own.json"
    expect = {"equipment": ["EQ-001"], "answer_contains": ["E-12"]}
    questions.write_text(
        json.dumps([{"id": "a", "question": "ライン3の充填機でE-12", "expect": expect}]), encoding="utf-8"
    )
    done = command("evaluate", "--questions", str(questions), "--sample", "--data-dir", str(sample_dir))
    assert done.code == 0
    assert [(one["question"], one["missed"]) for one in done.document["missed"]] == [
        ("a", ["machine：EQ-003（正：EQ-001）"])
    ]  # fmt: skip
    assert done.document["conditions"]["facts-checked"]["right"]["mean"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (("--sample", "--conditions", "facts,magic"), "wrong_usage", "magic"),
        (("--sample", "--provider", "offline", "--conditions", "full"), "evaluation_needs_model", "facts-checked"),
        (("--sample", "--questions", "a.json", "--from-records", "3"), "wrong_usage", "--from-records"),
        (("--sample", "--repeat", "0"), "wrong_usage", "repeat"),
        ((), "wrong_usage", "--questions"),
    ],
)
def test_what_cannot_be_evaluated_is_said(
    command: Command, sample_dir: Path, arguments: tuple[str, ...], code: str, named: str
) -> None:
    done = command("evaluate", "--data-dir", str(sample_dir), *arguments)
    assert (done.code, done.document["error"]["code"]) == (2, code)
    assert named in done.document["error"]["message"]


def test_a_cloud_model_without_consent_is_not_asked(command: Command, sample_dir: Path) -> None:
    done = command("evaluate", "--sample", "--provider", "anthropic", "--data-dir", str(sample_dir))
    assert (done.code, done.document["error"]["code"]) == (3, "model_cloud_not_allowed")


def form(**filled: object) -> object:
    return whole(json.dumps(filled, ensure_ascii=False))


def test_a_small_model_on_a_server_of_the_plant_is_led_and_measured(
    command: Command, sample_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "own.json"
    entry = {"id": "a", "question": "ライン3の充填機でE-12", "expect": {"equipment": ["EQ-003"]}}
    questions.write_text(json.dumps([entry]), encoding="utf-8")
    said = {"text": "EQ-003のE-12は充填ノズル詰まりです。", "refs": []}
    with ChatServer() as server:
        policy = tmp_path / "policy.toml"
        policy.write_text(f'[openai]\nbase_url = "{server.url}"\nmodel = "local"\n', encoding="utf-8")
        monkeypatch.setenv("HOZEN_NAVI_POLICY", str(policy))
        server.script(
            form(**said),
            form(query="ライン3 充填機"),
            form(model="FL-200", keywords="E-12"),
            form(equipment_id="EQ-003", keywords="E-12"),
            form(**said),
            form(**{**said, "refs": ["manual:FL-200-r3#5.2"]}),
        )
        done = command(
            "evaluate", "--provider", "openai", "--conditions", "none,tools-more-tokens,facts", "--questions",
            str(questions), "--sample", "--data-dir", str(sample_dir),
        )  # fmt: skip
        allowed = [seen.body["max_tokens"] for seen in server.seen]
    assert (done.code, done.document["provider"], done.document["model"]) == (0, "openai", "local")
    assert "回答 3 件" in done.stderr
    assert "費用は不明" in done.stderr
    figures = done.document["conditions"]
    assert [figures[name]["turns"]["mean"] for name in ("none", "tools-more-tokens", "facts")] == [1, 4, 1]
    assert allowed == [1024, 4096, 4096, 4096, 4096, 1024]
    assert [figures[name]["right"]["mean"] for name in figures] == [1, 1, 1]
    assert (figures["facts"]["citations_valid"]["mean"], figures["none"]["uncited"]["mean"]) == (1, 1)
    assert figures["tools-more-tokens"]["called"]["mean"] == 1
