"""Writes deploy/policy.toml, the policy documented key by key, from the one catalogue of settings.

`python installer/policy_docs.py` writes; the tests compare, so that no key goes undocumented.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "installer" / "deploy" / "policy.toml"
_HEAD = """\
# 保全ナビの方針（policy.toml）：全項目と既定値
# このファイルは desktop/config.py から作られます（python installer/policy_docs.py）。手で直さないでください。
#
# 置き場所  C:\\ProgramData\\HozenNavi\\policy.toml（GPO の「ファイル」でコピーします。レジストリの方針はありません）
# 効き方    ここに書いた項目だけが効き、利用者の設定より優先され、設定画面では灰色になります。
#           書かない項目は利用者の設定、なければ既定値です。知らない項目や型の違う値があると起動せず、どこかを示します。
# 信用      管理者が所有し、利用者が書き換えられないファイルだけを読みます。インストーラーがフォルダーをそうします。
# 秘密      API キーは書けません（hozen-navi credentials set で登録します）。
#
# Every key, its default and its choices; all commented out. Copy the lines you want into
# C:\\ProgramData\\HozenNavi\\policy.toml. A key set here beats the user's setting and is greyed in the settings page.
"""


def reference() -> str:
    """The whole file: every setting commented out at its default, grouped by table, with its text."""
    from desktop.config import CATALOGUE

    plain = [setting for key, setting in CATALOGUE.items() if "." not in key]
    tables = sorted({key.rsplit(".", 1)[0] for key in CATALOGUE if "." in key})
    lines = [_HEAD]
    for setting in plain:
        lines += _entry(setting, setting.key)
    for table in tables:
        lines += [f"# [{table}]", ""]
        for key, setting in CATALOGUE.items():
            if key.rpartition(".")[0] == table:
                lines += _entry(setting, key.rpartition(".")[2])
    return "\n".join(lines)


def toml(value: Any) -> str:
    """A setting's value as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case tuple():
            return "[" + ", ".join(toml(item) for item in value) + "]"
        case _:
            return str(value)


def _entry(setting: Any, name: str) -> Iterator[str]:
    yield f"# {setting.text}"
    if setting.choices:
        yield f"# 選べる値 / choices: {' | '.join(map(str, setting.choices))}"
    if setting.pattern:
        yield f"# 形 / pattern: {setting.pattern}"
    if not setting.lockable:
        yield "# 方針では固定できません / not lockable"
    yield f"# {name} = {toml(setting.default)}"
    yield ""


def main() -> int:
    """Write the file."""
    REFERENCE.parent.mkdir(exist_ok=True)
    REFERENCE.write_text(reference(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
