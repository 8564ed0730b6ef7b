"""For IT: `doctor`, `export`, `support-bundle`, `credentials`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path

import click

from desktop import wiring
from desktop.cli import words
from desktop.cli.frame import Output, command
from desktop.credentials import API_KEYS, Credentials
from desktop.errors import KnownError
from desktop.event_log import EventLog
from desktop.paths import DataDir
from desktop.services import diagnostics, export, support_bundle
from desktop.services.health import HealthRecord


@command("doctor")
def doctor(data: DataDir) -> Output:
    """この PC の自己診断。原因ごとに HN 番号と、情シスがすることを示します。管理者の権限は要りません。

    見るもの：設定、保存先、ディスク、プロファイル、キーリング、記録簿、台帳データ、送信先、通信、時計。

    終了コード：0 よい、1 注意だけ、3 壊れた・誤ったデータや設定、4 届かない・使えない、5 プログラムの不具合。
    いくつもあれば最も重いもの（失敗は注意より、失敗どうしは 5、3、4 の順に重く、同じなら先に並ぶもの）。
    """
    document = diagnostics.examine(data)
    HealthRecord(data, EventLog()).keep(document)
    return Output(document, words.checks(document), document["exit"])


@command("export")
@click.argument("action", type=click.Choice(["all", "check"]))
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
def export_(action: str, folder: Path | None, data: DataDir) -> Output:
    """all DIR：依頼・決定・監査・引用した資料を書き出す。check：データを消しても失うものがないか確かめる。"""
    if (action == "all") != (folder is not None):
        raise KnownError("wrong_usage", reason="export all DIR、export check")
    if folder is None and not any(data.root.glob("journal*")) and not (data.root / "copies").exists():
        nothing = {"safe": True, "pending": 0, "unsent": 0, "export": None}
        return Output(nothing, words.export_checked(nothing))
    with wiring.open_services(data, sample=False) as services:
        if folder is not None:
            document = dict(export.export_all(services.journal, data.files, folder, services.clock()))
            return Output(document, words.exported(document))
        document = dict(export.check(services.journal, data.root))
    return Output(document, words.export_checked(document), 0 if document["safe"] else 1)


@command("support-bundle")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.zip")
def support_bundle_(file: Path, data: DataDir) -> Output:
    """調べてもらうためのファイルを作る。鍵・パスワード・人の名前・質問や依頼の中身は入りません。"""
    document = dict(support_bundle.save(data, file, datetime.now(UTC)))
    return Output(document, words.bundled(document))


@command("credentials")
@click.argument("action", type=click.Choice(["set"]))
@click.argument("name", type=click.Choice(API_KEYS))
@click.option("--scope", type=click.Choice(["user", "machine"]), default="user", help="本人だけ／この PC の全員")
def credentials(action: str, name: str, scope: str, data: DataDir) -> Output:  # noqa: ARG001
    """API キーを登録する。値は標準入力から一行で（画面には出ません）。"""
    typed = getpass(f"{name}: ") if sys.stdin.isatty() else sys.stdin.readline()
    secret = typed.lstrip("\ufeff").strip()
    if not secret or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise KnownError("secret_malformed", name=name)
    kept = Credentials()
    if scope == "machine":
        kept.set_for_machine(name, secret)
    else:
        kept.set(name, secret)
    whose = "この PC の全ユーザー用" if scope == "machine" else "自分用"
    return Output({"name": name, "scope": scope}, f"{name} の API キーを{whose}に登録しました（{len(secret)} 文字）。")


COMMANDS = (doctor, export_, support_bundle_, credentials)
