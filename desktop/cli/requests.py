"""What was approved and how far it has come: `requests`, `sync`, `audit`, `people`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from desktop import wiring
from desktop.cli import words
from desktop.cli.frame import Output, as_document, command, write_file
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import outgoing, plant_data


@command("requests")
@click.argument("action", type=click.Choice(["list", "show", "export"]), default="list")
@click.argument("what", default="")
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）")
def requests(action: str, what: str, sample: bool, data: DataDir) -> Output:
    """保全依頼と、承認・送信の状態。show 番号／export ファイル。"""
    if (action == "list") == bool(what):
        raise KnownError("wrong_usage", reason="requests list、requests show 番号、requests export ファイル")
    with wiring.open_services(data, sample=sample) as services:
        if action == "show":
            document = outgoing.request_whole(services, what)
            return Output(document, words.whole(document))
        document = outgoing.requests_listed(services)
    if action == "export":
        write_file(Path(what), as_document(document))
    return Output(document, words.requests(document))


@command("sync")
@click.argument("action", type=click.Choice(["run", "status", "retry"]), default="status")
@click.argument("number", default="")
@click.option("--wait", type=float, default=0.0, help="送り終わるまで待つ秒数")
def sync(action: str, number: str, wait: float, data: DataDir) -> Output:
    """送信待ちを送る（run）、状態を見る（status）、送り直す（retry 番号）。"""
    with wiring.open_services(data, sample=False) as services:
        if action == "retry":
            if not number:
                raise KnownError("wrong_usage", reason="sync retry 番号")
            services.synchronizer.retry(number)
        if action != "status":
            _send(services.synchronizer, wait)
        document = outgoing.sync_status(services)
    return Output(document, words.sync_status(document))


@command("audit")
@click.argument("action", type=click.Choice(["verify"]))
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）")
def audit(action: str, sample: bool, data: DataDir) -> Output:  # noqa: ARG001
    """監査記録のつながりを確かめる。"""
    with wiring.open_services(data, sample=sample) as services:
        document = outgoing.audit_verified(services)
    return Output(document, words.audit(document))


@command("people")
@click.argument("action", type=click.Choice(["list", "import", "bootstrap", "reset-pin", "unlock"]), default="list")
@click.argument("what", default="", metavar="[FILE|ID]")
@click.option("--name", default="", help="bootstrap：氏名")
@click.option("--sample", is_flag=True, help="同梱の見本工場（架空）")
def people(action: str, what: str, name: str, sample: bool, data: DataDir) -> Output:
    """名簿。import ファイル／bootstrap 社員番号 --name 氏名（最初の承認者、管理者権限、PIN は標準入力から）。"""
    if (action == "list") == bool(what):
        raise KnownError("wrong_usage", reason=f"people {action} の後に、ファイルか社員番号が要ります。")
    if action == "import":
        how = plant_data.Import(data.sample if sample else data, sample=sample)
        document: dict[str, Any] = plant_data.import_paths(how, [Path(what)], kind="roster")
        return Output(document, words.import_report(document))
    with wiring.open_services(data, sample=sample) as services:
        roster = services.roster
        match action:
            case "bootstrap":
                roster.bootstrap(what, name or what, sys.stdin.readline().strip())
            case "reset-pin":
                new_pin = roster.reset_pin(what)
                return Output({"person_id": what, "new_pin": new_pin}, f"新しい PIN：{new_pin}（最初に使うとき変更）")
            case "unlock":
                roster.unlock(what)
        document = outgoing.people_listed(services)
    return Output(document, words.people(document))


def _send(synchronizer: Any, wait: float) -> None:
    until = time.monotonic() + wait
    report = synchronizer.run_once(at_once=True)
    while synchronizer.status().unsent and time.monotonic() < until:
        time.sleep(min(1.0, max(0.0, until - time.monotonic())))
        report = synchronizer.run_once(at_once=True)
    if report.problem is not None:
        raise KnownError(report.problem.code, reason=report.problem.reason)


COMMANDS = (requests, sync, audit, people)
