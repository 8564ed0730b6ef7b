"""`evaluate`: the plant's acceptance test of a model on its own data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from desktop import wiring
from desktop.cli.frame import Output, command
from desktop.errors import KnownError
from desktop.paths import DataDir

if TYPE_CHECKING:
    from desktop.services.evaluation_questions import Question
    from desktop.services.station import Services


@command("evaluate")
@click.option("--provider", type=click.Choice(["auto", "offline", "anthropic", "openai"]), help="評価するモデル")
@click.option("--conditions", default="", help="条件の名前、コンマ区切り（既定：全部）")
@click.option("--questions", type=click.Path(path_type=Path), help="質問と正しい答えのファイル（JSON か表）")
@click.option(
    "--from-records", type=click.IntRange(min=1), help="新しい保全記録 N 件を、その前日までのデータで聞き直す"
)
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="くり返す回数（ばらつきが出る）")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="回答ごとの結果を CSV に書く")
@click.option("--resume", type=click.Path(path_type=Path), help="途中結果のファイル（JSONL）。あれば続きから")
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）。質問も同梱のもの")
def evaluate(
    provider: str | None,
    conditions: str,
    questions: Path | None,
    from_records: int | None,
    repeat: int,
    csv_file: Path | None,
    resume: Path | None,
    sample: bool,
    data: DataDir,
) -> Output:
    """自社のデータで、モデルと照合の受け入れ試験をする。何も登録せず、記録簿にも書かない。

    質問のファイルは、同梱の questions.json と同じ項目の JSON か、次の列の表（CSV・XLSX、複数の値は ; で区切る）：
    id, question, equipment（選択中の設備）, role, expected_equipment, status, candidates, records_of,
    answer_contains, answer_must_not_contain, safety（はい・いいえ）, traps, note。id と question のほかは空でよい。
    """
    from desktop.cli.evaluation_words import evaluation as in_words  # other commands start without all this
    from desktop.services import evaluation

    if questions is not None and from_records is not None:
        raise KnownError("wrong_usage", reason="--questions と --from-records は、どちらか一つです。")
    names = _names(conditions)
    with wiring.open_services(data, sample=sample) as services:
        order = evaluation.Order(
            questions=_questions(services, questions, from_records),
            provider=provider or "",
            conditions=names,
            repeat=repeat,
            resume=resume,
            say=lambda text: click.echo(text, err=True),
            progress=_progress(),
        )
        document = evaluation.evaluate(services, order)
    table = document.pop("csv")
    if csv_file is not None:
        csv_file.write_text(table, encoding="utf-8", newline="")
    return Output(document, in_words(document), 1 if document["stopped"] else 0)


def _names(conditions: str) -> tuple[str, ...]:
    from desktop.services.evaluation_conditions import CONDITIONS

    names = tuple(name for part in conditions.split(",") if (name := part.strip()))
    if unknown := [name for name in names if name not in CONDITIONS]:
        reason = f"知らない条件 {'、'.join(unknown)}。使えるもの：{'、'.join(CONDITIONS)}"
        raise KnownError("wrong_usage", reason=reason)
    return names


def _questions(services: Services, file: Path | None, records: int | None) -> tuple[Question, ...]:
    from desktop.services import evaluation_questions, evaluation_replay

    if file is not None:
        return evaluation_questions.read_questions(file)
    if records is not None:
        return evaluation_replay.from_records(services.plant().snapshot, records)
    if not services.sample:
        reason = "同梱の質問は見本工場のものです。自社のデータでは --questions か --from-records を指定してください。"
        raise KnownError("wrong_usage", reason=reason)
    return evaluation_questions.bundled()


def _progress() -> Callable[[str, float], None]:
    """On a terminal only; a script's stderr has the sentences alone."""
    if not sys.stderr.isatty():
        return lambda _what, _share: None
    return lambda what, share: click.echo(f"\r{what:<32} {share:4.0%} ", nl=False, err=True)


COMMANDS = (evaluate,)
