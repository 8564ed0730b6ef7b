"""`ask`: one question without a window, same engine."""

from __future__ import annotations

import click
from uuid6 import uuid7

from desktop import wiring
from desktop.cli import words
from desktop.cli.frame import Output, command
from desktop.domain.work_request import KnownBy, Requester
from desktop.errors import KnownError
from desktop.net import Cancellation
from desktop.paths import DataDir
from desktop.services.station import Services
from desktop.store import people, runs


@command("ask")
@click.argument("question")
@click.option("--provider", type=click.Choice(["auto", "offline", "anthropic", "openai"]), help="回答を手伝うモデル")
@click.option("--equipment", default="", help="対象設備の ID を先に決めておく")
@click.option("--conversation", default="", help="前の質問の会話 ID（対象設備を引き継ぐ）")
@click.option("--requester", default="", help="質問者の社員番号")
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）に聞く")
def ask(
    question: str,
    provider: str | None,
    equipment: str,
    conversation: str,
    requester: str,
    sample: bool,
    data: DataDir,
) -> Output:
    """一つの質問に答える。保全依頼は承認待ちになるだけで、ここからは登録されない。"""
    from desktop.services import ask as asking
    from desktop.services import ask_report

    if not question.strip():
        raise KnownError("wrong_usage", reason="質問が空です。")
    with wiring.open_services(data, sample=sample) as services:
        _require_known(services, conversation, requester)
        asked = asking.Question(
            text=question,
            conversation_id=conversation or str(uuid7()),
            equipment_id=equipment,
            requester=Requester(requester, known_by=KnownBy.CHOSEN) if requester else Requester(),
            provider=provider or "",
        )
        run = asking.ask(services, asked, Cancellation())
        document = ask_report.report(services, asked, run)
    settled = document["status"] in {"answered", "awaiting_approval"}
    return Output(document, words.answer(document), 0 if settled else 1)


def _require_known(services: Services, conversation: str, requester: str) -> None:
    """What a script names must be there: else it would go on as somebody else's question, or nobody's."""
    with services.journal.reading() as tx:
        if conversation and not runs.of_conversation(tx, conversation):
            raise KnownError("conversation_unknown", conversation=conversation)
        if requester and people.get(tx, requester) is None:
            raise KnownError("person_unknown", person=requester)


COMMANDS = (ask,)
