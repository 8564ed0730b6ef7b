"""What backup, restore and key say to people, made from the same documents that --json prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop.cli.words import local_time

Document = Mapping[str, Any]

_PLACES = {
    "journal.db": "記録簿",
    "settings.toml": "設定",
    "snapshots": "台帳データ",
    "files": "原本",
}
_FOLDERS = {
    "read": "送信フォルダーに残る番号も確かめました。",
    "unreachable": "送信フォルダーは見られなかったため、日数から余裕を取っています。",
    "none": "",
}


def backed_up(document: Document) -> str:
    """Where it is, who can read what of it, and where its key is."""
    size = f"{document['size'] / 2**20:.1f} MB"
    plain = "、".join(_PLACES[name] for name in document["plain"])
    lines = [
        f"{document['file']}（{size}）に控え、読み返して確かめました。",
        f"SHA-256：{document['sha256']}",
        f"台帳データ：{document['snapshot'] or 'なし'}　原本：{document['originals']} 件",
        f"平文で入っているもの：{plain or 'なし'}。見てよい人だけが読める場所に置いてください。",
        _key(document["key"]),
    ]
    if document["missing"]:
        lines.append(
            f"注意：この控えには欠けたものがあります。前の控えを消さないでください。{document['missing']['message']}"
        )
    if not document["audit_whole"]:
        lines.append(
            "注意：監査記録のつながりが切れています。この控えは restore では戻せません。管理者に知らせてください。"
        )
    return "\n".join(lines)


def restored(document: Document) -> str:
    """What was restored, what became of the data before it, and what people must look at now."""
    numbers, mode = document["numbers"], _mode(document["encryption"])
    whose = "・".join(filter(None, document["backup_of"].values()))
    lines = [
        f"{document['file']}（{local_time(document['made_at'])}{f'、{whose}' if whose else ''} の控え）に戻しました。"
        f"記録簿は{mode}です。",
        *_changes(document),
        f"番号は {numbers['next']} から続けます（控えと、ここで確かめられた最後は {numbers['seen']}）。"
        f"同じ番号を二度使わないためで、間は欠番です。{_FOLDERS[numbers['sync_folder']]}",
        f"承認待ちは {document['pending']} 件です。"
        + (
            "控えのあとに済んだものかもしれません。工場の一覧と照らしてから承認してください。"
            if document["pending"]
            else ""
        ),
    ]
    lines += [f"  送信済み：{one['equipment_id']} {one['title']}（{one['file']}）" for one in document["sent_already"]]
    if document["pins_to_reset"]:
        lines.append(
            f"この PC には PIN の照合に要る秘密がないため、{document['pins_to_reset']} 人の PIN が使えません。"
            "管理者が hozen-navi people reset-pin で出し直してください。"
        )
    if document["finished_earlier"]:
        lines.insert(0, "前に途中で止まった復元の続きを終わらせました。今回指定したファイルは使っていません。")
    return "\n".join(lines)


def _changes(document: Document) -> list[str]:
    """What became of the data before it, and what looks like a mistake."""
    lines, before, after = [], document["station_before"], document["station"]
    if document["other_journal"]:
        lines.append("注意：ここにあった記録簿とは別の記録簿の控えです。取り違えでないか確かめてください。")
    if before and before != after:
        lines.append(f"注意：この PC の端末コードが {before} から {after or 'なし'} に変わりました。")
    if document["time_in_doubt"]:
        lines.append("注意：控えの日時と PC の時計が合いません。PC の時計を確かめてください。")
    if document["aside"]:
        lines.append(
            f"元のデータは、データフォルダーの {document['aside']} に、そのまま残してあります"
            "（元に戻すときは hozen-navi restore にそのフォルダーを渡します）。"
        )
    return lines


def key_escrowed(document: Document) -> str:
    """The sealed key itself where no file was named, so that it can be redirected."""
    if not document["file"]:
        return str(document["pem"]).rstrip()
    return (
        f"{document['file']} に、{document['subject']} あてに封をした鍵を書きました。"
        "開けるのはその証明書の秘密鍵だけです（openssl cms -decrypt -inform PEM）。"
    )


def key_returned(document: Document) -> str:
    whose = "この記録簿" if document["own"] else f"別の記録簿（{document['journal_id']}）"
    more = "" if document["own"] else "その控えを hozen-navi restore で戻せます。"
    return f"{whose}の鍵を {document['kept_in']} に戻し、読み返して確かめました。{more}"


def _key(key: Document | None) -> str:
    if key is None:
        return "記録簿は平文です。鍵は要りません。"
    lost = "この控えは、鍵がなければほかの PC では開けません"
    if key["escrowed"] is None:
        return f"{lost}。鍵はこの PC の {key['kept_in']} にしかありません。hozen-navi key escrow で預けてください。"
    subject, at = key["escrowed"]["subject"], local_time(key["escrowed"]["at"])
    return f"{lost}。鍵は {subject} あてに預けてあります（{at}）。"


def _mode(encryption: str) -> str:
    return "平文" if encryption == "plain" else f"暗号化（{encryption}）"
