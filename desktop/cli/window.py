"""The window from outside: `open` puts something into it, `quit` closes it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

import click

from desktop import open_windows
from desktop.cli.frame import Output, command
from desktop.errors import KnownError
from desktop.paths import DataDir

_SCHEME = "hozen-navi"
_LONGEST = 64  # characters of a machine's or an error's code


@command("open")
@click.argument("link", default="", metavar="[LINK]")
@click.option("--equipment", default="", help="設備 ID")
@click.option("--code", default="", help="エラーコード")
def open_(link: str, equipment: str, code: str, data: DataDir) -> Output:
    """画面の質問欄に設備とコードを書き入れる（送らない）。hozen-navi: リンクもここに来ます。"""
    if link:
        equipment, code = _of_link(link)
    text = " ".join(filter(None, (_clean(equipment), _clean(code))))
    window_exit = click.get_current_context().obj(data.root, text)
    return Output({"prefilled": text}, text, window_exit)


@command("quit")
@click.option("--wait", type=click.FloatRange(min=0), default=10.0, help="閉じ終わるまで待つ秒数")
def quit_(wait: float, data: DataDir) -> Output:
    """開いている画面を、書きかけを残して閉じる（この PC のどのセッションのものも）。"""
    left = open_windows.close_all(data.root, wait)
    if left:
        text = f"画面が {left} 枚、まだ開いています。書きかけは無事です。閉じるか、少し待ってからやり直してください。"
        return Output({"open": left}, text, 1)
    return Output({"open": 0}, "開いている画面はありません。")


def is_wanted(arguments: Sequence[str]) -> bool:
    """Whether this command line asks for the window: no command at all, or `open`."""
    words = iter(arguments)
    for word in words:
        if word == "--data-dir":
            next(words, None)
        elif not word.startswith("-"):
            return word == open_.name
    return True


def _of_link(link: str) -> tuple[str, str]:
    """Machine and code of `hozen-navi:open?equipment=EQ-003&code=E-12`; it may come from any web page."""
    try:
        parts = urlsplit(link)
    except ValueError:
        raise KnownError("link_not_understood", link=link[:_LONGEST]) from None
    said = {key: values[0] for key, values in parse_qs(parts.query).items()}
    action = (parts.netloc + parts.path).strip("/")
    if parts.scheme != _SCHEME or action not in ("", "open") or not said or not said.keys() <= {"equipment", "code"}:
        raise KnownError("link_not_understood", link=link[:_LONGEST])
    return said.get("equipment", ""), said.get("code", "")


def _clean(word: str) -> str:
    if len(word) > _LONGEST or not word.isprintable():
        raise KnownError("link_not_understood", link=word[:_LONGEST])
    return word.strip()


COMMANDS = (open_, quit_)
