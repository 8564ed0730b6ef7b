"""Backup and return, for IT: `backup`, `restore`, `key`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from desktop import wiring
from desktop.cli import backup_words
from desktop.cli.frame import Output, command
from desktop.credentials import Credentials
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import backup, key_escrow
from desktop.services import restore as restoring


@command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def backup_(file: Path, data: DataDir) -> Output:
    """記録・依頼・台帳データ・原本・設定を一つの ZIP に控える（画面は開いたままでよい）。"""
    _require_journal(data)
    with wiring.open_services(data, sample=False) as services:
        document = backup.back_up(services, file)
    good = document["audit_whole"] and not document["missing"]
    return Output(document, backup_words.backed_up(document), 0 if good else 1)


@command("restore")
@click.argument("file", type=click.Path(path_type=Path))
def restore(file: Path, data: DataDir) -> Output:
    """控え（ZIP）、記録簿の写し（copies の journal-*.db）、前のフォルダーに戻す。今のデータは消さず取りのける。"""
    document: dict[str, Any] = dict(restoring.restore(file, data, Credentials()))
    return Output(document, backup_words.restored(document), 1 if document["finished_earlier"] else 0)


@command("key")
@click.argument("action", type=click.Choice(["escrow", "return"]))
@click.option("--to", "certificate", type=click.Path(path_type=Path), help="escrow：預け先の証明書（PEM か DER、RSA）")
@click.option("--out", type=click.Path(path_type=Path), help="escrow：封をした鍵を書くファイル（既定：標準出力）")
def key(action: str, certificate: Path | None, out: Path | None, data: DataDir) -> Output:
    """記録簿の鍵を証明書あてに封をして預ける（escrow、管理者）。開いた鍵を標準入力から戻す（return）。"""
    if (action == "escrow") != (certificate is not None) or (out and not certificate):
        raise KnownError("wrong_usage", reason="key escrow --to 証明書 [--out ファイル]、key return")
    if certificate is None:
        document = key_escrow.take_back(sys.stdin.read(), data, Credentials())
        return Output(document, backup_words.key_returned(document))
    _require_journal(data)
    with wiring.open_services(data, sample=False) as services:
        document = key_escrow.escrow_key(services, certificate, out)
    return Output(document, backup_words.key_escrowed(document))


def _require_journal(data: DataDir) -> None:
    """A PC without any record gets none by asking."""
    if not any(data.root.glob("journal.db*")) and not any(data.root.glob("journal.id")):
        raise KnownError("nothing_to_back_up", file=str(data.root))


COMMANDS = (backup_, restore, key)
