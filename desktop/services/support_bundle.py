"""One zip for whoever helps: how this PC stands, without a secret and without a person's name."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from desktop import __version__
from desktop.durable import synced
from desktop.errors import KnownError
from desktop.paths import DataDir
from desktop.services import bundle_contents, diagnostics
from desktop.services.bundle_cleaning import OMITTED, Cleaner, logins_in
from desktop.services.bundle_known import Known, known_here

_SETUP_LOGS = tuple(
    place / "HozenNavi-setup.log"
    for place in (Path(tempfile.gettempdir()), Path(os.environ.get("WINDIR", r"C:\Windows")) / "Temp")
)
"""Where setup.exe writes when a person runs it, and when a service does."""
_MOST_TRACES = 200  # the newest; a question of last month explains nothing that these don't
_MOST_OF_A_LOG = 4_000_000  # bytes, from its end
_README = """保全ナビのサポート用ファイル / Hozen Navi support bundle
作成 / made: {at}  版 / version: {version}

入っているもの：自己診断（doctor.json）、監視用の状態（status.json）、版とパッケージ（versions.json）、
設定と方針（settings.json）、記録の件数と送信待ちの状態（journal.json）、台帳データの件数（snapshot.json）、
ファイルの一覧（files.json）、ログ（logs/）、質問ごとの時刻・回数・コード（traces/）、導入のログ（installer/）。

入っていないもの：鍵・パスワード・PIN、名簿、質問と回答、依頼の件名と内容、記録とマニュアルの本文、添付。
名簿・依頼・記録・台帳にある人の名前と、この PC の利用者の名前を含む行は省きました（省いた行：{omitted}）。
利用者のフォルダーの名前、メールアドレス、6 桁以上の数字は「…」に置き換えました。
どこにも登録のない人の名前は見分けられません。渡す前に logs/ をご確認ください。
{unread_ja}
Inside: self-check, status, versions, settings and policy, figures of the journal and its outbox, figures of the plant's
data, list of files, logs, times and codes of each question, the installer's log.
Not inside: keys, passwords, PINs, the roster, questions and answers, what requests say, records, manuals, attachments.
Lines with the name of anybody whom roster, requests, records, ledger or this PC's login name are left out ({omitted});
user folders, mail addresses and numbers of six digits and more are shown as "…". The name of somebody who is registered
nowhere cannot be recognised: please look through logs/ before you pass this on.
{unread_en}"""
_UNREAD_JA = "\n名前の控えを読めなかったので（{codes}）、文章はすべて省き、時刻・モジュール名・コードだけにしました。\n"
_UNREAD_EN = "\nNames could not be read ({codes}), so all free text is left out: only times, module names and codes.\n"


def save(data: DataDir, file: Path, now: datetime) -> Mapping[str, Any]:
    """Writes the bundle, whole or not at all; nothing is overwritten.

    Works with a journal, snapshot or keyring that doesn't open: `unread` names what kept people from being known, and
    no free text is then inside. Raises KnownError: support_bundle_exists, output_unwritable.
    """
    partial = file.with_name(f"{file.name}.partial-{uuid4().hex[:8]}")
    try:
        if file.exists():
            raise KnownError("support_bundle_exists", file=str(file))
        members, known = _members(data, now)
        _write(partial, members, now)
        partial.rename(file)
    except OSError as error:
        raise KnownError("output_unwritable", file=str(file), reason=error.strerror or str(error)) from error
    finally:
        partial.unlink(missing_ok=True)
    return {"file": str(file), "members": len(members), "omitted": _omitted(members), "unread": known.unread}


def _members(data: DataDir, now: datetime) -> tuple[Mapping[str, str], Known]:
    """Every member's name and text, cleaned."""
    report = diagnostics.examine(data, network=True)
    known = known_here(data)
    logs, traces = dict(_logs(data)), dict(_traces(data))
    for text in (*logs.values(), json.dumps(report, ensure_ascii=False), str(data.root.absolute())):
        known.people.update(logins_in(text))
    cleaner = Cleaner(known.people, known.secrets, everyone_known=not known.unread)
    documents: dict[str, Callable[[], Any]] = {
        "doctor": lambda: bundle_contents.doctor(report, cleaner),
        "status": lambda: bundle_contents.status(data.root / "status.json", cleaner),
        "versions": bundle_contents.versions,
        "settings": lambda: bundle_contents.settings(data, cleaner),
        "journal": lambda: bundle_contents.journal(data),
        "snapshot": lambda: bundle_contents.snapshot(data),
        "files": lambda: bundle_contents.files(data),
    }
    members = {f"{name}.json": text for name, made in documents.items() if (text := _document(made)) != "null"}
    members |= {name: cleaner.lines(text) for name, text in logs.items()}
    members |= {name: bundle_contents.trace(text, cleaner) for name, text in traces.items()}
    return {"README.txt": _readme(now, members, known), **members}, known


def _document(made: Callable[[], Any]) -> str:
    try:
        document = made()
    except OSError as error:  # gone or held meanwhile: the others still help
        document = {"error": type(error).__name__}
    return json.dumps(document, ensure_ascii=False, indent=1, default=str)


def _readme(now: datetime, members: Mapping[str, str], known: Known) -> str:
    codes = "、".join(sorted(set(known.unread)))
    unread_ja, unread_en = (text.format(codes=codes) if codes else "" for text in (_UNREAD_JA, _UNREAD_EN))
    told = {"at": f"{now.astimezone():%Y-%m-%d %H:%M %z}", "version": __version__, "omitted": _omitted(members)}
    return _README.format(**told, unread_ja=unread_ja, unread_en=unread_en)


def _omitted(members: Mapping[str, str]) -> int:
    return sum(text.count(OMITTED) for text in members.values())


def _logs(data: DataDir) -> Iterator[tuple[str, str]]:
    for place, folder in ((data, "logs"), (data.sample, "logs/sample")):
        for file in _ours(place.logs, "*.log*"):
            yield f"{folder}/{file.name}", _text(file)
    for number, file in enumerate(_SETUP_LOGS, start=1):
        with suppress(OSError):  # not everybody may look into the system's folder
            if file.is_file():
                yield f"installer/{number}-{file.name}", _text(file)


def _traces(data: DataDir) -> Iterator[tuple[str, str]]:
    for place, folder in ((data, "traces"), (data.sample, "traces/sample")):
        for file in _ours(place.logs, "trace_*.jsonl")[-_MOST_TRACES:]:
            yield f"{folder}/{file.name}", _text(file)


def _ours(folder: Path, pattern: str) -> list[Path]:
    """By name, which for traces is by age."""
    return sorted(file for file in folder.glob(pattern) if file.is_file() and bundle_contents.ours(file.name))


def _text(file: Path) -> str:
    """The end of a log, each line in the encoding that its writer had; what can't be read becomes a note."""
    try:
        with file.open("rb") as opened:
            skipped = max(0, file.stat().st_size - _MOST_OF_A_LOG)
            opened.seek(skipped)
            body = opened.read()
    except OSError as error:
        return f"{type(error).__name__}\n"
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    lines = body.split(b"\n")
    return "\n".join(map(_decoded, lines[1:] if skipped else lines))


def _decoded(line: bytes) -> str:
    for encoding in ("utf-8-sig", "cp932"):
        with suppress(UnicodeDecodeError):
            return line.decode(encoding)
    return OMITTED


def _write(file: Path, members: Mapping[str, str], now: datetime) -> None:
    with synced(file.open("xb")) as opened, zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            member = zipfile.ZipInfo(name, now.timetuple()[:6])
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, text.encode("utf-8"))
